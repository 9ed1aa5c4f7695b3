"""nginx's limit_req, replayed with nginx's own integers: which requests a rate and burst would have let pass.

ngx_http_limit_req_lookup keeps an excess in thousandths of a request. A request adds 1000 and the milliseconds since
the last one that passed drain `rate * ms / 1000`; above `burst * 1000` it is refused and leaves the state as it was.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loganalyzer.groups import Int64

BURSTS = (0, 5, 10, 20, 50)
LADDER = tuple(f"{n}r/m" for n in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 40, 50)) + tuple(
    f"{n}r/s" for n in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
)


class SmallestLimit(NamedTuple):
    """The smallest rate of the ladder that passes the share asked for; where none does, what the largest passes."""

    rate: str | None
    passed: int
    of: int


def thousandths(rate: str) -> int:
    """Return a rate as nginx keeps it, in whole thousandths of a request per second: `30r/m` is 500, `1r/s` 1000.

    Raises:
        ValueError: The text is not a whole number above 0 followed by `r/s` or `r/m`.
    """
    number, unit = rate[:-3], rate[-3:]
    if unit not in ("r/s", "r/m") or not (number.isascii() and number.isdigit() and int(number)):
        raise ValueError(f"{rate!r} is not a rate that nginx reads; write 2r/s or 30r/m")
    return int(number) * 1000 // (60 if unit == "r/m" else 1)


def nginx_limit_req(t_ms: Int64, rate: str, burst: int) -> NDArray[np.bool_]:
    """Return which of the requests at sorted instants `t_ms` (milliseconds) pass `rate` with `burst` and nodelay."""
    t_ms = np.asarray(t_ms, dtype=np.int64)
    passed = np.ones(len(t_ms), dtype=bool)
    passed[_refused(t_ms, thousandths(rate), burst * 1000, len(t_ms))] = False
    return passed


def smallest_limit(t_ms: Int64, burst: int, share: float = 0.99) -> SmallestLimit:
    """Return the smallest rate of `LADDER` that passes at least `share` of the requests at sorted `t_ms`."""
    t_ms = np.asarray(t_ms, dtype=np.int64)
    of = len(t_ms)
    may_refuse = of - math.ceil(share * of - 1e-9)
    for rate in LADDER:
        refused = _count_refused(t_ms, thousandths(rate), burst * 1000, may_refuse)
        if refused <= may_refuse:
            return SmallestLimit(rate, of - refused, of)
    return SmallestLimit(None, of - len(_refused(t_ms, thousandths(LADDER[-1]), burst * 1000, of)), of)


def _count_refused(t_ms: Int64, rate: int, limit: int, give_up: int) -> int:
    """Count refusals; a count above `give_up` is a lower bound.

    All that ever passes adds up to no more than the burst, one request and what drains in the whole time: most rates
    of the ladder are out of the question without a replay.
    """
    span = int(t_ms[-1] - t_ms[0]) if len(t_ms) else 0
    at_least = len(t_ms) - (limit + 1000 + rate * span // 1000) // 1000
    return at_least if at_least > give_up else len(_refused(t_ms, rate, limit, give_up))


def _refused(t_ms: Int64, rate: int, limit: int, give_up: int) -> list[int]:
    """Return the rows refused, in order; stop soon after more than `give_up` of them.

    If nothing were refused, the excess would follow Lindley's recursion e = max(0, e + 1000 - drained), which a running
    sum less its running minimum solves for all requests at once. The true excess is never above that one, so both
    are zero together, and only a busy period (from zero to zero) whose pass-all excess tops the limit is replayed.
    """
    t_ms = np.ascontiguousarray(t_ms)
    step = 1000 - rate * np.diff(t_ms, prepend=t_ms[:1]) // 1000
    step[:1] = 0  # nginx opens a new state with excess 0
    total = np.cumsum(step)
    excess = total - np.minimum.accumulate(total)
    over = np.flatnonzero(excess > limit)
    idle = np.flatnonzero(excess == 0)
    refused: list[int] = []
    done = 0
    for row in over.tolist():
        if row < done:
            continue
        following = np.searchsorted(idle, row)
        done = int(idle[following]) if following < len(idle) else len(t_ms)
        refused += _replay(t_ms, row, done, int(excess[row - 1]), rate, limit, give_up - len(refused))
        if len(refused) > give_up:
            break
    return refused


def _replay(t_ms: Int64, start: int, stop: int, excess: int, rate: int, limit: int, give_up: int) -> list[int]:
    """Return the rows of [start, stop) refused; `excess` is that of the row before.

    A refusal changes nothing, so the next request to pass is the first one late enough for the excess to have
    drained: what lies between is refused without being looked at.
    """
    times = t_ms.data
    refused: list[int] = []
    last, row = times[start - 1], start
    while row < stop and len(refused) <= give_up:
        now = times[row]
        new = max(0, excess - rate * (now - last) // 1000 + 1000)
        if new <= limit:
            excess, last, row = new, now, row + 1
        else:
            opens = last - (excess + 1000 - limit) * -1000 // rate  # rounded up
            passes = bisect_left(times, opens, row + 1, stop)
            refused += range(row, passes)
            row = passes
    return refused
