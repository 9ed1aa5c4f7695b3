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

from loganalyzer.groups import Groups, Int64

BURSTS = (0, 5, 10, 20, 50)
LADDER = tuple(f"{n}r/m" for n in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 40, 50)) + tuple(
    f"{n}r/s" for n in (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
)
_NEAR = 16  # rows in which the next request to pass is looked for first


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
    return passing(t_ms, _whole(t_ms), rate, burst)


def passing(t_ms: Int64, groups: Groups, rate: str, burst: int) -> NDArray[np.bool_]:
    """Return which requests pass, each group in a bucket of its own; `t_ms` is sorted in each group.

    Args:
        t_ms: Instants in milliseconds.
        groups: The runs of rows that share a bucket.
        rate: As nginx writes it.
        burst: As nginx has it; whether what is above the rate is served at once or delayed changes nothing here.
    """
    passed = np.ones(len(t_ms), dtype=bool)
    passed[_refused(t_ms, groups, thousandths(rate), burst * 1000, len(t_ms))] = False
    return passed


def excess(t_ms: Int64, groups: Groups, rate: str) -> Int64:
    """Return the excess, in thousandths of a request, that each request of each group leaves if all of them pass.

    A limit refuses nothing where this nowhere tops its burst; and nginx delays what passes by this, less what it serves
    at once, over the rate.
    """
    return _excess(t_ms, groups, thousandths(rate))


def smallest_limit(t_ms: Int64, burst: int, share: float = 0.99) -> SmallestLimit:
    """Return the smallest rate of `LADDER` that passes at least `share` of the requests at sorted `t_ms`."""
    t_ms = np.asarray(t_ms, dtype=np.int64)
    of = len(t_ms)
    may_refuse = of - math.ceil(share * of - 1e-9)
    for rate in LADDER:
        refused = _count_refused(t_ms, thousandths(rate), burst * 1000, may_refuse)
        if refused <= may_refuse:
            return SmallestLimit(rate, of - refused, of)
    return SmallestLimit(None, of - len(_refused(t_ms, _whole(t_ms), thousandths(LADDER[-1]), burst * 1000, of)), of)


def _count_refused(t_ms: Int64, rate: int, limit: int, give_up: int) -> int:
    """Count refusals; a count above `give_up` is a lower bound.

    All that ever passes adds up to no more than the burst, one request and what drains in the whole time: most rates
    of the ladder are out of the question without a replay.
    """
    span = int(t_ms[-1] - t_ms[0]) if len(t_ms) else 0
    at_least = len(t_ms) - (limit + 1000 + rate * span // 1000) // 1000
    return at_least if at_least > give_up else len(_refused(t_ms, _whole(t_ms), rate, limit, give_up))


def _whole(t_ms: Int64) -> Groups:
    """All requests in one bucket."""
    return Groups.one(len(t_ms)) if len(t_ms) else Groups(t_ms, t_ms)


def _excess(t_ms: Int64, groups: Groups, rate: int) -> Int64:
    """Solve Lindley's recursion e = max(0, e + 1000 - drained) for all requests at once.

    That is a running sum less its running minimum. nginx opens a new state with an excess of 0: the first step of a
    group falls below everything before it. More than all requests of a group can add need not drain from it, which
    keeps the sum far from its bounds.
    """
    if not len(t_ms):
        return t_ms
    drained = rate * np.diff(t_ms, prepend=t_ms[:1]) // 1000
    step = 1000 - np.minimum(drained, 1000 * (int(groups.size.max()) + 1))
    step[groups.first] = -1000 * np.concatenate([[0], groups.size[:-1]]) - 1
    total = np.cumsum(step)
    above: Int64 = total - np.minimum.accumulate(total)
    return above


def _refused(t_ms: Int64, groups: Groups, rate: int, limit: int, give_up: int) -> Int64:
    """Return the rows refused, in order; stop soon after more than `give_up` of them.

    The true excess is never above the one that there would be if nothing were refused, so both are zero together, and
    only a busy period (from zero to zero) whose pass-all excess tops the limit is replayed.
    """
    above = _excess(t_ms, groups, rate)
    over = np.flatnonzero(above > limit)
    if not len(over):
        return over
    idle = np.append(np.flatnonzero(above == 0), len(t_ms))
    ends = idle[np.searchsorted(idle, over)]
    new = Groups.of(ends)
    before = over[new.first] - 1  # the last row that surely passes, with its excess
    states = zip(before.tolist(), ends[new.first].tolist(), above[before].tolist(), strict=True)
    first, stop, total = [], [], 0
    for row, end, level in states:
        begins, stops = _replay(t_ms[row:end].tolist(), level, rate, limit, give_up - total)
        first += [row + begin for begin in begins]
        stop += [row + passes for passes in stops]
        total += sum(stops) - sum(begins)
        if total > give_up:
            break
    return _rows(np.array(first, np.int64), np.array(stop, np.int64))


def _rows(first: Int64, stop: Int64) -> Int64:
    """All rows of runs that follow one another; none is empty."""
    size = stop - first
    rows: Int64 = np.arange(size.sum()) + np.repeat(first - np.cumsum(size) + size, size)
    return rows


def _replay(times: list[int], excess: int, rate: int, limit: int, give_up: int) -> tuple[list[int], list[int]]:
    """Return the runs of requests refused after the first of `times`, which left `excess`: their first rows and stops.

    A refusal changes nothing, so the next request to pass is the first one late enough for the excess to have
    drained: what lies between is refused without being looked at. That one most often is near.
    """
    firsts: list[int] = []
    stops: list[int] = []
    last, row, end, refused = times[0], 1, len(times), 0
    while row < end and refused <= give_up:
        now = times[row]
        new = excess - rate * (now - last) // 1000 + 1000
        if new <= limit:
            excess, last, row = new if new > 0 else 0, now, row + 1
        else:
            opens = last - (excess + 1000 - limit) * -1000 // rate  # rounded up
            near = row + _NEAR if row + _NEAR < end else end
            passes = bisect_left(times, opens, row + 1, near)
            if passes == near:
                passes = bisect_left(times, opens, near, end)
            firsts.append(row)
            stops.append(passes)
            refused, row = refused + passes - row, passes
    return firsts, stops
