"""From the requests of a log to the kernel's columns, and from its codes back to names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.backoff.kernel import kernel
from loganalyzer.backoff.refusals import asked_wait, refusals
from loganalyzer.backoff.rows import Mask
from loganalyzer.backoff.thresholds import SECOND_US, Key, Thresholds
from loganalyzer.clients import classify
from loganalyzer.codes import encode, nullable
from loganalyzer.groups import Int64
from loganalyzer.schema import EPISODE
from loganalyzer.wellknown import ROBOTS_TARGET


def episodes(requests: pa.Table, by: Key = "address", log_end: int | None = None, **thresholds: Any) -> pa.Table:
    """Return every episode of refusals (schema EPISODE) and what the client did about it.

    Args:
        requests: Schema REQUEST, in any order; rows with equal `t` keep theirs.
        by: Key of a client: "address", its token and address, or "token", all its addresses. Requests without an
            address have no key of the first kind, those of browsers and undeclared clients none of the second:
            strangers who share nothing are no fleet.
        log_end: Last instant of the log, epoch microseconds; the last request's if not given.
        **thresholds: Fields of Thresholds.
    """
    coded, clients, addresses = columns(requests, by)
    start = pc.min(requests["t"]).as_py() or 0
    end = log_end if log_end is not None else pc.max(_end_us(requests)).as_py() or 0
    found = kernel(coded, by, start, end, Thresholds(**thresholds))
    for name, values in (("client", clients), ("address", addresses)):
        index = found.schema.get_field_index(name)
        found = found.set_column(index, EPISODE.field(name), values.take(found[name]).cast(pa.string()))
    return found


def columns(requests: pa.Table, by: Key) -> tuple[pa.Table, pa.Array, pa.Array]:
    """Return the kernel's table of the clients that were refused, and the names that its codes stand for."""
    agents, names = _clients(requests["user_agent"], by)
    refused = refusals(requests)
    keep = np.flatnonzero(np.isin(agents, np.unique(agents[refused])) & (agents >= 0))
    keep = keep[np.lexsort((requests["t"].to_numpy()[keep], agents[keep]))]
    refusal = refused[keep]
    some = requests.select(["t", "client_ip", "target", "retry_after", "time", "request_time_s"]).take(pa.array(keep))
    addresses, address_names = encode(some["client_ip"])
    targets, target_names = encode(some["target"])
    end = _end_us(some)
    asked = np.full(len(keep), -1, dtype=np.int64)
    asked[refusal] = pc.fill_null(
        asked_wait(some["retry_after"].filter(pa.array(refusal)), end.to_numpy()[refusal]), -1
    ).to_numpy()
    table = pa.table(
        {
            "id": keep,
            "client": nullable(agents[keep]),
            "address": nullable(addresses),
            "t": some["t"],
            "end_us": end,
            "asked_us": pa.array(asked, mask=asked < 0),
            "refusal": refusal,
            "target": nullable(targets),
            "robots": _robots(targets, target_names),
        }
    )
    return table, names, address_names


def _clients(user_agents: pa.ChunkedArray, by: Key) -> tuple[Int64, pa.Array]:
    """Return the code of each row's client, -1 = no key, and the names of the codes."""
    codes, distinct = encode(user_agents)
    known = classify(pa.concat_arrays([distinct, pa.nulls(1, distinct.type)]))  # code -1 is the absent user agent
    client = known["client"]
    if by == "token":
        client = pc.if_else(pc.is_valid(known["token"]), client, None)
    client_of_agent, names = encode(client)
    return client_of_agent[codes], names


def _end_us(requests: pa.Table) -> pa.ChunkedArray:
    """When the answer was sent: as logged, or the start plus the request time where the log has the start."""
    logged = requests["time"].cast(pa.int64())
    took = pc.cast(pc.round(pc.multiply(requests["request_time_s"], SECOND_US)), pa.int64(), safe=False)
    return pc.max_element_wise(logged, pc.add(requests["t"], took), requests["t"])


def _robots(codes: Int64, targets: pa.Array) -> Mask:
    is_robots = pc.match_substring_regex(targets, ROBOTS_TARGET).to_numpy(zero_copy_only=False)
    mask: Mask = np.append(is_robots, False).astype(bool)[codes]
    return mask
