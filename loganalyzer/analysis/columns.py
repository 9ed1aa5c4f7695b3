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
from loganalyzer.codes import Values, encode, nullable
from loganalyzer.held import Rows, Shelf
from loganalyzer.schema import TEXT
from loganalyzer.wellknown import ROBOTS_TARGET

MICROSECONDS = 1_000_000
LINE_BITS = 40  # of an id: a source of 2^40 lines would be some hundred terabytes
LONGEST_REQUEST_US = 86_400 * MICROSECONDS
DECADE_US = 315_576_000 * MICROSECONDS  # no log spans it

# What a target is, by its path alone; the first that matches counts. RE2 searches in linear time.
TARGET_KINDS = {
    "robots": ROBOTS_TARGET,
    "llms": r"(?i)^/(?:\.well-known/)?llms(?:-full)?\.txt$",
    "sitemap": r"(?i)/[^/]*sitemap[^/]*\.(?:xml|txt)(?:\.gz)?$|(?i)^/sitemap/?$",
    "feed": r"(?i)\.(?:rss|atom|rdf)$|(?i)/(?:feed|rss|atom)s?(?:/|\.xml|\.json|$)|(?i)/index\.xml$",
    "json": r"(?i)\.json$",
    "asset": r"(?i)\.(?:css|js|mjs|map|png|jpe?g|gif|webp|avif|svg|ico|woff2?|ttf|otf|eot|mp4|webm|mp3|wasm)$",
}
PAGE = "page"
NARROW = pa.schema(
    [
        ("id", pa.int64()),  # rank of the source, then the line: the total order's tie-break
        ("t", pa.int64()),  # epoch microseconds, as `end_us`
        ("end_us", pa.int64()),  # when the answer was sent: as logged, or the start plus the request time
        ("took_us", pa.int64()),
        ("client", pa.int32()),  # codes
        ("agent", pa.int32()),
        ("address", pa.int32()),
        ("target", pa.int32()),
        ("host", pa.int32()),
        ("status", pa.int16()),
        ("bytes", pa.int64()),
        ("robots", pa.bool_()),  # reads /robots.txt
        ("head", pa.bool_()),
        ("refusal", pa.bool_()),
        ("asked_us", pa.int64()),
        ("internal", pa.bool_()),  # referer of this site
        ("referred", pa.bool_()),  # with a referer
    ]
)
_READ = [
    *("source", "line", "time", "t", "client_ip", "method", "target", "status", "bytes", "referer", "user_agent"),
    *("host", "request_time_s", "retry_after", "limit_status"),
]


@dataclass(frozen=True)
class Columns:
    """The narrow rows (schema NARROW) and what their codes stand for."""

    requests: Rows
    earlier: pa.Table  # schema NARROW: asked for /robots.txt in the day before; seen by the replay, counted nowhere
    agents: pa.Table  # schema AGENT, by agent code; the last row is the user agent that was not sent
    agent_requests: tuple[int, ...]  # by agent code
    clients: tuple[str, ...]  # by client code
    addresses: pa.Array  # by address code
    targets: pa.Array
    target_kinds: pa.Array
    hosts: pa.Array
    sources: tuple[str, ...]  # by rank


def narrow(
    requests: Rows, shelf: Shelf | None = None, registry: Registry | None = None, earlier: Rows | None = None
) -> Columns:
    """Read REQUEST rows into `Columns`.

    Args:
        requests: of the log.
        shelf: holds the narrow table; null: in memory.
        registry: what is known of tokens, null the one of the package.
        earlier: requests for /robots.txt before these.
    """
    earlier = Rows(requests.schema) if earlier is None else earlier
    shelf = Shelf() if shelf is None else shelf
    first = _FirstLook(requests, earlier)
    agents = classify(pa.concat_arrays([first.agents.array(), pa.array([None], pa.string())]), registry)
    counts = np.append(first.counts, first.unnamed)
    clients, names = _clients(agents, counts)
    texts = _Texts(first, clients)
    narrowed = Rows(texts.schema, (shelf.derived(texts.narrow(table)) for table in requests.tables(_READ)))
    before = pa.concat_tables([NARROW.empty_table(), *(texts.narrow(table) for table in earlier.tables(_READ))])
    targets = texts.targets.array()
    return Columns(
        requests=narrowed,
        earlier=before.filter(before["robots"]),
        agents=agents,
        agent_requests=tuple(counts.tolist()),
        clients=names,
        addresses=texts.addresses.array(),
        targets=targets,
        target_kinds=kinds_of(targets),
        hosts=texts.hosts.array(),
        sources=first.sources,
    )


class _FirstLook:
    """What a single request depends on that only all of them tell."""

    def __init__(self, requests: Rows, earlier: Rows) -> None:
        self.agents = Values()
        counts, hosts, sources = [np.zeros(0, np.int64)], set(), set()
        self.unnamed = 0
        for table in requests.tables(["user_agent", "host", "source"]):
            codes = self.agents.codes(table["user_agent"])
            counts.append(np.bincount(codes[codes >= 0]))
            self.unnamed += int((codes < 0).sum())
            hosts.update(pc.unique(table["host"].cast(TEXT)).drop_null().to_pylist())
            sources.update(pc.unique(table["source"].cast(TEXT)).to_pylist())
        for table in earlier.tables(["user_agent", "source"]):
            self.agents.codes(table["user_agent"])
            sources.update(pc.unique(table["source"].cast(TEXT)).to_pylist())
        self.counts = np.zeros(len(self.agents), np.int64)
        for some in counts:
            self.counts[: len(some)] += some
        self.hosts = pa.array(sorted(hosts), pa.string())
        self.sources = tuple(sorted(sources))
        self.t, self.end = (_Believable(requests, name) for name in ("t", "time"))


class _Believable:
    """Which instants can be of this log: none further than DECADE_US from the median.

    One line dated 1970 or 9999 would stretch the log, and with it every rate and every verdict that waits for its end.
    """

    def __init__(self, requests: Rows, name: str) -> None:
        self._name, self._middle = name, None
        ends = [pc.min_max(self._instants(table)).as_py() for table in requests.tables([name])]
        ends = [end for end in ends if end["min"] is not None]
        if ends and max(end["max"] for end in ends) - min(end["min"] for end in ends) > DECADE_US:
            instants = [self._instants(table).drop_null().to_numpy() for table in requests.tables([name])]
            self._middle = int(np.median(np.concatenate(instants)))

    def of(self, requests: pa.Table) -> pa.ChunkedArray:
        """Those of some requests, epoch microseconds; the others are null."""
        instants = self._instants(requests)
        if self._middle is None:
            return instants
        near = pc.and_(
            pc.greater_equal(instants, pa.scalar(self._middle - DECADE_US, pa.int64())),
            pc.less_equal(instants, pa.scalar(self._middle + DECADE_US, pa.int64())),
        )
        return pc.if_else(near, instants, pa.scalar(None, pa.int64()))

    def _instants(self, requests: pa.Table) -> pa.ChunkedArray:
        return requests[self._name].cast(pa.int64())


class _Texts:
    """Texts on their way to codes, one table after the other."""

    schema = NARROW

    def __init__(self, first: _FirstLook, clients: npt.NDArray[np.int32]) -> None:
        self._first, self._clients = first, clients
        self._ranks = {name: rank for rank, name in enumerate(first.sources)}
        self.addresses, self.targets, self.hosts = Values(), Values(), Values()

    def narrow(self, requests: pa.Table) -> pa.Table:
        """The narrow rows of some requests."""
        agent = self._first.agents.codes(requests["user_agent"])
        agent = np.where(agent < 0, len(self._first.agents), agent)
        refused = refusals(requests)
        t, took = self._first.t.of(requests), _microseconds(requests["request_time_s"])
        end = _ends(self._first.end.of(requests), t, took)
        source, sources = encode(requests["source"])
        ranks = np.array([self._ranks.get(name, 0) for name in sources.to_pylist()], np.int64)
        columns = {
            "id": pa.array((ranks[source] << LINE_BITS) | requests["line"].to_numpy()),
            "t": t,
            "end_us": end,
            "took_us": took,
            "client": self._clients[agent],
            "agent": agent.astype(np.int32),
            "address": nullable(self.addresses.codes(requests["client_ip"])),
            "target": nullable(self.targets.codes(requests["target"])),
            "host": nullable(self.hosts.codes(requests["host"])),
            "status": requests["status"],
            "bytes": requests["bytes"],
            "robots": _reads_robots(requests),
            "head": _is_head(requests),
            "refusal": refused,
            "asked_us": _asked(requests["retry_after"], end, refused),
            "internal": _internal(requests, self._first.hosts),
            "referred": pc.is_valid(requests["referer"]),
        }
        return pa.table([columns[name] for name in NARROW.names], schema=NARROW)


def kinds_of(targets: pa.Array, *among: str) -> pa.Array:
    """Kind of each target: a key of TARGET_KINDS (only of `among`, where some are named), else `page`; null stays null.

    The first key that fits counts, so what is `robots` among all is so among itself.
    """
    path = pc.replace_substring_regex(targets, r"(?i)^[a-z][a-z0-9+.-]*://[^/?#]*", "")  # absolute-form
    path = pc.replace_substring_regex(path, r"[?#].*$", "")
    kind = pc.if_else(pc.is_valid(path), PAGE, None)
    for name in reversed(among or TARGET_KINDS):
        pattern = TARGET_KINDS[name]
        kind = pc.if_else(pc.match_substring_regex(path, pattern), name, kind)
    return kind


def _clients(agents: pa.Table, counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Client code of each agent, -1 for those without a request, and the names of the others in order."""
    names = agents["client"].to_numpy(zero_copy_only=False).astype(str)
    present = np.unique(names[counts > 0])
    codes = np.searchsorted(present, names).astype(np.int32)
    return np.where(np.isin(names, present), codes, np.int32(-1)), tuple(present.tolist())


def _ends(logged: pa.ChunkedArray, start: pa.ChunkedArray, took: pa.ChunkedArray) -> pa.ChunkedArray:
    """When each answer was sent: some servers log the end, some the start (Apache, HAProxy) and how long it took.

    A request time of more than a day is no measure, and would stretch the log.
    """
    sane = pc.if_else(pc.less_equal(took, LONGEST_REQUEST_US), took, None)
    return pc.max_element_wise(logged, pc.add(start, sane), start)


def _asked(stated: pa.ChunkedArray, sent: pa.ChunkedArray, refused: npt.NDArray[np.bool_]) -> pa.Array:
    """The wait that each refusal asked for, microseconds; null where it is not stated, and for other answers."""
    mask = pa.array(refused)
    asked = np.full(len(refused), -1, np.int64)
    asked[refused] = pc.fill_null(asked_wait(stated.filter(mask), pc.fill_null(sent.filter(mask), 0).to_numpy()), -1)
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


def _reads_robots(requests: pa.Table) -> pa.Array:
    """GET and HEAD of exactly /robots.txt, with or without a query (RFC 9309 section 2.3)."""
    target, targets = encode(requests["target"])
    is_robots = np.zeros(len(targets) + 1, bool)  # the last is that of null
    likely = np.flatnonzero(pc.match_substring(targets, "/robots.txt").to_numpy(zero_copy_only=False))
    is_robots[likely] = pc.equal(kinds_of(targets.take(pa.array(likely)), "robots"), "robots")
    method, methods = encode(requests["method"])
    reads = np.append(np.isin(np.array(methods.to_pylist(), dtype=object), ["GET", "HEAD"]), False)
    return pa.array(is_robots[target] & reads[method])
