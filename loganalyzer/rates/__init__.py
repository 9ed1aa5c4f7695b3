"""Pace: how many requests, how close together, how many at once, and which nginx limit would have let them pass.

Functions take sorted int64 arrays of the requests' STARTS in epoch microseconds (`t_ms`: milliseconds, nginx's
resolution); `measure` is the kernel over whole groups of a table. The sliding peak is the headline: it depends on no
choice of where windows begin. Tumbling windows are for charts and lie between half of it and all of it.
"""

from loganalyzer.rates.limited import LIMITED, limited
from loganalyzer.rates.measure import TICK_US, measure
from loganalyzer.rates.nginx import (
    BURSTS,
    LADDER,
    SmallestLimit,
    excess,
    nginx_limit_req,
    passing,
    smallest_limit,
    thousandths,
)
from loganalyzer.rates.overlaps import concurrency
from loganalyzer.rates.peaks import (
    CrawlDelay,
    CrawlDelayWindows,
    crawl_delay_kept,
    crawl_delay_windows,
    longest_burst,
    mean_rates,
    peak,
)
from loganalyzer.rates.stream import measured

__all__ = [
    "BURSTS",
    "LADDER",
    "LIMITED",
    "TICK_US",
    "CrawlDelay",
    "CrawlDelayWindows",
    "SmallestLimit",
    "concurrency",
    "crawl_delay_kept",
    "crawl_delay_windows",
    "excess",
    "limited",
    "longest_burst",
    "mean_rates",
    "measure",
    "measured",
    "nginx_limit_req",
    "passing",
    "peak",
    "smallest_limit",
    "thousandths",
]
