"""The engine with one log in it, and the steps that run on it."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import pyarrow as pa

from loganalyzer.analysis.columns import Columns
from loganalyzer.engine import Backend, Kernel

ORDER = ["t", "id"]


class Steps:
    """SQL steps and kernels over the requests of one log, which they know as `request`."""

    def __init__(self, columns: Columns, backend: Backend[Any]) -> None:
        self._backend = backend
        self.register("request", columns.requests)
        self.register("target_kind", _target_kinds(columns))

    def register(self, name: str, table: pa.Table) -> None:
        """Let later steps read `table`."""
        self._backend.register(name, table)

    def sql(self, name: str, **values: object) -> pa.Table:
        """Run one SQL step."""
        return self._backend.to_arrow(self._backend.sql(statement(name).format(**values)))

    def kernel(self, name: str, keys: Sequence[str], kernel: Kernel, schema: pa.Schema, **values: object) -> pa.Table:
        """Run a kernel over the whole groups of what one SQL step selects."""
        relation = self._backend.sql(statement(name).format(**values))
        return self._backend.to_arrow(self._backend.by_key(relation, keys, ORDER, kernel, schema))


def statement(name: str) -> str:
    """Text of one SQL step; it runs unchanged on DuckDB and Spark SQL."""
    return files("loganalyzer.analysis").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def any_of(codes: Iterable[int]) -> str:
    """A list for SQL's IN; never empty, for that is no SQL."""
    return ", ".join(map(str, codes)) or "NULL"


def _target_kinds(columns: Columns) -> pa.Table:
    code = pa.array(range(len(columns.target_kinds)), pa.int32())
    return pa.table({"target": code, "kind": columns.target_kinds})
