"""DuckDB inside the process: SQL over Arrow tables; kernels over a sorted stream, which spills to disk if it must."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from loganalyzer.engine import Fold, Kernel
from loganalyzer.engine.whole import by_whole_groups
from loganalyzer.held import Rows

ROWS = 250_000  # of one kernel call, give or take a group: more would be no faster, and take more memory
_SHARE = 4  # DuckDB's part of the memory, one in so many
_LEAST = 64 << 20  # bytes without which it sorts nothing
_BATCH = 120 << 10  # rows of a row group of DuckDB: a batch of a table in memory is scanned by one thread


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
            folder: where it may write what does not fit, and read the files of `register`; null: nowhere.
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

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Make rows known to SQL as `name`, whether they are in memory, in files, or some of them in each."""
        if not isinstance(rows, Rows):
            self._connection.register(name, _in_batches(rows))
            return
        parts = []
        if files := [str(piece.path) for piece in rows.pieces if piece.path is not None]:
            self._connection.read_parquet(files).create_view(f"{name}_in_files")
            parts.append(f"{name}_in_files")
        if len(files) < len(rows.pieces) or not files:
            self._connection.register(f"{name}_in_memory", _in_batches(rows.in_memory()))
            parts.append(f"{name}_in_memory")
        united = " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)  # noqa: S608 - our own names
        self._connection.execute(f"CREATE VIEW {name} AS {united}")

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
    ) -> Iterator[pa.Table]:
        """Run `kernel` over whole groups of `keys` in (keys, order) order; about ROWS rows a call."""
        return self.fold(relation, keys, order, by_whole_groups(kernel, keys), schema)

    def fold(
        self,
        relation: duckdb.DuckDBPyRelation,
        keys: Sequence[str],
        order: Sequence[str],
        fold: Fold,
        schema: pa.Schema,
    ) -> Iterator[pa.Table]:
        """Run `fold` over all rows in (keys, order) order, about ROWS in a table."""
        rows = relation.order(", ".join(f"{column} NULLS FIRST" for column in (*keys, *order)))
        return fold(pa.Table.from_batches([batch]) for batch in rows.to_arrow_reader(ROWS) if batch.num_rows)

    def to_arrow(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        """Fetch a result."""
        return relation.to_arrow_table()


def _in_batches(table: pa.Table) -> pa.Table:
    """The same rows in batches, of which every core takes some; nothing is copied."""
    return pa.Table.from_batches(table.to_batches(_BATCH), table.schema)
