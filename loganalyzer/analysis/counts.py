"""What of a period is counted in a moment, out of the analysis of the whole log: no measure, and no verdict."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.store.loading import Window


@dataclass(frozen=True, slots=True)
class Count:
    """One client in a period."""

    client: str
    requests: int
    bytes: int
    refused: int  # of the requests, with 429 or 503, or by the server's limiter


def counted(whole: "Analysis", window: "Window") -> tuple[Count, ...]:
    """Every client that began a request in a period, most requests first; the numbers of an analysis of the period.

    Args:
        whole: of the log that the period is part of.
        window: the period.
    """
    names = whole.columns.clients
    sums = np.zeros((3, len(names)), np.int64)
    for table in whole.columns.requests.tables(["t", "client", "bytes", "refusal"]):
        rows = window.rows(table)
        client = rows["client"].to_numpy()
        refused = client[rows["refusal"].to_numpy()]
        sums[0] += np.bincount(client, minlength=len(names))
        sums[1] += _sums(rows, len(names))
        sums[2] += np.bincount(refused, minlength=len(names))
    found = (Count(name, *row) for name, row in zip(names, sums.T.tolist(), strict=True) if row[0])
    return tuple(sorted(found, key=lambda count: (-count.requests, count.client)))


def _sums(rows: pa.Table, clients: int) -> np.ndarray:
    """Bytes by client code: exact, as a sum of floats would not be."""
    by_client = rows.group_by("client").aggregate([("bytes", "sum")])
    sums = np.zeros(clients, np.int64)
    sums[by_client["client"].to_numpy()] = pc.fill_null(by_client["bytes_sum"], 0).to_numpy()
    return sums
