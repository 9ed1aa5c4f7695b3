"""Counts in windows and runs: peak, burst, mean rate and the gaps that a Crawl-delay asks for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loganalyzer.groups import Groups, Int64

SECOND_US = 1_000_000


def sliding_peaks(axis: Int64, groups: Groups, window_us: int) -> tuple[Int64, Int64]:
    """Return the largest count in any half-open [t, t + window) of each group, and the first row at which one begins.

    The best window begins at an arrival: sliding it on to the next arrival loses nothing.
    """
    counts = np.searchsorted(axis, axis + window_us, side="left") - np.arange(len(axis))
    return groups.largest(counts)


def longest_bursts(axis: Int64, groups: Groups, gap_us: int) -> tuple[Int64, Int64, Int64]:
    """Return, for each group, the size, first row and last row of its first longest run with no gap above `gap_us`."""
    begins = np.zeros(len(axis), dtype=bool)
    begins[groups.first] = True
    begins[1:] |= np.diff(axis) > gap_us
    runs = np.flatnonzero(begins)
    sizes = np.diff(runs, append=len(axis))
    per_group = Groups.of(np.searchsorted(groups.first, runs, side="right"))
    most, run = per_group.largest(sizes)
    return most, runs[run], runs[run] + most - 1


def peak(t: Int64, window_us: int, sliding: bool = True) -> tuple[int, int | None]:
    """Return the largest count of requests in a half-open window, and the instant at which that window begins.

    Args:
        t: Sorted starts of requests, epoch microseconds.
        window_us: Length of the window, microseconds.
        sliding: Any [t, t + window); otherwise the windows [k * window, (k + 1) * window) of a chart.

    Returns:
        Count and first instant that reaches it; (0, None) for no request.
    """
    t = np.asarray(t, dtype=np.int64)
    if not len(t):
        return 0, None
    if sliding:
        most, row = sliding_peaks(t, Groups.one(len(t)), window_us)
        return int(most[0]), int(t[row[0]])
    window, counts = np.unique(t // window_us, return_counts=True)
    best = int(np.argmax(counts))
    return int(counts[best]), int(window[best]) * window_us


def mean_rates(t: Int64, start: int, end: int) -> tuple[float | None, float | None]:
    """Return requests per second while active, (n - 1) / (last - first), and over the log's window [start, end).

    The first is None where fewer than two instants differ, the second where the window has no length.
    """
    t = np.asarray(t, dtype=np.int64)
    active_us = int(t[-1] - t[0]) if len(t) else 0
    active = (len(t) - 1) * SECOND_US / active_us if active_us else None
    return active, len(t) * SECOND_US / (end - start) if end > start else None


def longest_burst(t: Int64, gap_us: int = SECOND_US) -> tuple[int, int | None, int]:
    """Return size, beginning and length in microseconds of the longest run with no gap above `gap_us`."""
    t = np.asarray(t, dtype=np.int64)
    if not len(t):
        return 0, None, 0
    most, first, last = longest_bursts(t, Groups.one(len(t)), gap_us)
    return int(most[0]), int(t[first[0]]), int(t[last[0]] - t[first[0]])


class CrawlDelay(NamedTuple):
    """How the gaps between a client's requests stand to a Crawl-delay; seconds, None without a gap."""

    gaps: int
    violations: int
    median_gap_s: float | None
    min_gap_s: float | None


def crawl_delay_kept(t: Int64, delay_s: float, tolerance_s: float = 1.0) -> CrawlDelay:
    """Measure the gaps between sorted starts `t` (microseconds, /robots.txt left out) against a Crawl-delay.

    Crawl-delay stands in no RFC and is read in two ways; this is the reading as a pause between two requests. A gap
    violates it below `delay_s - tolerance_s`: a log in whole seconds shortens a true gap by up to one second.
    """
    gaps = np.diff(np.asarray(t, dtype=np.float64)) / SECOND_US
    if not len(gaps):
        return CrawlDelay(0, 0, None, None)
    short = int(np.count_nonzero(gaps < delay_s - tolerance_s))
    return CrawlDelay(len(gaps), short, float(np.median(gaps)), float(gaps.min()))


class CrawlDelayWindows(NamedTuple):
    """Windows with a request, and those of them with more than one."""

    windows: int
    crowded: int


def crawl_delay_windows(t: Int64, delay_s: float, tolerance_s: float = 1.0) -> CrawlDelayWindows:
    """Read a Crawl-delay as Bing documents it: time cut into windows of that length, one access in each.

    The windows [k * w, (k + 1) * w) are as long as the delay less `tolerance_s`, so that a client that pauses for the
    delay has never two in one, wherever its own windows begin; a delay no longer than the tolerance crowds nothing.
    """
    window_us = round((delay_s - tolerance_s) * SECOND_US)
    if not len(t) or window_us <= 0:
        return CrawlDelayWindows(0, 0)
    counts = np.diff(Groups.of(np.asarray(t) // window_us).first, append=len(t))
    return CrawlDelayWindows(len(counts), int(np.count_nonzero(counts > 1)))
