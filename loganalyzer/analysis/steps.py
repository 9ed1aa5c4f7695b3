"""The engine with one log in it, and the steps that run on it."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any

import pyarrow as pa

from loganalyzer.analysis.columns import Columns
from loganalyzer.engine import Backend, Fold, Kernel
from loganalyzer.held import Rows, Shelf

ORDER = ["t", "id"]


class Steps:
    """SQL steps, kernels and folds over the requests of one log, which they know as `request` and `earlier`."""

    def __init__(self, columns: Columns, backend: Backend[Any], shelf: Shelf) -> None:
        self._backend, self._shelf = backend, shelf
        self.register("request", columns.requests)
        self.register("earlier", columns.earlier)
        self.register("target_kind", _target_kinds(columns))

    @property
    def lanes(self) -> int:
        """How many steps may run side by side: one where rows lie in files, for each takes memory of its own."""
        return 1 if self._shelf.spilling else self._backend.lanes

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Let later steps read them."""
        self._backend.register(name, rows)

    def sql(self, name: str, **values: object) -> pa.Table:
        """Run one SQL step."""
        return self._backend.to_arrow(self._backend.sql(statement(name).format(**values)))

    def kernel(self, name: str, keys: Sequence[str], kernel: Kernel, schema: pa.Schema, **values: object) -> pa.Table:
        """Run a kernel over the whole groups of what one SQL step selects."""
        relation = self._backend.sql(statement(name).format(**values))
        return pa.concat_tables([schema.empty_table(), *self._backend.by_key(relation, keys, ORDER, kernel, schema)])

    def fold(
        self, name: str, keys: Sequence[str], fold: Fold, schema: pa.Schema, **values: object
    ) -> Iterator[pa.Table]:
        """Run a fold over what one SQL step selects, in order of keys and time."""
        relation = self._backend.sql(statement(name).format(**values))
        return self._backend.fold(relation, keys, ORDER, fold, schema)

    def held(self, tables: Iterable[pa.Table], schema: pa.Schema) -> Rows:
        """Tables that have a row for each request, where there is room for them."""
        return Rows(schema, map(self._shelf.derived, tables))


def statement(name: str) -> str:
    """Text of one SQL step; it runs unchanged on DuckDB and Spark SQL."""
    return files("loganalyzer.analysis").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def any_of(codes: Iterable[int]) -> str:
    """A list for SQL's IN; never empty, for that is no SQL."""
    return ", ".join(map(str, codes)) or "NULL"


def _target_kinds(columns: Columns) -> pa.Table:
    code = pa.array(range(len(columns.target_kinds)), pa.int32())
    return pa.table({"target": code, "kind": columns.target_kinds})
