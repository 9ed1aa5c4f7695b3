"""The same requests in two inputs: a rotated file beside its compressed copy, a backup, two logs joined.

A single request may well be logged twice; a hundred in a row, each the same in time, address, target, user agent,
status and size, are a copy. Only inputs whose times overlap are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.held import Rows, Shelf
from loganalyzer.sources.overlap import RUN, Digests, Index, Sketch

_NUMBERS = ("time", "status", "bytes")
_TEXTS = ("client_ip", "method", "target", "user_agent", "referer", "host")
_COLUMNS = [*_NUMBERS, *_TEXTS]
_NONE = np.zeros(0, np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Lines:
    """What was read of one source, and what of it is in an earlier one already."""

    source: str
    requests: Rows
    rejects: Rows
    dropped: int = 0
    note: str | None = None


def counted_once(sources: Sequence[Lines], shelf: Shelf) -> list[Lines]:
    """The sources without runs of at least RUN requests that an earlier one has; `shelf` is the one that holds them."""
    kept: list[Lines] = []
    spans: list[tuple[int, int] | None] = []
    sketch = Sketch()  # a hundred virtual hosts over the same day are not compared each with each
    for lines in sources:
        span = _span(lines.requests)
        digests = _digests_of(lines.requests) if span and len(sources) > 1 else _NONE
        near = [kept[at] for at in sketch.near(digests) if span and (past := spans[at]) and _meet(span, past)]
        kept.append(_without(lines, near, span, shelf) if near and span else lines)
        spans.append(span)
        sketch.add(_digests_of(kept[-1].requests) if kept[-1] is not lines else digests)
    return kept


def _span(requests: Rows) -> tuple[int, int] | None:
    """First and last time, epoch microseconds; null where fewer than a run have one."""
    times = [table["time"] for table in requests.tables(["time"])]
    if sum(len(time) - time.null_count for time in times) < RUN:
        return None
    ends = [pc.min_max(time.cast(pa.int64())).as_py() for time in times if time.null_count < len(time)]
    return min(end["min"] for end in ends), max(end["max"] for end in ends)


def _digests_of(requests: Rows) -> Digests:
    return np.concatenate([_NONE, *(_digests(table) for table in requests.tables(_COLUMNS))])


def _meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


def _without(lines: Lines, near: Sequence[Lines], span: tuple[int, int], shelf: Shelf) -> Lines:
    """One source without what its neighbours have."""
    spans = [found for found in (_span(other.requests) for other in near) if found]
    window = max(span[0], min(past[0] for past in spans)), min(span[1], max(past[1] for past in spans))
    index = Index([_digests_within(other.requests, window)[1] for other in near])
    here, digests = _digests_within(lines.requests, window)
    runs = index.runs(digests)
    if not runs:
        return lines
    keep = np.ones(lines.requests.num_rows, bool)
    for run in runs:
        keep[here[run.start : run.end]] = False
    twin = near[int(np.searchsorted(index.starts, runs[0].at, "right")) - 1]
    line = _lines(lines.requests)
    rejects = shelf.kept(lines.rejects, ~_between(lines.rejects, line, keep, near))
    requests = shelf.kept(lines.requests, keep)
    dropped = int((~keep).sum()) + lines.rejects.num_rows - rejects.num_rows
    note = (
        f"{dropped:,} lines more, from line {line[int(np.argmin(keep))]:,} on, are copies of lines in {twin.source}: "
        "counted there (--keep-duplicates counts them here too)"
    )
    return Lines(lines.source, requests, rejects, dropped, note)


def _digests_within(requests: Rows, window: tuple[int, int]) -> tuple[np.ndarray, Digests]:
    """Places of the requests within a window of time, and their digests."""
    places, digests = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    start = 0
    for table in requests.tables(_COLUMNS):
        within = _within(table, window)
        places.append(np.flatnonzero(within.to_numpy()) + start)
        digests.append(_digests(table.filter(within)))
        start += table.num_rows
    return np.concatenate(places), np.concatenate(digests)


def _within(requests: pa.Table, window: tuple[int, int]) -> pa.ChunkedArray:
    time = requests["time"].cast(pa.int64())
    return pc.fill_null(pc.and_(pc.greater_equal(time, window[0]), pc.less_equal(time, window[1])), False)


def _between(rejects: Rows, line: np.ndarray, keep: np.ndarray, near: Sequence[Lines]) -> np.ndarray:
    """Which rejects stand by dropped requests (at these lines) and are among the rejects of the neighbours."""
    at = np.searchsorted(line, _lines(rejects))
    # Beyond an edge there is nothing to keep.
    beside = ~(np.append(keep, False)[at] | np.append(False, keep)[at])
    chunks = [chunk for other in near for table in other.rejects.tables(["text"]) for chunk in table["text"].chunks]
    if not beside.any() or not chunks:
        return np.zeros(len(beside), bool)
    known = pa.chunked_array(chunks, pa.binary()).combine_chunks()
    same = [pc.is_in(table["text"], value_set=known).to_numpy() for table in rejects.tables(["text"])]
    found: np.ndarray = beside & np.concatenate(same)
    return found


def _lines(rows: Rows) -> np.ndarray:
    return np.concatenate([np.empty(0, np.int64), *(table["line"].to_numpy() for table in rows.tables(["line"]))])


def _digests(requests: pa.Table) -> Digests:
    """64 bits of each request; never 0."""
    digests = np.zeros(requests.num_rows, np.uint64)
    for name in _NUMBERS:
        numbers = pc.fill_null(requests[name].cast(pa.int64()), -1).to_numpy()
        digests = _mixed(digests, numbers.astype(np.uint64))
    for name in _TEXTS:
        column = requests[name].unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # pyarrow keeps an empty column in chunks
            continue
        # Of texts that strangers choose: hash() is keyed anew in each process, so nobody can make two meet.
        hashes = [hash(text) & 0xFFFF_FFFF_FFFF_FFFF for text in column.dictionary.to_pylist()]
        codes = pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False)
        digests = _mixed(digests, np.array([*hashes, 0], np.uint64)[codes])
    return np.maximum(digests, np.uint64(1))


def _mixed(digests: Digests, values: Digests) -> Digests:
    mixed = (digests ^ values) * _FACTOR
    return mixed ^ (mixed >> np.uint64(29))
