"""The pace of those who behave: the smallest limit that nearly all of them pass whole."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from loganalyzer.drafts.limits.limit import Limit
from loganalyzer.groups import Groups, Int64
from loganalyzer.rates import BURSTS, LADDER, excess, thousandths

SHARE = Fraction(9, 10)  # of the clients that behave; one that rushed once would set the pace of all
FEWEST = 10  # requests of a client that has a pace at all


def norm(t_ms: Int64, groups: Groups, floor: Limit) -> Limit | None:
    """Return the limit that lets the fewest requests a minute through, while SHARE of the groups pass it whole.

    Args:
        t_ms: Instants in milliseconds, sorted in each group.
        groups: One for each client that behaves.
        floor: The smallest limit to consider; counted by its key.

    Returns:
        Null where there is no group of FEWEST requests, or no limit of the ladder is passed by so many.
    """
    enough = groups.size >= FEWEST
    if not enough.any():
        return None
    rates = [rate for rate in LADDER if thousandths(rate) >= thousandths(floor.rate)]
    found: list[Limit] = []
    for rate in rates:
        # A group passes whole where the excess that there is if all pass nowhere tops the burst.
        most = np.maximum.reduceat(excess(t_ms, groups, rate), groups.first)[enough]
        found += [
            Limit(rate, burst, floor.at_once, floor.key)
            for burst in BURSTS
            if burst >= floor.burst and np.count_nonzero(most <= burst * 1000) >= SHARE * len(most)
        ]
    return min(found, key=lambda limit: (limit.per_second * 60 + limit.burst, limit.burst), default=None)
