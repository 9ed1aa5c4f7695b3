"""Where crawlers may spend much and gain little: patterns of paths, found by what many targets have in common.

Each way to find them is one function over the distinct targets, linear in their length, and gives its costliest only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.drafts.suggestions.spent import Ints, Spent
from loganalyzer.robots.canonical import canonical_target

MOST = 30  # candidates of each way, costliest first
MANY = 30  # distinct targets from which on there are many
NEARLY_ALL = 0.9  # of the requests
LONGEST = 200  # characters of a pattern
PARAMETER = r"[?&](?P<key>[A-Za-z_][A-Za-z0-9_.\[\]-]{0,31})="
_DATE = r"^(?P<head>/[^?#]*?/|[^?#]+/)(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/?&]|$)"
_FOLDER = (r"^(?P<head>/[^/?#]+/)", r"^(?P<head>/[^/?#]+/[^/?#]+/)")


class Candidate(NamedTuple):
    """Paths that may be closed together."""

    kind: str
    paths: tuple[str, ...]  # values of Disallow


@dataclass(frozen=True, slots=True)
class Way:
    """One way to find candidates, and what is said of one: a format string over the numbers of a Suggestion."""

    kind: str
    says: str
    find: Callable[[Spent], Iterator[tuple[str, ...]]]


def candidates(spent: Spent) -> list[Candidate]:
    """Every candidate, each once."""
    found = [Candidate(way.kind, paths) for way in WAYS for paths in way.find(spent)]
    return list({one.paths: one for one in reversed(found)}.values())[::-1]


def _pages_with_queries(spent: Spent) -> Iterator[tuple[str, ...]]:
    """One page, asked for with many queries."""
    heads = _head(spent.targets, r"^(?P<head>[^?#]+\?)")
    for head in _costliest(spent, heads, many=True):
        yield (head,)


def _parameters(spent: Spent) -> Iterator[tuple[str, ...]]:
    """A parameter that multiplies pages: sorting, filters, sessions."""
    queries = pc.replace_substring_regex(spent.targets, r"^[^?]*", "")
    has = np.flatnonzero(pc.starts_with(queries, "?").to_numpy(zero_copy_only=False))
    # Each of the first eight parameters is looked at; the pattern is taken off the front before the next look.
    sums: dict[str, tuple[int, int]] = {}
    rest = queries.take(pa.array(has))
    for _ in range(8):
        keys = _head(rest, "^" + PARAMETER.replace("key", "head"))
        codes, names = _codes(keys)
        distinct = np.bincount(codes + 1, minlength=len(names) + 1)[1:]
        requests = np.bincount(codes + 1, spent.requests[has], len(names) + 1)[1:]
        for name, some, spends in zip(names, distinct.tolist(), requests.tolist(), strict=True):
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + some, before[1] + int(spends))
        rest = pc.replace_substring_regex(rest, "^[?&][^&]*", "")
    many = sorted((name for name, (some, _) in sums.items() if some >= MANY), key=lambda name: (-sums[name][1], name))
    for name in many[:MOST]:
        yield (f"/*?{name}=", f"/*&{name}=")


def _dates(spent: Spent) -> Iterator[tuple[str, ...]]:
    """A folder with a page for every day or month."""
    for head in _costliest(spent, _head(spent.targets, _DATE), many=True):
        if head != "/":
            yield (head,)


def _folders(column: str) -> Callable[[Spent], Iterator[tuple[str, ...]]]:
    """Folders and pages nearly all of whose answers are of one kind."""

    def find(spent: Spent) -> Iterator[tuple[str, ...]]:
        for pattern in (*_FOLDER, r"^(?P<head>/[^?#]+)"):
            for head in _costliest(spent, _head(spent.targets, pattern), column=column):
                yield (head,) if head.endswith("/") else (f"{head}$", f"{head}?")

    return find


WAYS = (
    Way("many queries", "{targets:,} addresses that differ in their query alone", _pages_with_queries),
    Way("a parameter", "{targets:,} addresses with this parameter", _parameters),
    Way("a calendar", "{targets:,} addresses of days and months", _dates),
    Way("errors", "{errors:,} of {requests:,} requests answered with an error", _folders("errors")),
    Way("redirects", "{redirects:,} of {requests:,} requests redirected", _folders("redirects")),
    Way("unchanged", "{repeats:,} of {requests:,} answers the client had got before", _folders("repeats")),
)


def _head(texts: pa.Array, pattern: str) -> pa.Array:
    """What the group `head` of an RE2 pattern finds in each text; null where it finds nothing."""
    return pc.struct_field(pc.extract_regex(texts, pattern), "head")


def _codes(heads: pa.Array) -> tuple[Ints, list[str]]:
    """Code of each head, -1 for null, and the heads."""
    encoded = heads.dictionary_encode()
    codes: Ints = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, encoded.dictionary.to_pylist()


def _costliest(spent: Spent, heads: pa.Array, many: bool = False, column: str | None = None) -> Iterator[str]:
    """Heads that crawlers spend most requests on, with MANY targets, or with nearly all requests in one column."""
    codes, names = _codes(heads)
    if not names:
        return
    requests = np.bincount(codes + 1, spent.requests, len(names) + 1)[1:]
    good = requests > 0
    if many:
        good &= np.bincount(codes + 1, spent.requests > 0, len(names) + 1)[1:] >= MANY
    if column is not None:
        good &= np.bincount(codes + 1, getattr(spent, column), len(names) + 1)[1:] >= NEARLY_ALL * requests
    rows = np.flatnonzero(good)
    for row in rows[np.argsort(-requests[rows], kind="stable")][:MOST].tolist():
        # `*` and `$` of a target are letters, which a rule spells %2A and %24 (RFC 9309 section 2.2.3).
        path = canonical_target(names[row], "rfc").decode("ascii")
        if len(path) <= LONGEST and path != "/":
            yield path
