"""A log that is still being written, line by line as it comes: through rotation by renaming and by copytruncate."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from loganalyzer.errors import NothingUsableError, UsageError
from loganalyzer.formats.choice import Chooser, given
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.pieces import Piece, stream
from loganalyzer.sources import Reading, Source, expand

PAUSE_S = 0.5
_HEAD = 256  # bytes that tell a file that was truncated and has grown past where it was


def follow(
    path: str | Path,
    log_format: str | None = None,
    tz: str | None = None,
    pause: Callable[[float], object] = time.sleep,
) -> Iterator[Piece]:
    """Read a log and go on with what is appended to it. It never ends by itself.

    A last line without its end waits for it. When another file stands under the name, the old one is read to its end
    first; when the file was made shorter, reading begins anew, and so do the line numbers.

    Args:
        path: of a plain file.
        log_format: as `loganalyzer.read` takes it.
        tz: as `loganalyzer.read` takes it.
        pause: waits for so many seconds.

    Yields:
        Lines that follow one another.

    Raises:
        UsageError: it is no plain file, or `log_format` or `tz` is unsound.
        NothingUsableError: it cannot be opened.
        UnknownFormatError: no format reads it.
    """
    formats, _ = given(log_format) if log_format is not None else (FORMATS, None)
    (source,) = expand([path])
    if source.path is None or (source.problem is None and source.size is None):
        raise UsageError(f"{source.name}: only a file can be followed; a pipe is read to its end without --follow")
    if source.problem:
        raise NothingUsableError(f"{source.name}: {source.problem}")
    chooser = Chooser(source.name, formats, tz)
    with ThreadPoolExecutor(1) as pool:
        while True:
            try:
                with source.path.open("rb") as file:
                    yield from _File(source, file, chooser, pool).followed(pause)
            except FileNotFoundError:  # between the renaming and the new file
                pause(PAUSE_S)


class _File:
    """One file under the name that is followed."""

    def __init__(self, source: Source, file: BinaryIO, chooser: Chooser, pool: ThreadPoolExecutor) -> None:
        self._source, self._file, self._chooser, self._pool = source, file, chooser, pool
        self._end, self._lines, self._head = 0, 0, b""

    def followed(self, pause: Callable[[float], object]) -> Iterator[Piece]:
        """What is in it and what is appended, until another file stands in its place."""
        while True:
            last = self._replaced()  # first: what is written until it was is read below
            if self._made_shorter():
                self._end, self._lines, self._head = 0, 0, b""
            if last or os.fstat(self._file.fileno()).st_size > self._end:
                yield from self._new(last)
            if last:
                return
            pause(PAUSE_S)

    def _new(self, last: bool) -> Iterator[Piece]:
        self._file.seek(0)
        reading = Reading(self._source, self._file, self._end, whole=not last)
        with reading:
            for piece in stream(reading, self._chooser, self._pool, before=self._lines):
                self._lines += piece.lines
                yield piece
        if reading.compression or (reading.problem and not self._end):
            why = reading.problem or f"is compressed by {reading.compression}"
            raise UsageError(f"{self._source.name}: {why}; only plain text can be followed")
        self._end = reading.end
        self._head = self._head or os.pread(self._file.fileno(), min(_HEAD, self._end), 0)

    def _replaced(self) -> bool:
        assert self._source.path is not None  # noqa: S101 - a file is followed
        try:
            return not os.path.samestat(self._source.path.stat(), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False  # renamed, and still written to until the server opens the new one

    def _made_shorter(self) -> bool:
        handle = self._file.fileno()
        return os.fstat(handle).st_size < self._end or os.pread(handle, len(self._head), 0) != self._head
