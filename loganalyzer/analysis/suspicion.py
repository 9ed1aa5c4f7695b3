"""Browsers that behave like programs, with the measures and the lines that each suspicion stands on."""

from typing import TYPE_CHECKING

from loganalyzer.analysis import evidence
from loganalyzer.analysis.rows import Row
from loganalyzer.document import SuspectDocument
from loganalyzer.epoch import iso
from loganalyzer.suspects import SIGNS

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

MOST = 500  # told one by one; the totals count all


def suspects(analysis: "Analysis", most: int | None = MOST) -> list[SuspectDocument]:
    """Tell of each suspect, most pages first; null for `most` is all."""
    return [_suspect(analysis, row) for row in analysis.measures.suspects.slice(0, most).to_pylist()]


def _suspect(analysis: "Analysis", row: Row) -> SuspectDocument:
    columns = analysis.columns
    address = columns.addresses[row["address"]].as_py()
    browser = columns.agents["client"][row["agent"]].as_py()
    return {
        "address": address,
        "user_agent": columns.agents["user_agent"][row["agent"]].as_py(),
        "requests": row["requests"],
        "pages": row["pages"],
        "distinct_pages": row["distinct_pages"],
        "assets": row["assets"],
        "referred": row["referred"],
        "robots_reads": row["robots_reads"],
        "peak_60s": row["peak_60s"],
        "gap_s": row["gap_s"],
        "gap_spread_s": row["gap_spread_s"],
        "companions": row["companions"],
        "first": iso(row["first_us"]),
        "last": iso(row["last_us"]),
        "signs": {name: SIGNS[name].sentence.format_map(row) for name in row["signs"]},
        "examples": [evidence.place(analysis, value) for value in row["ids"]],
        "evidence": analysis.command(browser, address=address),
    }
