"""What a draft breaks: pages that people find by a search engine, what pages need to be shown, feeds, sitemaps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.drafts.engines import ENGINES
from loganalyzer.drafts.parts import Bools, Changes, Ints
from loganalyzer.drafts.traffic import FEED_BY_QUERY, Traffic
from loganalyzer.robots import History

Kind = Literal["search pages", "rendering", "feeds", "sitemaps", "sitemap lines"]
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Break:
    """One thing that the draft breaks."""

    kind: Kind
    who: str  # the client that loses it; of sitemap lines the draft
    through: tuple[str, ...]  # engines that people came by
    targets: int  # distinct
    requests: int  # people's visits and loads; of feeds and sitemaps the client's own requests
    examples: tuple[str, ...]  # most requests first


def breaks(
    traffic: Traffic, clients: Changes, arrivals: Changes, loaded: Changes, now: History, draft: History
) -> tuple[Break, ...]:
    """Everything that breaks, most requests first; lines that are lost come last."""
    found = [*_by_crawler("search pages", traffic, arrivals), *_by_crawler("rendering", traffic, loaded)]
    rows = pa.array(clients.part.target, mask=clients.part.target < 0)
    by_query = pc.match_substring_regex(traffic.targets, FEED_BY_QUERY)
    feeds = pc.or_(pc.equal(traffic.kinds, "feed"), pc.and_(pc.equal(traffic.kinds, "page"), by_query))
    for kind, of in (("feeds", feeds), ("sitemaps", pc.equal(traffic.kinds, "sitemap"))):
        found += _by_client(kind, traffic, clients, clients.forbidden & _is(of.take(rows)))  # type: ignore[arg-type] # Kind
    found.sort(key=lambda one: (-one.requests, one.kind, one.who))
    return (*found, *_lost_lines(now, draft))


def _is(flags: pa.Array) -> Bools:
    return np.array(pc.fill_null(flags, False).to_numpy(zero_copy_only=False), np.bool_)


def _by_crawler(kind: Kind, traffic: Traffic, changes: Changes) -> Iterator[Break]:
    """What the crawler of each engine loses; engines that share one are told together."""
    lost: dict[str, list[Ints]] = {}
    through: dict[str, list[str]] = {}
    for policy, rows in changes.by_policy(changes.forbidden).items():
        engine = ENGINES[policy - len(traffic.policies)]
        lost.setdefault(engine.tokens[0], []).append(rows)
        through.setdefault(engine.tokens[0], []).append(engine.name)
    for token, rows_of_each in lost.items():
        names = tuple(through[token]) if kind == "search pages" else ()
        yield _break(kind, token, names, traffic, changes, np.concatenate(rows_of_each))


def _by_client(kind: Kind, traffic: Traffic, changes: Changes, chosen: Bools) -> Iterator[Break]:
    for policy, rows in changes.by_policy(chosen).items():
        yield _break(kind, traffic.policies[policy].name, (), traffic, changes, rows)


def _break(kind: Kind, who: str, through: tuple[str, ...], traffic: Traffic, changes: Changes, rows: Ints) -> Break:
    targets, place = np.unique(changes.part.target[rows], return_inverse=True)
    requests = np.bincount(place, changes.part.requests[rows]).astype(np.int64)
    first = np.lexsort((targets, -requests))[:EXAMPLES]
    examples = tuple(traffic.targets[code].as_py() for code in targets[first].tolist())
    return Break(kind, who, through, len(targets), int(requests.sum()), examples)


def _lost_lines(now: History, draft: History) -> Iterator[Break]:
    """Sitemaps that the files in force name, and the draft no more."""
    kept = {sitemap for version in draft.versions for sitemap in version.robots.sitemaps}
    given = {version.host for version in draft.versions}
    newest = {version.host: version for version in now.versions}
    for host, version in newest.items():
        lost = [sitemap for sitemap in dict.fromkeys(version.robots.sitemaps) if sitemap not in kept]
        if lost and (host in given or None in given):
            yield Break("sitemap lines", version.name, (), len(lost), 0, tuple(lost[:EXAMPLES]))
