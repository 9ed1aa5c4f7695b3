"""Whom a policy is about: the clients of the log, those that the file names, and all that are known where asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from loganalyzer.clients import Registry
from loganalyzer.clients.registry import Entry
from loganalyzer.drafts.policy.words import Words
from loganalyzer.drafts.traffic import Traffic
from loganalyzer.robots.file import Robots


@dataclass(frozen=True, slots=True)
class Agent:
    """Somebody who looks up a robots.txt."""

    tokens: tuple[str, ...]  # names looked up, in order, before `*`
    purpose: str | None = None
    star_binds: bool = True
    requests: int = 0
    bytes: int = 0

    @property
    def name(self) -> str:
        """The name that a group of its own would have."""
        return self.tokens[0]

    @property
    def key(self) -> str:
        """The name, as it is compared."""
        return self.name.casefold()


def agents(words: Words, robots: Robots, traffic: Traffic, registry: Registry) -> list[Agent]:
    """Everybody, one a name: first those seen, most requests first; `*` is not among them."""
    found: dict[str, Agent] = {}
    named = (name for group in robots.groups for name in group.names if robots.own_group(name))
    for agent in (
        *sorted(_seen(traffic), key=lambda agent: (-agent.requests, agent.name)),
        *(_known(robots.own_group(name) or name, name, registry) for name in named),
        *(_known(name, name, registry) for name in words.names),
        *(map(_of_entry, registry.entries) if words.all_known else ()),
    ):
        # Two spellings that are compared equal are one name: `samplebot/1.0` of the file, `SampleBot` of the log.
        found.setdefault(robots.own_group(agent.name) or agent.key, agent)
    return list(found.values())


def _seen(traffic: Traffic) -> Iterator[Agent]:
    rows = zip(traffic.policies, traffic.purposes, traffic.record.to_pylist(), strict=True)
    for policy, purpose, record in rows:
        if policy.automated and policy.robots_tokens and record["requests"]:
            yield Agent(policy.robots_tokens, purpose, policy.star_binds, record["requests"], record["bytes"])


def _known(compared: str, name: str, registry: Registry) -> Agent:
    """What the registry knows of a name; else the name as it is written."""
    entry = registry.lookup(compared)
    return Agent((name,)) if entry is None else _of_entry(entry)


def _of_entry(entry: Entry) -> Agent:
    return Agent(entry.robots_tokens, entry.purpose, entry.star_binds is not False)
