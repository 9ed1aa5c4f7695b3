"""The kernel that replays one nginx limit on every client of a sorted table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from loganalyzer.groups import Groups
from loganalyzer.rates.nginx import passing

LIMITED = pa.schema([("client", pa.int32()), ("limited", pa.int64())])


def limited(table: pa.Table, rate: str, burst: int) -> pa.Table:
    """Count the requests of each client that `rate` with `burst` and nodelay would have refused.

    Args:
        table: Columns `client` (int32) and `t` (int64, start in microseconds), sorted by them, a client never cut.
        rate: As nginx writes it, `30r/m`.
        burst: As nginx has it.

    Returns:
        One row of schema LIMITED for each client. nginx counts in milliseconds, and so does this.
    """
    groups = Groups.of(table["client"].to_numpy())
    refused = ~passing(table["t"].to_numpy() // 1000, groups, rate, burst)
    counts = np.add.reduceat(refused, groups.first, dtype=np.int64) if len(groups) else groups.first
    return pa.table([table["client"].take(pa.array(groups.first)), pa.array(counts)], schema=LIMITED)
