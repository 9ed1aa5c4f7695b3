"""Suggests rules: path patterns where crawlers spend much and gain little, none that people reach in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.drafts.suggestions.candidates import WAYS, Candidate, candidates
from loganalyzer.drafts.suggestions.spent import SUMS, Spent
from loganalyzer.drafts.traffic import FEED_BY_QUERY
from loganalyzer.robots.canonical import canonical_rule
from loganalyzer.robots.match import Pattern
from loganalyzer.robots.targets import deciding_patterns

__all__ = ["MOST_SUGGESTIONS", "PEOPLE_SHARE", "Spent", "Suggestion", "suggest"]

MOST_SUGGESTIONS = 10
WORTH = 0.005  # of what automated clients spend, in requests or in bytes, from which on a rule is worth its line
FEWEST = 20  # requests
PEOPLE_SHARE = 0.01  # of what people get, up to which a rule may catch it,
PEOPLE_TO_CRAWLERS = 0.1  # and of the requests that it would save
ROWS = 1 << 16
EXAMPLES = 3
_FOR_MACHINES = ("feed", "sitemap", "robots", "llms")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Paths to keep crawlers out of, and what was measured of them; requests and bytes are those of crawlers."""

    kind: str
    paths: tuple[str, ...]
    why: str
    targets: int  # distinct, that crawlers asked for
    requests: int
    bytes: int
    redirects: int
    errors: int
    repeats: int
    people: int  # requests of browsers that it would catch, were they bound
    of_people: int  # all requests of browsers
    examples: tuple[str, ...]  # most requests first

    @property
    def rules(self) -> str:
        """The lines to paste into each group."""
        return "".join(f"Disallow: {path}\n" for path in self.paths)


def suggest(spent: Spent) -> list[Suggestion]:
    """The rules that save most, at most MOST_SUGGESTIONS; each is worth its line beside those before."""
    found = candidates(spent)
    masks = _masks(found, spent.targets)
    never = _for_machines(spent)
    worth = np.array([_worth(spent, _unpacked(mask, spent)) for mask in masks])
    covered = np.zeros(len(spent.targets), np.bool_)
    chosen: list[Suggestion] = []
    for place in np.argsort(-worth, kind="stable").tolist():
        mask = _unpacked(masks[place], spent)
        if len(chosen) == MOST_SUGGESTIONS or (mask & never).any() or not _pays(spent, mask & ~covered):
            continue
        one = _suggestion(spent, found[place], mask)
        if _few_people(one):
            chosen.append(one)
            covered |= mask
    return chosen


def _for_machines(spent: Spent) -> NDArray[np.bool_]:
    """What is made for machines to fetch again and again: no rule may catch it."""
    kinds = pc.is_in(spent.kinds, value_set=pa.array(_FOR_MACHINES))
    feeds = pc.match_substring_regex(spent.targets, FEED_BY_QUERY)
    return np.array(pc.or_(kinds, feeds).to_numpy(zero_copy_only=False), np.bool_)


def _masks(found: Sequence[Candidate], targets: pa.Array) -> list[NDArray[np.uint8]]:
    """Which targets each candidate matches, a bit a target: decided by the very matcher of robots.txt."""
    patterns = [[Pattern.compile(canonical_rule(path.encode(), "rfc")) for path in one.paths] for one in found]
    parts: list[list[NDArray[np.bool_]]] = [[] for _ in found]
    for start in range(0, len(targets), ROWS):
        for part, hits in zip(parts, deciding_patterns(patterns, targets.slice(start, ROWS), "rfc"), strict=True):
            part.append(hits >= 0)
    return [np.packbits(np.concatenate(part)) for part in parts]


def _unpacked(mask: NDArray[np.uint8], spent: Spent) -> NDArray[np.bool_]:
    return np.unpackbits(mask, count=len(spent.targets)).astype(np.bool_)


def _worth(spent: Spent, mask: NDArray[np.bool_]) -> float:
    """What is spent on some targets, as the sum of its shares in requests and bytes."""
    requests, size = (max(int(column.sum()), 1) for column in (spent.requests, spent.bytes))
    return float(spent.requests[mask].sum() / requests + spent.bytes[mask].sum() / size)


def _pays(spent: Spent, mask: NDArray[np.bool_]) -> bool:
    return int(spent.requests[mask].sum()) >= FEWEST and _worth(spent, mask) >= WORTH


def _few_people(one: Suggestion) -> bool:
    """Whether people hardly reach what a rule would catch."""
    return one.people <= PEOPLE_SHARE * one.of_people and one.people <= PEOPLE_TO_CRAWLERS * one.requests


def _suggestion(spent: Spent, candidate: Candidate, mask: NDArray[np.bool_]) -> Suggestion:
    sums = {name: int(getattr(spent, name)[mask].sum()) for name in (*SUMS, "people")}
    sums["targets"] = int((mask & (spent.requests > 0)).sum())
    rows = np.flatnonzero(mask & (spent.requests > 0))
    first = rows[np.lexsort((rows, -spent.requests[rows]))][:EXAMPLES]
    examples = tuple(spent.targets[row].as_py() for row in first.tolist())
    why = next(way.says for way in WAYS if way.kind == candidate.kind).format(**sums)
    of_people = int(spent.people.sum())
    return Suggestion(candidate.kind, candidate.paths, why, examples=examples, of_people=of_people, **sums)
