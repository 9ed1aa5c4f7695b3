"""What a table of an export is: its columns with their units, and where its rows come from."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from loganalyzer.schema import INSTANT

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

ROWS = 50_000  # of one batch


@dataclass(frozen=True)
class Column:
    """One column; null in it is what is not known."""

    name: str
    type: pa.DataType
    unit: str | None = None  # null: a text, or a plain number


@dataclass(frozen=True)
class Table:
    """One table: a file of the export. Rows are mappings by the names of the columns; what else they hold is left."""

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: Callable[["Analysis"], Iterable[Mapping[str, Any]]]
    at_once: int = ROWS  # fewer where a row may be large

    @property
    def schema(self) -> pa.Schema:
        """The columns as Arrow knows them."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    def batches(self, analysis: "Analysis") -> Iterator[pa.Table]:
        """The rows, `at_once` at a time; one empty table at least."""
        schema = self.schema
        texts = [column.name for column in self.columns if column.type == pa.string()]
        rows = iter(self.rows(analysis))
        yield schema.empty_table()
        while some := list(islice(rows, self.at_once)):
            yield _table(some, texts, schema)


def _table(rows: Sequence[Mapping[str, Any]], texts: Iterable[str], schema: pa.Schema) -> pa.Table:
    """Rows as Arrow; a file's name may hold bytes that are no UTF-8, which Arrow does not take."""
    names = set(texts)
    columns = {name: [row[name] for row in rows] for name in schema.names}
    clean = {name: [_text(v) for v in values] if name in names else values for name, values in columns.items()}
    return pa.table(clean, schema=schema)


def _text(value: str | None) -> str | None:
    return value if value is None or value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def text(*names: str, unit: str | None = None) -> tuple[Column, ...]:
    """Columns of text."""
    return tuple(Column(name, pa.string(), unit) for name in names)


def count(*names: str, unit: str | None = None) -> tuple[Column, ...]:
    """Columns of whole numbers."""
    return tuple(Column(name, pa.int64(), unit) for name in names)


def number(*names: str, unit: str | None = None) -> tuple[Column, ...]:
    """Columns of numbers with a fraction."""
    return tuple(Column(name, pa.float64(), unit) for name in names)


def flag(*names: str) -> tuple[Column, ...]:
    """Columns of yes and no."""
    return tuple(Column(name, pa.bool_()) for name in names)


def instant(*names: str) -> tuple[Column, ...]:
    """Columns of instants; rows give microseconds since the epoch, or a datetime."""
    return tuple(Column(name, INSTANT, "UTC") for name in names)
