"""The part of the Overview that says what changed since the time before: `report --compare previous`."""

import pyarrow as pa
import streamlit as st

from loganalyzer.dashboard import loaders, questions, show
from loganalyzer.errors import LogAnalyzerError
from loganalyzer.escape import csv_cell, markdown
from loganalyzer.reports import comparison
from loganalyzer.reports.sections import Section


def part() -> None:
    """Offer the comparison where a period has a beginning, and show it where it is wanted."""
    if loaders.chosen().since is None:
        return
    st.subheader("What changed", divider="gray")
    if not show.switched("compare", "Compare with the time before this period, as long as it"):
        st.info("Is it more than before, and who makes it so? Have the time before measured, too.")
        return
    try:
        found = questions.compared()
    except LogAnalyzerError as error:
        st.info(markdown(loaders.private(f"Nothing is compared: {error}.")))
        return
    summary, *further = comparison.sections(found)
    _told(summary)
    for section in further:
        if not section.is_empty:
            st.subheader(markdown(section.title))
            _told(section)


def _told(section: Section) -> None:
    for sentence in section.sentences:
        show.prose(sentence)
    if section.rows:
        table = _table(section)
        show.static(table)
        show.save(table, section.title.partition(" (")[0].partition(",")[0].lower().replace(" ", "_"))


def _table(section: Section) -> pa.Table:
    """Its rows as texts; the grid and the file know no column without a title."""
    cells = zip(*section.rows, strict=True)
    return pa.table(
        {
            column.title or "what": list(map(csv_cell, texts))
            for column, texts in zip(section.columns, cells, strict=True)
        }
    )
