"""The pace of groups that come in pieces: a client with millions of requests is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.groups import Groups, Int64
from loganalyzer.rates.measure import MINUTE_US, TICK_US, measure
from loganalyzer.rates.overlaps import LONGEST_REQUEST_US
from loganalyzer.rates.peaks import SECOND_US
from loganalyzer.schema import RATE


def measured(
    tables: Iterable[pa.Table], keys: Sequence[str] = ("client",), tick_us: int = TICK_US
) -> Iterator[pa.Table]:
    """Measure the pace of each group of a sorted stream; joined, the result is that of `measure` on the whole of it.

    Args:
        tables: columns as `measure` takes them, sorted by (keys, t) over all tables; cut anywhere.
        keys: as `measure` takes them, and
        tick_us: so too.
    """
    open_group: _Open | None = None
    for table in tables:
        groups = Groups.of(*(pc.fill_null(table[name], -1).to_numpy() for name in keys))
        if open_group is not None and open_group.key == _key(table, keys, 0):
            open_group.take(table.slice(0, int(groups.size[0])))
            if len(groups) == 1:
                continue
            table = table.slice(int(groups.size[0]))
        if open_group is not None:
            yield open_group.row()
        last = table.num_rows - int(groups.size[-1])
        yield measure(table.slice(0, last), keys, tick_us) if last else RATE.empty_table()
        open_group = _Open(_key(table, keys, last), tick_us)
        open_group.take(table.slice(last))
    if open_group is not None:
        yield open_group.row()


def _key(table: pa.Table, keys: Sequence[str], row: int) -> dict[str, int | None]:
    return {name: table[name][row].as_py() for name in keys}


class _Open:
    """One group so far: the last of a table, which may go on in the next."""

    def __init__(self, key: dict[str, int | None], tick_us: int) -> None:
        self.key = key
        self._requests, self._first, self._last = 0, 0, 0
        self._peaks = {SECOND_US: (0, 0), MINUTE_US: (0, 0)}  # count, and when it began
        self._recent: Int64 = np.zeros(0, np.int64)  # starts whose minute is not over
        self._burst = self._run = (0, 0, 0)  # size, first and last start: of the longest run, of the one that goes on
        self._flights = _Flights(0), _Flights(tick_us)

    def take(self, table: pa.Table) -> None:
        """Let rows follow."""
        t: Int64 = table["t"].to_numpy()
        self._first = self._first if self._requests else int(t[0])
        self._take_peaks(t)
        self._take_runs(t)
        for flights in self._flights:
            flights.take(t, pc.fill_null(table["request_time_us"], -1).to_numpy())
        self._requests, self._last = self._requests + len(t), int(t[-1])

    def row(self) -> pa.Table:
        """The one row of schema RATE."""
        active = self._last - self._first
        (peak_1s, at_1s), (peak_60s, at_60s) = self._peaks[SECOND_US], self._peaks[MINUTE_US]
        burst, burst_from, burst_to = self._burst
        row: dict[str, Any] = {
            **self.key,
            "requests": self._requests,
            "first_us": self._first,
            "last_us": self._last,
            "peak_1s": peak_1s,
            "peak_1s_at_us": at_1s,
            "peak_60s": peak_60s,
            "peak_60s_at_us": at_60s,
            "mean_active": (self._requests - 1) * SECOND_US / active if active else None,
            "burst": burst,
            "burst_at_us": burst_from,
            "burst_us": burst_to - burst_from,
            "concurrency": self._flights[0].most or None,
            "concurrency_least": self._flights[1].most or None,
        }
        return pa.Table.from_pylist([row], schema=RATE)

    def _take_peaks(self, t: Int64) -> None:
        """Windows that the table before could not see to their end are counted again."""
        t = np.concatenate([self._recent, t])
        for window, (most, _) in self._peaks.items():
            counts = np.searchsorted(t, t + window, side="left")
            counts -= np.arange(len(t))
            row = int(np.argmax(counts))
            if counts[row] > most:
                self._peaks[window] = int(counts[row]), int(t[row])
        self._recent = t[np.searchsorted(t, t[-1] - MINUTE_US, side="right") :].copy()

    def _take_runs(self, t: Int64) -> None:
        starts = np.flatnonzero(np.diff(t) > SECOND_US) + 1
        starts = np.append(0, starts)
        sizes, began = np.diff(starts, append=len(t)), t[starts]
        size, first, last = self._run
        if size and t[0] - last <= SECOND_US:
            sizes[0], began[0] = sizes[0] + size, first
        ends = t[np.append(starts[1:], len(t)) - 1]
        best = int(np.argmax(sizes))
        if sizes[best] > self._burst[0]:
            self._burst = int(sizes[best]), int(began[best]), int(ends[best])
        self._run = int(sizes[-1]), int(began[-1]), int(ends[-1])


class _Flights:
    """The most requests under way at once so far, as `measure` counts them, by more than a tick."""

    def __init__(self, tick_us: int) -> None:
        self.most = 0
        self._tick = tick_us
        self._unended: Int64 = np.zeros(0, np.int64)

    def take(self, t: Int64, duration_us: Int64) -> None:
        """Those begun so far less those ended so far are in flight, as in `overlaps.most_overlaps`."""
        self.most = max(self.most, int((duration_us >= 0).any()))
        seen = duration_us >= self._tick + bool(self._tick)
        start = t[seen]
        if not len(start):
            return
        length = np.clip(duration_us[seen] - self._tick, 1, LONGEST_REQUEST_US)
        ends = np.sort(np.concatenate([self._unended, start + length]))
        begun = len(self._unended) + np.arange(1, len(start) + 1)
        self.most = max(self.most, int((begun - np.searchsorted(ends, start, side="right")).max()))
        self._unended = ends[np.searchsorted(ends, start[-1], side="right") :].copy()
