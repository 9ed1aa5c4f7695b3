"""Deciding over many targets at once: the same answers as `Binding.decide`, a column at a time.

Targets are made canonical and sorted once. A literal prefix is then a range of rows; a piece between wildcards is
looked for in the octets of all targets together. Elaborate patterns fall back to `Pattern.matches`, which is linear in
the target whatever the pattern.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.robots.canonical import PLAIN, Profile, canonical_target
from loganalyzer.robots.match import Pattern

BLOCK_ROWS = 1 << 16  # a block and its work arrays stay within the processor's cache and a few MiB
BLOCK_OCTETS = 1 << 23
LONG_PIECE = 32  # longest piece that is compared octet by octet over all targets
MANY_PIECES = 8  # and most pieces that are looked for in all targets

Rows = NDArray[np.int64]


def canonical_targets(targets: pa.Array, profile: Profile) -> pa.Array:
    """Canonical paths (binary) of a string array of targets; null stays null."""
    octets = targets.cast(pa.binary())
    odd = pc.invert(pc.match_substring_regex(targets, PLAIN[profile])).fill_null(False)
    if not pc.any(odd).as_py():
        return octets
    # Most targets are canonical as logged: only the others are worth a call each.
    respelt = [canonical_target(target, profile) for target in targets.filter(odd).to_pylist()]
    return pc.replace_with_mask(octets, odd, pa.array(respelt, pa.binary()))


def deciding_patterns(candidates: Sequence[Sequence[Pattern]], targets: pa.Array, profile: Profile) -> list[Rows]:
    """For each list of patterns the index of the first that matches each target; -1 for none.

    `targets` is a string array without null.
    """
    found = [np.full(len(targets), -1, np.int64) for _ in candidates]
    for start, stop in _cuts(targets):
        block = Block(canonical_targets(targets.slice(start, stop - start), profile))
        for column, patterns in zip(found, candidates, strict=True):
            column[start:stop] = block.decide(patterns)
    return found


def _cuts(targets: pa.Array) -> Iterator[tuple[int, int]]:
    """Row ranges of at most BLOCK_ROWS rows and about BLOCK_OCTETS octets."""
    octets = np.cumsum(pc.binary_length(targets).to_numpy(zero_copy_only=False), dtype=np.int64)
    start = 0
    while start < len(targets):
        before = octets[start - 1] if start else 0
        full = int(np.searchsorted(octets, before + BLOCK_OCTETS, side="right"))
        stop = min(max(full, start + 1), start + BLOCK_ROWS)
        yield start, stop
        start = stop


class Block:
    """Canonical targets, sorted, with their octets in one array."""

    def __init__(self, paths: pa.Array) -> None:
        self.order: Rows = pc.array_sort_indices(paths).to_numpy().astype(np.int64)
        self.paths: list[bytes] = paths.take(pa.array(self.order)).to_pylist()
        self.octets = np.frombuffer(b"".join(self.paths), np.uint8)
        lengths = np.fromiter(map(len, self.paths), np.int64, len(self.paths))
        self.ends: Rows = np.cumsum(lengths)
        self.starts: Rows = self.ends - lengths
        self._places: dict[int, Rows] = {}

    def decide(self, patterns: Sequence[Pattern]) -> Rows:
        """Index of the first pattern that matches each target, in the order as given; -1 for none."""
        first = np.full(len(self.paths), -1, np.int64)
        for index in range(len(patterns) - 1, -1, -1):  # the last to write is the first to decide
            first[self.rows(patterns[index])] = index
        given = np.empty_like(first)
        given[self.order] = first
        return given

    def rows(self, pattern: Pattern) -> Any:
        """Rows, a slice or an array, of the sorted targets that a pattern matches."""
        low, high = self._range(pattern.head)
        if low == high or not (pattern.pieces or pattern.tail is not None):
            return slice(low, high)
        pieces = (*pattern.pieces, pattern.tail or b"")
        if len(pieces) > MANY_PIECES or max(map(len, pieces)) > LONG_PIECE:
            return np.array([row for row in range(low, high) if pattern.matches(self.paths[row])], np.int64)
        rows, positions = np.arange(low, high), self.starts[low:high] + len(pattern.head)
        for piece in pattern.pieces:
            rows, positions = self._after(piece, rows, positions)
        return self._ending(pattern, rows, positions)

    def _range(self, head: bytes) -> tuple[int, int]:
        """Sorted rows that begin with `head`."""
        low = bisect_left(self.paths, head)
        stem = head.rstrip(b"\xff")
        above = stem[:-1] + bytes([stem[-1] + 1]) if stem else None
        return low, len(self.paths) if above is None else bisect_left(self.paths, above, low)

    def _after(self, piece: bytes, rows: Rows, positions: Rows) -> tuple[Rows, Rows]:
        """Rows in which `piece` occurs at or after their position, and the position behind its first such place."""
        if not len(rows):
            return rows, positions
        places = self._occurrences(piece, int(self.starts[rows[0]]), int(self.ends[rows[-1]]))
        owners = self.owner[places]
        earliest = np.full(len(self.paths), len(self.octets) + 1, np.int64)  # rows already lost: beyond every place
        earliest[rows] = positions
        good = (places >= earliest[owners]) & (places + len(piece) <= self.ends[owners])
        places, owners = places[good], owners[good]
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        return owners[first], places[first] + len(piece)

    def _ending(self, pattern: Pattern, rows: Rows, positions: Rows) -> Rows:
        """Rows whose rest behind `positions` ends as the pattern wants."""
        if pattern.tail is None:
            return rows
        rest = self.ends[rows] - positions
        kept: Rows = rows[rest >= len(pattern.tail) if pattern.starred else rest == 0]
        for back, octet in enumerate(reversed(pattern.tail), 1):
            kept = kept[self.octets[self.ends[kept] - back] == octet]
        return kept

    def _occurrences(self, piece: bytes, low: int, high: int) -> Rows:
        """Places of `piece` within octets low to high, ascending, by its rarest octet first."""
        offsets = sorted(range(len(piece)), key=lambda offset: self.counts[piece[offset]])
        places: Rows = self._places_of(piece[offsets[0]])
        cut = np.searchsorted(places, (low + offsets[0], high - len(piece) + offsets[0] + 1))
        places = places[cut[0] : max(cut)] - offsets[0]
        for offset in offsets[1:]:
            places = places[self.octets[places + offset] == piece[offset]]
        return places

    def _places_of(self, octet: int) -> Rows:
        if octet not in self._places:
            self._places[octet] = np.flatnonzero(self.octets == octet)
        return self._places[octet]

    @cached_property
    def owner(self) -> Rows:
        """Row of each octet."""
        return np.repeat(np.arange(len(self.paths)), self.ends - self.starts)

    @cached_property
    def counts(self) -> list[int]:
        """How often each octet occurs."""
        counts: list[int] = np.bincount(self.octets, minlength=256).tolist()
        return counts
