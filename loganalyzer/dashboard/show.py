"""How a page puts things on the screen: log text as text or in a grid, never as Markdown or HTML."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import streamlit as st

from loganalyzer.dashboard import PAGES, files, frames, loaders
from loganalyzer.dashboard.charts import timeline
from loganalyzer.document import FindingDocument, SeriesDocument
from loganalyzer.document.client import ClientDocument
from loganalyzer.escape import inline, markdown, terminal
from loganalyzer.reports import wording

ONE_CLIENT, EVERYBODY = "one client", "everybody"  # whose lines; else those of a purpose
LINES = 50  # of evidence, on one page
LONGEST, LARGEST = 100, 1_000_000  # characters typed; number chosen
SAVED: dict[str, tuple[str, str, Callable[[pa.Table], bytes]]] = {
    "csv": ("Save the whole table as CSV", "text/csv", frames.to_csv),
    "json": ("JSON", "application/json", frames.to_json),
    "parquet": ("Parquet", "application/vnd.apache.parquet", frames.to_parquet),
}
TEXT = {"light": "#171614", "dark": "#edebe8"}  # colour of the words in a chart
MOST_ROWS = 5_000  # of a table that are sent to the browser at once
DIGITS = re.compile(r"[0-9]{1,6}")
FOLDER = Path(__file__).parent / "pages"
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
    "bytes before": st.column_config.NumberColumn(format="bytes"),
    "bytes after": st.column_config.NumberColumn(format="bytes"),
}


def prose(text: str) -> None:
    """Show a sentence that may hold log text."""
    st.text(inline(text))


def facts(words: Mapping[str, str]) -> None:
    """Show words and what they stand for."""
    static(pa.table({"word": list(words), "meaning": list(words.values())}), hide_header=True)


def static(table: pa.Table, hide_header: bool = False) -> None:
    """Show sentences that wrap, and counts; the cells of a static table are Markdown, so they are made inert."""
    cells = {name: table[name].to_pylist() for name in table.column_names}
    inert = {
        name: [markdown(wording.count(cell) if isinstance(cell, int) else cell) for cell in column]
        for name, column in cells.items()
    }
    st.table(pa.table(inert), border="horizontal", hide_index=True, hide_header=hide_header)


def remembered(
    name: str, label: str, options: Sequence[str], labels: Mapping[str, str] | None = None, default: str = ""
) -> str:
    """Let an option be chosen, and keep the choice in the address; what stands there is only ever looked up.

    Args:
        name: Of the parameter in the address, where there is none for the default.
        label: What is chosen.
        options: The first is chosen where the address says nothing.
        labels: How options are written, where it is otherwise.
        default: The option that the address leaves out.
    """

    def written(option: str) -> str:
        return inline((labels or {}).get(option, option))

    key, asked = f"choice-{name}", st.query_params.get(name)
    if st.session_state.get(key) not in options:
        st.session_state[key] = asked if asked in options else options[0]
    value: str = st.selectbox(label, options, key=key, format_func=written)
    _in_address(name, value, default)
    return value


def several(name: str, label: str, options: Sequence[str]) -> list[str]:
    """Let some of a few words be chosen, and keep the choice in the address; what stands there is only looked up.

    All of them are in view: the labels that a multiselect shows would be white on a light colour in the dark.
    """
    key = f"choice-{name}"
    asked = st.session_state.get(key, st.query_params.get(name, "").split(","))
    st.session_state[key] = [option for option in asked if option in options]
    chosen: list[str] = st.pills(label, options, selection_mode="multi", key=key, format_func=markdown)
    _in_address(name, ",".join(chosen))
    return chosen


def switched(name: str, label: str) -> bool:
    """Let something be switched on, and keep that in the address."""
    key = f"switch-{name}"
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(name) == "yes"
    on: bool = st.toggle(label, key=key)
    _in_address(name, "yes" if on else "")
    return on


def _in_address(name: str, value: str, default: str = "") -> None:
    """Keep a value in the address of the page, where the default has no place."""
    if value == default:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value


def typed(name: str, label: str, default: str, placeholder: str | None = None, longest: int = LONGEST) -> str:
    """Let a short text be typed, and keep it in the address; whoever uses it checks it, wherever it came from.

    Args:
        name: Of the parameter in the address, where there is none for the default.
        label: What the text is.
        default: Without one in the address.
        placeholder: Shown while there is no text.
        longest: How many characters may be typed.
    """
    key = f"typed-{name}"
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(name, default)[:longest]
    value: str = st.text_input(label, key=key, max_chars=longest, placeholder=placeholder).strip()
    _in_address(name, value, default)
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
    tab = {} if what == "all" else {"tab": "Lines"}
    st.switch_page(page("client"), query_params={"client": name, "lines": what, **tab})


def open_evidence(whose: loaders.Whose, what: str, before: int = 0) -> NoReturn:
    """Go to the lines that `what` names: to the page that begins with, or holds, those after `before`."""
    named = {"client": whose.client} if whose.client else {"of": whose.purpose or EVERYBODY}
    at = str(before // LINES + 1)
    st.switch_page(page("evidence"), query_params={**named, "lines": what, "page": at})


def open_mark(series: SeriesDocument, what: str, place: int, purpose: str) -> NoReturn:
    """Go to the lines of a mark of the series: of its purpose, or everybody's where it stands for several."""
    own = series["purposes"].get(purpose) if what == "all" else series["refusals"]
    counts = own or [sum(bar) for bar in zip(*series["purposes"].values(), strict=True)]
    whose = loaders.Whose(purpose=purpose if what == "all" and own else None)
    open_evidence(whose, what, sum(counts[:place]))


def picked(drawn: Any, name: str, alt: str) -> tuple[str, int, str] | None:
    """Show a chart whose marks can be clicked (`charts.pickable`); return lines, place and purpose of the clicked."""
    state: Any = st.altair_chart(_legible(drawn), alt=alt, key=f"chart-{name}", theme=None, on_select="rerun")
    marks = [mark for chosen in state["selection"].values() for mark in chosen if mark.get("lines") in loaders.WHAT]
    return next(((mark["lines"], int(mark["place"]), str(mark.get("purpose", ""))) for mark in marks), None)


def episodes(client: ClientDocument) -> None:
    """The timeline of the episodes of a client, each a click from its lines."""
    found = client["backoff"]["episodes"]
    if not found:
        return
    mark = picked(timeline(found), f"episodes-{client['client']}", "What came in the seconds after each refusal")
    st.caption(
        "Band: the asked wait. Upright marks: refusals. Diamond: the first return, early. Circle: after the wait. "
        "Choose an episode to see the early requests, or the refused where none was early."
    )
    if mark is not None:
        open_evidence(loaders.Whose(client["client"]), mark[0])


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


def chart(drawn: Any, alt: str) -> None:
    """Show a chart."""
    st.altair_chart(_legible(drawn), alt=alt, theme=None)


def _legible(drawn: Any) -> Any:
    """A chart with texts as dark or as light as all texts: those of Streamlit's own theme are too pale to read."""
    text = TEXT["dark" if st.context.theme.type == "dark" else "light"]
    plain = drawn.configure_axis(titleFontWeight="normal").configure_axisY(labelPadding=6)
    return plain.configure_view(stroke=None).configure_legend(symbolOpacity=1).configure_text(color=text)


def save(table: pa.Table, name: str) -> None:
    """Offer the whole of a table, in the forms of SAVED; what was chosen stands in the file's name."""
    with st.container(horizontal=True, gap="medium"):
        for ending, (label, mime, write) in SAVED.items():
            whole, file = partial(write, table), files.named(f"{stem(name)}.{ending}")
            st.download_button(label, whole, file, mime, key=f"{ending}-{name}", type="tertiary", on_click="ignore")


def stem(name: str) -> str:
    """The name of a file: what it is, of which client and of which host, as the address has them."""
    told = [st.query_params.get(key, "") for key in ("client", "host")]
    safe = [re.sub(r"[^A-Za-z0-9-]+", "_", text)[:40].strip("_") for text in told]
    return "-".join(filter(None, (name, *safe)))


def grid(
    table: pa.Table,
    name: str,
    alt: str,
    select: bool = False,
    widths: Mapping[str, int] | None = None,
    whole: pa.Table | None = None,
) -> int | None:
    """Show a table with a button for the whole of it as CSV; returns the chosen row where one can be chosen.

    A table of more than MOST_ROWS is shown page by page.

    Args:
        table: What is shown.
        name: Of its file.
        alt: What it is, for who cannot see it.
        select: Whether a row can be chosen.
        widths: Pixels of columns, so that many fit in a window 1280 wide; the others are as wide as their cells.
        whole: What is saved, where it is more than what is shown.
    """
    begin = _page_of(table, name)
    shown = frames.shortened(table.slice(begin, MOST_ROWS))
    options: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row"} if select else {}
    counts = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    columns = {name: st.column_config.NumberColumn(format="localized") for name in counts} | GRIDS
    for title, width in (widths or {}).items():
        columns[title] = {**columns.get(title, st.column_config.Column()), "width": width}
    state = st.dataframe(
        shown,
        hide_index=True,
        height="content" if shown.num_rows <= 20 else 600,
        column_config={title: config for title, config in columns.items() if title in table.column_names},
        alt=alt,
        key=f"grid-{name}-{begin}" if begin else f"grid-{name}",
        **options,
    )
    save(table if whole is None else whole, name)
    rows = state["selection"]["rows"] if select else []
    return begin + int(rows[0]) if rows else None


def _page_of(table: pa.Table, name: str) -> int:
    """Return the row at which the page that is shown begins."""
    if table.num_rows <= MOST_ROWS:
        return 0
    pages = -(-table.num_rows // MOST_ROWS)
    label = f"Page of {MOST_ROWS:,} rows"
    number = st.number_input(label, min_value=1, max_value=pages, key=f"rows-{name}")
    prose(f"{table.num_rows:,} rows on {pages:,} pages; a search looks through one page, the file has all.")
    return (int(number) - 1) * MOST_ROWS
