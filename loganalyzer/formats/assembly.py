"""Parts of blocks, in order, to the tables REQUEST and REJECT."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import convert
from loganalyzer.formats.lines import Part
from loganalyzer.formats.model import Format
from loganalyzer.formats.times import EARLIEST
from loganalyzer.schema import INSTANT, REJECT, TEXT


def requests(source: str, form: Format, parts: Sequence[tuple[int, Part]]) -> pa.Table:
    """REQUEST of parts of one source and one format, each with the number of lines before it."""
    parts = [(before, part) for before, part in parts if len(part.split.at)]
    raw = _raw([part for _, part in parts])
    micros = raw.pop("time", None)
    count = sum(len(part.split.at) for _, part in parts)
    columns = convert.requests(raw, form.grammar.columns, form.escaped, form.absolute) if count else {}
    columns["source"] = _same(source, count)
    columns["line"] = _int64([part.split.at + before + 1 for before, part in parts])
    columns["offset"] = _int64([part.starts[part.split.at] + part.offset for _, part in parts])
    if "status" in columns:
        status = columns["status"]
        columns["status"] = pc.if_else(pc.less(status, 1000), status, None).cast(pa.int16())
    if micros is not None:
        columns["time"] = micros.cast(INSTANT)
        columns["t"] = _start(micros, columns.get("request_time_s") if form.time_is_end else None)
    return convert.table(columns, count)


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


def _raw(parts: Sequence[Part]) -> dict[str, pa.Array]:
    """Raw columns of all parts under one dictionary each; a column that a part lacks is null there."""
    names = dict.fromkeys(name for part in parts for name in part.split.columns)
    raw: dict[str, pa.Array] = {}
    for name in names:
        kind = next(part.split.columns[name].type for part in parts if name in part.split.columns)
        chunks = [part.split.columns.get(name, pa.nulls(len(part.split.at), kind)) for part in parts]
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
