"""What clients do when they are told to wait: 429, or 503 that asks for it.

The definitions in one place: a refusal sent at T with a wait W opens the window (T + grace, T + W - tolerance); a
request that begins in it is early, whatever the answer. Refusals that follow on one another are one episode, and the
worst of its waits is its verdict. All of it is measured twice, by address and by token, because a limiter keeps its
counts in one of the two ways. Words are "measured" ones: no crawler has promised anything about 429.
"""

from loganalyzer.backoff.kernel import CODED, early_ids, kernel
from loganalyzer.backoff.patterns import PATTERNS, patterns, waits_by_worker
from loganalyzer.backoff.refusals import asked_wait, refusals
from loganalyzer.backoff.requests import episodes
from loganalyzer.backoff.sensitivity import SENSITIVITY, sensitivity
from loganalyzer.backoff.summary import (
    ENOUGH_EARLY,
    FEWEST_WAITS,
    Summary,
    kept_interval,
    summarise,
    verdict_counts,
    went_on,
    wilson,
)
from loganalyzer.backoff.thresholds import Thresholds

__all__ = [
    "CODED",
    "ENOUGH_EARLY",
    "FEWEST_WAITS",
    "PATTERNS",
    "SENSITIVITY",
    "Summary",
    "Thresholds",
    "asked_wait",
    "early_ids",
    "episodes",
    "kept_interval",
    "kernel",
    "patterns",
    "refusals",
    "sensitivity",
    "summarise",
    "verdict_counts",
    "waits_by_worker",
    "went_on",
    "wilson",
]
