"""Cause and effect: what was asked for before and after one version of robots.txt took the place of another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.groups import Groups
from loganalyzer.robots.answers import codes
from loganalyzer.robots.history import History
from loganalyzer.robots.scope import Scopes, Targets
from loganalyzer.robots.verdicts import Policy, Verdicts

FORBIDDEN, ALLOWED = "forbidden", "allowed"  # newly, by the later version

# Requests of one client for what one change forbade or allowed it.
EFFECT = pa.schema(
    [
        ("change", pa.int32()),  # its place in the list of changes
        ("client", pa.int32()),
        ("effect", pa.string()),  # FORBIDDEN or ALLOWED
        ("before", pa.int64()),  # requests in the window before the change
        ("before_bytes", pa.int64()),
        ("after", pa.int64()),  # requests in the window after it, which is as long
        ("after_bytes", pa.int64()),
        ("since", pa.int64()),  # requests from the change to the next one, or the end of the log
        ("late", pa.int64()),  # of these, those made when no older copy may serve any more
        ("first_us", pa.int64()),  # of those since
        ("last_us", pa.int64()),
        ("last_id", pa.int64()),
        ("seen_us", pa.int64()),  # last request since, of whatever path of that host; null: none
    ]
)

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """One version in place of another, and the equal windows that are compared."""

    timeline: int
    old: int  # place in History.versions
    new: int
    at_us: int
    window_us: int
    until_us: int  # the next change, or the end of the log


def changes(history: History, start_us: int, end_us: int) -> tuple[Change, ...]:
    """Changes that fall into a log and differ in content, with the longest equal windows that the log has.

    A window reaches no further than the versions that it compares were in force.
    """
    found = []
    for number, timeline in enumerate(history.timelines):
        starts = timeline.starts.tolist()
        for place, at in enumerate(starts[1:], 1):
            old, new = timeline.first + place - 1, timeline.first + place
            until = min([*starts[place + 1 : place + 2], end_us + 1])
            window = min(at - max(starts[place - 1], start_us), until - at)
            if window > 0 and history.versions[old].sha256 != history.versions[new].sha256:
                found.append(Change(number, old, new, at, window, until))
    return tuple(found)


class Effects:
    """Kernel of EFFECT over whole clients."""

    def __init__(
        self,
        found: Sequence[Change],
        policies: Sequence[Policy],
        targets: Targets,
        scopes: Scopes,
        verdicts: Verdicts,
    ) -> None:
        """Take what the replay knows: its targets, scopes and verdicts."""
        self._changes, self._targets, self._scopes, self._verdicts = found, targets, scopes, verdicts
        self._copy_us = np.array([policy.copy_us for policy in policies], np.int64)

    def __call__(self, requests: pa.Table) -> pa.Table:
        """Count what each change forbade or allowed.

        Args:
            requests: `id`, `client`, `t`, `target`, `host`, `bytes`, whole clients in order of time.
        """
        rows = _Rows(*(codes(requests[name]) for name in _Rows._fields))
        _, timeline = self._scopes.of(rows.host, rows.target)
        usable = self._targets.has_path[rows.target] & ~self._targets.is_robots_txt[rows.target]
        by_time = np.argsort(rows.t, kind="stable")
        clock = rows.t[by_time]
        found = []
        for number, change in enumerate(self._changes):
            low, high = np.searchsorted(clock, (change.at_us - change.window_us, change.until_us))
            near = np.sort(by_time[low:high])  # whole clients again
            near = near[(timeline[near] == change.timeline) & usable[near]]
            found += [{"change": number, **row} for row in self._of_change(change, rows.take(near))]
        return pa.Table.from_pylist(found, schema=EFFECT)

    def _of_change(self, change: Change, rows: "_Rows") -> Iterator[dict[str, object]]:
        """One row for each client and effect, of the requests near a change."""
        if not len(rows.t):
            return
        old, new = (
            self._verdicts.lines(np.full(len(rows.t), version), rows.client, rows.target) > 0
            for version in (change.old, change.new)
        )
        clients = Groups.of(rows.client)
        for effect, changed in ((FORBIDDEN, new & ~old), (ALLOWED, old & ~new)):
            for first, size in zip(clients.first.tolist(), clients.size.tolist(), strict=True):
                meant = first + np.flatnonzero(changed[first : first + size])
                if len(meant):
                    code, last = int(rows.client[first]), int(rows.t[first + size - 1])
                    counts = _counts(change, rows.take(meant), int(self._copy_us[code]))
                    seen = last if last >= change.at_us else None
                    yield {"client": code, "effect": effect, **counts, "seen_us": seen}


class _Rows(NamedTuple):
    """Columns of requests; -1 for null."""

    id: Ints
    client: Ints
    t: Ints
    target: Ints
    host: Ints
    bytes: Ints

    def take(self, at: Ints) -> "_Rows":
        return _Rows(*(column[at] for column in self))


def _counts(change: Change, rows: _Rows, copy_us: int) -> dict[str, int | None]:
    """What one client asked for, in order of time."""
    size = np.maximum(rows.bytes, 0)
    at, end, stale = np.searchsorted(
        rows.t, (change.at_us, change.at_us + change.window_us, change.at_us + copy_us)
    ).tolist()
    since = len(rows.t) - at
    return {
        "before": at,
        "before_bytes": int(size[:at].sum()),
        "after": end - at,
        "after_bytes": int(size[at:end].sum()),
        "since": since,
        "late": len(rows.t) - stale,
        "first_us": int(rows.t[at]) if since else None,
        "last_us": int(rows.t[-1]) if since else None,
        "last_id": int(rows.id[-1]) if since else None,
    }
