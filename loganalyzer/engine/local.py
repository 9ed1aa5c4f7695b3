"""DuckDB inside the process: SQL over Arrow tables; kernels over a sorted stream, which spills to disk if it must."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from loganalyzer.engine import Kernel
from loganalyzer.engine.whole import whole_groups

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
        results = [kernel(groups) for groups in whole_groups(ordered.to_arrow_reader(ROWS), keys)]
        return self._connection.from_arrow(pa.concat_tables([schema.empty_table(), *results]))

    def to_arrow(self, relation: duckdb.DuckDBPyRelation) -> pa.Table:
        """Fetch a result."""
        return relation.to_arrow_table()
