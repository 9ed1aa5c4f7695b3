"""Refusals in the order they were sent, the windows in which a client should wait, and the episodes they chain into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loganalyzer.backoff.rows import Mask, Rows
from loganalyzer.backoff.thresholds import Key, Thresholds, micro
from loganalyzer.groups import Groups, Int64


@dataclass(frozen=True)
class Refusals:
    """All refusals of all keys, by the instant sent. Instants are microseconds on the common axis of the keys."""

    row: Int64  # in Rows
    start: Int64
    sent: Int64
    wait: Int64  # asked for, or assumed
    known: Mask  # the wait was stated
    soon: Int64  # after it was sent, by when a client that waited has asked again
    grace: int
    tolerance: int
    chain: int

    @classmethod
    def of(cls, rows: Rows, axis: Int64, by: Key, limits: Thresholds) -> Refusals:
        """Collect the refusals of `rows`, which stand at `axis`."""
        row = np.flatnonzero(rows.refusal)
        sent = axis[row] + (rows.end - rows.t)[row]
        order = np.argsort(sent, kind="stable")
        row, sent = row[order], sent[order]
        asked = rows.asked[row]
        wait = np.where(asked < 0, micro(limits.assumed_wait_s), np.minimum(asked, micro(limits.longest_wait_s)))
        return cls(
            row=row,
            start=axis[row],
            sent=sent,
            wait=wait,
            known=asked >= 0,
            soon=np.rint(wait * (1 + limits.soon_share)).astype(np.int64) + limits.grace_us(by),
            grace=limits.grace_us(by),
            tolerance=micro(limits.tolerance_s),
            chain=micro(limits.chain_s),
        )

    @cached_property
    def deadline(self) -> Int64:
        """The latest instant that any refusal so far asked to wait for."""
        return np.maximum.accumulate(self.sent + self.wait)

    @cached_property
    def episodes(self) -> Groups:
        """Refusals chained while the next begins no later than the running deadline and the last wait once more."""
        reach = self.deadline + np.maximum(self.wait, self.chain)
        return Groups.of(np.cumsum(self.start > np.concatenate([self.start[:1], reach[:-1]])))

    def opened(self, at: Int64) -> Int64:
        """Return how many refusals were sent more than the grace before each instant."""
        return np.searchsorted(self.sent, at - self.grace, side="left")

    def inside(self, at: Int64) -> Mask:
        """Return which instants lie in a window (sent + grace, sent + wait - tolerance) of any refusal of their key.

        Of the windows opened so far the one that closes last decides. Keys stand further apart on the axis than any
        window is long, so that none reaches into the next.
        """
        closes = np.maximum.accumulate(self.sent + self.wait - self.tolerance)
        opened = self.opened(at)
        mask: Mask = (opened > 0) & (at < closes[opened - 1])
        return mask

    def waits(self, inside: Mask) -> Int64:
        """Return the refusals that begin a wait: not in a window themselves, nor within the grace of the wait before.

        One after the other, because whether a refusal counts depends on the last that did.
        """
        chosen, until = [], -1
        candidates = np.flatnonzero(~inside)
        for refusal, start, sent in zip(
            candidates.tolist(), self.start[candidates].tolist(), self.sent[candidates].tolist(), strict=True
        ):
            if start > until:
                chosen.append(refusal)
                until = sent + self.grace
        return np.array(chosen, dtype=np.int64)
