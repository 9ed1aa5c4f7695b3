"""One robots.txt and what it says to whom (RFC 9309 sections 2.2.1 and 2.2.2)."""

import re
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

    group: str | None  # user-agent value of the first of its groups, as written; null: none binds
    rules: tuple[Rule, ...]  # that can match, first to decide first
    patterns: tuple[Pattern, ...]  # of the rules
    groups: dict[int, str]  # line of a rule -> user-agent value of its group
    crawl_delay: float | None  # seconds

    @classmethod
    def of(cls, named: Sequence[tuple[str, Group]]) -> "Binding":
        """Take groups, each with the user-agent value that names the asker, together."""
        rules = by_precedence(rule for _, group in named for rule in group.rules)
        return cls(
            group=named[0][0] if named else None,
            rules=tuple(rules),
            patterns=tuple(Pattern.compile(rule.pattern) for rule in rules),
            groups={rule.line: name for name, group in named for rule in group.rules},
            # Several values contradict each other: the shortest counts, doubt is the client's.
            crawl_delay=min((delay for _, group in named for delay in group.crawl_delays), default=None),
        )

    def decide(self, path: bytes) -> Rule | None:
        """The rule that decides over a canonical path."""
        pairs = zip(self.rules, self.patterns, strict=True)
        return next((rule for rule, pattern in pairs if pattern.matches(path)), None)


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
        rule = None if self.is_always_allowed(path) else binding.decide(path)
        if rule is None:
            return Decision(True, None, None, binding.group)
        return Decision(rule.allow, rule.line, rule.text, binding.groups[rule.line])

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
        allowed, line = decide_columns([self.binding(tokens)], targets.fill_null("/"), self.profile)[0]
        mask = np.asarray(missing.to_numpy(zero_copy_only=False))
        columns = [pa.array(allowed, mask=mask), pa.array(line, mask=mask | (line == NO_LINE))]
        return pa.table(columns, names=["allowed", "line"])

    def binds(self, tokens: str | Sequence[str]) -> str | None:
        """Which group decides for an asker: the name of its own as written, `*`, or null for none."""
        return self.binding(tokens).group

    def crawl_delay(self, tokens: str | Sequence[str]) -> float | None:
        """Seconds that Crawl-delay asks of an asker (not in RFC 9309, no part of any decision)."""
        return self.binding(tokens).crawl_delay

    def own_group(self, tokens: str | Sequence[str]) -> str | None:
        """Key of the asker's own group, `*` left out; null where it has none."""
        keys = map(self._key, [tokens] if isinstance(tokens, str) else tokens)
        return next(
            (key for key in keys if key != EVERYBODY and (key or self.profile == "google") and key in self._bindings),
            None,
        )

    def binding(self, tokens: str | Sequence[str]) -> Binding:
        """The rules that bind an asker."""
        own = self.own_group(tokens)
        return self._bindings.get(EVERYBODY if own is None else own, _NOBODY)

    def is_always_allowed(self, path: bytes) -> bool:
        """Whether a canonical path is robots.txt itself (RFC 9309 section 2.2.2; Google's reader has no such rule)."""
        return self.profile == "rfc" and any(pattern.matches(path) for pattern in _ITSELF)

    @cached_property
    def _bindings(self) -> dict[str, Binding]:
        named: dict[str, dict[int, tuple[str, Group]]] = {}
        for index, group in enumerate(self.groups):
            for name in group.names:
                named.setdefault(self._key(name), {}).setdefault(index, (name, group))
        return {key: Binding.of(list(members.values())) for key, members in named.items()}

    def _key(self, name: str) -> str:
        """What of a name is compared, without case; empty: nobody."""
        return EVERYBODY if _EVERYBODY.match(name) else _NAME_END[self.profile].split(name, maxsplit=1)[0].casefold()


def decide_columns(
    bindings: Sequence[Binding], targets: pa.Array, profile: Profile
) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Decide over a string array without null by each of several bindings: `allowed`, and `line` or NO_LINE."""
    candidates = [binding.patterns for binding in bindings]
    if profile == "rfc":
        # The two forms of robots.txt itself stand before every rule, see `is_always_allowed`.
        candidates = [(*_ITSELF, *patterns) for patterns in candidates]
    columns = deciding_patterns(candidates, targets, profile)
    verdicts = []
    for binding, column in zip(bindings, columns, strict=True):
        itself = len(_ITSELF) if profile == "rfc" else 0
        # One more at the end, where index -1 (no rule) finds it.
        allowed = np.array([True] * itself + [rule.allow for rule in binding.rules] + [True])
        lines = np.array([NO_LINE] * itself + [rule.line for rule in binding.rules] + [NO_LINE], np.int64)
        verdicts.append((allowed[column], lines[column]))
    return verdicts


_ITSELF = (Pattern.compile(b"/robots.txt$"), Pattern.compile(b"/robots.txt?"))
_NOBODY = Binding.of([])


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
