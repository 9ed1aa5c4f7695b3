"""What a policy wants for everybody, and which groups the file needs for it beside those that it has.

What the present file says stays, but where the policy says otherwise: who is denied may fetch nothing, who is allowed
gets the rules of `*` without those that close the whole site, and everybody is kept out of what the policy says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loganalyzer.drafts.policy.agents import Agent
from loganalyzer.drafts.policy.words import LEGAL_NAME, Standing, Words
from loganalyzer.robots.file import EVERYBODY, Robots
from loganalyzer.robots.match import Pattern, Rule

DENY = (Rule(False, 0, "Disallow: /", Pattern.compile(b"/")),)
STAR = Agent((EVERYBODY,))
Sense = frozenset[tuple[bool, Pattern]]


@dataclass(frozen=True, slots=True)
class Own:
    """A group that the policy writes."""

    agent: Agent
    standing: Standing
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Plan:
    """What is to be written: groups of their own, and the names that leave the groups they have in the file."""

    own: tuple[Own, ...]
    moved: frozenset[str]  # compared names, `*` perhaps among them
    unnamed: tuple[Own, ...]  # would need a group, but their name cannot stand in robots.txt
    wanted: tuple[tuple[Agent, tuple[Rule, ...]], ...]  # for everybody who can be told; `*` is not among them


def kept_out(rules: Iterable[Rule], words: Words) -> tuple[Rule, ...]:
    """Rules, and what everybody is kept out of; an Allow of the very same path gives way.

    Longer Allow lines are exceptions that somebody made, and stay.
    """
    paths = {rule.pattern for rule in words.rules}
    kept = tuple(rule for rule in rules if not (rule.allow and rule.pattern in paths))
    if closed(kept):
        return kept
    there = {rule.pattern for rule in kept if not rule.allow}
    return (*kept, *(rule for rule in words.rules if rule.pattern not in there))


def closed(rules: Sequence[Rule]) -> bool:
    """Whether rules close everything, without exception."""
    return any(map(_closes, rules)) and not any(rule.allow and rule.pattern.length for rule in rules)


def _closes(rule: Rule) -> bool:
    pattern = rule.pattern
    return (
        not rule.allow
        and pattern.head in (b"/", b"")
        and not pattern.pieces
        and pattern.tail is None
        and pattern.length > 0
    )


def sense(rules: Sequence[Rule]) -> Sense:
    """What rules mean, whatever their order: two of the same sense decide alike."""
    if closed(rules):
        return frozenset((rule.allow, rule.pattern) for rule in DENY)
    return frozenset((rule.allow, rule.pattern) for rule in rules if rule.pattern.length)


def plan(words: Words, robots: Robots, outside: Robots, everybody: Sequence[Agent]) -> Plan:
    """Find the groups that are needed.

    Args:
        words: the policy.
        robots: the present file.
        outside: the same without what an earlier draft wrote into it; the very same where none did.
        everybody: whom the policy is about, `*` not among them.
    """
    return _Planner(words, robots, outside).plan(everybody)


class _Planner:
    """The groups so far; rules are made once a group, for a log may hold a hundred thousand made-up names."""

    def __init__(self, words: Words, robots: Robots, outside: Robots) -> None:
        self._words, self._robots, self._outside = words, robots, outside
        self._own: dict[str, Own] = {}
        self._written = {key for group in robots.groups for name in group.names if (key := _named(robots, name))}
        # What an earlier draft wrote is written anew.
        self._moved = {key for key in self._written if _rewritten(robots, outside, key)}
        self._made: dict[tuple[bool, str, bool], tuple[Rule, ...]] = {}

    def plan(self, everybody: Sequence[Agent]) -> Plan:
        wants = [self._want(agent) for agent in (STAR, *everybody)]
        unnamed: dict[str, Own] = {}
        open_wants = [want for want in wants if not self._is_met(want)]
        while open_wants:  # a new group may catch others that fall back on its name; each pass settles a name or ends
            for want in open_wants:
                if self._is_met(want):
                    continue
                if self._may_stand(want.agent):
                    self._give(want)
                else:
                    unnamed[self._key(want.agent.name)] = want
            left = (want for want in wants if self._key(want.agent.name) not in unnamed)
            open_wants = [want for want in left if not self._is_met(want)]
        told = tuple((want.agent, want.rules) for want in wants[1:] if self._key(want.agent.name) not in unnamed)
        return Plan(tuple(self._own.values()), frozenset(self._moved), tuple(unnamed.values()), told)

    def _want(self, agent: Agent) -> Own:
        """What the policy wants for somebody."""
        standing = self._words.standing(agent.name, agent.purpose)
        if standing == "denied":
            return Own(agent, standing, DENY)
        if standing == "allowed":
            return Own(agent, standing, self._rules(self._robots, EVERYBODY if agent.star_binds else "", opened=True))
        key = self._robots.own_group(agent.tokens) or (EVERYBODY if agent.star_binds else "")
        return Own(agent, standing, self._rules(self._robots, key))

    def _is_met(self, want: Own) -> bool:
        given = self._given(want.agent)
        return given is want.rules or sense(given) == sense(want.rules)

    def _may_stand(self, agent: Agent) -> bool:
        """Whether a group can have the name; what the operator wrote may stay, however it is spelt."""
        return agent is STAR or bool(LEGAL_NAME.fullmatch(agent.name)) or self._key(agent.name) in self._written

    def _give(self, want: Own) -> None:
        """A group of its own; none where it is enough to lose the one that it has."""
        key = self._key(want.agent.name)
        self._moved.add(key)
        if not self._is_met(want):
            self._own[key] = want

    def _given(self, agent: Agent) -> tuple[Rule, ...]:
        """The rules that somebody is given by the groups so far."""
        for token in (*agent.tokens, *((EVERYBODY,) if agent.star_binds else ())):
            key = self._key(token)
            if key in self._own:
                return self._own[key].rules
            if key not in self._moved and _named(self._outside, token):
                return self._rules(self._outside, key)
        return ()

    def _rules(self, robots: Robots, key: str, opened: bool = False) -> tuple[Rule, ...]:
        """Rules of the groups of a name, the empty one naming none, with what everybody is kept out of."""
        asked = (robots is self._robots, key, opened)
        if asked not in self._made:
            groups = robots.binding(key).groups if key else ()
            rules = (rule for group in groups for rule in group.rules if not (opened and _closes(rule)))
            self._made[asked] = kept_out(rules, self._words)
        return self._made[asked]

    def _key(self, name: str) -> str:
        """A name as it is compared."""
        return _named(self._robots, name) or name.casefold()


def _named(robots: Robots, name: str) -> str | None:
    """A name as it is compared, `*` included; null where no group of the file has it."""
    if name.startswith(EVERYBODY):
        return EVERYBODY if robots.binds(EVERYBODY) is not None else None
    return robots.own_group(name)


def _rewritten(robots: Robots, outside: Robots, key: str) -> bool:
    """Whether an earlier draft wrote a group of this name."""
    return not _named(outside, key) or len(robots.binding(key).groups) != len(outside.binding(key).groups)
