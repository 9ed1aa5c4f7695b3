"""What each name may fetch, and which rules of `*` it escapes by having a group of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.robots.file import EVERYBODY, decide_columns
from loganalyzer.robots.lint.source import Source
from loganalyzer.robots.match import Pattern, Rule

MOST_RULES = 1_000  # Disallow rules of `*` that are looked at
NAMES_AT_ONCE = 256  # bounds the memory: names times rules


def _specimens(rules: Sequence[Rule]) -> pa.Array:
    return pa.array([_specimen(rule.pattern) for rule in rules], pa.string())


def _specimen(pattern: Pattern) -> str:
    """A short path that the pattern matches: nothing in place of each wildcard."""
    path = b"".join((pattern.head, *pattern.pieces, pattern.tail or b""))
    return (path if path.startswith(b"/") else b"/" + path).decode("ascii", "replace")


def bans(source: Source, but: Sequence[str] = ()) -> list[Rule]:
    """Disallow rules of `*` that decide over their own specimen, upper lines first; those of some paths left out."""
    star = source.robots.binding(EVERYBODY)
    rules = [rule for rule in star.rules if not rule.allow and source.line(rule).value not in but]
    rules = sorted(rules, key=lambda rule: rule.line)[:MOST_RULES]
    allowed, _ = decide_columns([star.rules], _specimens(rules), "rfc")[0]
    return [rules[place] for place in np.flatnonzero(~allowed)]


def escaped(source: Source, rules: Sequence[Rule], names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Which of the rules (places in the list) do not bind each name."""
    paths = _specimens(rules)
    found: dict[str, NDArray[np.int64]] = {}
    for start in range(0, len(names), NAMES_AT_ONCE):
        some = names[start : start + NAMES_AT_ONCE]
        bound = [source.robots.binding(name).rules for name in some]
        verdicts = decide_columns(bound, paths, "rfc")
        found |= {name: np.flatnonzero(allowed) for name, (allowed, _) in zip(some, verdicts, strict=True)}
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """What a file means for one name."""

    name: str
    may_fetch_root: bool
    line: int | None  # of the rule that decides over `/`
    rule: str | None
    group: str | None  # null: no group binds the name
    disallows: int  # Disallow rules that bind it
    escapes: int  # of the Disallow rules of `*`
    of: int


def standings(source: Source, tokens: Sequence[str] = ()) -> list[Standing]:
    """What the file means for each of its names and for further tokens, `*` first."""
    named = {name: line.value for name, line in source.names.items()}
    known = {
        token.casefold(): (entry.robots_tokens if (entry := source.registry.lookup(token)) else (token,))
        for token in tokens
    }
    asked = dict.fromkeys([EVERYBODY, *named, *known])
    rules = bans(source)
    free = escaped(source, rules, [name for name in asked if name != EVERYBODY])
    found = []
    for name in asked:
        lookup = known.get(name, (name,))
        binding, decision = source.robots.binding(lookup), source.robots.decide(lookup, "/")
        disallows = sum(not rule.allow for rule in binding.rules)
        shown = named.get(name) or next((token for token in tokens if token.casefold() == name), name)
        verdict = (decision.allowed, decision.line, decision.rule, decision.group, disallows)
        found.append(Standing(shown, *verdict, len(free.get(name, ())), len(rules)))
    return found
