"""Runs of lines that are known already from another log: a copy, a part of one, two logs joined.

A single line may well come twice; a hundred lines in a row, each the same to the last byte, time and address included,
are a copy. As rsync does it: every 50th place of what is known carries a checksum of the 50 lines from there, and a
rolling checksum of 50 lines goes through what is new, so a run of 100 cannot slip through.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from loganalyzer.sources.blocks import Block

RUN = 100  # lines
_BLOCK = 50  # lines; a run of 2 * _BLOCK - 1 holds a whole block wherever it begins
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64
_TRIED = 8  # places of one checksum that are compared: lines that repeat by the thousand must not cost a thousand each

Digests = npt.NDArray[np.uint64]


def line_digests(block: Block, key: bytes = b"") -> Digests:
    """64 bits of BLAKE2b of each line of a block, without its line feed; never 0. Keyed, nobody can try lines on it."""
    lines = bytes(block.data).split(b"\n")
    if not lines[-1]:
        lines.pop()
    joined = b"".join([blake2b(line, digest_size=8, key=key).digest() for line in lines])
    return np.maximum(np.frombuffer(joined, np.uint64), np.uint64(1))


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that are known."""

    start: int  # first line, counted from 0
    end: int  # behind the last
    at: int  # place of the first in the index


class Index:
    """What is known, to be searched for runs.

    `at` of a run counts through all sequences, with one place between two of them.
    """

    def __init__(self, sequences: Sequence[Digests]) -> None:
        """Take lines that follow one another in one log as one sequence."""
        gap = np.zeros(1, np.uint64)  # no digest is 0: a run ends here
        self._known = np.concatenate([part for sequence in sequences for part in (sequence, gap)] or [gap])
        lengths = np.array([len(sequence) + 1 for sequence in sequences], np.int64)
        self.starts = np.cumsum(lengths) - lengths
        places = [np.arange(start, start + n - _BLOCK, _BLOCK) for start, n in zip(self.starts, lengths, strict=True)]
        at = np.concatenate(places) if places else np.zeros(0, np.int64)
        sums = _rolling(self._known)[at] if len(at) else np.zeros(0, np.uint64)
        order = np.argsort(sums, kind="stable")
        self._sums, self._at = sums[order], at[order]

    def runs(self, lines: Digests) -> list[Run]:
        """Runs of at least RUN lines, in order, none overlapping another."""
        found: list[Run] = []
        if len(lines) < RUN or not len(self._sums):
            return found
        sums = _rolling(lines)
        done = 0
        for place in np.flatnonzero(np.isin(sums, self._sums)).tolist():
            if place >= done:
                run = self._longest(lines, place, done, sums[place])
                if run.end - run.start >= RUN:
                    found.append(run)
                    done = run.end
        return found

    def beginning(self, lines: Digests) -> Run | None:
        """These lines, if a sequence begins with them."""
        for at in self.starts.tolist():
            if len(lines) and _agree(lines, self._known[at:]) == len(lines):
                return Run(0, len(lines), at)
        return None

    def _longest(self, lines: Digests, place: int, done: int, checksum: np.uint64) -> Run:
        """The longest run around a place; it begins at `done` or later."""
        low, high = np.searchsorted(self._sums, checksum, "left"), np.searchsorted(self._sums, checksum, "right")
        runs = []
        for at in self._at[low : min(high, low + _TRIED)].tolist():
            back = _agree(lines[done:place][::-1], self._known[:at][::-1])
            forth = _agree(lines[place:], self._known[at:])
            runs.append(Run(place - back, place + forth, at - back))
        return max(runs, key=lambda run: (run.end - run.start, -run.at))


class Sketch:
    """Which of many sequences may share a run with another: about as much work for each as it is long."""

    def __init__(self) -> None:
        """No sequence yet; each is known by the number of those that were added before it."""
        self._sums = np.zeros(0, np.uint64)  # sorted
        self._owners = np.zeros(0, np.int64)
        self._count = 0

    def near(self, lines: Digests) -> list[int]:
        """Numbers of the sequences that may share a run with these lines; every one that does is among them."""
        sums = _rolling(lines)
        if not len(sums) or not len(self._sums):
            return []
        at = np.minimum(np.searchsorted(self._sums, sums), len(self._sums) - 1)
        shared = sums[self._sums[at] == sums]
        found: list[int] = np.unique(self._owners[np.isin(self._sums, shared)]).tolist() if len(shared) else []
        return found

    def add(self, lines: Digests) -> None:
        """Take the next sequence."""
        sums = np.sort(_rolling(lines)[::_BLOCK])
        at = np.searchsorted(self._sums, sums)
        self._sums = np.insert(self._sums, at, sums)
        self._owners = np.insert(self._owners, at, self._count)
        self._count += 1


def _rolling(lines: Digests) -> Digests:
    """Checksum of the _BLOCK lines from each place: a polynomial modulo 2^64."""
    if len(lines) < _BLOCK:
        return np.zeros(0, np.uint64)
    powers = _powers(_BASE, len(lines))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lines * powers, dtype=np.uint64)])
    count = len(lines) - _BLOCK + 1
    rolling: Digests = (sums[_BLOCK:] - sums[:count]) * _powers(pow(_BASE, -1, 1 << 64), count)
    return rolling


def _powers(base: int, count: int) -> Digests:
    factors = np.full(count, base, np.uint64)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _agree(first: Digests, second: Digests) -> int:
    """How many values two arrays have in common from their beginning; as much work as that."""
    done, step, length = 0, RUN, min(len(first), len(second))
    while done < length:
        stop = min(done + step, length)
        differ = first[done:stop] != second[done:stop]
        if differ.any():
            return done + int(differ.argmax())
        done, step = stop, step * 2
    return done
