"""One source piece by piece: blocks are cut in order, read by threads, completed and put together in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from loganalyzer.formats import assembly
from loganalyzer.formats.assembly import Used
from loganalyzer.formats.choice import Chooser
from loganalyzer.formats.lines import Other, Part, read_block
from loganalyzer.formats.model import Format
from loganalyzer.schema import REJECT
from loganalyzer.sources import Block, Reading

_AHEAD = 4  # blocks that wait at most: memory stays flat
_HELD = 16  # parts that become one piece while the next are read

_NOTHING = np.empty(0, np.uint64)

Observer: TypeAlias = Callable[[Block], np.ndarray]


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one source that follow one another: lines = requests + rejects + blank + comments."""

    before: int  # lines of the source before them
    lines: int
    requests: pa.Table
    rejects: pa.Table
    blank: int
    comments: int
    bytes: int
    observed: np.ndarray  # what the observer made of their blocks, joined
    used: list[Used]  # formats that read the requests


def stream(
    reading: Reading,
    chooser: Chooser,
    pool: ThreadPoolExecutor,
    observe: Observer | None = None,
    before: int = 0,
) -> Iterator[Piece]:
    """Read one source piece by piece, in constant memory.

    Args:
        reading: the opened source.
        chooser: which format reads which lines.
        pool: threads that read blocks and put pieces together.
        observe: looks at each block while its bytes are there.
        before: lines of the source before the first block.

    Raises:
        UnknownFormatError: no format reads the source, or the given one too little.
    """
    groups = _groups(_ahead(pool, reading, chooser, observe), reading.source.name, before)
    waiting: deque[Future[Piece]] = deque()
    for group in groups:
        waiting.append(pool.submit(group.piece))
        if len(waiting) > 1:
            yield _counted(waiting.popleft().result(), chooser)
    while waiting:
        yield _counted(waiting.popleft().result(), chooser)


def _counted(piece: Piece, chooser: Chooser) -> Piece:
    """Pieces come here in order: which showing of an hour a time belongs to is known by the lines before it."""
    chooser.uses.add(piece.used)
    return replace(piece, requests=chooser.daylight.settled(piece.requests))


@dataclass(slots=True)
class _Group:
    """Parts that become one piece."""

    source: str
    before: int
    parts: list[tuple[int, Part]] = field(default_factory=list)  # each with the number of lines before it
    observed: list[np.ndarray] = field(default_factory=list)
    lines: int = 0

    @property
    def full(self) -> bool:
        """Whether it holds as many parts as are put together at once."""
        return len(self.parts) >= _HELD

    def add(self, part: Part, observed: np.ndarray) -> None:
        """Take the part that follows."""
        self.parts.append((self.before + self.lines, part))
        self.observed.append(observed)
        self.lines += len(part.starts)

    def piece(self) -> Piece:
        """Tables and sums; that no line and no byte is lost is asserted."""
        requests, used = assembly.requests(self.source, self.parts)
        tables = [assembly.rejects(self.source, at, part) for at, part in self.parts if len(part.rejected.at)]
        rejects = united(tables, REJECT)
        blank, comments = (sum(len(getattr(part, name)) for _, part in self.parts) for name in ("blank", "comments"))
        size = sum(part.length for _, part in self.parts)
        found = requests.num_rows + rejects.num_rows + blank + comments
        assert self.lines == found, "lines of a source were lost"  # noqa: S101 - the accounting
        assert size == sum(part.accounted for _, part in self.parts), "bytes of a source were lost"  # noqa: S101
        observed = np.concatenate(self.observed)
        return Piece(self.before, self.lines, requests, rejects, blank, comments, size, observed, used)


def _groups(parts: Iterator[tuple[Part, np.ndarray]], source: str, before: int) -> Iterator[_Group]:
    group = _Group(source, before)
    for part, observed in parts:
        if group.full:
            yield group
            group = _Group(source, group.before + group.lines)
        group.add(part, observed)
    if group.parts:
        yield group


@dataclass(slots=True)
class _Waiting:
    """A block that is being read."""

    block: Block
    others: tuple[Other, ...]  # formats that are offered what the main one refuses
    read: Future[tuple[Part, np.ndarray]]


def _ahead(
    pool: ThreadPoolExecutor, reading: Reading, chooser: Chooser, observe: Observer | None
) -> Iterator[tuple[Part, np.ndarray]]:
    """Parts in order, each with what was observed; some are read ahead of being asked for.

    Which formats a block is offered to depends on the blocks before it by their number, never by who was faster.
    """
    waiting: deque[_Waiting] = deque()
    for block, form in _segments(reading, chooser):
        others = chooser.mixture.others(form)
        waiting.append(_Waiting(block, others, pool.submit(_read, block, form, others, observe)))
        if len(waiting) >= _AHEAD:
            yield _completed(waiting.popleft(), chooser)
    while waiting:
        yield _completed(waiting.popleft(), chooser)
    chooser.finish()


def _segments(reading: Reading, chooser: Chooser) -> Iterator[tuple[Block, Format | None]]:
    for block in reading.blocks(_AHEAD):
        yield from chooser.segments(block)
    yield from chooser.rest()


def _read(
    block: Block, form: Format | None, others: Sequence[Other], observe: Observer | None
) -> tuple[Part, np.ndarray]:
    return read_block(block, form, others), _NOTHING if observe is None else observe(block)


def _completed(waiting: _Waiting, chooser: Chooser) -> tuple[Part, np.ndarray]:
    """A part that is complete; its block is still there."""
    part, observed = waiting.read.result()
    part = chooser.completed(waiting.block, part, waiting.others)
    chooser.daylight.look(waiting.block, part)
    return part, observed


def united(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    """One table under one dictionary for each column."""
    return pa.concat_tables(tables).unify_dictionaries() if tables else schema.empty_table()
