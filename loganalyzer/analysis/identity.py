"""What each client claims to be: the rows of its user agents (schema AGENT) put together."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from loganalyzer.robots import Policy

SHOWN = 5  # user agents and versions of a client


@dataclass(frozen=True)
class Identity:
    """One client: the facts of its most used user agent, and what the others add."""

    name: str
    leading: Mapping[str, Any]  # the AGENT row of the user agent with most requests
    contact: str | None  # of the first user agent, by requests, that has one
    versions: tuple[str, ...]  # by requests
    flags: Mapping[str, int]  # each with the requests that carry it
    user_agents: tuple[tuple[str | None, int], ...]  # by requests

    @property
    def automated(self) -> bool:
        """Everything that is not an interactive browser."""
        return bool(self.leading["automated"])

    @property
    def purpose(self) -> str:
        """What it is for, else what it is; people, and who declares nothing, by their names."""
        if self.name in ("browser", "undeclared"):
            return self.name
        return self.leading["purpose"] or self.leading["kind"] or "unknown"

    @property
    def robots_tokens(self) -> tuple[str, ...]:
        """Names to look up in robots.txt, in order, before `*`."""
        return tuple(self.leading["robots_tokens"] or ())

    @property
    def sentence(self) -> str:
        """Who this is, in the words that the evidence allows: nothing here has been verified."""
        if self.name == "browser":
            return "user agents of browsers; whether a person sits before them cannot be read from that"
        if self.name == "undeclared":
            return "declares nothing: no user agent, or one that names nobody"
        operator = self.leading["operator"]
        known = f" of {operator}" if operator else ", whose operator is not known"
        return f"claims to be {self.name}{known}; not verified"

    def policy(self) -> Policy:
        """What robots.txt replay has to know of this client."""
        return Policy(
            name=self.name,
            kind=self.leading["kind"],
            robots_tokens=self.robots_tokens,
            star_binds=self.leading["star_binds"] is not False,
            automated=self.automated,
        )


def identities(names: Sequence[str], agents: pa.Table, counts: Sequence[int]) -> list[Identity]:
    """One Identity for each client name, in order; `counts` are the requests by agent code."""
    rows: dict[str, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    for code, row in enumerate(agents.to_pylist()):
        if counts[code]:
            rows[row["client"]].append((counts[code], row))
    return [_identity(name, rows[name]) for name in names]


def _identity(name: str, rows: list[tuple[int, Mapping[str, Any]]]) -> Identity:
    rows.sort(key=lambda pair: (-pair[0], pair[1]["user_agent"] or ""))
    facts = [row for _, row in rows]
    return Identity(
        name=name,
        leading=facts[0],
        contact=next((row["contact"] for row in facts if row["contact"]), None),
        versions=tuple(dict.fromkeys(row["version"] for row in facts if row["version"]))[:SHOWN],
        flags=_flags(rows),
        user_agents=tuple((row["user_agent"], count) for count, row in rows[:SHOWN]),
    )


def _flags(rows: list[tuple[int, Mapping[str, Any]]]) -> Mapping[str, int]:
    """Requests by flag, flags in order."""
    found: dict[str, int] = defaultdict(int)
    for count, row in rows:
        for flag in row["flags"] or ():
            found[flag] += count
    return dict(sorted(found.items()))
