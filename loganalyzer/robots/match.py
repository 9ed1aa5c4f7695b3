"""Which rule decides: patterns with `*` and `$`, and the precedence of rules (RFC 9309 sections 2.2.2 and 2.2.3)."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A canonical path pattern, cut at its wildcards.

    `head` must begin the target, `pieces` follow in order with anything between, `tail` (null: open end) must end it.
    The earliest place of each piece suffices for a glob, so matching is a chain of searches: linear, whatever the
    pattern.
    """

    head: bytes
    pieces: tuple[bytes, ...]
    tail: bytes | None
    starred: bool
    length: int  # octets of the whole pattern; 0 matches nothing

    @classmethod
    def compile(cls, pattern: bytes) -> "Pattern":
        """Cut a pattern at `*`; a last `$` is an anchor, any other is literal."""
        anchored = pattern.endswith(b"$")
        head, *rest = (pattern[:-1] if anchored else pattern).split(b"*")
        starred = bool(rest)
        tail = (rest.pop() if rest else b"") if anchored else None
        return cls(head, tuple(filter(None, rest)), tail, starred, len(pattern))

    def matches(self, target: bytes) -> bool:
        """Whether a canonical target is matched."""
        if not target.startswith(self.head):
            return False
        position = len(self.head)
        for piece in self.pieces:
            found = target.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        if self.tail is None:
            return True
        return target.endswith(self.tail, position) if self.starred else position == len(target)


@dataclass(frozen=True, slots=True)
class Rule:
    """One Allow or Disallow line."""

    allow: bool
    line: int  # 1-based
    text: str  # as written, "Disallow: /private/"
    pattern: Pattern


def by_precedence(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Rules that can match, first to decide first.

    Most octets win, Allow wins ties (RFC 9309 section 2.2.2); the length is that of the pattern, not of the text
    matched. Among equals the upper line is named.
    """
    able = (rule for rule in rules if rule.pattern.length)
    return tuple(sorted(able, key=lambda rule: (-rule.pattern.length, not rule.allow, rule.line)))
