"""The seam between what is measured and what runs it.

A measure has one of two forms. A **SQL step** is a file in the subset that DuckDB and Spark SQL read alike (`t` is a
BIGINT, sums are cast to BIGINT, NULL order is always written). A **kernel** is a plain function from an Arrow table to
an Arrow table; it gets whole key groups in (keys, order) order, so it needs no engine at all to be tested. A **fold**
is a kernel for groups that are too large for memory: from tables, in the same order but cut anywhere, to tables.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import pyarrow as pa

from loganalyzer.held import Rows

Kernel = Callable[[pa.Table], pa.Table]
Fold = Callable[[Iterator[pa.Table]], Iterator[pa.Table]]
Relation = TypeVar("Relation")


class Backend(Protocol[Relation]):
    """What an engine can do; `Relation` is its own lazy handle on a table."""

    lanes: int  # threads that may run steps of it side by side

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Make rows known to SQL as `name`, wherever they lie."""

    def sql(self, text: str) -> Relation:
        """The result of one SELECT."""

    def by_key(
        self, relation: Relation, keys: Sequence[str], order: Sequence[str], kernel: Kernel, schema: pa.Schema
    ) -> Iterator[pa.Table]:
        """Run `kernel` over whole groups of `keys`, rows sorted by (keys, order); its tables, of `schema`."""

    def fold(
        self, relation: Relation, keys: Sequence[str], order: Sequence[str], fold: Fold, schema: pa.Schema
    ) -> Iterator[pa.Table]:
        """Run `fold` over rows sorted by (keys, order), all of a group in one run; its tables, of `schema`."""

    def to_arrow(self, relation: Relation) -> pa.Table:
        """Fetch a result."""
