"""The dashboard from a checkout: `streamlit run app.py -- LOG... --robots robots.txt`.

Its settings (loopback only, allowed hosts, no telemetry) stand in .streamlit/config.toml;
`loganalyzer dashboard LOG...` passes the same ones from anywhere. As a module it is the server, as a script each page.
"""

from streamlit.starlette import App

from loganalyzer.dashboard.server import MIDDLEWARE, ROUTES, reading

if __name__ == "__main__":
    from loganalyzer.dashboard.router import main

    main()
else:
    app = App(__file__, middleware=MIDDLEWARE, routes=ROUTES, lifespan=reading)
