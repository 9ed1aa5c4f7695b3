"""The course of one client through the log: its requests and refusals over time, and the gaps between its requests."""

from typing import TYPE_CHECKING, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.evidence import code_of
from loganalyzer.epoch import iso

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

US = 1_000_000
# The longest gap that each bar counts, in seconds; what is longer comes last.
BARS_S = (0, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86_400)


class GapsDocument(TypedDict):
    """Gaps between the starts of neighbouring requests, those for /robots.txt left out."""

    gaps: int
    median_s: float | None  # null: fewer than two requests with a time
    bars: list[list[float | int | None]]  # [longest gap in seconds, gaps]: above the bar before; null: any longer one
    first: list[int | None]  # of each bar: how many of its requests came before the one that ended the first such gap


class CourseDocument(TypedDict):
    """One client over the whole log; the buckets are those of ReportDocument.series."""

    start: str | None  # null: no request of the log has a time
    bucket_s: int
    requests: list[int]
    refusals: list[int]  # of these
    gaps: GapsDocument


def course(analysis: "Analysis", client: str) -> CourseDocument:
    """How one client came.

    Raises:
        UsageError: no such client in the log.
    """
    code = code_of(analysis, client)
    rows, width = analysis.measures.series, analysis.measures.bucket_s * US
    start = pc.min(rows["bucket_us"]).as_py()
    mine = rows.filter(pc.equal(rows["client"], pa.scalar(code, pa.int32())))
    bars = 0 if start is None else (pc.max(rows["bucket_us"]).as_py() - start) // width + 1
    places = (mine["bucket_us"].to_numpy() - (start or 0)) // width
    over_time = {}
    for name in ("requests", "refusals"):
        counts = np.zeros(bars, np.int64)
        np.add.at(counts, places, mine[name].to_numpy())
        over_time[name] = counts.tolist()
    return {
        "start": None if start is None else iso(start),
        "bucket_s": analysis.measures.bucket_s,
        "requests": over_time["requests"],
        "refusals": over_time["refusals"],
        "gaps": gaps(*_starts(analysis, code)),
    }


def gaps(t: npt.NDArray[np.int64], robots: npt.NDArray[np.bool_] | None = None) -> GapsDocument:
    """The gaps between instants in microseconds, in any order; those of `robots` are left out."""
    order = np.argsort(t, kind="stable")
    places = np.arange(len(t)) if robots is None else np.flatnonzero(~robots[order])
    between = np.diff(t[order][places])
    bar = np.searchsorted(np.array(BARS_S, np.int64) * US, between, side="left")
    counts = np.bincount(bar, minlength=len(BARS_S) + 1).tolist()
    met, at = np.unique(bar, return_index=True)
    first = dict(zip(met.tolist(), places[at + 1].tolist(), strict=True))
    return {
        "gaps": len(between),
        "median_s": float(np.median(between)) / US if len(between) else None,
        "bars": [list(pair) for pair in zip((*BARS_S, None), counts, strict=True)],
        "first": [first.get(number) for number in range(len(counts))],
    }


def _starts(analysis: "Analysis", code: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Starts of the requests of a client that have one, in the order of the log, and which read /robots.txt."""
    found = [(np.zeros(0, np.int64), np.zeros(0, bool))]
    for table in analysis.columns.requests.tables(["client", "t", "robots"]):
        mine = table.filter(pc.and_(pc.equal(table["client"], pa.scalar(code, pa.int32())), pc.is_valid(table["t"])))
        found.append((mine["t"].to_numpy(), mine["robots"].to_numpy()))
    t, robots = zip(*found, strict=True)
    return np.concatenate(t), np.concatenate(robots)
