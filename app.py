"""The dashboard from a checkout: `streamlit run app.py -- LOG... --robots robots.txt`.

Its settings (loopback only, allowed hosts, no telemetry) stand in .streamlit/config.toml;
`loganalyzer dashboard LOG...` passes the same ones from anywhere.
"""

from loganalyzer.dashboard.router import main

main()
