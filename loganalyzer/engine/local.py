"""DuckDB inside the process: SQL over Arrow tables; kernels over a sorted stream, which spills to disk if it must."""

import threading
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
    """The embedded engine: `loganalyzer.engine.Backend` over DuckDB relations; threads may run steps side by side."""

    lanes = 2

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
        self._database = duckdb.connect(config=config)
        if folder is not None:
            self._database.execute("SET allowed_directories = [$1]", [str(folder)])
        self._database.execute("SET enable_external_access = false")
        self._registered: dict[str, Rows | pa.Table] = {}
        self._registering = threading.Lock()
        self._thread = threading.local()

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Make rows known to SQL as `name`, whether they are in memory, in files, or some of them in each."""
        with self._registering:
            self._registered = {**self._registered, name: rows}

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """This thread's, which runs one query at a time, and knows by itself alone what is registered."""
        mine = self._thread
        if not hasattr(mine, "connection"):
            mine.connection, mine.known = self._database.cursor(), {}
        for name, rows in self._registered.items():
            if mine.known.get(name) is not rows:
                _make_known(mine.connection, name, rows)
                mine.known[name] = rows
        connection: duckdb.DuckDBPyConnection = mine.connection
        return connection

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


def _make_known(connection: duckdb.DuckDBPyConnection, name: str, rows: Rows | pa.Table) -> None:
    if not isinstance(rows, Rows):
        connection.register(name, _in_batches(rows))
        return
    parts = []
    if files := [str(piece.path).replace("'", "''") for piece in rows.pieces if piece.path is not None]:
        named = ", ".join(f"'{file}'" for file in files)
        parts.append(f"read_parquet([{named}])")
    if len(files) < len(rows.pieces) or not files:
        connection.register(f"{name}_in_memory", _in_batches(rows.in_memory()))
        parts.append(f"{name}_in_memory")
    united = " UNION ALL ".join(f"SELECT * FROM {part}" for part in parts)  # noqa: S608 - our own names
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {united}")


def _in_batches(table: pa.Table) -> pa.Table:
    """The same rows in batches, of which every core takes some; nothing is copied."""
    return pa.Table.from_batches(table.to_batches(_BATCH), table.schema)
