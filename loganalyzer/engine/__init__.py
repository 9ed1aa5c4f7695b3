"""The seam between what is measured and what runs it.

A measure has one of two forms. A **SQL step** is a file in the subset that DuckDB and Spark SQL read alike (`t` is a
BIGINT, sums are cast to BIGINT, NULL order is always written). A **kernel** is a plain function from an Arrow table to
an Arrow table; it gets whole key groups in (keys, order) order, so it needs no engine at all to be tested.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import pyarrow as pa

from loganalyzer.held import Rows

Kernel = Callable[[pa.Table], pa.Table]
Relation = TypeVar("Relation")


class Backend(Protocol[Relation]):
    """What an engine can do; `Relation` is its own lazy handle on a table."""

    def register(self, name: str, table: pa.Table) -> None:
        """Make `table` known to SQL as `name`."""

    def sql(self, text: str) -> Relation:
        """The result of one SELECT."""

    def register_rows(self, name: str, rows: Rows) -> None:
        """Make rows known to SQL as `name`, wherever they lie."""

    def by_key(
        self, relation: Relation, keys: Sequence[str], order: Sequence[str], kernel: Kernel
    ) -> Iterator[pa.Table]:
        """Run `kernel` over whole groups of `keys`, rows sorted by (keys, order); its tables as they come."""

    def ordered(self, relation: Relation, keys: Sequence[str], order: Sequence[str]) -> Iterator[pa.Table]:
        """Rows in (keys, order) order, piece by piece; a group may be cut."""

    def to_arrow(self, relation: Relation) -> pa.Table:
        """Fetch a result."""
