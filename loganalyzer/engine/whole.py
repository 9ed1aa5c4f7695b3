"""Cut a sorted stream of rows where a group ends, so that a kernel gets whole groups."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.engine import Fold, Kernel


def by_whole_groups(kernel: Kernel, keys: Sequence[str]) -> Fold:
    """The fold that runs a kernel over whole groups."""
    return partial(_folded, kernel, keys)


def _folded(kernel: Kernel, keys: Sequence[str], tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    return map(kernel, whole_groups(tables, keys))


def whole_groups(tables: Iterable[pa.Table], keys: Sequence[str]) -> Iterator[pa.Table]:
    """Tables in which no group of `keys` is cut; the last group of a table waits for the next.

    Args:
        tables: rows sorted by `keys`.
        keys: columns that name a group; null is a value like any other.
    """
    held: list[pa.RecordBatch] = []
    for batch in (batch for table in tables for batch in table.to_batches() if batch.num_rows):
        start = _last_group(batch, keys)
        if start:
            yield pa.Table.from_batches([*held, batch.slice(0, start)])
            held = []
        elif held and _key(held[-1], keys, -1) != _key(batch, keys, 0):
            yield pa.Table.from_batches(held)
            held = []
        held.append(batch.slice(start))
    if held:
        yield pa.Table.from_batches(held)


def _key(batch: pa.RecordBatch, keys: Sequence[str], row: int) -> tuple[object, ...]:
    return tuple(batch.column(key)[row].as_py() for key in keys)


def _last_group(batch: pa.RecordBatch, keys: Sequence[str]) -> int:
    """Row at which the last group of a sorted batch starts."""
    return max(_last_run(batch.column(key)) for key in keys)


def _last_run(column: pa.Array) -> int:
    """Row at which the last run of equal values starts; null equals null."""
    same = pc.equal(column, column[-1]) if column[-1].is_valid else pc.is_null(column)
    others = pc.indices_nonzero(pc.invert(pc.fill_null(same, False)))
    return int(others[-1].as_py()) + 1 if len(others) else 0
