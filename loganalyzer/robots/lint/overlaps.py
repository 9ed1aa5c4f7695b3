"""Rules of one binding that stand in each other's way; sorted once, so nothing is quadratic."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from loganalyzer.robots.match import Pattern, Rule

MOST_WILD = 200  # wildcard rules and plain ones that are compared pair by pair


def _is_plain(pattern: Pattern) -> bool:
    """A literal prefix: neither wildcard nor anchor."""
    return not pattern.starred and pattern.tail is None


def _above(rules: Sequence[Rule]) -> Iterator[tuple[Rule, list[Rule]]]:
    """Each plain rule with the plain rules that are shorter prefixes of it, shortest first."""
    chain: list[Rule] = []
    for rule in sorted(filter(lambda rule: _is_plain(rule.pattern), rules), key=lambda rule: rule.pattern.head):
        while chain and not rule.pattern.head.startswith(chain[-1].pattern.head):
            chain.pop()
        same = bool(chain) and chain[-1].pattern == rule.pattern
        yield rule, chain[:-1] if same else chain
        if not same:
            chain.append(rule)


class _Wild:
    """Lengths of the rules that are no plain prefixes, by verdict."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        lengths = {allow: [rule.pattern.length for rule in rules if rule.allow is allow and not _is_plain(rule.pattern)]
                   for allow in (True, False)}  # fmt: skip
        self.lengths = {allow: sorted(of) for allow, of in lengths.items()}

    def any_between(self, allow: bool, low: int, high: int) -> bool:
        """Whether one has a length from low to high, both included."""
        return bisect_left(self.lengths[allow], low) < bisect_right(self.lengths[allow], high)


def redundant(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule]]:
    """Plain rules with the shorter one that already decides the same of all that they match."""
    wild = _Wild(rules)
    for rule, above in _above(rules):
        if not above or above[-1].allow != rule.allow:
            continue
        # A wildcard rule of the other verdict may lose to this one and win over the shorter.
        if not wild.any_between(not rule.allow, above[-1].pattern.length, rule.pattern.length):
            yield rule, above[-1]


def needless_allows(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Allow rules that no Disallow could lose to: none as short as they are reaches the same paths."""
    wild = _Wild(rules)
    shortest = min((rule.pattern.length for rule in rules if not rule.allow), default=None)
    for rule, above in _above(rules):
        opposed = any(not other.allow for other in above[-1:]) or wild.any_between(False, 0, rule.pattern.length)
        if rule.allow and not opposed and not any(not other.allow for other in above):
            yield rule
    for rule in rules:
        if rule.allow and not _is_plain(rule.pattern) and (shortest is None or shortest > rule.pattern.length):
            yield rule


def beaten_by_length(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule]]:
    """Disallow rules with a wildcard, each with a plain Allow rule that it overrules where both match."""
    plain = [rule for rule in rules if rule.allow and _is_plain(rule.pattern) and rule.pattern.length > 1]
    wild = [rule for rule in rules if not rule.allow and rule.pattern.starred]
    for rule in wild[:MOST_WILD]:
        head = rule.pattern.head
        for other in plain[:MOST_WILD]:
            # A rule below the allowed folder is narrower, and meant to win.
            path = other.pattern.head
            if other.pattern.length < rule.pattern.length and path.startswith(head) and path != head:
                yield rule, other
                break
