"""Crawl-delay over time: what the versions in force for a host asked of a client, and the pauses that it made.

Crawl-delay stands in no RFC and is no part of any decision (Bing, Anthropic and others read it); too short a pause is a
finding about pace, never a violation of robots.txt.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.groups import Groups
from loganalyzer.robots.answers import codes
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.history import History
from loganalyzer.robots.verdicts import EXEMPT_KINDS, Policy

SECOND_US = 1_000_000
TOLERANCE_S = 1.0  # a log in whole seconds shortens a true pause by up to one second

PAUSES = pa.schema(
    [
        ("client", pa.int32()),
        ("delay_s", pa.float64()),  # asked of it last
        ("gaps", pa.int64()),  # between requests for one host, while a delay was asked
        ("violations", pa.int64()),  # gaps that were too short
        ("median_gap_s", pa.float64()),
        ("min_gap_s", pa.float64()),
    ]
)
Ints = NDArray[np.int64]


class Delays:
    """Kernel of PAUSES over the starts of whole clients."""

    def __init__(self, policies: Sequence[Policy], history: History, hosts: Sequence[str | None]) -> None:
        """Look up what every version asks of every client; `hosts` has the host of each code."""
        self._history = history
        named = list(filter(None, hosts))
        self._timeline = np.array([history.scope(host, named) for host in [*hosts, None]], np.int64)
        # The last row is version -1: none in force, nothing asked.
        self._asked = np.zeros((len(history.versions) + 1, len(policies)))
        self._copy_us = np.array([policy.copy_us for policy in policies], np.int64)
        for client, policy in enumerate(policies):
            if policy.automated and policy.kind not in EXEMPT_KINDS:
                tokens = policy.robots_tokens or (EVERYBODY,)
                for number, version in enumerate(history.versions):
                    self._asked[number, client] = version.robots.crawl_delay(tokens) or 0.0

    def __call__(self, requests: pa.Table) -> pa.Table:
        """Measure the pauses of each client that was asked for some.

        Args:
            requests: `client`, `t`, `host` (codes), whole clients in order of time; /robots.txt left out.
        """
        client, t, host = (codes(requests[name]) for name in ("client", "t", "host"))
        timeline = self._timeline[host]
        asked = self._asked_at(client, timeline, t)
        # Each host asks for itself (RFC 9309 section 2.3): a client may well go on at another meanwhile.
        order = np.lexsort((t, host, client))
        same = np.append(False, (np.diff(client[order]) == 0) & (np.diff(host[order]) == 0))[: len(t)]
        at = order[same & (asked[order] > 0)]
        before = order[np.flatnonzero(same & (asked[order] > 0)) - 1]
        gaps = (t[at] - t[before]) / SECOND_US
        short = gaps < asked[at] - TOLERANCE_S
        rows = []
        bound = np.flatnonzero(asked > 0)
        for first, last in _runs(client[bound]):
            code = int(client[bound[first]])
            mine = slice(*np.searchsorted(client[at], (code, code + 1)).tolist())
            rows.append(_row(code, float(asked[bound[last]]), gaps[mine], short[mine]))
        return pa.Table.from_pylist(rows, schema=PAUSES)

    def _asked_at(self, client: Ints, timeline: Ints, t: Ints) -> NDArray[np.float64]:
        """The shortest delay that any version asked which the client may hold at each instant; 0: one asks none."""
        newest = self._history.in_force(timeline, t)
        oldest = self._history.in_force(timeline, t - self._copy_us[client])
        oldest = np.maximum(oldest, self._history.first(timeline))
        asked = self._asked[newest, client]
        for step in range(int((newest - oldest).max(initial=-1)) + 1):
            asked = np.minimum(asked, self._asked[np.minimum(oldest + step, newest), client])
        return asked


def _runs(client: Ints) -> list[tuple[int, int]]:
    """First and last place of each client in codes that ascend."""
    if not len(client):
        return []
    groups = Groups.of(client)
    return list(zip(groups.first.tolist(), groups.last.tolist(), strict=True))


def _row(client: int, asked: float, gaps: NDArray[np.float64], short: NDArray[np.bool_]) -> dict[str, object]:
    return {
        "client": client,
        "delay_s": asked,
        "gaps": len(gaps),
        "violations": int(short.sum()),
        "median_gap_s": float(np.median(gaps)) if len(gaps) else None,
        "min_gap_s": float(gaps.min()) if len(gaps) else None,
    }
