r"""Grammar of JSON lines: fields by their keys, wherever the keys stand.

Three readings, each for what the one before leaves:

1. lines that stand alike (module `uniform`): most servers write the same keys in the same order;
2. Arrow's JSON reader, with a schema made from the first lines;
3. where that refuses them (a key of another type, a broken line, `\xHH` of a log_format without escape=json), the
   standard library, line by line.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from loganalyzer.formats import jsontext, times, uniform
from loganalyzer.formats.merging import merged, plain
from loganalyzer.formats.model import Capture, Field, Lines, Split, Stop
from loganalyzer.formats.uniform import Path

_LOOK = 50  # lines that a schema is made from
_WHEN, _WHAT = {"time", "clock"}, {"request", "target", "path"}  # columns without which nothing is a record
_HOW = {"request", "target", "method"}  # and those, or a status, without which a path is one of a file
_STATUS = re.compile(rb"^[1-9][0-9][0-9]$")  # a code of another program is none of HTTP
_DATED = {"time", "date", "clock"}  # instants hardly repeat: hashing them would cost more than it saves
_REASONS = (("request", "no request in it"), ("time", "no such instant"))
_MARK = "\x01"  # stands around the number of a capture in a template
_ABSENT = re.compile(rb'(":\s*)-(?=\s*[,}])')
_WHOLE = re.compile(rb"^[1-9][0-9]*$")
_UNITS = {"seconds": b"s", "milliseconds": b"ms", "microseconds": b"us", "nanoseconds": b"ns"}
_HEX = re.compile(rb"\\x([0-9A-Fa-f]{2})")
_SPACE = b" \t\r\n\0\xef\xbb\xbf"


@dataclass(frozen=True)
class Json:
    """Fields by path; of several for one column the first that a line has is taken."""

    paths: tuple[tuple[Path, Field], ...]
    telltale: tuple[str, ...] = ()  # texts in quotes that every line of this writer holds
    never: str = ""  # beginning of a text in quotes that no request of it holds
    answered: bool = False  # what has no status is logged of a request besides

    refusal: ClassVar[str] = "not a JSON object"

    @property
    def marks(self) -> tuple[bytes, ...]:
        """The brace and what tells its writer."""
        return b"{", *self._telltale

    @cached_property
    def _telltale(self) -> tuple[bytes, ...]:
        return tuple(f'"{text}"'.encode() for text in self.telltale)

    @property
    def _reasons(self) -> tuple[tuple[str | None, str], ...]:
        """What a line is refused for, condition by condition, and the field that it would be in."""
        return (None, self.refusal), *_REASONS

    @property
    def _how(self) -> set[str]:
        """Columns of which one shows that it is a request; else its status does."""
        return {"status"} if self.answered else _HOW

    @property
    def closed(self) -> bool:
        """Keys that it does not know change nothing."""
        return True

    @cached_property
    def columns(self) -> dict[str, Field]:
        """Field of each raw column; what a line does not have is null."""
        columns = {field.column: field for _, field in reversed(self._ranked)}
        for _, field in self.paths:  # durations in several units are given theirs
            if field.read in _UNITS and field.read != columns[field.column].read:
                columns[field.column] = replace(columns[field.column], read="duration")
        return columns

    def _unit(self, field: Field) -> bytes:
        """What a value is given behind it, so that the column is in one unit."""
        mixed = self.columns[field.column].read == "duration"
        return _UNITS.get(field.read, b"") if mixed else b""

    def _unitless(self, field: Field) -> bool:
        """Whether a whole number under a key is in a unit that nobody names, beside keys whose unit is known."""
        return field.read == "duration" and self.columns[field.column].read == "seconds"

    def split(self, lines: Lines, at: np.ndarray) -> Split:
        """Raw values of the lines at these indexes."""
        values, instants, steps = self._steps(lines, at)
        good = steps == len(self._reasons)
        if not good.all():
            keep = pa.array(np.flatnonzero(good))
            values = {column: value.take(keep) for column, value in values.items()}
        columns = {column: value.dictionary_encode() for column, value in values.items()}
        if instants is not None:
            columns["time"] = pa.array(instants[good])
        return Split(at[good], columns, at[~good])

    def reasons(self, lines: pa.BinaryArray) -> list[tuple[str | None, str | None]]:
        """What each refused line lacks, and the field that it would be in."""
        steps = self._steps(Lines.of(lines), np.arange(len(lines)))[2]
        # A line that meets every condition was refused beside others: its time is in another unit than theirs.
        return [self._reasons[step] for step in np.minimum(steps, len(self._reasons) - 1).tolist()]

    def letter(self, lines: pa.BinaryArray) -> np.ndarray:
        """Which of some lines that it reads are of this writer."""
        fits = np.ones(len(lines), bool)
        for text in self._telltale:
            fits &= pc.match_substring(lines, text).to_numpy(zero_copy_only=False)
        return fits

    def _steps(self, lines: Lines, at: np.ndarray) -> tuple[dict[str, pa.Array], np.ndarray | None, np.ndarray]:
        """Values, instants, and how many of the conditions in `_reasons` each line has met."""
        values, good = self._values(lines, at)
        instants, valid = times.of(values, self.columns)
        times.lasting(values, self.columns, instants)
        requested = good & self._requested(values, len(at))
        if self.never:
            other = pc.match_substring(lines.array(at), f'"{self.never}')
            requested &= ~other.to_numpy(zero_copy_only=False)
        return values, instants, good.astype(np.int64) + requested + (requested & valid)

    def score(self, lines: pa.BinaryArray) -> float:
        """How many lines are such objects."""
        rows = [self._row(line) for line in lines.to_pylist() if all(text in line for text in self._telltale)]
        asked = [row for row in rows if row and row.keys() & _WHEN and row.keys() & _WHAT]
        return float(sum(1 for row in asked if row.keys() & self._how or _STATUS.match(row.get("status", b""))))

    def stops(self, line: bytes, before: str | None = None) -> Stop:
        """Where the line stops being JSON; keys stand in any order, so that none is before another."""
        held = [text in line for text in self._telltale]
        near = (1 + sum(held)) / (1 + len(held))  # a line of another writer is further away
        try:
            json.loads(line.decode("utf-8", "replace"))
        except json.JSONDecodeError as error:
            return Stop(error.pos, share=near * error.pos / len(line)) if line.startswith(b"{") else Stop(0)
        except (ValueError, RecursionError):
            return Stop(0)
        return Stop(len(line), share=near)

    @cached_property
    def _ranked(self) -> list[tuple[Path, Field]]:
        return sorted(self.paths, key=lambda item: item[1].rank)

    def _requested(self, values: dict[str, pa.Array], count: int) -> np.ndarray:
        """Which rows hold a request: an object with a time alone, or with a path too, is another program's message."""
        held = _any_of(values, _WHAT, count)
        answered = _any_of(values, self._how, count)
        if not answered.all() and "status" in values:
            fits = pc.match_substring_regex(plain(values["status"]), _STATUS.pattern)
            answered |= pc.fill_null(fits, False).to_numpy(zero_copy_only=False)
        both: np.ndarray = held & answered
        return both

    def _values(self, lines: Lines, at: np.ndarray) -> tuple[dict[str, pa.Array], np.ndarray]:
        """Raw values of lines by column, and which of them are JSON objects."""
        encoded = {path: not (field.column in _DATED or field.read == "until") for path, field in self._ranked}
        parts = [(read, self._by_column(values)) for read, values in uniform.parts(lines, at, encoded)]
        left = np.setdiff1d(at, np.concatenate([at[:0], *(read for read, _ in parts)]), assume_unique=True)
        good = np.ones(len(at), bool)
        if len(left):
            texts = lines.array(left)
            values = self._fast(texts) if len(left) > _LOOK else None
            if values is None:
                values, sound = self._slow(texts)
                good[np.searchsorted(at, left)] = sound
            parts.append((left, values))
        _, values = merged(parts)
        if "time" in self.columns and not values.keys() & _WHEN:
            values["time"] = pa.nulls(len(at), pa.binary())
        return values, good

    def _by_column(self, leaves: Mapping[Path, pa.Array]) -> dict[str, pa.Array]:
        """Values by column; of several paths for one the first that a line has."""
        values: dict[str, pa.Array] = {}
        for path, field in self._ranked:
            leaf = leaves.get(path)
            if leaf is None:
                continue
            if self._unitless(field):
                leaf = plain(leaf)
                whole = pc.match_substring_regex(leaf, _WHOLE.pattern)
                leaf = pc.if_else(whole, pa.scalar(None, pa.binary()), leaf)
            elif unit := self._unit(field):
                leaf = pc.binary_join_element_wise(plain(leaf), unit, b"")
            before = values.get(field.column)
            if before is None:
                values[field.column] = leaf
            elif before.null_count:
                values[field.column] = pc.coalesce(plain(before), plain(leaf))
        return values

    def _fast(self, texts: pa.BinaryArray) -> dict[str, pa.Array] | None:
        """Values by Arrow's reader; nothing where a line is not as the first ones were."""
        found = [self._object(line) for line in texts.slice(0, _LOOK).to_pylist()]
        schema = _schema([item for item in found if item is not None], [path for path, _ in self._ranked])
        if schema is None:
            return None
        data = b"\n".join(texts.to_pylist())
        try:
            table = pa.json.read_json(
                pa.BufferReader(data),
                pa.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
                pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != len(texts):
            return None
        leaves = {path: leaf for path, _ in self._ranked if (leaf := _leaf(table, path)) is not None}
        return self._by_column(leaves) or None

    def _slow(self, texts: pa.BinaryArray) -> tuple[dict[str, pa.Array], np.ndarray]:
        """Values line by line, and which lines are JSON objects."""
        rows = [self._row(line) for line in texts.to_pylist()]
        good = np.array([row is not None for row in rows], bool)
        held = {column for row in rows if row for column in row}
        return {
            column: pa.array([row.get(column) if row else None for row in rows], pa.binary()) for column in held
        }, good

    def _row(self, line: bytes) -> dict[str, bytes] | None:
        """Values of one line by column."""
        item = self._object(line)
        if item is None:
            return None
        row: dict[str, bytes] = {}
        for path, field in self._ranked:
            if field.column not in row:
                text = _text(uniform.at(item, path))
                if text is not None and not (self._unitless(field) and _WHOLE.match(text)):
                    row[field.column] = text + self._unit(field)
        return row

    @staticmethod
    def _object(line: bytes) -> dict[str, Any] | None:
        """The object that a line holds; numbers as they are spelled."""
        line = line.strip(_SPACE)
        if not line.startswith(b"{"):
            return None
        for repaired in _repairs(line):
            try:
                item = json.loads(repaired.decode("utf-8", "surrogateescape"), parse_int=_Number, parse_float=_Number)
            except (ValueError, RecursionError):
                continue
            return item if isinstance(item, dict) else None
        return None


def _repairs(line: bytes) -> Iterator[bytes]:
    r"""The line, and what it was meant to be: by a log_format without escape=json, or a LogFormat that looks like JSON.

    Those write `\xHH` (no escape of JSON) and a bare `-` for what is absent; a closing brace is forgotten often, and
    missed only where the directive is tested by eye.
    """
    yield line
    repaired = _ABSENT.sub(rb"\1null", _HEX.sub(rb"\\u00\1", line))
    yield repaired
    if line.endswith(b"}"):
        yield repaired + b"}"


def _any_of(values: Mapping[str, pa.Array], names: set[str], count: int) -> np.ndarray:
    """Which rows have a value in one of some columns."""
    held = np.zeros(count, bool)
    for name in values.keys() & names:
        held |= values[name].is_valid().to_numpy(zero_copy_only=False)
    return held


class _Number(str):
    """A number as it is spelled; floats would lose digits."""

    __slots__ = ()


def of_template(layout: Sequence[str | Capture]) -> Json | None:
    """The grammar of a directive that writes JSON; null where it does not, or where it has no time of its own."""
    text, quoted = "", False
    for index, piece in enumerate(layout):
        if isinstance(piece, str):
            text += piece
            quoted ^= piece.replace('\\"', "").count('"') % 2 == 1
        else:
            text += f"{_MARK}{index}{_MARK}" if quoted else f'"{_MARK}{index}{_MARK}"'
    try:
        template = json.loads(text, strict=False)
    except ValueError:
        return None
    paths: dict[str, tuple[Path, Field]] = {}
    for path, leaf in _leaves(template):
        marked = re.fullmatch(f"{_MARK}(\\d+){_MARK}", str(leaf))
        piece = layout[int(marked[1])] if marked else ""
        field = piece.field if isinstance(piece, Capture) else None
        if field and (field.column not in paths or field.rank < paths[field.column][1].rank):
            paths[field.column] = path, field
    return Json(tuple(paths.values())) if "time" in paths else None


def _leaves(item: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(item, dict):
        for key, value in item.items():
            yield from _leaves(value, (*path, key))
    else:
        yield path, item


def _text(value: Any) -> bytes | None:
    """A scalar as bytes; objects, lists and null are nothing."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if not isinstance(value, str):
        return None
    return jsontext.encoded(value)


def _schema(items: list[dict[str, Any]], paths: list[Path]) -> pa.Schema | None:
    """Arrow types of all paths, by the values in the first lines; null where one path has several types.

    A path that those lines do not have may come later (Retry-After comes with a 429 only): it is taken for text, a
    header for a list of texts. Where that is wrong the reader refuses the block, and it is read line by line.
    """
    tree: dict[str, Any] = {}
    for path in paths:
        kinds = {_kind(_whole(item, path)) for item in items} - {None}
        if kinds == {pa.float64(), pa.int64()}:
            kinds = {pa.float64()}
        unseen = pa.list_(pa.string()) if len(path) > 1 and path[-2].endswith("headers") else pa.string()
        node = tree
        for key in path[:-1]:
            node = node.setdefault(key, {})
        if len(kinds) > 1 or not isinstance(node, dict):
            return None
        node[path[-1]] = kinds.pop() if kinds else unseen
    return pa.schema(list(_struct(tree)))


def _struct(tree: dict[str, Any]) -> pa.StructType:
    return pa.struct([(key, _struct(kind) if isinstance(kind, dict) else kind) for key, kind in tree.items()])


def _whole(item: Any, path: Path) -> Any:
    for key in path:
        item = item.get(key) if isinstance(item, dict) else None
    return item


def _kind(value: Any) -> pa.DataType | None:
    if isinstance(value, _Number):
        return pa.int64() if value.lstrip("-").isdigit() else pa.float64()
    if isinstance(value, str):
        return pa.string()
    if isinstance(value, list) and value and type(value[0]) is str:
        return pa.list_(pa.string())
    return None


def _leaf(table: pa.Table, path: Path) -> pa.Array | None:
    """The values at a path, as binary; null where no line has one."""
    if path[0] not in table.column_names:
        return None
    column = table[path[0]].combine_chunks()
    for key in path[1:]:
        index = column.type.get_field_index(key) if pa.types.is_struct(column.type) else -1
        if index < 0:
            return None
        column = pc.struct_field(column, [index])
    if column.null_count == len(column):
        return None
    if pa.types.is_list(column.type):
        column = pc.if_else(pc.greater(pc.list_value_length(column), 0), column, None)
        column = pc.list_element(column, 0)
    return column.cast(pa.string()).cast(pa.binary())
