"""What `loganalyzer dashboard` has Streamlit run.

It stands in a folder of its own: Streamlit takes a folder `pages` beside the script it runs for its own kind of pages,
and an address that names one of them would then open it without the sidebar.
"""

from loganalyzer.dashboard.router import main

main()
