"""A log narrowed to a period, as a store gives it: what is outside is left out, and counted in the inputs alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.reader import Log
from loganalyzer.held import Rows
from loganalyzer.period import Period
from loganalyzer.schema import REQUEST


def narrowed(log: Log, periods: Sequence[Period]) -> list[Log]:
    """The log in each of these periods; the whole one is held no longer.

    A reject has no time of its own: it lies where the request before it does, or the one after it where it is first.
    """
    covered, near = span_us(log.request_rows), _near(log)
    logs = [_within(log, period, covered, near) for period in periods]
    for rows in (log.request_rows, log.reject_rows):
        log.shelf.drop(rows)
    return logs


def span_us(rows: Rows) -> tuple[int, int] | None:
    """First and last start of a request; null where no time is known."""
    ends = [pc.min_max(table["t"]).as_py() for table in rows.tables(["t"])]
    timed = [(end["min"], end["max"]) for end in ends if end["min"] is not None]
    return (min(first for first, _ in timed), max(last for _, last in timed)) if timed else None


def _within(log: Log, period: Period, covered: tuple[int, int] | None, near: pa.Array) -> Log:
    requests, earlier, rejects = Rows(REQUEST), Rows(REQUEST), Rows(log.reject_rows.schema)
    for table in log.request_rows.tables():
        _add(log, requests, period.rows(table))
        if period.since_us is not None:
            _add(log, earlier, period.readings(table))
    start = 0
    for table in log.reject_rows.tables():
        timed = table.append_column("t", near[start : start + table.num_rows])
        _add(log, rejects, period.rows(timed).drop_columns("t"))
        start += table.num_rows
    return replace(
        log,
        request_rows=requests,
        reject_rows=rejects,
        earlier_rows=earlier,
        since_us=period.since_us,
        until_us=period.until_us,
        covered_us=covered,
        options=(*log.options, *period.options),
    )


def _add(log: Log, rows: Rows, table: pa.Table) -> None:
    if table.num_rows:
        rows.append(log.shelf.derived(table))


def _near(log: Log) -> pa.Array:
    """Start of the timed request before each reject, of the first one of its source where there is none."""
    places = _places(log.reject_rows)
    found: dict[str, np.ndarray] = {source: np.full(len(lines), np.nan) for source, (_, lines) in places.items()}
    for table in log.request_rows.tables(["source", "line", "t"]) if places else ():
        timed = table.filter(pc.is_valid(table["t"]))
        for source in timed["source"].unique().to_pylist():
            if source not in places:
                continue
            mine = timed.filter(pc.equal(timed["source"].cast(pa.string()), source))
            line, t = mine["line"].to_numpy(), mine["t"].to_numpy()
            before = np.searchsorted(line, places[source][1]) - 1
            first = np.isnan(found[source])  # nothing yet: the first request stands for what is before it
            found[source] = np.where(first | (before >= 0), t[np.maximum(before, 0)], found[source])
    near = np.full(log.reject_rows.num_rows, np.nan)
    for source, (rows, _) in places.items():
        near[rows] = found[source]
    return pa.array(near, from_pandas=True).cast(pa.int64())


def _places(rejects: Rows) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Of each source the rows of its rejects, and their lines."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    start = 0
    for table in rejects.tables(["source", "line"]):
        for row, place in enumerate(table.to_pylist(), start):
            found[place["source"]].append((row, place["line"]))
        start += table.num_rows
    pairs = {source: np.array(rows) for source, rows in found.items()}
    return {source: (rows[:, 0], rows[:, 1]) for source, rows in pairs.items()}
