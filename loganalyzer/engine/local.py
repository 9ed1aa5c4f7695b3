"""DuckDB inside the process: SQL over Arrow tables; kernels over a sorted stream, which spills to disk if it must."""

from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.engine import Kernel

ROWS = 1_000_000  # of one kernel call, give or take a group


class LocalBackend:
    """The embedded engine: `loganalyzer.engine.Backend` over DuckDB relations."""

    def __init__(self, memory: str | None = None, threads: int | None = None) -> None:
        """Start an empty engine.

        Files and extensions stay out of reach: the SQL here reads registered tables only, and a log is hostile.

        Args:
            memory: cap of DuckDB's own memory, e.g. "1GB"; None: its default, four fifths of the machine's.
            threads: worker threads; None: one a core.
        """
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "enable_external_access": False,
        }
        if memory:
            config["memory_limit"] = memory
        if threads:
            config["threads"] = threads
        self._connection = duckdb.connect(config=config)

    def register(self, name: str, table: pa.Table) -> None:
        """Make `table` known to SQL as `name`; nothing is copied."""
        self._connection.register(name, table)

    def sql(self, text: str) -> duckdb.DuckDBPyRelation:
        """The result of one SELECT, lazily."""
        return self._connection.sql(text)

    def by_key(
        self,
        relation: duckdb.DuckDBPyRelation,
        keys: Sequence[str],
        order: Sequence[str],
        kernel: Kernel,
        schema: pa.Schema,
    ) -> duckdb.DuckDBPyRelation:
        """Run `kernel` over whole groups of `keys` in (keys, order) order; about a million rows a call."""
        ordered = relation.order(", ".join(f"{column} NULLS FIRST" for column in (*keys, *order)))
        results = [kernel(groups) for groups in _whole_groups(ordered.to_arrow_reader(ROWS), keys)]
        return self._connection.from_arrow(pa.concat_tables([schema.empty_table(), *results]))

    def to_arrow(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        """Fetch a result."""
        return relation.to_arrow_table()


def _whole_groups(reader: pa.RecordBatchReader, keys: Sequence[str]) -> Iterator[pa.Table]:
    """Cut a sorted stream so that no group of `keys` is in two pieces; the last group of a batch waits for the next."""
    held: list[pa.RecordBatch] = []
    for batch in reader:
        if not batch.num_rows:
            continue
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
