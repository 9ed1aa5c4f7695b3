"""What a format is made of: fields, samples, and a grammar that splits lines into raw values.

A format is a declaration. It carries samples, and the samples are its tests. How raw values become columns is the
business of `convert`, by the name in `Field.read`; so a new format needs no code where its fields are known ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.schema import REQUEST

# What raw columns become together.
_MADE = {
    "time": ("t",),
    "clock": ("time", "t"),
    "request": ("method", "target", "protocol", "request_raw"),
    "path": ("target",),
    "forwarded_for": ("client_ip",),
    "elapsed_1": ("request_time_s",),
}


@dataclass(frozen=True, slots=True)
class Field:
    """What one value of a line stands for."""

    column: str  # of REQUEST, or "request", "path", "query", "date", "clock" that make columns together; "" is not kept
    read: str = "text"  # name of the converter; "rest" takes everything to the end of the line
    rank: int = 0  # of several fields for one column the lowest is taken
    blanks: bool = False  # a bare value may hold blanks
    zone: str | None = None  # of an instant that names none; null is UTC
    end: bool = False  # an instant that is the end of the request, whatever the server logs usually


@dataclass(frozen=True, slots=True)
class Capture:
    """One variable in a layout; a null field is read over."""

    name: str  # as the directive spells it
    field: Field | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One line as the server writes it, and some of its right values by column; null expects a reject."""

    line: str | bytes
    row: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a block: `starts` and `ends` are byte positions in `data`, line ends excluded."""

    data: memoryview
    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, texts: pa.BinaryArray) -> "Lines":
        """Texts as lines of a block of their own."""
        ended = pc.binary_join_element_wise(texts, b"\n", b"")
        offsets = np.frombuffer(ended.buffers()[1], np.int32)[ended.offset : ended.offset + len(ended) + 1]
        places = offsets.astype(np.int64)
        data = memoryview(ended.buffers()[2] or b"")[: places[-1] if len(places) else 0]
        return cls(data, places[:-1], places[1:] - 1)

    def text(self, index: int) -> bytes:
        """One line, without its line end."""
        return bytes(self.data[self.starts[index] : self.ends[index]])

    def array(self, at: np.ndarray) -> pa.BinaryArray:
        """Lines as Arrow binary, each without its line end."""
        offsets = np.empty(2 * len(self.starts) + 1, np.int32)
        offsets[0:-1:2], offsets[1::2], offsets[-1] = self.starts, self.ends, self.ends[-1] if len(self.ends) else 0
        # Every second value of this array is a line; the ones between are line ends.
        pieces = pa.Array.from_buffers(
            pa.binary(), 2 * len(self.starts), [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        )
        return pieces.take(pa.array(2 * at))


def spelled(values: pa.BinaryArray | pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Where each value begins and the last ends, counted from the array's own buffer, and the bytes of all in a row.

    To look for a byte in these is ten times as fast as to ask each value whether it holds it.
    """
    if not len(values):
        return np.zeros(1, np.int32), np.empty(0, np.uint8)
    offsets = np.frombuffer(values.buffers()[1], np.int32)[values.offset : values.offset + len(values) + 1]
    return offsets, np.frombuffer(values.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]


@dataclass(frozen=True, slots=True)
class Split:
    """Raw values of the lines that a grammar reads.

    `columns` maps a column to a dictionary array of binary values as logged; "time" is an int64 array of epoch
    microseconds. `refused` are lines that it does not read. `continued` are lines that a collector has cut off the end
    of the line before them: they were read with it.
    """

    at: np.ndarray  # indexes of lines, ascending
    columns: dict[str, pa.Array]
    refused: np.ndarray  # indexes of lines, ascending
    continued: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # indexes of lines, ascending

    def only(self, keep: np.ndarray) -> "Split":
        """The lines read for which the mask holds; the others are refused."""
        at, chosen = self.at[keep], pa.array(np.flatnonzero(keep))
        refused = np.union1d(self.refused, self.at[~keep])
        owners = self.at[np.searchsorted(self.at, self.continued) - 1]  # of each line that continues one
        kept = np.isin(owners, at)
        columns = {name: column.take(chosen) for name, column in self.columns.items()}
        return Split(at, columns, np.union1d(refused, self.continued[~kept]), self.continued[kept])


class Grammar(Protocol):
    """How the lines of one format are taken apart."""

    def __hash__(self) -> int:
        """Grammars that read alike are equal."""

    @property
    def columns(self) -> dict[str, Field]:
        """Field of each raw column it gives."""

    @property
    def closed(self) -> bool:
        """Whether it reads all of a line; an open one reads over whatever stands behind its last value."""

    @property
    def marks(self) -> tuple[bytes, ...]:
        """Texts that every line holds which it reads, once runs of blanks are one."""

    def split(self, lines: Lines, at: np.ndarray) -> Split:
        """Raw values of the lines at these indexes."""

    def reasons(self, lines: pa.BinaryArray) -> "list[tuple[str | None, str | None]]":
        """Of lines that it refuses, the field where reading stops and the reason; null: not in the format."""

    def score(self, lines: pa.BinaryArray) -> float:
        """How well it reads some lines: 1 for each that fits to the letter, less for each that fits somehow."""

    def letter(self, lines: pa.BinaryArray) -> np.ndarray:
        """Which of some lines fit to the letter; what an open format reads over may be anything."""

    def stops(self, line: bytes, before: str | None = None) -> "Stop":
        """Where reading a line stops, before this column at the latest."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where reading a line stops: a value is expected there, or a text behind it, or the end of the line."""

    at: int  # byte position
    field: str | None = None  # column or variable that is expected or, where a text is, was read last
    text: str | None = None
    share: float = 0  # of the format's own text, blanks apart, that the line holds: how near it is


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write an access log."""

    name: str
    title: str
    grammar: Grammar
    time_is_end: bool = False  # the logged time is the end of the request
    escaped: bool = True  # by backslashes, as nginx and Apache write
    absolute: bool = False  # targets are written with scheme and host (load balancers, forward proxies)
    comments: bool = False  # lines that start with # are directives (W3C)
    samples: Sequence[Sample] = ()

    @property
    def fills(self) -> tuple[str, ...]:
        """Columns of REQUEST that its lines may fill, in their order."""
        raw = set(self.grammar.columns)
        made = {name for column, names in _MADE.items() if column in raw for name in names}
        if self.absolute and "target" in raw | made:
            made.add("host")
        return tuple(name for name in REQUEST.names if name in raw | made)
