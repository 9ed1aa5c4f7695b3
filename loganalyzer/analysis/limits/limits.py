"""Rate limits against one analysed log: what a limit would have refused, to whom, and which to propose."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.analysis.limits.documents import (
    EffectDocument,
    LimitsDocument,
    ProposalDocument,
    RefusedDocument,
    document,
    limit_of,
)
from loganalyzer.analysis.origins import networks_of
from loganalyzer.analysis.rows import Row, instant_or_none
from loganalyzer.document.client import LeverDocument
from loganalyzer.drafts.limits import Limit, Rule, Traffic, norm, safe
from loganalyzer.errors import UsageError
from loganalyzer.groups import Int64
from loganalyzer.levers import LIMIT_BURST, LIMIT_RATE
from loganalyzer.rates import BURSTS, smallest_limit

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Mask = NDArray[np.bool_]
FLOOR = Limit(LIMIT_RATE, LIMIT_BURST)  # no limit below it is proposed
TRAFFIC = ["client", "agent", "address", "t", "bytes", "robots"]  # columns that a limit looks at, all in memory
WORTH = 0.01  # of its requests a limit must refuse, or it is none
NOTHING: Int64 = np.array([], dtype=np.int64)
PROPOSED = "429"  # the lever that a limit is
BEHAVES = "leave-alone"


class Limits:
    """An analysed log, ready to be asked about limits; a question takes a fraction of a second."""

    def __init__(self, analysis: "Analysis") -> None:
        """Sort out what limits look at; nothing is measured yet."""
        self._analysis = analysis
        columns = analysis.columns
        self.traffic = Traffic(
            columns.requests.table(TRAFFIC), networks_of(columns.addresses)[0]["network"].combine_chunks()
        )
        self._agents: pa.ChunkedArray = columns.agents["user_agent"]
        self._answered: tuple[object, pa.Table] = (None, None)  # the last question: its effect and its rules are one
        self._levers: dict[str, LeverDocument] = {
            row["client"]: row["lever"] for row in analysis.to_dict()["clients"] if row["lever"]
        }

    def table(self, limit: Limit, clients: Collection[str] = (), *, by_address: bool = False) -> pa.Table:
        """What a limit would have refused, schema REFUSED of `drafts.limits`; a client's name is `columns.clients`.

        Args:
            limit: By token it is for each client that names itself, by address or network for everybody.
            clients: The clients that it is for, all where there are none.
            by_address: One row for each address of a client.

        Raises:
            UsageError: The log has no such client, or not what the limit counts by.
        """
        asked, last = (limit, tuple(clients), by_address), self._answered
        if asked != last[0]:  # one read and one write of it, for sessions share this
            self._check(limit)
            found = self.traffic.refused(limit, self._chosen(limit, clients), by_address=by_address)
            last = self._answered = asked, found
        return last[1]

    def effect(self, limit: Limit, clients: Collection[str] = ()) -> EffectDocument:
        """What a limit would have refused, to whom, and how many people among them."""
        rows = self.table(limit, clients).to_pylist()
        browsers = [row for row in rows if row["client"] in self._people]
        return {
            "limit": document(limit),
            "requests": sum(row["requests"] for row in rows),
            "refused": sum(row["refused"] for row in rows),
            "refused_bytes": sum(row["refused_bytes"] for row in rows),
            "people": {
                "requests": sum(row["requests"] for row in browsers),
                "refused": sum(row["refused"] for row in browsers),
                "addresses": self._people_addresses if browsers else 0,
                "refused_addresses": sum(row["addresses"] for row in browsers),
            },
            "clients": [self._refused(row) for row in rows],
        }

    def document(self, effect: EffectDocument | None = None) -> LimitsDocument:
        """Everything there is to say, with the effect of one limit."""
        return {
            "schema_version": 1,
            "whole_seconds": self._analysis.measures.whole_seconds,
            "norm": document(self.norm) if self.norm else None,
            "behaved": len(self._behaved),
            "left_out": sum(person.automated for person in self._analysis.identities) - len(self._judged),
            "clients": self.proposals,
            "effect": effect,
        }

    @cached_property
    def norm(self) -> Limit | None:
        """The limit that nine in ten of those that behave pass whole; null: nobody does, or none is so wide."""
        t_ms, groups, _ = self.traffic.groups_ms(np.isin(self.traffic.client, self._behaved))
        return norm(t_ms, groups, FLOOR)

    @cached_property
    def proposals(self) -> list[ProposalDocument]:
        """One for each automated client."""
        found = [self._proposal(code) for code in self._judged]
        return sorted(found, key=lambda row: (-row["requests"], row["client"]))

    def rules(self, limit: Limit | None = None, clients: Collection[str] = ()) -> list[Rule]:
        """The rules to paste: those proposed, or one limit for each client named, or for everybody.

        Raises:
            UsageError: A client is not in the log, or has no name that can stand in a file.
        """
        if limit is None:
            chosen = {name.casefold() for name in clients}
            return [
                Rule(limit_of(row["limit"]), row["who"], row["token"])  # type: ignore[arg-type] # one of Who
                for row in self.proposals
                if row["limit"] is not None and (not chosen or row["client"].casefold() in chosen)
            ]
        if not clients and limit.key != "token":
            return [Rule(limit, "everybody")]
        codes = [self._code(name) for name in clients] if clients else self._over(limit)
        rules = {code: self._rule(code, limit) for code in codes}
        if bare := [self._analysis.identities[code].name for code, rule in rules.items() if rule is None and clients]:
            raise UsageError(f"{', '.join(bare)}: no name that a limit could know it by may stand in a file")
        return [rule for rule in rules.values() if rule is not None]

    def _check(self, limit: Limit) -> None:
        if limit.key == "token":
            return
        if not len(self._analysis.columns.addresses):
            raise UsageError(f"these logs have no addresses, so that nothing can be counted by {limit.key}")
        hidden = (self._analysis.log.hidden or "").split()
        if "hash" in hidden or ("truncate" in hidden and limit.key == "address"):
            raise UsageError(f"with --anonymize the log no longer says what comes from one {limit.key}")

    def _over(self, limit: Limit) -> list[int]:
        """Clients that a limit would have refused something."""
        rows = self.table(limit)
        codes: list[int] = rows.filter(pc.greater(rows["refused"], 0))["client"].to_pylist()
        return codes

    @cached_property
    def _named(self) -> Mask:
        """Rows of clients that name themselves."""
        people = enumerate(self._analysis.identities)
        named = [code for code, person in people if person.automated and person.leading["token"]]
        return np.isin(self.traffic.client, named)

    @cached_property
    def _people(self) -> set[int]:
        return {code for code, person in enumerate(self._analysis.identities) if not person.automated}

    @cached_property
    def _people_addresses(self) -> int:
        return self.traffic.addresses(np.isin(self.traffic.client, sorted(self._people)))

    @cached_property
    def _behaved(self) -> list[int]:
        return [
            code
            for code, person in enumerate(self._analysis.identities)
            if code in self._judged and person.leading["token"] and self._lever(code)["lever"] == BEHAVES
        ]

    @cached_property
    def _starts_ms(self) -> dict[int, Int64]:
        """Sorted instants of each client, in milliseconds, views of one array."""
        t_ms, groups, codes = self.traffic.groups_ms()
        bounds = zip(groups.first.tolist(), groups.size.tolist(), strict=True)
        starts = [t_ms[first : first + size] for first, size in bounds]
        return dict(zip(codes.tolist(), starts, strict=True))

    @cached_property
    def _judged(self) -> set[int]:
        """Automated clients that the report gives a lever: all but the smallest of a log with thousands."""
        people = enumerate(self._analysis.identities)
        return {code for code, person in people if person.automated and person.name in self._levers}

    def _lever(self, code: int) -> LeverDocument:
        return self._levers[self._analysis.identities[code].name]

    def _code(self, client: str) -> int:
        names = {name.casefold(): code for code, name in enumerate(self._analysis.columns.clients)}
        if (code := names.get(client.strip().casefold())) is None:
            raise UsageError(f"no client {client!r} in these logs; loganalyzer report --all names those that there are")
        return code

    def _chosen(self, limit: Limit, clients: Collection[str]) -> Mask | None:
        """Rows that a limit is for; null for all."""
        if clients:
            return np.isin(self.traffic.client, [self._code(name) for name in clients])
        if limit.key != "token":
            return None
        return self._named

    def _rule(self, code: int, limit: Limit) -> Rule | None:
        """How a limit would know a client; null where nothing that it sends could stand in a file."""
        person = self._analysis.identities[code]
        token = person.leading["token"]
        if person.automated and safe(token):
            return Rule(limit, "token", token)
        if person.automated and not token:
            return Rule(replace(limit, key="address") if limit.key == "token" else limit, "unnamed")
        return None

    def _matches(self, rule: Rule) -> Mask:
        """Rows that a server would count under a rule, by what the user agent says; RE2 takes linear time."""
        if rule.who == "unnamed":
            agents = pc.or_(pc.is_null(self._agents), pc.equal(pc.fill_null(self._agents, ""), ""))
        else:
            agents = pc.fill_null(pc.match_substring_regex(self._agents, f"(?i){rule.pattern}"), False)
        matched: Mask = agents.to_numpy()[self.traffic.agent]
        return matched

    def _proposal(self, code: int) -> ProposalDocument:
        t_ms = self._starts_ms.get(code, NOTHING)
        lever = self._lever(code)
        found: ProposalDocument = {
            "client": self._analysis.identities[code].name,
            "requests": len(t_ms),
            "smallest": {str(burst): smallest_limit(t_ms, burst).rate if len(t_ms) else None for burst in BURSTS},
            "lever": lever["lever"],
            "limit": None,
            "why": lever["why"] if lever["lever"] == BEHAVES else f"{_sentence_case(lever['title'])}: {lever['why']}",
            "who": None,
            "token": None,
            "named": 0,
            "refused": 0,
            "refused_bytes": 0,
            "others": [],
        }
        return self._proposed(code, found) if lever["lever"] == PROPOSED else found

    def _proposed(self, code: int, found: ProposalDocument) -> ProposalDocument:
        """The widest of the limits worth having, with what it would have refused."""
        for limit in dict.fromkeys(filter(None, (self.norm, FLOOR))):
            rule = self._rule(code, limit)
            if rule is None:
                return {**found, "why": "It has no name that may stand in a file that is pasted as root."}
            matched = self._matches(rule)
            rows = self.traffic.refused(rule.limit, matched, one_token=True).to_pylist()
            mine = next((row for row in rows if row["client"] == code), None)
            if mine is not None and mine["refused"] >= WORTH * found["requests"]:
                return {
                    **found,
                    "limit": document(rule.limit),
                    "who": rule.who,
                    "token": rule.token,
                    "named": int(np.count_nonzero(matched & (self.traffic.client == code))),
                    "refused": mine["refused"],
                    "refused_bytes": mine["refused_bytes"],
                    "others": [self._refused(row) for row in rows if row["client"] != code and row["refused"]],
                }
        return {**found, "why": _too_slow(self._rule(code, FLOOR), found["why"])}

    def _refused(self, row: Row) -> RefusedDocument:
        person = self._analysis.identities[row["client"]]
        return {
            "client": person.name,
            "automated": person.automated,
            "requests": row["requests"],
            "refused": row["refused"],
            "refused_share": round(row["refused"] / row["requests"], 6),
            "refused_bytes": row["refused_bytes"],
            "addresses": row["addresses"],
            "first_refused": instant_or_none(row["first_refused_us"]),
            "delayed": row["delayed"],
            "longest_delay_s": row["longest_delay_ms"] / 1000,
        }


def _sentence_case(title: str) -> str:
    return title[:1].upper() + title[1:]


def _too_slow(rule: Rule | None, why: str) -> str:
    counted = "each address without a user agent" if rule is not None and rule.who == "unnamed" else "its name"
    return f"{FLOOR.rate} with burst {FLOOR.burst} for {counted} would refuse less than 1 % of it: not its pace. {why}"
