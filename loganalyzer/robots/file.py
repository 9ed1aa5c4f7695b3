"""One robots.txt and what it says to whom (RFC 9309 sections 2.2.1 and 2.2.2)."""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.robots.canonical import Profile, canonical_target, octets
from loganalyzer.robots.match import Pattern, Rule, by_precedence
from loganalyzer.robots.parse import Group, looks_like_html, read
from loganalyzer.robots.targets import deciding_patterns
from loganalyzer.wellknown import ROBOTS_PATH

EVERYBODY = "*"
NO_LINE = 0  # lines count from 1
# Where a name ends. Files and operators use digits and dots, which the RFC's grammar lacks: kept and compared whole.
# Google's reader cuts at the first character outside that grammar.
_NAME_END = {"rfc": re.compile(r"[ \t/*,;(]"), "google": re.compile(r"[^A-Za-z_-]")}
_EVERYBODY = re.compile(r"\*(?:[ \t]|$)")  # robots.cc: a star, blanks and more is still everybody


@dataclass(frozen=True, slots=True)
class Decision:
    """What robots.txt says about one target to one asker."""

    allowed: bool
    line: int | None  # of the deciding rule; null: no rule matches
    rule: str | None  # as written, "Disallow: /private/"
    group: str | None  # user-agent value of the binding group as written; null: no group binds the asker


@dataclass(frozen=True, slots=True)
class Binding:
    """The rules that bind one asker: all groups of its name taken together (RFC 9309 section 2.2.1)."""

    names: tuple[str, ...]  # user-agent value that names the asker in each of its groups, as written
    groups: tuple[Group, ...]
    rules: tuple[Rule, ...]  # that can match, first to decide first; one object for all names of the same groups

    @property
    def group(self) -> str | None:
        """Name of the first group; null: none binds."""
        return self.names[0] if self.names else None

    def decide(self, path: bytes) -> Rule | None:
        """The rule that decides over a canonical path."""
        return next((rule for rule in self.rules if rule.pattern.matches(path)), None)

    def decision(self, rule: Rule | None) -> Decision:
        """What a rule of this binding decides; what no rule decides is allowed."""
        if rule is None:
            return Decision(True, None, None, self.group)
        place = bisect([group.line for group in self.groups], rule.line) - 1
        return Decision(rule.allow, rule.line, rule.text, self.names[place])


@dataclass(frozen=True)
class Robots:
    """A robots.txt that was read. Get one from `parse`."""

    profile: Profile
    groups: tuple[Group, ...]
    sitemaps: tuple[str, ...]
    warnings: tuple[str, ...]  # sentences that begin with their line number
    looks_like_html: bool
    lines: int

    def decide(self, tokens: str | Sequence[str], target: str | bytes) -> Decision:
        """Whether an asker may fetch a target as logged.

        Args:
            tokens: the asker's product token, or the tokens to look up in order: the first with a group of its own
                decides, else `*`.
            target: origin-form or absolute-form target; text or octets.
        """
        binding = self.binding(tokens)
        path = canonical_target(target, self.profile)
        return binding.decision(None if self.is_always_allowed(path) else binding.decide(path))

    def cite(self, tokens: str | Sequence[str], line: int | None) -> Decision:
        """The decision that an asker owes to a line, as text for a report; null: to no rule."""
        binding = self.binding(tokens)
        return binding.decision(next((rule for rule in binding.rules if rule.line == line), None))

    def decide_many(self, tokens: str | Sequence[str], targets: pa.Array) -> pa.Table:
        """Decide over an array of targets, plain or dictionary.

        Returns:
            `allowed` (bool) and `line` (int64, of the deciding rule; null: none), a row a target; null for null.
        """
        if isinstance(targets, pa.ChunkedArray):
            targets = targets.combine_chunks()
        if isinstance(targets, pa.DictionaryArray):
            return self.decide_many(tokens, targets.dictionary).take(targets.indices)
        missing = targets.is_null()
        allowed, line = decide_columns([self.binding(tokens).rules], targets.fill_null("/"), self.profile)[0]
        mask = np.asarray(missing.to_numpy(zero_copy_only=False))
        columns = [pa.array(allowed, mask=mask), pa.array(line, mask=mask | (line == NO_LINE))]
        return pa.table(columns, names=["allowed", "line"])

    def binds(self, tokens: str | Sequence[str]) -> str | None:
        """Which group decides for an asker: the name of its own as written, `*`, or null for none."""
        return self.binding(tokens).group

    def crawl_delay(self, tokens: str | Sequence[str]) -> float | None:
        """Seconds that Crawl-delay asks of an asker (not in RFC 9309, no part of any decision)."""
        delays = [delay for group in self.binding(tokens).groups for delay in group.crawl_delays]
        return min(delays, default=None)  # several contradict each other: doubt is the client's

    def own_group(self, tokens: str | Sequence[str]) -> str | None:
        """Key of the asker's own group, `*` left out; null where it has none."""
        keys = map(self._key, [tokens] if isinstance(tokens, str) else tokens)
        return next((key for key in keys if key in self._named and key != EVERYBODY), None)

    def binding(self, tokens: str | Sequence[str]) -> Binding:
        """The rules that bind an asker."""
        own = self.own_group(tokens)
        named = self._named.get(EVERYBODY if own is None else own, {})
        places = tuple(named)
        if places not in self._rules:
            self._rules[places] = by_precedence(rule for place in places for rule in self.groups[place].rules)
        return Binding(tuple(named.values()), tuple(self.groups[place] for place in places), self._rules[places])

    def is_always_allowed(self, path: bytes) -> bool:
        """Whether a canonical path is robots.txt itself (RFC 9309 section 2.2.2; Google's reader has no such rule)."""
        return self.profile == "rfc" and any(rule.pattern.matches(path) for rule in _ITSELF)

    @cached_property
    def _named(self) -> dict[str, dict[int, str]]:
        """Compared name -> place of each of its groups -> user-agent value there."""
        named: dict[str, dict[int, str]] = {}
        for place, group in enumerate(self.groups):
            for name in group.names:
                key = self._key(name)
                if key or self.profile == "google":  # to google/robotstxt names that are cut to nothing are equal
                    named.setdefault(key, {}).setdefault(place, name)
        return named

    @cached_property
    def _rules(self) -> dict[tuple[int, ...], tuple[Rule, ...]]:
        """Rules in order of precedence by the groups they come from, made when first asked for."""
        return {}

    def _key(self, name: str) -> str:
        """What of a name is compared, without case; empty: nobody."""
        return EVERYBODY if _EVERYBODY.match(name) else _NAME_END[self.profile].split(name, maxsplit=1)[0].casefold()


def decide_columns(
    rulesets: Sequence[tuple[Rule, ...]], targets: pa.Array, profile: Profile
) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Decide over a string array without null by each of several bindings' rules: `allowed`, and `line` or NO_LINE."""
    # The two forms of robots.txt itself stand before every rule, see `is_always_allowed`.
    first = _ITSELF if profile == "rfc" else ()
    patterns = [[rule.pattern for rule in (*first, *rules)] for rules in rulesets]
    verdicts = []
    for rules, column in zip(rulesets, deciding_patterns(patterns, targets, profile), strict=True):
        # One more at the end, where index -1 (no rule) finds it.
        allowed = np.array([*(rule.allow for rule in (*first, *rules)), True])
        lines = np.array([*(rule.line for rule in (*first, *rules)), NO_LINE], np.int64)
        verdicts.append((allowed[column], lines[column]))
    return verdicts


_ITSELF = tuple(
    Rule(True, NO_LINE, "", Pattern.compile(path)) for path in (f"{ROBOTS_PATH}$".encode(), f"{ROBOTS_PATH}?".encode())
)


def parse(data: bytes | str, profile: Profile = "rfc") -> Robots:
    """Read a robots.txt; whatever is wrong with it stands in `warnings`.

    Args:
        data: the body as served.
        profile: `rfc` follows RFC 9309 to the letter, `google` does as google/robotstxt does.
    """
    data = octets(data) if isinstance(data, str) else data
    groups, sitemaps, warnings = read(data, profile)
    lines = len(data.splitlines())
    return Robots(profile, tuple(groups), tuple(sitemaps), warnings.sentences(), looks_like_html(data), lines)
