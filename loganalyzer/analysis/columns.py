"""From REQUEST to the narrow table that SQL and kernels work on: integers and flags, never text.

Text columns are dictionaries, so a million requests hold few distinct values: each distinct value is looked at once
here (user agents identified, targets sorted into kinds), and what follows joins on the codes.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.backoff import asked_wait, refusals
from loganalyzer.clients import Registry, classify
from loganalyzer.codes import encode, nullable
from loganalyzer.wellknown import ROBOTS_TARGET

MICROSECONDS = 1_000_000
LINE_BITS = 40  # of an id: a source of 2^40 lines would be some hundred terabytes
DECADE_US = 315_576_000 * MICROSECONDS  # no log spans it

# What a target is, by its path alone; the first that matches counts. RE2 searches in linear time.
TARGET_KINDS = {
    "robots": ROBOTS_TARGET,
    "llms": r"(?i)^/(?:\.well-known/)?llms(?:-full)?\.txt$",
    "sitemap": r"(?i)/[^/]*sitemap[^/]*\.(?:xml|txt)(?:\.gz)?$|(?i)^/sitemap/?$",
    "feed": r"(?i)\.(?:rss|atom|rdf)$|(?i)/(?:feed|rss|atom)s?(?:/|\.xml|\.json|$)|(?i)/index\.xml$",
    "asset": r"(?i)\.(?:css|js|mjs|map|png|jpe?g|gif|webp|avif|svg|ico|woff2?|ttf|otf|eot|mp4|webm|mp3|wasm)$",
}
PAGE = "page"


@dataclass(frozen=True)
class Columns:
    """The narrow table and what its codes stand for.

    `requests` has `id` (rank of the source, then the line: the total order's tie-break), `t` and `end_us` (epoch
    microseconds), `took_us`, the codes `client`, `agent`, `address`, `target`, `host`, the numbers `status`, `bytes`,
    `asked_us`, and the flags `robots` (reads /robots.txt), `head` (HEAD), `refusal`, `internal` (referer of this site),
    `referred` (with a referer).
    """

    requests: pa.Table
    agents: pa.Table  # schema AGENT, by agent code; the last row is the user agent that was not sent
    agent_requests: tuple[int, ...]  # by agent code
    clients: tuple[str, ...]  # by client code
    addresses: pa.Array  # by address code
    targets: pa.Array
    target_kinds: pa.Array
    hosts: pa.Array
    sources: tuple[str, ...]  # by rank


def narrow(requests: pa.Table, registry: Registry | None = None) -> Columns:
    """Read a REQUEST table into `Columns`; `registry` is what is known of tokens, null the one of the package."""
    agent, user_agents = encode(requests["user_agent"])
    agents = classify(pa.concat_arrays([user_agents, pa.array([None], pa.string())]), registry)
    agent = np.where(agent < 0, len(user_agents), agent)
    counts = np.bincount(agent, minlength=agents.num_rows)
    clients, names = _clients(agents, counts)
    address, addresses = encode(requests["client_ip"])
    target, targets = encode(requests["target"])
    host, hosts = encode(requests["host"])
    source, sources = _ranks(requests)
    kinds = kinds_of(targets)
    refused = refusals(requests)
    table = pa.table(
        {
            "id": pa.array((source.astype(np.int64) << LINE_BITS) | requests["line"].to_numpy()),
            "t": _believable(requests["t"]),
            "end_us": _believable(requests["time"].cast(pa.int64())),
            "took_us": _microseconds(requests["request_time_s"]),
            "client": clients[agent],
            "agent": agent.astype(np.int32),
            "address": nullable(address),
            "target": nullable(target),
            "host": nullable(host),
            "status": requests["status"],
            "bytes": requests["bytes"],
            "robots": _reads_robots(requests, target, kinds),
            "head": _is_head(requests),
            "refusal": refused,
            "asked_us": _asked(requests, refused),
            "internal": _internal(requests, hosts),
            "referred": pc.is_valid(requests["referer"]),
        }
    )
    return Columns(table, agents, tuple(counts.tolist()), names, addresses, targets, kinds, hosts, sources)


def kinds_of(targets: pa.Array) -> pa.Array:
    """Kind of each target: a key of TARGET_KINDS, else `page`; null stays null."""
    path = pc.replace_substring_regex(targets, r"(?i)^[a-z][a-z0-9+.-]*://[^/?#]*", "")  # absolute-form
    path = pc.replace_substring_regex(path, r"[?#].*$", "")
    kind = pc.if_else(pc.is_valid(path), PAGE, None)
    for name, pattern in reversed(TARGET_KINDS.items()):
        kind = pc.if_else(pc.match_substring_regex(path, pattern), name, kind)
    return kind


def _clients(agents: pa.Table, counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Client code of each agent, and the names of the clients that the log holds, in order."""
    names = agents["client"].to_numpy(zero_copy_only=False).astype(str)
    present = np.unique(names[counts > 0])
    return np.searchsorted(present, names).astype(np.int32), tuple(present.tolist())


def _ranks(requests: pa.Table) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Rank of each request's source among the sources in name order, and their names."""
    code, names = encode(requests["source"])
    order = np.argsort(np.array(names.to_pylist(), dtype=object), kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[code], tuple(names.to_pylist()[place] for place in order)


def _believable(instants: pa.ChunkedArray) -> pa.ChunkedArray:
    """Instants that can be of this log; null for those further than DECADE_US from the median.

    One line dated 1970 or 9999 would stretch the log, and with it every rate and every verdict that waits for its end.
    """
    ends = pc.min_max(instants).as_py()
    if ends["min"] is None or ends["max"] - ends["min"] <= DECADE_US:
        return instants
    middle = int(np.median(instants.drop_null().to_numpy()))
    near = pc.and_(
        pc.greater_equal(instants, pa.scalar(middle - DECADE_US, pa.int64())),
        pc.less_equal(instants, pa.scalar(middle + DECADE_US, pa.int64())),
    )
    return pc.if_else(near, instants, pa.scalar(None, pa.int64()))


def _asked(requests: pa.Table, refused: npt.NDArray[np.bool_]) -> pa.Array:
    """The wait that each refusal asked for, microseconds; null where it is not stated, and for other answers."""
    some = requests.select(["retry_after", "time"]).filter(pa.array(refused))
    asked = np.full(requests.num_rows, -1, np.int64)
    asked[refused] = pc.fill_null(
        asked_wait(some["retry_after"], pc.fill_null(some["time"].cast(pa.int64()), 0).to_numpy()), -1
    )
    return pa.array(asked, mask=asked < 0)


def _internal(requests: pa.Table, hosts: pa.Array) -> pa.Array:
    """Whether the referer is a page of this site; null for every request where no host is logged."""
    code, referers = encode(requests["referer"])
    if not len(hosts):
        return pa.nulls(requests.num_rows, pa.bool_())
    authority = pc.struct_field(pc.extract_regex(referers, r"^https?://(?P<host>[^/?#:]+)"), "host")
    names = pc.replace_substring_regex(pc.utf8_lower(hosts), r":\d{1,5}$", "")
    ours = pc.fill_null(pc.is_in(pc.utf8_lower(authority), value_set=names), False)
    return pa.array(np.append(ours.to_numpy(zero_copy_only=False), False)[code])


def _microseconds(seconds: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.round(pc.multiply(seconds, float(MICROSECONDS))).cast(pa.int64())


def _is_head(requests: pa.Table) -> pa.Array:
    """Whether the answer has no body whatever it says (RFC 9110 section 9.3.2)."""
    method, methods = encode(requests["method"])
    return pa.array(np.append(np.array(methods.to_pylist(), dtype=object) == "HEAD", False).astype(bool)[method])


def _reads_robots(requests: pa.Table, target: npt.NDArray[np.int64], kinds: pa.Array) -> pa.Array:
    """GET and HEAD of exactly /robots.txt, with or without a query (RFC 9309 section 2.3)."""
    is_robots = np.append(pc.fill_null(pc.equal(kinds, "robots"), False).to_numpy(zero_copy_only=False), False)
    method, methods = encode(requests["method"])
    reads = np.append(np.isin(np.array(methods.to_pylist(), dtype=object), ["GET", "HEAD"]), False)
    return pa.array(is_robots[target] & reads[method])
