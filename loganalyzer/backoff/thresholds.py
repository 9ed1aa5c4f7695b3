"""Every number that a verdict depends on, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Key = Literal["address", "token"]
SECOND_US = 1_000_000


@dataclass(frozen=True)
class Thresholds:
    """What counts as early, as one episode, as slower. Seconds and ratios; all are printed with the result."""

    grace_address_s: float = 1.0  # a client cannot act on an answer before it has it
    grace_token_s: float = 5.0  # and its other machines must hear of it
    tolerance_s: float = 1.0  # a log in whole seconds, and an HTTP-date, lose up to one
    assumed_wait_s: float = 60.0  # where no Retry-After was stated: StormCrawler's and Nutch's first wait
    longest_wait_s: float = 86_400.0  # both cap it at a day
    chain_s: float = 60.0  # least time after a deadline within which the next refusal is the same episode
    soon_share: float = 0.25  # of a wait, and the grace: who asks again so soon after it had waited for it
    before_least_s: float = 60.0  # span over which the pace before is taken
    before_most_s: float = 3_600.0
    before_requests: int = 3  # fewer say nothing about a pace
    floor_share: float = 1 / 3  # the pace in a wait is taken over at least this share of it: one straggler is no pace
    slow_ratio: float = 0.5
    escalated_ratio: float = 1.5  # between the two, "the same pace" is the plain reading
    escalated_requests: int = 5
    growth: float = 1.5  # of one gap between refusals by the one before
    growth_share: float = 2 / 3
    growth_gaps: int = 3
    silence_least_s: float = 3_600.0  # nothing more for this long, or for
    silence_waits: float = 10.0  # so many times the wait, is giving up
    rotated_addresses: int = 3  # a second address after a refusal is a coincidence

    def grace_us(self, by: Key) -> int:
        """Microseconds after a refusal within which a request cannot yet know of it."""
        return micro(self.grace_address_s if by == "address" else self.grace_token_s)


def micro(seconds: float) -> int:
    """Whole microseconds."""
    return round(seconds * SECOND_US)
