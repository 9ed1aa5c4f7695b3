"""A period of a log that was read: the same rows as of a store that the log was ingested into."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.epoch import iso
from loganalyzer.formats import Log
from loganalyzer.held import Rows, Shelf
from loganalyzer.schema import REJECT, REQUEST
from loganalyzer.store.loading import Window, earlier
from loganalyzer.store.tables import DAY_US


def within(log: Log, since: str | None = None, until: str | None = None, copy_us: int = DAY_US) -> Log:
    """Keep of a log the requests that began in a period, and the rejects among them; accounting is of the whole log.

    Args:
        log: is not changed.
        since: only requests that began then or later, as `store.window.instant` reads it.
        until: only requests that began earlier.
        copy_us: for how long a copy of robots.txt may serve, as `store.read` takes it.

    Raises:
        UsageError: `since` or `until` is no instant.
    """
    window = Window.of(since, until, copy_us)
    if not window.bounded:
        return log
    shelf = Shelf(log.shelf.memory)
    parts = {name: Rows(schema) for name, schema in (("in", REQUEST), ("before", REQUEST), ("rejects", REJECT))}
    for name, table in _parts(log, window):
        if table.num_rows:
            parts[name].append(shelf.add(table))
    bounds = (("--since", window.since_us), ("--until", window.until_us))
    return replace(
        log,
        request_rows=shelf.united(parts["in"]),
        reject_rows=shelf.united(parts["rejects"]),
        earlier_rows=parts["before"],
        since_us=window.since_us,
        until_us=window.until_us,
        options=(*log.options, *(part for name, us in bounds if us is not None for part in (name, iso(us)))),
        shelf=shelf,
    )


def _parts(log: Log, window: Window) -> Iterator[tuple[str, pa.Table]]:
    for table in log.request_rows.tables():
        yield "in", window.rows(table)
        if window.since_us is not None:
            yield "before", earlier(table, window)
    if log.reject_rows.num_rows:
        begun = _Begun(log.request_rows)
        for table in log.reject_rows.tables():
            yield "rejects", window.rows(table.append_column("t", begun.before(table))).select(REJECT.names)


class _Begun:
    """When the request before a line began: a reject has no time of its own, and goes with that."""

    def __init__(self, requests: Rows) -> None:
        table = requests.table(["source", "line", "t"]).drop_null()
        self._of = {
            source: _sorted(table, source) for source in pc.unique(table["source"].cast(pa.string())).to_pylist()
        }

    def before(self, rejects: pa.Table) -> pa.Array:
        """One instant for each; of those before the first request its own, null where there is none."""
        sources = rejects["source"].cast(pa.string()).to_pylist()
        return pa.array(map(self._one, sources, rejects["line"].to_pylist()), pa.int64())

    def _one(self, source: str, line: int) -> int | None:
        if source not in self._of:
            return None
        lines, t = self._of[source]
        return int(t[max(0, int(np.searchsorted(lines, line)) - 1)])


def _sorted(table: pa.Table, source: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    mine = table.filter(pc.equal(table["source"].cast(pa.string()), source)).sort_by("line")
    return mine["line"].to_numpy(), mine["t"].to_numpy()
