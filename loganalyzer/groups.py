"""Whole groups of consecutive rows, laid end to end on one time axis.

A kernel gets tens of thousands of groups at once. Moving every group to a stretch of one common axis, with a gap
between stretches that is wider than any window asked for, lets one `numpy.searchsorted` answer for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
_DIGIT = 1 << 16
LONGEST_AXIS = 2**61  # microseconds: a quarter of int64, so that one more long group and a window still fit


@dataclass(frozen=True)
class Groups:
    """Runs of rows with equal keys; `first` is the row at which each begins, `size` its number of rows."""

    first: Int64
    size: Int64

    @classmethod
    def of(cls, *keys: NDArray[np.generic]) -> Groups:
        """Cut rows that are sorted by `keys` (arrays of one length) wherever one of them changes."""
        rows = len(keys[0])
        change = np.zeros(rows, dtype=bool)
        change[:1] = True
        for key in keys:
            change[1:] |= key[1:] != key[:-1]
        first = np.flatnonzero(change)
        return cls(first, np.diff(first, append=rows))

    @classmethod
    def one(cls, rows: int) -> Groups:
        """All rows as a single group (`rows` at least 1)."""
        return cls(np.zeros(1, dtype=np.int64), np.array([rows], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.first)

    @property
    def last(self) -> Int64:
        """Row at which each group ends, inclusive."""
        return self.first + self.size - 1

    @property
    def number(self) -> Int64:
        """Number of the group that each row belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.size)

    def axis(self, t: Int64, pad: int) -> Int64:
        """Place the instants `t` (sorted in each group) on one axis, groups in order and at least `pad` apart."""
        length = t[self.last] - t[self.first] + pad
        shift = np.cumsum(length) - length - t[self.first]
        placed: Int64 = t + np.repeat(shift, self.size)
        return placed

    def parts(self, t: Int64, pad: int) -> Iterator[slice]:
        """Cut the rows between groups so that the axis of each part stays below `LONGEST_AXIS`.

        One part but for logs whose clock jumped by decades, where the stretches of many groups would add up past int64.
        """
        length = (t[self.last] - t[self.first]).astype(np.float64) + pad
        whole = length.sum() < LONGEST_AXIS
        part = np.zeros(len(self)) if whole else np.cumsum(length) // LONGEST_AXIS
        starts = self.first[Groups.of(part).first].tolist()
        yield from map(slice, starts, [*starts[1:], len(t)])

    def largest(self, values: Int64) -> tuple[Int64, Int64]:
        """Return the largest of `values` in each group and the first row that has it."""
        most = np.maximum.reduceat(values, self.first)
        rows = np.flatnonzero(values == np.repeat(most, self.size))
        return most, rows[np.searchsorted(rows, self.first)]


def in_order(rows: Int64, *codes: Int64) -> Int64:
    """Put rows in order of codes, first the first of them; rows with equal codes stay as they are.

    Sixteen bits at a time, which numpy sorts in linear time. Codes are below 2**32; -1 comes last.
    """
    for code in reversed(codes):
        for shift in range(0, 32 if len(code) and (code.max() >= _DIGIT or code.min() < 0) else 16, 16):
            digit = (code >> shift & _DIGIT - 1).astype(np.uint16)
            rows = rows[np.argsort(digit[rows], kind="stable")]
    return rows
