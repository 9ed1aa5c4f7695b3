"""Facts of each client for etiquette and levers, out of the measures."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loganalyzer.analysis.ledger import HOUR_US, answers_before, read_at
from loganalyzer.analysis.rows import Row, by_client
from loganalyzer.analysis.standing import is_operators
from loganalyzer.analysis.standing import shared as sharing
from loganalyzer.clients.evasion import REASON as EVADING
from loganalyzer.document import (
    BackoffDocument,
    ClientVerificationDocument,
    EtiquetteDocument,
    LeverDocument,
    RatesDocument,
    SharedDocument,
)
from loganalyzer.etiquette import Facts, etiquette
from loganalyzer.levers import lever
from loganalyzer.robotsdocument import ClientRobotsDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

NEIGHBOURS = 5


@dataclass(frozen=True)
class Judgement:
    """What is to be said of one client."""

    etiquette: list[EtiquetteDocument]
    lever: LeverDocument


def judge(
    analysis: "Analysis",
    ledgers: Mapping[int, ClientRobotsDocument],
    rates: Mapping[int, RatesDocument],
    backoffs: Mapping[int, BackoffDocument],
    standings: Mapping[int, ClientVerificationDocument | None],
) -> dict[int, Judgement]:
    """Judge the clients that have a ledger, by code."""
    table = _Table(analysis)
    found = {}
    for code in ledgers:
        facts = Facts(
            **table.identity(code),
            verified=is_operators(standings[code]),
            **table.volume(code),
            **table.reading(code, ledgers[code]),
            **table.disguise(code),
            **table.reaction(backoffs[code]),
            **table.pace(code, rates[code]),
            **table.content(code),
            **table.company(code),
        )
        found[code] = Judgement(etiquette(facts), lever(facts))
    return found


class _Table:
    """The measures of all clients, ready to be asked for one; each method gives some fields of Facts."""

    def __init__(self, analysis: "Analysis") -> None:
        measures = analysis.measures
        self._analysis = analysis
        self._summary = measures.summary
        self._kinds = _kinds(measures.target_kinds.to_pylist())
        self._site = measures.site.to_pylist()[0]
        self._distinct_pages: dict[int | None, int] = {
            row["client"]: row["pages"] for row in measures.distinct_pages.to_pylist()
        }
        self._repeats = {row["client"]: row for row in measures.repeats.to_pylist()}
        self._internal = {row["client"]: row["requests"] for row in measures.internal_referers.to_pylist()}
        self._answers = by_client(measures.answers)
        self._earlier = answers_before(analysis)
        self._disguises = by_client(measures.disguises)
        self._neighbours = by_client(measures.neighbours)
        self._shared: Mapping[int, SharedDocument] = sharing(analysis)
        self._addresses = by_client(measures.addresses)
        self._address_peaks = _peaks(measures.address_rates.to_pylist())
        self._limited = {row["client"]: row["limited"] for row in measures.restraint.to_pylist()}
        self._requests = sum(row["requests"] for row in self._summary.values())
        self._bytes = sum(row["bytes"] for row in self._summary.values())
        requests = analysis.log.request_rows
        self._logged = {name: requests.has(name) for name in ("user_agent", "client_ip", "referer")}

    def identity(self, code: int) -> dict[str, Any]:
        person = self._analysis.identities[code]
        facts = ("kind", "user_triggered", "token", "legal_token")
        return {
            "client": person.name,
            "automated": person.automated,
            **{name: person.leading[name] for name in facts},
            "robots_tokens": person.robots_tokens,
            "version": person.versions[0] if person.versions else None,
            "contact": person.contact,
            "flags": tuple(person.flags),
            "user_agent_logged": self._logged["user_agent"],
        }

    def volume(self, code: int) -> dict[str, Any]:
        row, kinds = self._summary[code], self._kinds[code]
        return {
            "requests": row["requests"],
            "bytes": row["bytes"],
            "request_share": row["requests"] / self._requests if self._requests else 0.0,
            "byte_share": row["bytes"] / self._bytes if self._bytes else 0.0,
            "addresses": row["addresses"] if self._logged["client_ip"] else None,
            "first_h": self._hours(row["first_us"]),
            "last_h": self._hours(row["last_us"]),
            "pages": kinds["page"],
            "distinct_pages": self._distinct_pages.get(code, 0),
            "site_pages": self._distinct_pages[None],
        }

    def reading(self, code: int, ledger: ClientRobotsDocument) -> dict[str, Any]:
        read = [*read_at(self._earlier[code]), *read_at(self._answers[code])]
        last = self._summary[code]["last_us"]
        unread = [later - earlier for earlier, later in zip(read, [*read[1:], last], strict=True)] if read else []
        counts = ("allowed", "violation", "grace", "exempt", "unjudged", "unjudged_reasons", "blocked_by_name")
        return {
            **{name: ledger[name] for name in counts},  # type: ignore[literal-required] # names of the document
            "robots_asked": self._summary[code]["robots_asked"],
            "robots_kept_back": ledger["reading"] == "not given",
            "robots_fetches": len(read),
            "first_read_h": self._hours(read[0]) if read else None,
            "first_before_page": ledger["first_before_page"],
            "longest_unread_h": max(unread) / HOUR_US if unread else None,
            "probably_read": ledger["probably_read"],
        }

    def disguise(self, code: int) -> dict[str, Any]:
        if not (self._logged["client_ip"] and self._logged["user_agent"]):
            return {"disguised_requests": None}
        evading = [row for row in self._disguises[code] if row["reason"] == EVADING]
        rows = [row for row in self._disguises[code] if row["reason"] != EVADING]
        return {
            "evading_requests": sum(row["count"] for row in evading),
            "evading_addresses": len(evading),
            "disguised_requests": sum(row["count"] for row in rows),
            "disguised_addresses": len({row["address"] for row in rows}),
        }

    def reaction(self, backoff: BackoffDocument) -> dict[str, Any]:
        same = ("refusals", "worst", "waits", "kept", "asked_known", "early", "resumes", "resume_ratio")
        return {
            **{name: backoff[name] for name in same},  # type: ignore[literal-required] # names of the document
            "same_target_early": backoff["same_target_early"],
            "same_target_later": backoff["same_target_later"],
            "patterns": tuple(found["pattern"] for found in backoff["patterns"]),
        }

    def pace(self, code: int, rates: RatesDocument) -> dict[str, Any]:
        return {
            "peak_60s": rates["peak_60s"],
            "address_peak_60s": self._address_peaks.get(code),
            "concurrency": rates["concurrency"],
            "crawl_delay_s": rates["crawl_delay_s"],
            "crawl_delay_gaps": rates["crawl_delay_gaps"] or 0,
            "crawl_delay_short": rates["crawl_delay_short"] or 0,
            "limited": self._limited.get(code),
        }

    def content(self, code: int) -> dict[str, Any]:
        kinds, repeats = self._kinds[code], self._repeats.get(code)
        return {
            "not_modified": self._summary[code]["not_modified"],
            "site_not_modified": self._site["not_modified"],
            "repeats": repeats["repeats"] if repeats else 0,
            "repeat_bytes": repeats["bytes"] if repeats else 0,
            "avoidable_repeats": repeats["avoidable"] if repeats else 0,
            "avoidable_repeat_bytes": repeats["avoidable_bytes"] if repeats else 0,
            "sitemaps": kinds["sitemap"],
            "feeds": kinds["feed"],
            "llms": kinds["llms"],
            "site_machine_files": self._site["machine_files"],
            "internal_referers": self._internal.get(code, 0) if self._knows_referers() else None,
        }

    def company(self, code: int) -> dict[str, Any]:
        names, addresses = self._analysis.columns.clients, self._analysis.columns.addresses
        shared = self._shared.get(code)
        others = sorted(self._neighbours[code], key=lambda row: (-row["requests"], row["neighbour"]))
        own = sorted(self._addresses[code], key=lambda row: (-row["requests"], row["address"] or 0))
        return {
            "others_requests": shared["requests"] if shared else 0,
            "people_requests": shared["people_requests"] if shared else 0,
            "people_addresses": shared["people_addresses"] if shared else 0,
            "neighbours": tuple((names[row["neighbour"]], row["requests"]) for row in others[:NEIGHBOURS]),
            "top_addresses": tuple(addresses[row["address"]].as_py() for row in own if row["address"] is not None),
        }

    def _knows_referers(self) -> bool:
        return self._logged["referer"] and len(self._analysis.columns.hosts) > 0

    def _hours(self, us: int | None) -> float:
        return 0.0 if us is None else (us - self._analysis.measures.span_us[0]) / HOUR_US


def _kinds(rows: Sequence[Row]) -> Mapping[int, Mapping[str, int]]:
    """Requests by client and kind of target; zero for what did not come."""
    found: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        found[row["client"]][row["kind"]] = row["requests"]
    return found


def _peaks(rows: Sequence[Row]) -> dict[int, int]:
    """Highest peak over 60 s of any one address of each client."""
    found: dict[int, int] = {}
    for row in rows:
        found[row["client"]] = max(found.get(row["client"], 0), row["peak_60s"])
    return found
