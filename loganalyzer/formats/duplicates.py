"""The same requests in two inputs: a rotated file beside its compressed copy, a backup, two logs joined.

A single request may well be logged twice; a hundred in a row, each the same in time, address, target, user agent,
status and size, are a copy. Only inputs whose times overlap are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    requests: pa.Table
    rejects: pa.Table
    dropped: int = 0
    note: str | None = None


def counted_once(sources: Sequence[Lines]) -> list[Lines]:
    """The sources without runs of at least RUN requests that an earlier one has."""
    kept: list[Lines] = []
    spans: list[tuple[int, int] | None] = []
    sketch = Sketch()  # a hundred virtual hosts over the same day are not compared each with each
    for lines in sources:
        span = _span(lines.requests)
        digests = _digests(lines.requests.select(_COLUMNS)) if span and len(sources) > 1 else _NONE
        near = [kept[at] for at in sketch.near(digests) if span and (past := spans[at]) and _meet(span, past)]
        kept.append(_without(lines, near, span) if near and span else lines)
        spans.append(span)
        sketch.add(_digests(kept[-1].requests.select(_COLUMNS)) if kept[-1] is not lines else digests)
    return kept


def _span(requests: pa.Table) -> tuple[int, int] | None:
    """First and last time, epoch microseconds; null where fewer than a run have one."""
    if requests.num_rows - requests["time"].null_count < RUN:
        return None
    ends = pc.min_max(requests["time"].cast(pa.int64()))
    return ends["min"].as_py(), ends["max"].as_py()


def _meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


def _without(lines: Lines, near: Sequence[Lines], span: tuple[int, int]) -> Lines:
    """One source without what its neighbours have."""
    spans = [found for found in (_span(other.requests) for other in near) if found]
    window = max(span[0], min(past[0] for past in spans)), min(span[1], max(past[1] for past in spans))
    known = [_digests(other.requests.select(_COLUMNS).filter(_within(other.requests, window))) for other in near]
    here = np.flatnonzero(_within(lines.requests, window).to_numpy())
    index = Index(known)
    runs = index.runs(_digests(lines.requests.select(_COLUMNS).take(pa.array(here))))
    if not runs:
        return lines
    keep = np.ones(lines.requests.num_rows, bool)
    for run in runs:
        keep[here[run.start : run.end]] = False
    twin = near[int(np.searchsorted(index.starts, runs[0].at, "right")) - 1]
    rejects = lines.rejects.filter(pc.invert(_between(lines, keep, near)))
    requests = lines.requests.filter(pa.array(keep))
    dropped = int((~keep).sum()) + lines.rejects.num_rows - rejects.num_rows
    first = lines.requests["line"][int(np.argmin(keep))].as_py()
    note = (
        f"{dropped:,} lines more, from line {first:,} on, are copies of lines in {twin.source}: counted there "
        "(--keep-duplicates counts them here too)"
    )
    return Lines(lines.source, requests, rejects, dropped, note)


def _within(requests: pa.Table, window: tuple[int, int]) -> pa.ChunkedArray:
    time = requests["time"].cast(pa.int64())
    return pc.fill_null(pc.and_(pc.greater_equal(time, window[0]), pc.less_equal(time, window[1])), False)


def _between(lines: Lines, keep: np.ndarray, near: Sequence[Lines]) -> pa.Array:
    """Which rejects stand by dropped requests and are among the rejects of the neighbours."""
    line = lines.requests["line"].to_numpy()
    at = np.searchsorted(line, lines.rejects["line"].to_numpy())
    sides = np.append(keep, False)[at], np.append(False, keep)[at]  # beyond an edge there is nothing to keep
    known = pa.chunked_array([chunk for other in near for chunk in other.rejects["text"].chunks], pa.binary())
    same = pc.is_in(lines.rejects["text"], value_set=known.combine_chunks()) if len(known) else False
    return pc.and_(pa.array(~(sides[0] | sides[1])), same)


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
