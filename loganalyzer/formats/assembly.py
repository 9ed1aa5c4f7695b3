"""Parts of blocks, in order, to the tables REQUEST and REJECT."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import convert
from loganalyzer.formats.lines import Part
from loganalyzer.formats.model import Format, Split
from loganalyzer.formats.times import EARLIEST
from loganalyzer.schema import INSTANT, REJECT, REQUEST, TEXT

_Read: TypeAlias = tuple[int, Part, Split]  # lines before a part, the part, what one format read of it


@dataclass(frozen=True, slots=True)
class Used:
    """Lines of a source that one format read."""

    name: str
    lines: int
    first: int  # number of the first of them
    last: int
    odd: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # by column: lines with no number, and the first

    def __add__(self, other: "Used") -> "Used":
        """Both; the other one follows, or begins later."""
        ends = min(self.first, other.first), max(self.last, other.last)
        return Used(self.name, self.lines + other.lines, *ends, added(self.odd, other.odd))


def added(odd: Mapping[str, tuple[int, int]], more: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Lines and the first of them by column, of both."""
    found = dict(odd)
    for column, (lines, first) in more.items():
        before, earliest = found.get(column, (0, first))
        found[column] = before + lines, min(earliest, first)
    return found


def requests(source: str, parts: Sequence[tuple[int, Part]]) -> tuple[pa.Table, list[Used]]:
    """REQUEST of parts of one source, each with the number of lines before it; and which formats read them."""
    read: dict[int, tuple[Format, list[_Read]]] = {}
    for before, part in parts:
        for form, split in part.splits:
            read.setdefault(id(form), (form, []))[1].append((before, part, split))
    made = [_of_one_format(source, form, items) for form, items in read.values()]
    tables, used = [table for table, _ in made], [item for _, item in made]
    if not tables:
        return REQUEST.empty_table(), []
    return tables[0] if len(tables) == 1 else _in_order(tables), used


def _in_order(tables: Sequence[pa.Table]) -> pa.Table:
    """One table by line."""
    table = pa.concat_tables(tables).unify_dictionaries()
    line = table["line"].to_numpy()
    if (line[1:] > line[:-1]).all():
        return table
    return table.take(pa.array(np.argsort(line, kind="stable")))


def _of_one_format(source: str, form: Format, read: Sequence[_Read]) -> tuple[pa.Table, Used]:
    raw = _raw([split for _, _, split in read])
    micros = raw.pop("time", None)
    count = sum(len(split.at) for _, _, split in read)
    columns = convert.requests(raw, form.grammar.columns, form.escaped, form.absolute) if count else {}
    columns["source"] = _same(source, count)
    columns["line"] = _int64([split.at + before + 1 for before, _, split in read])
    columns["offset"] = _int64([part.starts[split.at] + part.offset for _, part, split in read])
    if "status" in columns:
        status = columns["status"]
        columns["status"] = pc.if_else(pc.less(status, 1000), status, None).cast(pa.int16())
    lines = np.asarray(columns["line"])
    odd = {
        name: (len(rows), int(lines[rows[0]]))
        for name, values in raw.items()
        if len(rows := convert.no_numbers(values, columns.get(name)))
    }
    if micros is not None:
        columns["time"] = micros.cast(INSTANT)
        columns["t"] = _start(micros, columns.get("request_time_s") if form.time_is_end else None)
    return convert.table(columns, count), Used(form.name, count, int(lines[0]), int(lines[-1]), odd)


def rejects(source: str, before: int, part: Part) -> pa.Table:
    """REJECT of one part."""
    rejected = part.rejected
    arrays = [
        _same(source, len(rejected.at)),
        _int64([rejected.at + before + 1]),
        _int64([part.starts[rejected.at] + part.offset]),
        _int64([rejected.lengths]),
        pa.array(rejected.reasons, pa.string()).dictionary_encode(),
        pa.array(rejected.fields, pa.string()).dictionary_encode(),
        pa.array(rejected.texts, pa.binary()),
    ]
    return pa.table(arrays, schema=REJECT)


def _raw(splits: Sequence[Split]) -> dict[str, pa.Array]:
    """Raw columns of all parts under one dictionary each; a column that a part lacks is null there."""
    names = dict.fromkeys(name for split in splits for name in split.columns)
    raw: dict[str, pa.Array] = {}
    for name in names:
        kind = next(split.columns[name].type for split in splits if name in split.columns)
        chunks = [split.columns.get(name, pa.nulls(len(split.at), kind)) for split in splits]
        joined = pa.chunked_array(chunks)
        raw[name] = _one(joined.unify_dictionaries() if pa.types.is_dictionary(kind) else joined)
    return raw


def _one(chunked: pa.ChunkedArray) -> pa.Array:
    array = chunked.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _start(micros: pa.Array, duration_s: pa.Array | None) -> pa.Array:
    """Start of the requests whose end is logged; unknown durations take nothing off."""
    if duration_s is None:
        return micros
    taken = np.rint(pc.fill_null(duration_s, 0.0).to_numpy(zero_copy_only=False) * 1e6).astype(np.int64)
    return pc.max_element_wise(pc.subtract(micros, pa.array(taken)), pa.scalar(EARLIEST), skip_nulls=False)


def _same(source: str, count: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([source], pa.string())).cast(
        TEXT
    )


def _int64(arrays: Sequence[np.ndarray]) -> pa.Array:
    return pa.array(np.concatenate(arrays) if arrays else np.empty(0), pa.int64())
