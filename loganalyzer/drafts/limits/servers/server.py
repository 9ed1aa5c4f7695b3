"""What a server has to be known by, for limits to be written for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from loganalyzer.drafts.limits.limit import Key, Limit
from loganalyzer.drafts.limits.rule import Rule, Who

REFUSAL = "Too many requests"


@dataclass(frozen=True)
class Server:
    """One server: what it can count by, and how its configuration says so."""

    name: str
    title: str
    keys: frozenset[Key]  # that it can count by
    who: frozenset[Who]  # that it can pick out
    body: Callable[[Sequence[Rule]], str]
    remarks: tuple[str, ...]  # what it does, where it goes, its limits
    test: str  # the command that tests it
    undo: str
    comments: bool = True  # whether its syntax has any, begun with #

    def text(self, rules: Sequence[Rule], figures: Sequence[str] = ()) -> str:
        """Write the rules.

        Raises:
            ValueError: There is none, or this server cannot do one of them.
        """
        if not rules:
            raise ValueError("there is no limit to write")
        for rule in rules:
            if rule.limit.key not in self.keys:
                raise ValueError(f"{self.title} does not count by {rule.limit.key}, only by {_or(self.keys)}")
            if rule.who not in self.who:
                raise ValueError(f"what {self.title} would get is only for {_or(self.who)}, not for {rule.who}")
        body = self.body(rules)
        return "".join(f"# {line}\n" for line in self.notes(figures)) + body if self.comments else body

    def notes(self, figures: Sequence[str] = ()) -> list[str]:
        """The remarks, one a line."""
        return [*figures, *self.remarks, f"Test with: {self.test}", f"To undo: {self.undo}"]


def by_limit(rules: Sequence[Rule]) -> list[tuple[int, Limit, list[Rule]]]:
    """Rules that share a limit, and so a zone or table, numbered from 1."""

    def order(rule: Rule) -> tuple[str, int, int, str]:
        limit = rule.limit
        return limit.rate, limit.burst, -1 if limit.at_once is None else limit.at_once, limit.key

    groups = [list(group) for _, group in groupby(sorted(rules, key=order), key=order)]
    return [(number, group[0].limit, group) for number, group in enumerate(groups, 1)]


def _or(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
