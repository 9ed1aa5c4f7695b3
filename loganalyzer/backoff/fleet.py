"""Whether a client that was refused at one address went on from others: a limit by address does not reach a fleet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loganalyzer.backoff.rows import Mask
from loganalyzer.groups import Int64

ADDRESS_BITS = 32


@dataclass(frozen=True)
class Fleet:
    """Over episodes, by token: what came from where."""

    elsewhere: Int64  # early requests from addresses that were not refused in the episode
    placed: Int64  # early requests whose address is logged
    before: Int64  # distinct addresses in the time over which the pace before is taken
    after: Int64  # distinct addresses in as long a time after the first refusal

    @property
    def spread(self) -> Mask:
        """At least half of what came early came from addresses that had not been refused."""
        mask: Mask = (self.placed > 0) & (2 * self.elsewhere >= self.placed)
        return mask

    def rotated(self, fewest: int) -> Mask:
        """At least twice as many addresses after as before, and at least `fewest`: one more address is no rotation."""
        mask: Mask = (self.before > 0) & (self.after >= 2 * self.before) & (self.after >= fewest)
        return mask


def elsewhere(refused: Int64, refused_at: Int64, early: Int64, early_at: Int64, episodes: int) -> tuple[Int64, Int64]:
    """Count for each episode the early requests from addresses that were not refused in it, and all with an address.

    Args:
        refused: Episode of each refusal, and
        refused_at: its address, -1 = not logged.
        early: Episode of each early request, and
        early_at: its address.
        episodes: How many there are.
    """
    known = early_at >= 0
    pairs = np.unique(refused << ADDRESS_BITS | np.maximum(refused_at, 0))
    strange = known & ~np.isin(early << ADDRESS_BITS | np.maximum(early_at, 0), pairs)
    return np.bincount(early[strange], minlength=episodes), np.bincount(early[known], minlength=episodes)


def addresses(address: Int64, first: Int64, end: Int64) -> Int64:
    """Count the distinct addresses in each range [first, end) of rows; ranges may overlap, -1 counts as none."""
    size = np.maximum(end - first, 0)
    number = np.repeat(np.arange(len(size)), size)
    row = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(first, size)
    known = address[row] >= 0
    pairs = np.unique(number[known] << ADDRESS_BITS | address[row][known])
    return np.bincount(pairs >> ADDRESS_BITS, minlength=len(size))
