"""Recorded requests, ready to be asked what a limit would have refused, to whom.

Sorted once for each key; a limit is then one pass over whole columns, and only the busy periods that top its burst are
replayed. Requests for /robots.txt are left out: every snippet leaves them open.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.drafts.limits.limit import Key, Limit
from loganalyzer.groups import Groups, Int64, in_order
from loganalyzer.rates import excess, passing, thousandths

# What a limit would have done to one client, or to one client at one address.
REFUSED = pa.schema(
    [
        ("client", pa.int32()),
        ("address", pa.int32()),  # null where the row is a whole client, and where no address is logged
        ("requests", pa.int64()),  # under the limit: with a time, and not for /robots.txt
        ("refused", pa.int64()),
        ("refused_bytes", pa.int64()),  # sent with the answers that would have been refusals
        ("addresses", pa.int64()),  # with a refusal
        ("first_refused_us", pa.int64()),
        ("delayed", pa.int64()),  # passed, but were held back
        ("longest_delay_ms", pa.int64()),
    ]
)

LATEST = np.iinfo(np.int64).max


class Traffic:
    """The requests of one log, each with the codes of its client, address and network."""

    def __init__(self, requests: pa.Table, network: pa.Array) -> None:
        """Keep what a limit looks at.

        Args:
            requests: `client`, `agent`, `address` (codes), `t` (epoch microseconds), `bytes`, `robots`.
            network: The network code of each address code.
        """
        asked = requests.filter(pc.and_(pc.is_valid(requests["t"]), pc.invert(requests["robots"])))
        self.t_us: Int64 = asked["t"].to_numpy()
        self.client: Int64 = asked["client"].to_numpy().astype(np.int64)
        self.agent: Int64 = asked["agent"].to_numpy().astype(np.int64)
        self.bytes: Int64 = pc.fill_null(asked["bytes"], 0).to_numpy()
        self._address: Int64 = pc.fill_null(asked["address"], -1).to_numpy().astype(np.int64)
        self._orders: dict[Key, tuple[Int64, Groups, Int64]] = {}  # by key, in order of bucket and time; as `_buckets`
        self._network: Int64 = np.append(network.to_numpy(zero_copy_only=False).astype(np.int64), -1)

    def refused(
        self,
        limit: Limit,
        chosen: NDArray[np.bool_] | None = None,
        *,
        one_token: bool = False,
        by_address: bool = False,
    ) -> pa.Table:
        """What the limit would have done to each client that it is for, most refusals first.

        Args:
            limit: By token each client has one bucket, by address or network whoever comes from there shares one.
            chosen: Whether the limit is for a row of this traffic; null: for all.
            one_token: What is chosen sends one token, whatever else it is taken for: it shares one bucket.
            by_address: One row for each address of a client instead of one for each client.

        Returns:
            Schema REFUSED. Who is refused is thought to have gone on as recorded: nobody knows how they would react.
        """
        rows, groups, t_ms = self._buckets(limit.key, chosen, one_token=one_token and limit.key == "token")
        passed = passing(t_ms, groups, limit.rate, limit.burst)
        held, delay = rows[:0], rows[:0]
        if limit.at_once is not None and limit.at_once < limit.burst:
            delay = _delays(t_ms[passed], _kept(groups, passed), limit)
            held, delay = rows[passed][delay > 0], delay[delay > 0]
        return self._counted(rows, rows[~passed], held, delay, by_address=by_address)

    def groups_ms(self, chosen: NDArray[np.bool_] | None = None) -> tuple[Int64, Groups, Int64]:
        """Instants in milliseconds, sorted in each client, the runs of one client, and their codes."""
        rows, groups, t_ms = self._buckets("token", chosen)
        return t_ms, groups, self.client[rows[groups.first]]

    def addresses(self, chosen: NDArray[np.bool_]) -> int:
        """From how many addresses some rows come."""
        found = np.unique(self._address[chosen])
        return int(np.count_nonzero(found >= 0))

    def _buckets(
        self, key: Key, chosen: NDArray[np.bool_] | None, *, one_token: bool = False
    ) -> tuple[Int64, Groups, Int64]:
        """Rows in order of bucket and time, the runs of them that share a bucket, and their milliseconds."""
        if one_token:
            rows = np.arange(len(self.t_us)) if chosen is None else np.flatnonzero(chosen)
            rows = rows[np.argsort(self.t_us[rows], kind="stable")]
            return rows, Groups.of(np.zeros(len(rows), dtype=np.int64)), self.t_us[rows] // 1000
        codes = self._codes(key)
        if key not in self._orders:
            in_time = bool((self.t_us[1:] >= self.t_us[:-1]).all())  # as a log usually is
            rows = np.arange(len(codes)) if in_time else np.argsort(self.t_us, kind="stable")
            rows = rows[codes[rows] >= 0]  # what has no address in the log would otherwise share a bucket
            rows = in_order(rows, codes)
            self._orders[key] = rows, Groups.of(codes[rows]), self.t_us[rows] // 1000
        rows, groups, t_ms = self._orders[key]
        if chosen is None:
            return rows, groups, t_ms
        mine = chosen[rows]
        return rows[mine], Groups.of(codes[rows[mine]]), t_ms[mine]

    def _codes(self, key: Key) -> Int64:
        if key == "token":
            return self.client
        networks: Int64 = self._network[self._address]
        return self._address if key == "address" else networks

    @cached_property
    def _visitors(self) -> tuple[Int64, Int64, Int64]:
        """Every client at every address: the number of each row's, and the client and the address of each number."""
        order = in_order(np.arange(len(self.client)), self.client, self._address)
        groups = Groups.of(self.client[order], self._address[order])
        number = np.empty(len(order), dtype=np.int64)
        number[order] = groups.number
        first = order[groups.first]
        return number, self.client[first], self._address[first]

    def _counted(self, rows: Int64, refused: Int64, held: Int64, delay: Int64, *, by_address: bool) -> pa.Table:
        """Schema REFUSED of the rows under a limit, of which few are refused, or held back for so many milliseconds."""
        number, client, address = self._visitors
        met = np.unique(number[refused])  # visitors with a refusal
        of = np.arange(len(client)) if by_address else client  # which row of the table a visitor is counted in
        size = int(of.max(initial=-1)) + 1
        first, longest = np.full(size, LATEST), np.zeros(size, dtype=np.int64)
        sent = np.zeros(size, dtype=np.int64)
        np.minimum.at(first, of[number[refused]], self.t_us[refused])
        np.add.at(sent, of[number[refused]], self.bytes[refused])
        np.maximum.at(longest, of[number[held]], delay)
        requests = np.bincount(of, np.bincount(number[rows], minlength=len(of)), size).astype(np.int64)
        columns: list[Any] = [
            pa.array((client if by_address else np.arange(size)).astype(np.int32)),
            pa.array(address.astype(np.int32), mask=address < 0) if by_address else pa.nulls(size, pa.int32()),
            requests,
            np.bincount(of[number[refused]], minlength=size),
            sent,
            np.bincount(of[met], minlength=size),
            pa.array(first, mask=first == LATEST),
            np.bincount(of[number[held]], minlength=size),
            longest,
        ]
        table = pa.table([pa.array(column) for column in columns], schema=REFUSED).filter(pa.array(requests > 0))
        return table.sort_by([("refused", "descending"), ("requests", "descending"), ("client", "ascending")])


def _delays(t_ms: Int64, groups: Groups, limit: Limit) -> Int64:
    """Milliseconds that nginx holds back each request that passes (ngx_http_limit_req_account)."""
    above = np.maximum(excess(t_ms, groups, limit.rate) - (limit.at_once or 0) * 1000, 0)
    held: Int64 = above * 1000 // thousandths(limit.rate)
    return held


def _kept(groups: Groups, passed: NDArray[np.bool_]) -> Groups:
    """The same groups without the rows that do not pass; the first of each always does."""
    size = _sums(passed, groups)
    return Groups(np.cumsum(size) - size, size)


def _sums(values: NDArray[Any], groups: Groups) -> Int64:
    if not len(groups):
        return groups.first
    found: Int64 = np.add.reduceat(values, groups.first, dtype=np.int64)
    return found
