"""The frame of every page: navigation and sidebar."""

import streamlit as st

from loganalyzer.dashboard import PAGES, show
from loganalyzer.dashboard.sidebar import sidebar


def main() -> None:
    """Lay out the sidebar and run the chosen page."""
    st.set_page_config(page_title="loganalyzer", layout="wide")
    chosen = st.navigation({section: [show.page(name) for name in names] for section, names in PAGES.items()})
    above = st.empty()
    with st.sidebar:
        sidebar(above)
    chosen.run()
