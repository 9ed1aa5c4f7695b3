"""Each address of each client that claims to be somebody's: range lists first, and the DNS where they do not say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa

from loganalyzer.clients import Registry
from loganalyzer.clients.registry import Entry
from loganalyzer.schema import VERIFIED as SCHEMA
from loganalyzer.verification.folder import STALE, TOO_NEW, Listed, Lists
from loganalyzer.verification.rangelist import Address, address_of, of_networks
from loganalyzer.verification.reverse import Question, ReverseDns
from loganalyzer.verification.verdict import REFUTED, UNKNOWN, VERIFIED, Verdict

NOBODY = Verdict(UNKNOWN, "nobody publishes a way")
UNANSWERED = Verdict(UNKNOWN, "no answer from the DNS in time")
NOT_ASKED = Verdict(UNKNOWN, "the DNS was not asked")
NO_LIST = Verdict(UNKNOWN, "its range list is not at hand (loganalyzer ranges fetch)")
INTERNAL = Verdict(UNKNOWN, "an address of an internal network, as a proxy has")
NO_ADDRESS = Verdict(UNKNOWN, "no address is logged")
REVERSE = "reverse DNS"
UNFIT = {
    "old": f"more than {STALE.days} days older than",
    "new": f"more than {TOO_NEW.days} days newer than",
}

# Addresses that say nothing of a client on the Internet: a proxy's, or the machine itself (RFC 1918, 4193, 6598).
_INTERNAL = of_networks(
    *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10"),
    *("fc00::/7", "fe80::/10", "::1/128"),
)


@dataclass(frozen=True, eq=False)
class Verification:
    """What was found, and what is to be told of how."""

    verdicts: pa.Table  # schema VERIFIED
    questions: int  # addresses that the DNS was asked for
    unanswered: int  # of these, without an answer in time
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Verifier:
    """The ways that the operator of this site allows: a folder of range lists, the DNS, or both."""

    lists: Lists | None = None
    reverse: ReverseDns | None = None

    def verify(
        self, claims: pa.Table, names: Sequence[str], addresses: pa.Array, registry: Registry, end_us: int
    ) -> Verification:
        """One verdict for each row of `claims` (client, address), which come in the order in which to ask.

        Args:
            claims: codes of clients and addresses, each pair once.
            names: of the clients, by code.
            addresses: texts, by code.
            registry: what is known of the clients.
            end_us: the last instant of the log, epoch microseconds: a list much older than that refutes nobody.
        """
        entries = [registry.lookup(name) for name in names]
        end = datetime.fromtimestamp(end_us / 1e6, UTC)
        texts = addresses.to_pylist()
        rows = [
            (entries[client], None if address is None else address_of(texts[address]))
            for client, address in zip(claims["client"].to_pylist(), claims["address"].to_pylist(), strict=True)
        ]
        first = [self._by_list(entry, address, end) for entry, address in rows]
        questions = {
            place: (address, entry.rdns_suffixes)
            for place, (entry, address) in enumerate(rows)
            if self.reverse and entry and entry.rdns_suffixes and address and _may_ask(first[place])
        }
        confirmed = self.reverse.confirm(questions.values()) if self.reverse else {}
        found = [_after_dns(verdict, questions.get(place), confirmed) for place, verdict in enumerate(first)]
        table = pa.table(
            [claims["client"], claims["address"], [v.verdict for v in found], [v.way for v in found]],
            names=SCHEMA.names,
        )
        return Verification(
            table.cast(SCHEMA), len(confirmed), self.reverse.unanswered if self.reverse else 0, self._notes(end)
        )

    @property
    def arguments(self) -> list[str]:
        """The options that ask for the same once more."""
        by_list = ["--ranges", self.lists.folder] if self.lists else []
        if self.reverse is None:
            return by_list
        resolver = ["--resolver", self.reverse.resolver] if self.reverse.resolver else []
        return ["--verify", *by_list, *resolver]

    def can_say(self, entry: Entry | None) -> bool:
        """Whether there is any way to verify a client: a list of its operator's, or names in the DNS."""
        return entry is not None and bool(entry.ip_ranges_url or entry.rdns_suffixes or self._list(entry))

    def _list(self, entry: Entry) -> Listed | None:
        return self.lists.of(entry.token) if self.lists else None

    def _by_list(self, entry: Entry | None, address: Address | None, end: datetime) -> Verdict:
        """What the lists say, before the DNS is asked."""
        if entry is None or not self.can_say(entry):
            return NOBODY
        if address is None:
            return NO_ADDRESS
        listed = self._list(entry)
        if listed and address in listed.ranges:
            return Verdict(VERIFIED, _way(listed))
        if address in _INTERNAL:
            return INTERNAL
        if listed is None:
            return NO_LIST if entry.ip_ranges_url else NOT_ASKED
        if unfit := _unfit(listed, end):
            return Verdict(UNKNOWN, f"not in the {_way(listed)}, which is too {unfit} to refute it")
        return Verdict(REFUTED, _way(listed))

    def _notes(self, end: datetime) -> tuple[str, ...]:
        if self.lists is None:
            return ()
        unfit = [
            f"{name}: the {_way(listed)} is {UNFIT[found]} the end of the log: it verifies, but refutes nobody"
            for name, tokens, listed in self.lists.files
            if tokens and (found := _unfit(listed, end))
        ]
        return (*self.lists.notes, *unfit)


def _may_ask(verdict: Verdict) -> bool:
    """Whether the DNS may still say more: a list that lacks an address may lag behind."""
    return verdict.verdict != VERIFIED and verdict is not INTERNAL


def _after_dns(verdict: Verdict, question: Question | None, confirmed: dict[Question, bool | None]) -> Verdict:
    """The verdict once the DNS was asked; a list that refutes stands where the DNS does not confirm."""
    if question is None:
        return verdict
    answer = confirmed[question]
    if answer:
        return Verdict(VERIFIED, REVERSE)
    if verdict.verdict == REFUTED:
        return Verdict(REFUTED, f"{verdict.way}, {REVERSE}") if answer is False else verdict
    return UNANSWERED if answer is None else Verdict(REFUTED, REVERSE)


def _way(listed: Listed) -> str:
    return f"range list of {listed.as_of:%Y-%m-%d}" if listed.as_of else f"range list {listed.ranges.name}"


def _unfit(listed: Listed, end: datetime) -> str | None:
    """Whether a list is so much older or newer than the log that what it lacks may be the operator's all the same."""
    if listed.as_of is not None and end - listed.as_of > STALE:
        return "old"
    return "new" if listed.since is not None and listed.since - end > TOO_NEW else None
