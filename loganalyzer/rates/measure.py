"""The kernel: the pace of every client, or client at one address, of a sorted table at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.groups import Groups, Int64
from loganalyzer.rates.overlaps import LONGEST_REQUEST_US, most_overlaps
from loganalyzer.rates.peaks import SECOND_US, longest_bursts, sliding_peaks
from loganalyzer.schema import RATE

MINUTE_US = 60 * SECOND_US


def measure(table: pa.Table, keys: Sequence[str] = ("client",)) -> pa.Table:
    """Measure the pace of whole groups.

    Args:
        table: Columns `client` (int32), `address` (int32, if a key), `t` (int64, start in microseconds) and
            `request_time_us` (int64, null = not logged), sorted by (keys, t), a group never cut.
        keys: `("client",)` or `("client", "address")`.

    Returns:
        One row of schema RATE for each group, in the order of the table.
    """
    columns = {name: _ints(table[name], fill=-1) for name in (*keys, "t", "request_time_us")}
    pad = MINUTE_US + 1 + min(int(columns["request_time_us"].max(initial=0)), LONGEST_REQUEST_US)
    groups = Groups.of(*(columns[name] for name in keys))
    parts = [
        _measure({name: values[part] for name, values in columns.items()}, keys, pad)
        for part in groups.parts(columns["t"], pad)
    ]
    return pa.concat_tables([RATE.empty_table(), *parts])


def _ints(column: pa.ChunkedArray, fill: int) -> Int64:
    values: Int64 = pc.fill_null(column, fill).to_numpy().astype(np.int64, copy=False)
    return values


def _measure(columns: dict[str, Int64], keys: Sequence[str], pad: int) -> pa.Table:
    t = columns["t"]
    groups = Groups.of(*(columns[name] for name in keys))
    axis = groups.axis(t, pad)
    first, last = t[groups.first], t[groups.last]
    peak_1s, at_1s = sliding_peaks(axis, groups, SECOND_US)
    peak_60s, at_60s = sliding_peaks(axis, groups, MINUTE_US)
    burst, burst_from, burst_to = longest_bursts(axis, groups, SECOND_US)
    active = last - first
    mean = (groups.size - 1) * SECOND_US / np.where(active == 0, 1, active)
    values: dict[str, Any] = {
        **{name: _key(columns[name][groups.first]) for name in keys},
        "requests": groups.size,
        "first_us": first,
        "last_us": last,
        "peak_1s": peak_1s,
        "peak_1s_at_us": t[at_1s],
        "peak_60s": peak_60s,
        "peak_60s_at_us": t[at_60s],
        "mean_active": pa.array(mean, mask=active == 0),
        "burst": burst,
        "burst_at_us": t[burst_from],
        "burst_us": t[burst_to] - t[burst_from],
        "concurrency": _concurrency(axis, columns["request_time_us"], groups),
    }
    arrays = [pa.array(values[f.name], f.type) if f.name in values else pa.nulls(len(groups), f.type) for f in RATE]
    return pa.table(arrays, schema=RATE)


def _key(codes: Int64) -> pa.Array:
    return pa.array(codes, mask=codes < 0)


def _concurrency(axis: Int64, duration_us: Int64, groups: Groups) -> pa.Array:
    """Overlaps of the requests whose time is logged; null for a group without any."""
    logged = duration_us >= 0
    number = groups.number[logged]
    most = np.zeros(len(groups), dtype=np.int64)
    if len(number):
        timed = Groups.of(number)
        most[number[timed.first]] = most_overlaps(axis[logged], duration_us[logged], timed)
    return pa.array(most, mask=most == 0)
