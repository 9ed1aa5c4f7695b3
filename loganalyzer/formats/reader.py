"""Sources to requests and rejects: every line ends in exactly one place, and the sums are asserted.

Blocks are cut in order, read by two threads (Arrow and numpy let go of the interpreter), and put together in order.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from loganalyzer.errors import NothingUsableError, UnknownFormatError
from loganalyzer.formats import assembly
from loganalyzer.formats.choice import Chooser, given
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.lines import Part, read_block
from loganalyzer.formats.model import Format
from loganalyzer.schema import REJECT, REQUEST
from loganalyzer.sources import Block, Reading, Source, expand

_WORKERS = 2
_AHEAD = 4  # blocks that wait at most: memory stays flat
_HELD = 16  # parts that become one chunk of the table while the next are read


@dataclass(frozen=True, slots=True)
class Input:
    """One source and its accounting: lines = requests + rejects + blank + comments, and the same for bytes."""

    source: str
    format: str | None
    compression: str | None
    lines: int
    requests: int
    rejects: int
    blank: int
    comments: int
    bytes: int
    problem: str | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Log:
    """What was read: tables after the schemas REQUEST and REJECT, and the accounting of each input."""

    requests: pa.Table
    rejects: pa.Table
    inputs: tuple[Input, ...]


def read(paths: Sequence[str | Path], log_format: str | None = None) -> Log:
    r"""Read access logs.

    Args:
        paths: files, folders, patterns, or `-` for standard input; plain or compressed.
        log_format: name of a format, or a directive pasted verbatim (nginx `log_format`, Apache `LogFormat`, W3C
            `#Fields:`); by default the format of each file is detected.

    Raises:
        UsageError: `log_format` is no name and no sound directive.
        UnknownFormatError: no format reads any of the inputs.
        NothingUsableError: no input could be opened.
    """
    formats, note = given(log_format) if log_format is not None else (FORMATS, None)
    sources = expand([paths] if isinstance(paths, str | Path) else paths)
    with ThreadPoolExecutor(_WORKERS) as pool:
        readers = [_SourceReader(source, formats, pool) for source in sources]
        for reader in readers:
            reader.run()
    if all(reader.failed for reader in readers):
        raise next((r.unknown for r in readers if r.unknown), None) or NothingUsableError(_problems(readers))
    notes = [note] if note else []
    return Log(
        _united([table for reader in readers for table in reader.requests], REQUEST),
        _united([table for reader in readers for table in reader.rejects], REJECT),
        tuple(reader.input(notes) for reader in readers),
    )


class _SourceReader:
    """One source: its blocks through the pool, its tables, its sums."""

    def __init__(self, source: Source, formats: Sequence[Format], pool: ThreadPoolExecutor) -> None:
        self.reading, self.pool = Reading(source), pool
        self.chooser = Chooser(source.name, formats)
        self._assembling: list[Future[pa.Table]] = []
        self.requests: list[pa.Table] = []
        self.rejects: list[pa.Table] = []
        self.unknown: UnknownFormatError | None = None
        self.lines = self.blank = self.comments = 0
        self.sizes = np.zeros(4, np.int64)
        self.bytes = 0
        self._held: list[tuple[int, Part]] = []

    def run(self) -> None:
        """Read the source to its end."""
        with self.reading as reading:
            try:
                for part in _ahead(self.pool, self._segments(reading)):
                    self._take(part)
            except UnknownFormatError as error:
                self.unknown = error
        self._assemble()
        self.requests = [future.result() for future in self._assembling]
        assert self.sizes.sum() == self.bytes, "bytes of a source were lost"  # noqa: S101 - the accounting

    @property
    def failed(self) -> bool:
        """Whether nothing of it was read: it is missing, or no format reads it."""
        return self.unknown is not None or (self.reading.problem is not None and not self.lines)

    def input(self, notes: list[str]) -> Input:
        """The accounting."""
        requests, rejects = (sum(table.num_rows for table in tables) for tables in (self.requests, self.rejects))
        assert self.lines == requests + rejects + self.blank + self.comments, "lines of a source were lost"  # noqa: S101
        return Input(
            source=self.reading.source.name,
            format=", ".join(dict.fromkeys(self.chooser.names)) or None,
            compression=self.reading.compression,
            lines=self.lines,
            requests=requests,
            rejects=rejects,
            blank=self.blank,
            comments=self.comments,
            bytes=self.bytes,
            problem=str(self.unknown) if self.unknown else self.reading.problem,
            notes=[*self.reading.notes, *notes],
        )

    def _segments(self, reading: Reading) -> Iterator[tuple[Block, Format | None]]:
        for block in reading.blocks(_AHEAD):
            yield from self.chooser.segments(block)

    def _take(self, part: Part) -> None:
        if len(part.rejected.at):
            self.rejects.append(assembly.rejects(self.reading.source.name, self.lines, part))
        if len(part.split.at):
            if self._held and (self._held[-1][1].format is not part.format or len(self._held) >= _HELD):
                self._assemble()
            self._held.append((self.lines, part))
        self.lines += len(part.starts)
        self.blank += part.blank
        self.comments += part.comments
        self.sizes += part.sizes
        self.bytes += part.length

    def _assemble(self) -> None:
        form = self._held[0][1].format if self._held else None
        if form is not None:
            job = self.pool.submit(assembly.requests, self.reading.source.name, form, self._held)
            self._assembling.append(job)
        self._held = []


def _ahead(pool: ThreadPoolExecutor, segments: Iterator[tuple[Block, Format | None]]) -> Iterator[Part]:
    """Parts in order, some read ahead of being asked for."""
    waiting: deque[Future[Part]] = deque()
    for block, form in segments:
        waiting.append(pool.submit(read_block, block, form))
        if len(waiting) >= _AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _united(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    """One table under one dictionary for each column."""
    return pa.concat_tables(tables).unify_dictionaries() if tables else schema.empty_table()


def _problems(readers: Sequence[_SourceReader]) -> str:
    problems = [f"{reader.reading.source.name}: {reader.reading.problem}" for reader in readers]
    return "\n".join(problems) or "no input was named"
