"""Evidence that a client which had read robots.txt came as a browser for what is closed to it: measured, not proven.

Behind one address there can be people, so all of this must hold: the client was given robots.txt at that address; the
browser's user agent came within `FOLLOWS_US` of the client and had never been seen there before; it took no asset, as
people's browsers do; and at least `FEWEST_PAGES` different pages that it asked for would have been violations under
the client's own name, none of which many addresses ask for.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.clients.disguise import EXAMPLES, FOLLOWS_US, WATCHED_US, first_of, last_before, names_of
from loganalyzer.schema import DISGUISE

FEWEST_PAGES = 3
DAY_US = 86_400_000_000  # a copy of robots.txt serves so long (RFC 9309 section 2.4)
REASON = "browser-for-closed-pages"
# Pages that a browser asked for after a client, under the client's code; the columns that the replay judges by.
FOLLOWING = pa.schema(
    [
        ("id", pa.int64()),
        ("client", pa.int32()),
        ("address", pa.int32()),
        ("t", pa.int64()),
        ("status", pa.int16()),  # null: no reading of robots.txt
        ("target", pa.int32()),
        ("host", pa.int32()),
    ]
)


def following(requests: pa.Table, agents: pa.Table) -> pa.Table:
    """Kernel: the pages (schema FOLLOWING) that a new browser asked for right after a client at its address.

    Args:
        requests: whole groups by address in `(address, t, id)` order: `id` int64; `address`, `client`, `agent`,
            `target` and `host` (may be null) as codes; `t` int64, epoch microseconds; `reading` bool, was given
            /robots.txt; `page` bool, a page that not many ask for; `asset` bool.
        agents: schema AGENT; row i describes code i of `agent`.
    """
    known = names_of(agents)
    address, client, agent, t, reading, page, asset = (
        requests[name].to_numpy() for name in ("address", "client", "agent", "t", "reading", "page", "asset")
    )
    if not len(t):
        return FOLLOWING.empty_table()
    first = first_of(address, agent)
    bare = ~np.isin(first, first[asset])
    rows = np.flatnonzero(known.browser[agent] & page & bare & (t <= t[first] + WATCHED_US))
    declared = known.declared[agent]
    own = last_before(address, np.zeros_like(address), declared, rows, first[rows])
    rows, own = rows[own >= 0], own[own >= 0]
    read = last_before(address, client, declared & reading, own, first[rows])
    rows, own, read = rows[read >= 0], own[read >= 0], read[read >= 0]
    came = t[first[rows]]
    near = (came > t[own]) & (came - t[own] <= FOLLOWS_US) & (came - t[read] <= DAY_US)
    rows, own = rows[near], own[near]
    chosen = requests.select(["id", "address", "t", "target", "host"]).take(pa.array(rows))
    columns = {name: chosen[name] for name in chosen.column_names}
    columns |= {"client": pa.array(client[own], pa.int32()), "status": pa.nulls(len(rows), pa.int16())}
    return pa.table([columns[name] for name in FOLLOWING.names], schema=FOLLOWING)


def evasions(pages: pa.Table, closed: pa.ChunkedArray) -> pa.Table:
    """One row (schema DISGUISE) for each client and address with enough of such pages.

    Args:
        pages: schema FOLLOWING.
        closed: of each page, whether it would have been a violation under the client's name.
    """
    grouped = pages.filter(closed).group_by(["client", "address"], use_threads=False)
    rows = [
        {
            "client": group["client"],
            "address": group["address"],
            "reason": REASON,
            "count": len(group["id_list"]),
            "first_us": group["t_min"],
            "ids": sorted(group["id_list"])[:EXAMPLES],
        }
        for group in grouped.aggregate([("id", "list"), ("t", "min"), ("target", "count_distinct")]).to_pylist()
        if group["target_count_distinct"] >= FEWEST_PAGES
    ]
    return pa.Table.from_pylist(rows, schema=DISGUISE)


def in_order(pages: pa.Table) -> pa.Table:
    """The pages as the replay wants them: whole clients, by time."""
    return pages.take(pc.sort_indices(pages, [("client", "ascending"), ("t", "ascending"), ("id", "ascending")]))
