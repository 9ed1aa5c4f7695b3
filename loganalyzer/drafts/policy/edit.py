"""Editing a robots.txt: everything that the operator wrote stays where it is, but what the policy takes away."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from loganalyzer.drafts.policy.plan import closed, kept_out
from loganalyzer.drafts.policy.words import Words
from loganalyzer.errors import UsageError
from loganalyzer.robots.file import EVERYBODY, Robots, parse
from loganalyzer.robots.lint import Source
from loganalyzer.robots.lint.source import Line
from loganalyzer.robots.match import Rule
from loganalyzer.robots.parse import Group, split_lines

BEGIN = b"# loganalyzer draft: begin (written anew by each `loganalyzer draft --policy`; write above or below)"
MARK = b"\xef\xbb\xbf"
END = b"# loganalyzer draft: end"
GROUP_KEYS = ("user-agent", "allow", "disallow", "crawl-delay")


def without_block(data: bytes) -> bytes:
    """A file without what an earlier draft wrote; the file itself where none did.

    Raises:
        UsageError: where the block ends cannot be told, so that something of the operator's might be lost.
    """
    lines = split_lines(data.removeprefix(MARK))  # an editor may have put the mark before our block
    begins, ends = ([number for number, line in enumerate(lines) if line == mark] for mark in (BEGIN, END))
    if not begins and not ends:
        return data
    if len(begins) != 1 or len(ends) != 1 or begins > ends:
        raise UsageError(
            f"line {min(begins + ends) + 1} of the present robots.txt is one end of the block that an earlier draft "
            f"wrote, and the block is not whole: have just one line `{BEGIN.decode()}` and below it one "
            f"`{END.decode()}`, or neither; what stands between them is written anew"
        )
    (begin,), (end,) = begins, ends
    above, below = b"\n".join(lines[:begin]), b"\n".join(lines[end + 1 :])
    mark = data[: len(MARK)] if data.startswith(MARK) else b""
    return mark + (above.rstrip(b"\n") + b"\n" + below.lstrip(b"\n") if above.strip(b"\n") else below.lstrip(b"\n"))


@dataclass
class Edits:
    """Lines to take out, to write otherwise, and to put behind others; numbers count from 1."""

    out: set[int] = field(default_factory=set)
    instead: dict[int, bytes] = field(default_factory=dict)
    behind: dict[int, list[bytes]] = field(default_factory=lambda: defaultdict(list))


class Sheet:
    """A file to be edited."""

    def __init__(self, data: bytes) -> None:
        self._source = Source(data)
        self._lines = split_lines(self._source.body)

    @property
    def robots(self) -> Robots:
        """What the file says."""
        return self._source.robots

    def octets(self, rule: Rule) -> bytes:
        """A rule as it stands in the file, without its comment."""
        return self._lines[rule.line - 1].partition(b"#")[0].strip(b" \t")

    @cached_property
    def _of_group(self) -> dict[int, list[Line]]:
        """Lines of each group by its first line: names, rules and delays."""
        found: dict[int, list[Line]] = defaultdict(list)
        for line in self._source.records:
            group = self._source.group_of(line)
            if group is not None and line.key in GROUP_KEYS:
                found[group.line].append(line)
        return found

    @property
    def ends_open(self) -> bool:
        """Whether the last group has no rule, so that names that follow would join it."""
        groups = self.robots.groups
        return bool(groups) and not any(line.key in ("allow", "disallow") for line in self._of_group[groups[-1].line])

    def edited(self, moved: Iterable[str], words: Words) -> bytes:
        """The file without the names that are moved, its groups with what the policy adds for everybody."""
        edits, gone = Edits(), frozenset(moved)
        for group in self.robots.groups:
            self._edit(group, gone, words, edits)
        kept = []
        for number, line in enumerate(self._lines, 1):
            if number not in edits.out:
                kept.append(edits.instead.get(number, line))
            kept += edits.behind.get(number, [])
        # What begins like a mark behind the one that readers skip would be skipped in its place.
        mark = MARK if kept and kept[0].startswith(MARK[:1]) else b""
        return mark + b"\n".join(kept).rstrip(b"\n") + b"\n" if any(kept) else b""

    def _edit(self, group: Group, moved: frozenset[str], words: Words, edits: Edits) -> None:
        lines = self._of_group[group.line]
        names = [line for line in lines if line.key == "user-agent"]
        leaving = [line for line in names if self._key(line) in moved]
        if len(leaving) == len(names):
            edits.out.update(line.number for line in lines)
            return
        edits.out.update(line.number for line in leaving)
        rules = kept_out(group.rules, words)
        there = set(group.rules)
        edits.out.update(rule.line for rule in there - set(rules))
        added = [rule.text.encode() for rule in rules if rule not in there]
        edits.behind[lines[-1].number] += added + self._delays(group, lines, leaving, words, edits)

    def _delays(
        self, group: Group, lines: Sequence[Line], leaving: Sequence[Line], words: Words, edits: Edits
    ) -> list[bytes]:
        """Set the pause of a group; what is to be put behind its lines."""
        delays = [line for line in lines if line.key == "crawl-delay"]
        top = next(line.number for line in lines if line.key == "user-agent" and line not in leaving)
        stranded = [line for line in delays if line.number < top]  # above all names that are left: of the group before
        edits.out.update(line.number for line in stranded)
        standing = delays[len(stranded) :]
        if words.crawl_delay_s is None or closed(group.rules):
            return [self._lines[line.number - 1] for line in stranded]
        pause = f"Crawl-delay: {words.crawl_delay_s:.9g}".encode()
        edits.instead.update({line.number: pause for line in standing[:1] if _other(line, words.crawl_delay_s)})
        edits.out.update(line.number for line in standing[1:])
        return [] if standing else [pause]

    def _key(self, line: Line) -> str | None:
        """The name of a user-agent line, as it is compared."""
        return self.robots.own_group(line.value) or (EVERYBODY if line.value.startswith(EVERYBODY) else None)


def _other(line: Line, delay_s: float) -> bool:
    """Whether a line asks for another pause."""
    asked = parse(f"User-agent: *\n{line.text}").crawl_delay(EVERYBODY)
    return asked != delay_s
