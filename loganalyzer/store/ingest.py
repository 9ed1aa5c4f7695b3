"""From logs to a store: each log is recognised by content, read on from where it was left, and committed as a whole."""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from loganalyzer.errors import LogAnalyzerError, UnknownFormatError
from loganalyzer.formats import forwarded
from loganalyzer.formats.choice import Chooser, given
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.model import Format
from loganalyzer.formats.pieces import Piece, stream
from loganalyzer.formats.reader import WORKERS
from loganalyzer.privacy import Privacy
from loganalyzer.sources import HEAD, Reading, Source, expand
from loganalyzer.store.fingerprint import Match, digest, identity, recognise
from loganalyzer.store.folder import Writer, writing
from loganalyzer.store.known import Rows, Sieve
from loganalyzer.store.manifest import Manifest, Origin, progress

WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of one input: lines = requests + rejects + blank + comments + copies, all of them new to this log."""

    source: str
    lines: int = 0
    requests: int = 0
    rejects: int = 0
    blank: int = 0
    comments: int = 0
    copies: int = 0  # lines that another log in the store has; left out
    copied_from: list[str] = field(default_factory=list)  # names of these logs
    before: int = 0  # lines of this log that the store had before
    pending: int = 0  # bytes of a last line that has no end yet
    problem: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether nothing of it could be read."""
        return self.problem is not None and not self.lines and not self.before


def ingest(
    paths: Sequence[str | Path],
    folder: str | Path,
    log_format: str | None = None,
    wait_s: float = WAIT_S,
    tz: str | None = None,
    privacy: Privacy | None = None,
    xff: str = "as-logged",
) -> Iterator[Ingested]:
    """Add what is new in some logs to a store, which is made if there is none.

    Each log counts as a whole, once it is in: one that is broken off is read again by the next ingest.

    Args:
        paths: as `loganalyzer.read` takes them.
        folder: of the store.
        log_format: as `loganalyzer.read` takes it.
        wait_s: how long to wait for another writer.
        tz: time zone of times that name none, as `loganalyzer.read` takes it.
        privacy: what is hidden before anything is stored; each ingest into one store must hide the same. Copies of
            lines are known between ingests with one and the same key alone.
        xff: which address is the client's, as `loganalyzer.read` takes it; what is stored already stays as it is.

    Yields:
        What became of each input, as soon as it counts.

    Raises:
        UsageError: the folder holds other things, another writer is at it, `log_format`, `tz` or `xff` is unsound.
        StoreError: the store is damaged or of another version.
        OutputError: the store could not be written.
    """
    formats, note = given(log_format) if log_format is not None else (FORMATS, None)
    forwarded.check(xff)
    sources = expand(paths)
    privacy = privacy or Privacy()
    with writing(Path(folder), wait_s, privacy) as writer, ThreadPoolExecutor(WORKERS) as pool:
        for source in sources:
            done = _ingest(source, formats, tz, writer, pool, xff)
            done = replace(done, problem=done.problem and privacy.text(done.problem))
            yield replace(done, notes=[*done.notes, note]) if note else done
        writer.compact()


def _ingest(
    source: Source, formats: Sequence[Format], tz: str | None, writer: Writer, pool: ThreadPoolExecutor, xff: str
) -> Ingested:
    if source.problem:
        return Ingested(source.name, problem=source.problem, notes=list(source.notes))
    try:
        with _opened(source, writer.folder) as file:
            match = recognise(file, writer.manifest.origins)
            origin = match.origin if match else _new(source, writer.manifest)
            if match and match.unchanged:
                return _unchanged(source, match, file, writer)
            return _Log(source, origin, match, file, writer).read(formats, tz, pool, xff)
    except LogAnalyzerError:
        raise
    except OSError as error:
        why = f"cannot be read ({error.strerror or error}); the other inputs were read"
        return Ingested(source.name, problem=why, notes=list(source.notes))
    finally:
        writer.forget()  # what was not committed


class _Log:
    """One log being read into the store."""

    def __init__(self, source: Source, origin: Origin, match: Match | None, file: BinaryIO, writer: Writer) -> None:
        self._origin, self._file, self._writer = origin, file, writer
        edges = match.edges if match else (b"", b"")
        file.seek(0)
        self._reading = Reading(source, file, origin.end, edges, whole=True)
        self._sieve = Sieve(writer.folder, writer.manifest, origin)
        self._sums = dict.fromkeys(("lines", "requests", "rejects", "blank", "comments"), 0)

    def read(self, formats: Sequence[Format], tz: str | None, pool: ThreadPoolExecutor, xff: str) -> Ingested:
        """Read on to the end and commit; where no format reads it, nothing counts and it is tried again next time."""
        reading, chooser = self._reading, Chooser(self._reading.source.name, formats, tz)
        chooser.resume(progress(self._origin))
        settled: Rows | None = None
        try:
            for piece in stream(reading, chooser, pool, self._writer.digests, self._origin.lines):
                self._add(settled)
                self._count(piece)
                settled = self._sieve.take(replace(piece, requests=forwarded.clients(piece.requests, xff)))
        except UnknownFormatError as error:
            return Ingested(reading.source.name, before=self._origin.lines, problem=str(error), notes=reading.notes)
        rest = self._sieve.rest()
        self._add(settled.joined(rest) if settled and rest else settled)  # in one file: the rest is short
        origin = self._advanced(chooser)
        if origin.end and replace(origin, seen=self._origin.seen) != self._origin:
            self._writer.commit(origin)
        return self._told(chooser.notes)

    def _count(self, piece: Piece) -> None:
        self._sums["lines"] += piece.lines
        self._sums["blank"] += piece.blank
        self._sums["comments"] += piece.comments

    def _add(self, rows: Rows | None) -> None:
        for kind in ("requests", "rejects"):
            table = getattr(rows, kind) if rows else None
            if table is not None and table.num_rows:
                self._sums[kind] += table.num_rows
                self._writer.add(kind, table, self._origin.key)

    def _advanced(self, chooser: Chooser) -> Origin:
        """How far the log has been read now."""
        old, reading = self._origin, self._reading
        return replace(
            old,
            path=_path(reading.source),
            seen=self._writer.manifest.ingests + 1,
            end=reading.end,
            head=digest(reading.head[: min(HEAD, reading.end)]),
            tail=digest(reading.tail),
            known=old.known + self._sieve.known,
            copied_from=sorted({*old.copied_from, *self._sieve.copied_from}),
            trailing=self._sieve.trailing if self._sums["lines"] else old.trailing,
            compression=reading.compression,
            formats=list(dict.fromkeys([*old.formats, *chooser.names])),
            progress=asdict(chooser.progress()) if chooser.form else old.progress,
            file=[] if reading.problem else identity(self._file),
            **{name: getattr(old, name) + number for name, number in self._sums.items()},
        )

    def _told(self, notes: Sequence[str]) -> Ingested:
        reading, names = self._reading, self._writer.manifest.names()
        return Ingested(
            reading.source.name,
            copies=self._sieve.known,
            copied_from=[names[key] for key in sorted(self._sieve.copied_from)],
            before=self._origin.lines,
            pending=reading.pending,
            problem=reading.problem,
            notes=[*reading.notes, *notes],
            **self._sums,
        )


def _unchanged(source: Source, match: Match, file: BinaryIO, writer: Writer) -> Ingested:
    """A log of which nothing is new; only its place may be."""
    if match.origin.path != _path(source):
        seen = writer.manifest.ingests + 1
        writer.commit(replace(match.origin, path=_path(source), seen=seen, file=identity(file)))
    return Ingested(source.name, before=match.origin.lines, notes=list(source.notes))


def _new(source: Source, manifest: Manifest) -> Origin:
    path, number = _path(source), manifest.ingests + 1
    return Origin(f"{path}#{number}", path, number)


def _path(source: Source) -> str:
    """Absolute, so that it means the same wherever the store is read from; printable as `Source.name` is."""
    return (
        source.name if source.path is None else os.fsencode(source.path.absolute()).decode("utf-8", "backslashreplace")
    )


@contextmanager
def _opened(source: Source, folder: Path) -> Iterator[BinaryIO]:
    """The source as a file that can be read from any place: what flows is kept in an unnamed file meanwhile."""
    file: BinaryIO = sys.stdin.buffer if source.path is None else source.path.open("rb")
    try:
        if source.path is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield file
        else:
            with tempfile.TemporaryFile(dir=folder) as kept:
                shutil.copyfileobj(file, kept)
                yield kept
    finally:
        if source.path is not None:
            file.close()
