"""How a page puts things on the screen: log text as text or in a grid, never as Markdown or HTML."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import streamlit as st

from loganalyzer.dashboard import PAGES, loaders
from loganalyzer.dashboard.choice import Choice
from loganalyzer.dashboard.frames import to_csv
from loganalyzer.document import FindingDocument
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline, markdown, terminal
from loganalyzer.reports import RENDERERS, wording

LONGEST, LARGEST = 100, 1_000_000  # characters typed; number chosen
DIGITS = re.compile(r"[0-9]{1,6}")
FOLDER = Path(__file__).parent / "pages"
DOWNLOADS = {"html": "text/html", "json": "application/json"}
SHARE = st.column_config.ProgressColumn(format="%.1f %%", min_value=0, max_value=100, width="small")
GRIDS: dict[str, Any] = {
    "% of requests": SHARE,
    "% of bytes": SHARE,
    "% of all": st.column_config.NumberColumn(format="%.1f %%", width="small"),
    "client": st.column_config.TextColumn(width=122),
    "% of its lines": st.column_config.NumberColumn(format="%.1f %%"),
    "% of its requests": st.column_config.NumberColumn(format="%.1f %%"),
    "bytes": st.column_config.NumberColumn(format="bytes"),
    "bytes refused": st.column_config.NumberColumn(format="bytes"),
}


def sidebar() -> None:
    """Say what was read, with its period, zone and rejects; ask for a log where none was named."""
    try:
        start = loaders.named()
        if start.nothing:
            _uploaders()
        if not start.nothing or st.session_state.get(f"{loaders.UPLOAD}_widget"):
            _period(start)
    except UsageError:
        return  # the page says it
    if (document := loaders.ready()) is None:
        return
    facts = [*wording.provenance(document), "all times in UTC"]
    st.text("\n".join(inline(fact) for fact in facts))
    for name, mime in DOWNLOADS.items():
        render = partial(RENDERERS[name], document)
        st.download_button(f"Report as {name.upper()}", render, f"report.{name}", mime, on_click="ignore")


def _period(start: Choice) -> None:
    """Let a period be chosen; `loaders.chosen` reads it here, and says on the page what is wrong with it."""
    labels = {"from": "From (UTC)", "until": "Until (UTC), and not at it"}
    for name, of in loaders.PERIOD.items():
        typed(name, labels[name], getattr(start, of) or "", placeholder="2026-11-02 or 2026-11-02T10:00 or 7d")


def _uploaders() -> None:
    st.file_uploader(
        "Access log: text, gzip, bzip2, xz or zstd, at most 200 MB",
        key=f"{loaders.UPLOAD}_widget",
    )
    st.file_uploader("robots.txt in force (if you have it)", key=f"{loaders.UPLOAD_ROBOTS}_widget")


def prose(text: str) -> None:
    """Show a sentence that may hold log text."""
    st.text(inline(text))


def facts(words: Mapping[str, str]) -> None:
    """Show words and what they stand for."""
    static(pa.table({"word": list(words), "meaning": list(words.values())}), hide_header=True)


def static(table: pa.Table, hide_header: bool = False) -> None:
    """Show sentences that wrap; the cells of a static table are Markdown, so they are made inert."""
    inert = {name: [markdown(text) for text in table[name].to_pylist()] for name in table.column_names}
    st.table(pa.table(inert), border="horizontal", hide_index=True, hide_header=hide_header)


def remembered(name: str, label: str, options: Sequence[str], labels: Mapping[str, str] | None = None) -> str:
    """Let an option be chosen, and keep the choice in the address; what stands there is only ever looked up."""

    def written(option: str) -> str:
        return inline((labels or {}).get(option, option))

    key, asked = f"choice-{name}", st.query_params.get(name)
    if st.session_state.get(key) not in options:
        st.session_state[key] = asked if asked in options else options[0]
    value: str = st.selectbox(label, options, key=key, format_func=written)
    st.query_params[name] = value
    return value


def typed(name: str, label: str, default: str, placeholder: str | None = None) -> str:
    """Let a short text be typed, and keep it in the address; whoever uses it checks it, wherever it came from.

    Args:
        name: Of the parameter in the address, where there is none for the default.
        label: What the text is.
        default: Without one in the address.
        placeholder: Shown while there is no text.
    """
    key = f"typed-{name}"
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(name, default)[:LONGEST]
    value: str = st.text_input(label, key=key, max_chars=LONGEST, placeholder=placeholder).strip()
    if value == default:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value
    return value


def numbered(name: str, label: str, least: int, default: int, *, of: str = "") -> int:
    """Let a whole number be chosen, and keep it in the address, where another text counts as the default.

    Args:
        name: Of the parameter in the address.
        label: What the number is.
        least: The smallest.
        default: Without one in the address.
        of: What the number is about: where that changes, the number begins anew.
    """
    key = f"number-{name}-{of}"
    if key not in st.session_state:
        asked = st.query_params.get(name, "")
        st.session_state[key] = max(least, int(asked)) if DIGITS.fullmatch(asked) else default
    value = int(st.number_input(label, min_value=least, max_value=LARGEST, key=key))
    st.query_params[name] = str(value)
    return value


def page(name: str) -> Any:
    """Return the page of that name."""
    title = next(titles[name] for titles in PAGES.values() if name in titles)
    return st.Page(FOLDER / f"{name}.py", title=title)


def open_client(name: str, what: str = "all") -> NoReturn:
    """Go to the page of one client, at the lines that `what` names."""
    st.switch_page(page("client"), query_params={"client": name, "lines": what})


def what_of(command: str) -> str:
    """Which lines the command of a finding lists: its last option."""
    last = wording.arguments(command)[-1].removeprefix("--")
    return last if last in loaders.WHAT else "all"


def copyable(text: str) -> None:
    """Show text to copy, with a button for it."""
    st.code(terminal(text), language=None, wrap_lines=True)


def finding(found: FindingDocument, number: int) -> None:
    """Show a finding beside a button to the lines that prove it."""
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        prose(wording.finding(found))
    if right.button("Lines", key=f"lines-{number}"):
        open_client(found["client"], what_of(found["evidence"]))


def save(table: pa.Table, name: str) -> None:
    """Offer the whole of a table as CSV."""
    whole = partial(to_csv, table)
    label = "Save the whole table as CSV"
    st.download_button(label, whole, f"{name}.csv", "text/csv", key=f"csv-{name}", type="tertiary", on_click="ignore")


def grid(
    table: pa.Table, name: str, alt: str, select: bool = False, widths: Mapping[str, int] | None = None
) -> int | None:
    """Show a table with a button for the whole of it as CSV; returns the chosen row where one can be chosen.

    Args:
        table: What is shown.
        name: Of its file.
        alt: What it is, for who cannot see it.
        select: Whether a row can be chosen.
        widths: Pixels of columns, so that many fit in a window 1280 wide; the others are as wide as their cells.
    """
    options: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row"} if select else {}
    counts = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    columns = {name: st.column_config.NumberColumn(format="localized") for name in counts} | GRIDS
    for title, width in (widths or {}).items():
        columns[title] = {**columns.get(title, st.column_config.Column()), "width": width}
    state = st.dataframe(
        table,
        hide_index=True,
        height="content" if table.num_rows <= 20 else 600,
        column_config={title: config for title, config in columns.items() if title in table.column_names},
        alt=alt,
        key=f"grid-{name}",
        **options,
    )
    save(table, name)
    rows = state["selection"]["rows"] if select else []
    return int(rows[0]) if rows else None
