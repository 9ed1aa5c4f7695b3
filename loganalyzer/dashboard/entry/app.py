"""What `loganalyzer dashboard` has Streamlit run: as a module it is the server, as a script each page.

It stands in a folder of its own: Streamlit takes a folder `pages` beside the script it runs for its own kind of pages,
and an address that names one of them would then open it without the sidebar.
"""

from starlette.middleware import Middleware
from streamlit.starlette import App

from loganalyzer.dashboard.guard import Guard
from loganalyzer.dashboard.router import main

if __name__ == "__main__":
    main()
else:
    app = App(__file__, middleware=[Middleware(Guard)])
