"""A robots.txt as its author wrote it: lines with the columns of their parts, beside what a reader makes of them."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from loganalyzer.clients import Registry
from loganalyzer.clients.registry import shipped
from loganalyzer.robots.file import EVERYBODY, Binding, Robots, parse
from loganalyzer.robots.lint.observed import Observed
from loganalyzer.robots.match import Rule
from loganalyzer.robots.parse import LINE_LIMIT, Group, Warnings, is_utf16, read_body, split_lines
from loganalyzer.sources.compression import recognise

BLANK = " \t"
RULE_KEYS = ("allow", "disallow")


@dataclass(frozen=True, slots=True)
class Line:
    """One line as written; columns count characters from 0."""

    number: int  # 1-based
    text: str
    key: str  # lower case; empty where the line has no colon before its comment
    value: str  # trimmed, without comment
    at: int  # column of the value, or of where it would stand
    comment: int | None  # column of `#`

    @classmethod
    def read(cls, number: int, octets: bytes) -> "Line":
        """Cut a line at its first `#` and then at its first colon (RFC 9309 section 2.2)."""
        text = octets[:LINE_LIMIT].decode("utf-8", "backslashreplace")
        content, mark, _ = text.partition("#")
        key, colon, value = content.partition(":")
        if not colon:
            return cls(number, text, "", content.strip(BLANK), len(content) - len(content.lstrip(BLANK)), None)
        at = len(key) + 1 + len(value) - len(value.lstrip(BLANK))
        comment = len(content) if mark else None
        return cls(number, text, key.strip(BLANK).lower(), value.strip(BLANK), at, comment)

    @property
    def end(self) -> int:
        """Column behind the value."""
        return self.at + len(self.value)

    @property
    def start(self) -> int:
        """Column of the first character that is not blank."""
        return len(self.text) - len(self.text.lstrip(BLANK))

    def written(self, value: str) -> str:
        """The line to paste: the same key with another value."""
        return f"{self.key.capitalize()}: {value}".rstrip()


@dataclass(frozen=True)
class Source:
    """What checks look at."""

    data: bytes
    registry: Registry = field(default_factory=shipped)
    observed: Observed | None = None  # null: no log was given
    name: str = "robots.txt"  # of the file

    @cached_property
    def body(self) -> bytes:
        """Octets that count."""
        return read_body(self.data, Warnings())

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every line that counts."""
        return tuple(Line.read(number, octets) for number, octets in enumerate(split_lines(self.body), 1))

    @cached_property
    def robots(self) -> Robots:
        """The file as RFC 9309 reads it."""
        return parse(self.data)

    @property
    def is_text(self) -> bool:
        """Whether lines can be looked at one by one: neither a web page nor UTF-16 nor compressed."""
        return not self.robots.looks_like_html and not is_utf16(self.data) and not recognise(self.data)

    @cached_property
    def by_key(self) -> dict[str, list[Line]]:
        """Lines by key."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.records:
            found[line.key].append(line)
        return found

    @cached_property
    def records(self) -> tuple[Line, ...]:
        """Lines with a key, known or not."""
        return tuple(line for line in self.lines if line.key)

    @cached_property
    def rules(self) -> tuple[Line, ...]:
        """Allow and Disallow lines, in the order of the file."""
        return tuple(line for line in self.records if line.key in RULE_KEYS)

    @cached_property
    def names(self) -> dict[str, Line]:
        """Compared name, `*` included, by its first user-agent line; names that address nobody left out."""
        found: dict[str, Line] = {}
        for line in self.by_key["user-agent"]:
            if key := (EVERYBODY if line.value == EVERYBODY else self.robots.own_group(line.value)):
                found.setdefault(key, line)
        return found

    @cached_property
    def bindings(self) -> dict[str, Binding]:
        """What binds each name: the first name of several that share it."""
        shared: dict[tuple[int, ...], str] = {}
        for name in self.names:
            shared.setdefault(tuple(group.line for group in self.robots.binding(name).groups), name)
        return {name: self.robots.binding(name) for name in shared.values()}

    @cached_property
    def _group_lines(self) -> list[int]:
        return [group.line for group in self.robots.groups]

    def group_of(self, line: Line) -> Group | None:
        """The group that a line stands in or begins; null before the first."""
        place = bisect(self._group_lines, line.number)
        return self.robots.groups[place - 1] if place else None

    def span(self, group: Group) -> Sequence[Line]:
        """Lines from a group's first to the last of its rules."""
        last = max((rule.line for rule in group.rules), default=group.line)
        return self.lines[group.line - 1 : last]

    def line(self, rule: Rule | Group) -> Line:
        """The line of a rule, or the first of a group."""
        return self.lines[rule.line - 1]
