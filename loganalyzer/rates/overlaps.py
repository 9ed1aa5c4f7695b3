"""Concurrency: how many requests of a client were being answered at once."""

from __future__ import annotations

import numpy as np

from loganalyzer.groups import Groups, Int64

LONGEST_REQUEST_US = 86_400_000_000  # one day; a longer duration is a damaged field and would stretch the axis


def most_overlaps(axis: Int64, duration_us: Int64, groups: Groups) -> Int64:
    """Return the most overlaps of half-open [start, start + duration) in each group of sorted starts.

    `axis` keeps groups more than the longest duration apart. The most is reached at a start, where the requests begun
    so far less those ended so far are in flight; an end at the same instant comes first. A duration of zero becomes
    one microsecond, which counts at its instant and nowhere else.
    """
    ends = np.sort(axis + np.clip(duration_us, 1, LONGEST_REQUEST_US))
    in_flight = np.arange(1, len(axis) + 1) - np.searchsorted(ends, axis, side="right")
    return np.maximum.reduceat(in_flight, groups.first)


def concurrency(start: Int64, end: Int64) -> int:
    """Return the most overlaps of half-open [start, end), in microseconds and any order; 0 for no request.

    In a log with whole seconds this is an upper bound: requests of one second look simultaneous.
    """
    start = np.asarray(start, dtype=np.int64)
    if not len(start):
        return 0
    order = np.argsort(start, kind="stable")
    duration = (np.asarray(end, dtype=np.int64) - start)[order]
    return int(most_overlaps(start[order], duration, Groups.one(len(start)))[0])
