"""What `loganalyzer dashboard` has Streamlit run: as a module it is the server, as a script each page.

It stands in a folder of its own: Streamlit takes a folder `pages` beside the script it runs for its own kind of pages,
and an address that names one of them would then open it without the sidebar.
"""

from streamlit.starlette import App

from loganalyzer.dashboard.server import MIDDLEWARE, ROUTES, reading

if __name__ == "__main__":
    from loganalyzer.dashboard.router import main

    main()
else:
    app = App(__file__, middleware=MIDDLEWARE, routes=ROUTES, lifespan=reading)
