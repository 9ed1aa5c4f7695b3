"""The part of a log that the store does not hold yet: lines known from another log are sieved out, piece by piece."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.pieces import Piece
from loganalyzer.sources.overlap import RUN, Digests, Index
from loganalyzer.store.manifest import DataFile, Manifest, Origin
from loganalyzer.store.tables import rows, span, stored

_MARGIN_US = 3_600_000_000  # a reject stands with the request before it, which a copy may lack


@dataclass(frozen=True, slots=True)
class Rows:
    """Requests and rejects of one log that follow one another, as the store keeps them."""

    requests: pa.Table
    rejects: pa.Table

    def between(self, first: int, last: int) -> "Rows":
        """Those of lines from `first` on, before `last`."""
        return Rows(*(_lines(table, first, last) for table in (self.requests, self.rejects)))

    def without(self, lines: npt.NDArray[np.int64]) -> "Rows":
        """Those of other lines."""
        drop = pa.array(lines, pa.int64())
        return Rows(*(t.filter(pc.invert(pc.is_in(t["line"], value_set=drop))) for t in (self.requests, self.rejects)))

    def joined(self, following: "Rows") -> "Rows":
        """These and the rows that follow."""
        return Rows(
            pa.concat_tables([self.requests, following.requests]),
            pa.concat_tables([self.rejects, following.rejects]),
        )

    def lines(self) -> tuple[npt.NDArray[np.int64], Digests]:
        """Lines of both in order, and their digests."""
        line = np.concatenate([table["line"].to_numpy() for table in (self.requests, self.rejects)])
        digests = np.concatenate([table["digest"].to_numpy() for table in (self.requests, self.rejects)])
        order = np.argsort(line, kind="stable")
        return line[order], digests[order]


class Sieve:
    """One log on its way into the store.

    The last lines of a piece are held until it is known whether a run goes on behind them. A log of fewer lines than a
    run is a copy if another log begins with all of them.
    """

    def __init__(self, folder: Path, manifest: Manifest, origin: Origin) -> None:
        self._folder, self._manifest, self._key = folder, manifest, origin.key
        self._held: Rows | None = None
        self._before: Digests = np.array(origin.trailing, np.uint64)  # of the last settled lines: a run may go on
        self._whole = origin.requests + origin.rejects == 0 and origin.known == len(self._before)
        self._copy_last = False
        self._t: int | None = None  # of the last request
        self._index: tuple[list[DataFile], Index, list[str]] = ([], Index([]), [])
        self.known = 0
        self.copied_from: set[str] = set()

    def take(self, piece: Piece) -> Rows:
        """What is new and settled of the lines up to this piece."""
        rows = self._rows(piece)
        return self._settle(rows if self._held is None else self._held.joined(rows), RUN - 1)

    def rest(self) -> Rows | None:
        """What is new of the lines that are held."""
        return None if self._held is None else self._settle(self._held, 0)

    @property
    def trailing(self) -> list[int]:
        """Digests of the last lines, where the last is a copy: more of the run may follow next time."""
        return [int(digest) for digest in self._before] if self._copy_last else []

    def _rows(self, piece: Piece) -> Rows:
        requests, rejects = piece.requests, piece.rejects
        places = (requests["line"].to_numpy() - 1 - piece.before, rejects["line"].to_numpy() - 1 - piece.before)
        near = self._near(requests, rejects)
        return Rows(
            stored("requests", requests, self._key, piece.observed[places[0]]),
            stored("rejects", rejects, self._key, piece.observed[places[1]], near),
        )

    def _near(self, requests: pa.Table, rejects: pa.Table) -> pa.Array:
        """Start of the request before each reject; of the one after it where there is none."""
        timed = requests.filter(pc.is_valid(requests["t"]))
        t = timed["t"].to_numpy()
        first = self._t if self._t is not None else t[0] if len(t) else None
        if len(t):
            self._t = int(t[-1])
        if first is None:
            return pa.nulls(rejects.num_rows, pa.int64())
        return pa.array(np.append(first, t)[np.searchsorted(timed["line"].to_numpy(), rejects["line"].to_numpy())])

    def _settle(self, rows: Rows, hold: int) -> Rows:
        line, digests = rows.lines()
        cut = int(line[-hold]) if hold and len(line) >= hold else int(line[0]) if hold and len(line) else 1 << 62
        copies = self._copies(rows, digests, last=not hold)
        known = line[copies & (line < cut)]
        self._held = rows.between(cut, 1 << 62) if hold else None
        if len(line):
            self._copy_last = bool(copies[-1])
        self._before = np.concatenate([self._before, digests[line < cut]])[-RUN:]
        self.known += len(known)
        settled = rows.between(0, cut)
        return settled.without(known) if len(known) else settled

    def _copies(self, rows: Rows, digests: Digests, last: bool) -> npt.NDArray[np.bool_]:
        """Which lines belong to a run that another log has."""
        before = len(self._before)
        lines = np.concatenate([self._before, digests])
        index, keys = self._known(rows)
        runs = index.runs(lines)
        if last and self._whole and len(lines) < RUN and (beginning := index.beginning(lines)):
            runs = [beginning]
        copies = np.zeros(len(lines), bool)
        for run in runs:
            copies[run.start : run.end] = True
            if run.end > before:
                self.copied_from.add(keys[int(np.searchsorted(index.starts, run.at, "right")) - 1])
        return copies[before:]

    def _known(self, new: Rows) -> tuple[Index, list[str]]:
        """What other logs have of the time of these rows."""
        ends = _span(new)
        files = [file for file in self._manifest.files if set(file.sources) != {self._key} and _meets(file, ends)]
        if files != self._index[0]:
            keys, sequences = _sequences(self._folder, files, self._key)
            self._index = (files, Index(sequences), keys)
        return self._index[1:]


def _span(new: Rows) -> tuple[int, int] | None:
    """Least and greatest `t`; null where no request has a time."""
    ends = [end for table in (new.requests, new.rejects) for end in span(table) if end is not None]
    return (min(ends), max(ends)) if ends else None


def _meets(file: DataFile, ends: tuple[int, int] | None) -> bool:
    if ends is None or file.first_us is None or file.last_us is None:
        return True
    return file.first_us <= ends[1] + _MARGIN_US and file.last_us >= ends[0] - _MARGIN_US


def _sequences(folder: Path, files: list[DataFile], key: str) -> tuple[list[str], list[Digests]]:
    """Digests of the lines of each other log, in their order."""
    tables = [rows(folder, file, ["source", "line", "digest"]) for file in files]
    there = [table for table in tables if table is not None]  # a report tells what is missing
    if not there:
        return [], []
    table = pa.concat_tables(there).unify_dictionaries()
    table = table.filter(pc.not_equal(table["source"].cast(pa.string()), key))
    table = table.set_column(0, "source", table["source"].cast(pa.string()))
    table = table.sort_by([("source", "ascending"), ("line", "ascending")])
    encoded = table["source"].combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    bounds = np.flatnonzero(np.diff(codes)) + 1
    return encoded.dictionary.to_pylist(), np.split(table["digest"].to_numpy(), bounds) if len(codes) else []


def _lines(table: pa.Table, first: int, last: int) -> pa.Table:
    """Rows of lines from `first` on, before `last`; a table is in the order of its log."""
    start, end = np.searchsorted(table["line"].to_numpy(), (first, last)).tolist()
    return table.slice(start, end - start)
