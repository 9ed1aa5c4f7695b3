"""Sources to requests and rejects: every line ends in exactly one place, and the sums are asserted.

Blocks are cut in order, read by two threads (Arrow and numpy let go of the interpreter), and put together in order.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.errors import NothingUsableError, UnknownFormatError
from loganalyzer.formats import duplicates, forwarded
from loganalyzer.formats.choice import Chooser, given
from loganalyzer.formats.clock import Clock
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.lines import CUT
from loganalyzer.formats.model import Format
from loganalyzer.formats.pieces import Piece, stream
from loganalyzer.held import Rows, Shelf
from loganalyzer.schema import REJECT, REQUEST
from loganalyzer.sources import Reading, Source, expand, original

WORKERS = 2
_UNKNOWN = "no known format reads it; nothing was kept of it; give the server's directive with --log-format"
_MISFIT = "the given format does not fit it; nothing was kept of it; mend it, or read all the same with --force"

Progress: TypeAlias = Callable[[int, int], None]  # bytes read, bytes in all
Take: TypeAlias = Callable[[pa.Table], object]  # is handed rows piece by piece


@dataclass(frozen=True, slots=True)
class Input:
    """One source and its accounting: lines = requests + rejects + blank + comments, and the same for bytes."""

    source: str
    format: str | None
    formats: tuple[tuple[str, int], ...]  # name and lines of each, in the order of first use; copies among the lines
    compression: str | None
    lines: int
    requests: int
    rejects: int
    blank: int
    comments: int
    bytes: int
    problem: str | None
    notes: list[str]


Originals: TypeAlias = Callable[[str, Sequence[int]], Iterator[tuple[int, bytes]]]


@dataclass(frozen=True, slots=True)
class Log:
    """What was read: rows after the schemas REQUEST and REJECT, and the accounting of each input."""

    request_rows: Rows
    reject_rows: Rows
    inputs: tuple[Input, ...]
    log_format: str | None = None  # as given; None: each format was detected
    tz: str | None = None  # as given
    arguments: tuple[str, ...] = ()  # how a command line names it, where not by its inputs
    options: tuple[str, ...] = ()  # further ones, that change what it holds
    hidden: str | None = None  # what was taken out of it (Privacy.name); null: nothing
    since_us: int | None = None  # only requests from here on were asked for
    until_us: int | None = None  # and before here
    covered_us: tuple[int, int] | None = None  # first and last request of all; null where no period was asked for
    earlier_rows: Rows = field(default_factory=partial(Rows, REQUEST))  # /robots.txt asked for before that
    originals: Originals = original  # (source, line numbers) -> line number and its bytes
    shelf: Shelf = field(default_factory=Shelf)  # where what is made of it is held

    @property
    def requests(self) -> pa.Table:
        """Every request as one table in memory; `request_rows` gives them piece by piece."""
        return self.request_rows.table()

    @property
    def rejects(self) -> pa.Table:
        """Every reject as one table in memory."""
        return self.reject_rows.table()

    @property
    def lines(self) -> int:
        """Lines that rejects are held against: all, or what of them lies in the period that was asked for."""
        if self.since_us is None and self.until_us is None:
            return sum(item.lines for item in self.inputs)
        return self.request_rows.num_rows + self.reject_rows.num_rows

    @property
    def unread(self) -> int:
        """Rejects to hold against a log: all but lines that a rotation cut, one at most at each edge of a file."""
        reasons = (table["reason"].cast(pa.string()) for table in self.reject_rows.tables(["reason"]))
        cut = sum(int(pc.sum(pc.equal(reason, CUT)).as_py() or 0) for reason in reasons)
        return self.reject_rows.num_rows - cut


def read(
    paths: Sequence[str | Path],
    log_format: str | None = None,
    tz: str | None = None,
    progress: Progress | None = None,
    *,
    force: bool = False,
    keep_duplicates: bool = False,
    xff: str = "as-logged",
    shelf: Shelf | None = None,
    take: Take | None = None,
) -> Log:
    r"""Read access logs.

    Args:
        paths: files, patterns, or `-` for standard input; plain or compressed.
        log_format: name of a format, or a directive pasted verbatim (nginx `log_format`, Apache `LogFormat`, W3C
            `#Fields:`), or a file of them: `@nginx.conf`, or `my.toml` (docs/own-format.md); by default the format of
            each input is detected.
        tz: time zone (`Europe/Zurich`) of the times that name none; by default they are UTC.
        progress: is told now and then how many bytes of the files were read, and how many there are in all (0 where
            that is not known).
        force: read on where the given format reads too little.
        keep_duplicates: count runs of requests that two inputs have twice.
        xff: which address is the client's, of `forwarded.RULES`.
        shelf: holds what is read; by default all of it in memory.
        take: is handed the requests piece by piece in order, as soon as it is known that they count; the log then holds
            none of them.

    Raises:
        UsageError: `log_format` is no name and no sound directive, or there is no such zone.
        UnknownFormatError: no format, or not the given one, reads any of the inputs.
        NothingUsableError: no input could be opened.
    """
    formats, note = given(log_format) if log_format is not None else (FORMATS, None)
    forwarded.check(xff)
    sources = expand([paths] if isinstance(paths, str | Path) else paths)
    shelf = Shelf() if shelf is None else shelf
    with ThreadPoolExecutor(WORKERS) as pool:
        judged = log_format is not None and not force
        once = not keep_duplicates and len(sources) > 1
        hand = None if once else take  # what may be a copy is held until that is known
        readers = [_SourceReader(source, formats, pool, tz, judged, shelf, xff, hand) for source in sources]
        _run(readers, _Advance(sources, progress))
    if once:
        _count_once(readers, shelf)
    if take is not None:
        for reader in readers:
            reader.hand_over(take)
    notes = [*([note] if note else []), *forwarded.notes(xff)]
    return Log(
        shelf.united(Rows(REQUEST, (piece for reader in readers for piece in reader.requests.pieces))),
        shelf.united(Rows(REJECT, (piece for reader in readers for piece in reader.rejects.pieces))),
        tuple(reader.input(notes) for reader in readers),
        log_format,
        tz,
        shelf=shelf,
    )


class _SourceReader:
    """One source: its pieces, its sums."""

    def __init__(
        self,
        source: Source,
        formats: Sequence[Format],
        pool: ThreadPoolExecutor,
        tz: str | None,
        judged: bool,
        shelf: Shelf,
        xff: str,
        hand: Take | None,
    ) -> None:
        self.reading, self.pool, self.judged, self.shelf = Reading(source), pool, judged, shelf
        self.xff, self.hand = xff, hand
        self.chooser, self.clock = Chooser(source.name, formats, tz, judged), Clock()
        self.requests, self.rejects = Rows(REQUEST), Rows(REJECT)
        self.handed = 0  # requests that are not held any more
        self.unknown: UnknownFormatError | None = None
        self.notes: list[str] = []
        self.lines = self.blank = self.comments = self.bytes = 0

    def run(self, advance: "_Advance") -> None:
        """Read the source to its end, unless the given format does not fit."""
        self.reading.advance = advance
        waiting: deque[Piece] = deque()  # what was read before it is known that a format reads the source
        with self.reading as reading:
            try:
                for piece in stream(reading, self.chooser, self.pool):
                    waiting.append(piece)
                    if self.chooser.settled:
                        self._take(waiting)
                self._take(waiting)
                self.notes = self.clock.notes()
            except UnknownFormatError as error:
                self.unknown = error if reading.problem is None else None  # a few bytes of a first line are no sample
            advance.done(reading.taken)

    @property
    def failed(self) -> bool:
        """Whether nothing of it was read: it is missing, or no format reads it."""
        return self.unknown is not None or (self.reading.problem is not None and not self.lines)

    def input(self, notes: list[str]) -> Input:
        """The accounting."""
        return Input(
            source=self.reading.source.name,
            format=", ".join(self.chooser.names) or None,
            formats=tuple(self.chooser.uses.counts),
            compression=self.reading.compression,
            lines=self.lines,
            requests=self.requests.num_rows + self.handed,
            rejects=self.rejects.num_rows,
            blank=self.blank,
            comments=self.comments,
            bytes=self.bytes,
            problem=(_MISFIT if self.judged else _UNKNOWN) if self.unknown else self.reading.problem,
            notes=[*self.reading.notes, *self.chooser.notes, *notes, *self.notes],
        )

    def once(self, lines: duplicates.Lines) -> None:
        """Keep only what no earlier source has."""
        if lines.note is not None:
            self.requests, self.rejects = lines.requests, lines.rejects
            self.lines -= lines.dropped
            self.notes.append(lines.note)

    def hand_over(self, take: Take) -> None:
        """Let the requests that are held go."""
        for table in self.requests.tables():
            take(table)
        self.handed += self.requests.num_rows
        self.shelf.drop(self.requests)
        self.requests = Rows(REQUEST)

    def _take(self, pieces: deque[Piece]) -> None:
        while pieces:
            piece = pieces.popleft()
            if piece.requests.num_rows:
                self._hold(forwarded.clients(piece.requests, self.xff))
            if piece.rejects.num_rows:
                self.rejects.append(self.shelf.add(piece.rejects))
            self.lines += piece.lines
            self.blank += piece.blank
            self.comments += piece.comments
            self.bytes += piece.bytes

    def _hold(self, requests: pa.Table) -> None:
        self.clock.take(requests)
        if self.hand is None:
            self.requests.append(self.shelf.add(requests))
        else:
            self.hand(requests)
            self.handed += requests.num_rows


def _run(readers: Sequence[_SourceReader], advance: "_Advance") -> None:
    """Read one source after the other.

    Raises:
        UnknownFormatError: no format, or not the given one, reads any.
        NothingUsableError: none could be opened.
    """
    for reader in readers:
        reader.run(advance)
    if all(reader.failed or reader.chooser.misfit for reader in readers):
        why = next((error for r in readers if (error := r.unknown or r.chooser.misfit)), None)
        raise why or NothingUsableError(_problems(readers))


def _count_once(readers: Sequence[_SourceReader], shelf: Shelf) -> None:
    """Take out of each source what an earlier one has."""
    sources = [duplicates.Lines(reader.reading.source.name, reader.requests, reader.rejects) for reader in readers]
    for reader, lines in zip(readers, duplicates.counted_once(sources, shelf), strict=True):
        reader.once(lines)


class _Advance:
    """How far reading has come, over all sources."""

    def __init__(self, sources: Sequence[Source], progress: Progress | None) -> None:
        sizes = [source.size for source in sources if source.problem is None]
        self._total = 0 if None in sizes else sum(size or 0 for size in sizes)
        self._before, self._progress = 0, progress

    def __call__(self, taken: int) -> None:
        if self._progress is not None:
            self._progress(self._before + taken, self._total)

    def done(self, taken: int) -> None:
        self(taken)
        self._before += taken


def _problems(readers: Sequence[_SourceReader]) -> str:
    problems = [f"{reader.reading.source.name}: {reader.reading.problem}" for reader in readers]
    return "\n".join(problems) or "no input was named"
