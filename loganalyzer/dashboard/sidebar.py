"""The sidebar: what was read and of it the period; and what can be said of a period while it is being measured."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import streamlit as st

from loganalyzer.dashboard import files, loaders, show
from loganalyzer.dashboard.choice import Choice
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline
from loganalyzer.reports import wording

if TYPE_CHECKING:
    from loganalyzer.analysis.counts import Count

COUNTED = 10  # clients shown of a period that is being measured


def sidebar(above: Any) -> None:
    """Say what was read, with its period, zone and rejects; ask for a log where none was named.

    Args:
        above: An empty place above the page, for what is said while the page is waited for.
    """
    try:
        start = loaders.named()
        if start.nothing:
            _uploaders()
        if not start.nothing or st.session_state.get(f"{loaders.UPLOAD}_widget"):
            _period(start)
    except UsageError:
        return  # the page says it
    if (counts := loaders.meanwhile()) is not None:
        _meanwhile(above, counts)
    document = loaders.ready()
    above.empty()
    if document is None:
        return
    facts = [*wording.provenance(document), "all times in UTC"]
    st.text("\n".join(inline(fact) for fact in facts))
    for label, name, mime, write in files.offers(document):
        st.download_button(label, write, name, mime, on_click="ignore")


def _period(start: Choice) -> None:
    """Let a period be chosen; `loaders.chosen` reads it here, and says on the page what is wrong with it."""
    labels = {"from": "From (UTC)", "until": "Until (UTC), and not at it"}
    for name, of in loaders.PERIOD.items():
        show.typed(name, labels[name], getattr(start, of) or "", placeholder="2026-11-02 or 2026-11-02T10:00 or 7d")


def _uploaders() -> None:
    st.file_uploader(
        "Access log: text, gzip, bzip2, xz or zstd, at most 200 MB",
        key=f"{loaders.UPLOAD}_widget",
    )
    st.file_uploader("robots.txt in force (if you have it)", key=f"{loaders.UPLOAD_ROBOTS}_widget")


def _meanwhile(above: Any, counts: "Sequence[Count]") -> None:
    """What is counted already; a verdict needs the order of all requests, and so takes longer."""
    requests, size = sum(count.requests for count in counts), sum(count.bytes for count in counts)
    refused = sum(count.refused for count in counts)
    with above.container(border=True):
        show.prose(
            f"Counted in this period: {wording.plural(requests, 'request')} of "
            f"{wording.plural(len(counts), 'client')}, {wording.size(size)}, {wording.count(refused)} refused. "
            "Verdicts are being measured; what stands below is not of this period yet."
        )
        if counts:
            show.static(_table(counts[:COUNTED]))


def _table(counts: "Sequence[Count]") -> pa.Table:
    return pa.table(
        {
            "client": [count.client for count in counts],
            "requests": [count.requests for count in counts],
            "bytes": [wording.size(count.bytes) for count in counts],
            "refused": [count.refused for count in counts],
        }
    )
