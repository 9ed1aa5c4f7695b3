"""Entry of the dashboard: a router. `streamlit run app.py -- LOG... --robots FILE` names what it reads."""

import streamlit as st

from loganalyzer.dashboard import PAGES, show


def main() -> None:
    """Lay out the sidebar and run the chosen page."""
    st.set_page_config(page_title="loganalyzer", layout="wide")
    chosen = st.navigation({section: [show.page(name) for name in names] for section, names in PAGES.items()})
    with st.sidebar:
        show.sidebar()
    chosen.run()


if __name__ == "__main__":
    main()
