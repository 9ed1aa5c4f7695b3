"""DuckDB inside the process: SQL over Arrow tables; kernels over a sorted stream, which spills to disk if it must."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from loganalyzer.engine import Kernel
from loganalyzer.engine.whole import whole_groups
from loganalyzer.held import Rows

ROWS = 250_000  # of one kernel call, give or take a group: more would be no faster, and take more memory
_SHARE = 3  # DuckDB's part of the memory, one in so many
_LEAST = 64 << 20  # bytes without which it sorts nothing


class LocalBackend:
    """The embedded engine: `loganalyzer.engine.Backend` over DuckDB relations."""

    def __init__(self, memory: int | None = None, threads: int | None = None, folder: Path | None = None) -> None:
        """Start an empty engine.

        Files and extensions stay out of reach, those in `folder` excepted: the SQL here reads registered tables only,
        and a log is hostile.

        Args:
            memory: bytes that the whole process should keep within; null: DuckDB's default, four fifths of the
                machine's.
            threads: worker threads; null: one a core.
            folder: where it may write what does not fit, and read the files of `register_rows`; null: nowhere.
        """
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "temp_directory": "" if folder is None else str(folder / "engine"),
        }
        if memory:
            config["memory_limit"] = f"{max(_LEAST, memory // _SHARE)}B"
        if threads:
            config["threads"] = threads
        self._connection = duckdb.connect(config=config)
        if folder is not None:
            self._connection.execute("SET allowed_directories = [$1]", [str(folder)])
        self._connection.execute("SET enable_external_access = false")

    def register(self, name: str, table: pa.Table) -> None:
        """Make `table` known to SQL as `name`; nothing is copied."""
        self._connection.register(name, table)

    def register_rows(self, name: str, rows: Rows) -> None:
        """Make rows known to SQL as `name`, whether they are in memory, in files, or some of them in each."""
        parts = []
        if files := [str(piece.path) for piece in rows.pieces if piece.path is not None]:
            self._connection.read_parquet(files).create_view(f"{name}_in_files")
            parts.append(f"{name}_in_files")
        if len(files) < len(rows.pieces) or not files:
            self.register(f"{name}_in_memory", rows.in_memory())
            parts.append(f"{name}_in_memory")
        united = " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)  # noqa: S608 - our own names
        self._connection.execute(f"CREATE VIEW {name} AS {united}")

    def sql(self, text: str) -> duckdb.DuckDBPyRelation:
        """The result of one SELECT, lazily."""
        return self._connection.sql(text)

    def by_key(
        self, relation: duckdb.DuckDBPyRelation, keys: Sequence[str], order: Sequence[str], kernel: Kernel
    ) -> Iterator[pa.Table]:
        """Run `kernel` over whole groups of `keys` in (keys, order) order; about ROWS rows a call."""
        yield from map(kernel, _whole_groups(self.ordered(relation, keys, order), keys))

    def ordered(
        self, relation: duckdb.DuckDBPyRelation, keys: Sequence[str], order: Sequence[str]
    ) -> Iterator[pa.Table]:
        """Rows in (keys, order) order, about ROWS at a time; a group may be cut."""
        rows = relation.order(", ".join(f"{column} NULLS FIRST" for column in (*keys, *order)))
        yield from (pa.Table.from_batches([batch]) for batch in rows.to_arrow_reader(ROWS) if batch.num_rows)

    def to_arrow(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        """Fetch a result."""
        return relation.to_arrow_table()


def _whole_groups(tables: Iterable[pa.Table], keys: Sequence[str]) -> Iterator[pa.Table]:
    """Cut a sorted stream so that no group of `keys` is in two pieces; the last group of a batch waits for the next."""
    held: list[pa.RecordBatch] = []
    for batch in (batch for table in tables for batch in table.to_batches()):
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
