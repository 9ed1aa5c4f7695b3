"""What a check is: one declaration with the samples that prove it; and what it finds."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from loganalyzer.robots.lint.observed import Observed
from loganalyzer.robots.lint.source import RULE_KEYS, Line, Source

Level = Literal["error", "warning", "info"]
LEVELS: tuple[Level, ...] = ("error", "warning", "info")  # gravest first


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a fault stands, and the facts that its sentence wants."""

    line: Line
    start: int  # columns, 0-based, end excluded
    end: int
    instead: str | None = None  # what to paste in place of the line; null: no line would mend it
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of one file, ready for a report."""

    line: int
    column: int  # 1-based
    length: int  # characters under the caret, at least 1
    level: Level
    number: int
    code: str
    title: str
    says: str
    source: str
    instead: str | None
    text: str  # the line as written
    more: tuple[int, ...] = ()  # further lines of the same kind, where one finding speaks for all


Find = Callable[[Source], Iterable[Mark]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One mistake: how grave, how found, how said, after which source; `bad` has it and `good` has not."""

    number: int
    code: str
    level: Level
    title: str
    says: str  # facts in braces; `value` is the value of the line
    source: str
    find: Find
    bad: str | bytes
    good: str | bytes
    once: bool = False  # one finding a file, naming the other lines
    any_body: bool = False  # looks at a body of any kind, not at records
    bad_log: tuple[tuple[str, int], ...] | None = None  # target and status: the check looks at a log
    good_log: tuple[tuple[str, int], ...] | None = None

    @property
    def needs_log(self) -> bool:
        """Whether it can only be seen in a log."""
        return self.bad_log is not None

    def findings(self, source: Source) -> Iterator[Finding]:
        """What the check finds."""
        marks = list(self.find(source))
        more = tuple(mark.line.number for mark in marks[1:]) if self.once else ()
        for mark in marks[:1] if self.once else marks:
            says = self.says.format(**{"value": mark.line.value, **mark.facts})
            length = max(mark.end - mark.start, 1)
            kind = (self.level, self.number, self.code, self.title, says, self.source)
            instead = None if mark.instead == mark.line.text.strip() else mark.instead
            yield Finding(mark.line.number, mark.start + 1, length, *kind, instead, mark.line.text, more)

    def sample(self, bad: bool) -> Source:
        """One of its samples, to be looked at."""
        data, answers = (self.bad, self.bad_log) if bad else (self.good, self.good_log)
        octets = data.encode() if isinstance(data, str) else data
        return Source(octets, observed=None if answers is None else Observed.made_of(answers))


def whole(line: Line, instead: str | None = None, **facts: Any) -> Mark:
    """Mark a line's content."""
    return Mark(line, line.start, len(line.text.rstrip()), instead, facts)


def value(line: Line, instead: str | None = None, **facts: Any) -> Mark:
    """Mark a line's value."""
    return Mark(line, line.at, line.end, instead, facts)


def values(
    pattern: str,
    instead: Callable[[Line, re.Match[str]], str] | None = None,
    keys: tuple[str, ...] = RULE_KEYS,
    unless: str | None = None,
) -> Find:
    """Find values of some keys in which a pattern occurs: the place is marked, named groups become facts."""
    wanted = re.compile(pattern)
    spared = re.compile(unless) if unless else None

    def find(source: Source) -> Iterator[Mark]:
        for line in source.records:
            if line.key in keys and (found := wanted.search(line.value)) and not (spared and spared.search(line.value)):
                paste = line.written(instead(line, found)) if instead else None
                yield Mark(line, line.at + found.start(), line.at + found.end(), paste, found.groupdict())

    return find


def keys(*wanted: str, instead: Callable[[Line], str] | None = None) -> Find:
    """Find lines by their key."""

    def find(source: Source) -> Iterator[Mark]:
        for line in source.records:
            if line.key in wanted:
                yield Mark(
                    line, line.start, line.text.index(":"), instead(line) if instead else None, {"key": line.key}
                )

    return find
