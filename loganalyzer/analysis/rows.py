"""Rows of small Arrow tables on their way into the document, and instants as text."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from loganalyzer.epoch import iso

Row = Mapping[str, Any]


def instant_or_none(us: int | None) -> str | None:
    """An instant that may be unknown, as text."""
    return None if us is None else iso(us)


def by_client(table: pa.Table) -> dict[int, list[Row]]:
    """Rows of a measure under the client's code."""
    rows: dict[int, list[Row]] = defaultdict(list)
    for row in table.to_pylist():
        rows[row["client"]].append(row)
    return rows
