"""What the Parquet files of a store hold: REQUEST and REJECT, each with the digest of its line.

    requests/day=2026-11-02/00000007-0001.parquet       rejects/day=2026-11-02/00000007-0002.parquet
    requests/day=unknown/...                            requests whose time is not logged

The day is the UTC day of `t`. A reject has no time; it stands with the request before it in its log, under whose `t`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from loganalyzer.schema import REJECT, REQUEST
from loganalyzer.sources.overlap import Digests
from loganalyzer.store.manifest import DataFile

DAY_US = 86_400_000_000
UNKNOWN = "unknown"
_ABOUT = {"loganalyzer.store": "1"}  # version of these schemas; the manifest's is that of the whole
_DIGEST = pa.field("digest", pa.uint64())  # BLAKE2b of the line in 8 bytes, to know copies by
STORED = {
    "requests": REQUEST.append(_DIGEST).with_metadata({**_ABOUT, "schema": "REQUEST"}),
    "rejects": REJECT.append(pa.field("t", pa.int64())).append(_DIGEST).with_metadata({**_ABOUT, "schema": "REJECT"}),
}


def stored(kind: str, table: pa.Table, key: str, digests: Digests, t: pa.Array | None = None) -> pa.Table:
    """A table of the reader as the store keeps it, under the key of its log.

    Args:
        kind: "requests" or "rejects".
        table: REQUEST or REJECT of one source.
        key: what becomes its `source`.
        digests: of its lines.
        t: of rejects, the request before each.
    """
    columns = {name: table[name] for name in table.column_names}
    codes = pa.array(np.zeros(table.num_rows, np.int32))
    columns["source"] = pa.DictionaryArray.from_arrays(codes, pa.array([key], pa.string()))
    columns["digest"] = pa.array(digests, pa.uint64())
    if t is not None:
        columns["t"] = t
    return pa.table([columns[name] for name in STORED[kind].names], schema=STORED[kind])


def by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The table's rows by the UTC day of `t`, days in order."""
    t = table["t"].combine_chunks()
    known = pc.fill_null(t, 0).to_numpy()
    days = np.where(pc.is_valid(t).to_numpy(zero_copy_only=False), known // DAY_US, np.iinfo(np.int64).min)
    each = np.unique(days)
    for day in each.tolist():
        chosen = table if len(each) == 1 else compact(table.filter(pa.array(days == day)))
        yield (UNKNOWN if day == each.dtype.type(np.iinfo(np.int64).min) else _date(day)), chosen


def rows(path: Path, file: DataFile, columns: Sequence[str] | None = None) -> pa.Table | None:
    """A data file below a store; null where it is missing, cut, or no longer what was written."""
    where = path / file.path
    try:
        table = pq.ParquetFile(where, page_checksum_verification=True).read(columns)
    except (OSError, pa.ArrowException):
        return None
    return table if table.num_rows == file.rows and where.stat().st_size == file.size else None


def span(table: pa.Table) -> tuple[int | None, int | None]:
    """Least and greatest `t`."""
    ends = pc.min_max(table["t"]).as_py()
    return ends["min"], ends["max"]


def _date(day: int) -> str:
    return str(np.datetime64(day, "D"))


def compact(table: pa.Table) -> pa.Table:
    """Dictionaries without the values that no row has, the others in order: Parquet would write them all."""
    for place, name in enumerate(table.column_names):
        column = table.schema.field(name)
        if pa.types.is_dictionary(column.type):
            table = table.set_column(place, column, _used(table[name]))
    return table


def _used(column: pa.ChunkedArray) -> pa.DictionaryArray:
    whole = column.unify_dictionaries().combine_chunks()
    array = whole if isinstance(whole, pa.DictionaryArray) else pa.concat_arrays(whole.chunks)
    used, codes = np.unique(pc.fill_null(array.indices, -1).to_numpy(), return_inverse=True)
    null = len(used) > 0 and used[0] < 0
    indices = pa.array((codes - null).astype(np.int32), mask=codes < null)
    return pa.DictionaryArray.from_arrays(indices, array.dictionary.take(pa.array(used[int(null) :])))
