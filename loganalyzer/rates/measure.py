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
TICK_US = 1_000  # servers write milliseconds


def measure(table: pa.Table, keys: Sequence[str] = ("client",), tick_us: int = TICK_US) -> pa.Table:
    """Measure the pace of whole groups.

    Args:
        table: Columns `client` (int32), `address` (int32, if a key), `t` (int64, start in microseconds) and
            `request_time_us` (int64, null = not logged), sorted by (keys, t), a group never cut.
        keys: `("client",)` or `("client", "address")`.
        tick_us: How fine the clock of the log is; requests may overlap by less without having been under way at once.

    Returns:
        One row of schema RATE for each group, in the order of the table.
    """
    columns = {name: _ints(table[name], fill=-1) for name in (*keys, "t", "request_time_us")}
    pad = MINUTE_US + 1 + min(int(columns["request_time_us"].max(initial=0)), LONGEST_REQUEST_US)
    groups = Groups.of(*(columns[name] for name in keys))
    parts = [
        _measure({name: values[part] for name, values in columns.items()}, keys, pad, tick_us)
        for part in groups.parts(columns["t"], pad)
    ]
    return pa.concat_tables([RATE.empty_table(), *parts])


def _ints(column: pa.ChunkedArray, fill: int) -> Int64:
    values: Int64 = pc.fill_null(column, fill).to_numpy().astype(np.int64, copy=False)
    return values


def _measure(columns: dict[str, Int64], keys: Sequence[str], pad: int, tick_us: int) -> pa.Table:
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
        "concurrency_least": _concurrency(axis, columns["request_time_us"], groups, tick_us),
    }
    arrays = [pa.array(values[f.name], f.type) if f.name in values else pa.nulls(len(groups), f.type) for f in RATE]
    return pa.table(arrays, schema=RATE)


def _key(codes: Int64) -> pa.Array:
    return pa.array(codes, mask=codes < 0)


def _concurrency(axis: Int64, duration_us: Int64, groups: Groups, tick_us: int = 0) -> pa.Array:
    """Overlaps of the requests whose time is logged, by more than a tick; null for a group without any."""
    most = np.zeros(len(groups), dtype=np.int64)
    most[groups.number[duration_us >= 0]] = 1
    seen = duration_us >= tick_us + bool(tick_us)
    number = groups.number[seen]
    if len(number):
        timed = Groups.of(number)
        most[number[timed.first]] = most_overlaps(axis[seen], duration_us[seen] - tick_us, timed)
    return pa.array(most, mask=most == 0)
