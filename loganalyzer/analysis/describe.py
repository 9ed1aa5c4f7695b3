"""The document of an analysis: every number with the names and instants that a reader needs. Computes no measure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer import __version__
from loganalyzer.analysis import content, evidence, ledger, pace, refusal_effects, standing
from loganalyzer.analysis.changes import changes
from loganalyzer.analysis.comparison import Side, compare
from loganalyzer.analysis.findings import findings
from loganalyzer.analysis.identity import Identity
from loganalyzer.analysis.judgement import judge
from loganalyzer.analysis.notes import notes, size_notes
from loganalyzer.analysis.rows import Row, by_client, instant_or_none
from loganalyzer.analysis.sharing import shared
from loganalyzer.analysis.suspicion import suspects
from loganalyzer.backoff import ignores, went_on
from loganalyzer.document import (
    SCHEMA_VERSION,
    InputDocument,
    RejectDocument,
    ReportDocument,
    SeriesDocument,
    TotalsDocument,
)
from loganalyzer.document.client import ClientDocument
from loganalyzer.epoch import iso
from loganalyzer.etiquette import manners
from loganalyzer.formats import Input
from loganalyzer.robots.timeline import sizes, timeline
from loganalyzer.suspects import THRESHOLDS as SUSPECT_THRESHOLDS

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

US = 1_000_000
EXAMPLES = 3
MOST_CLIENTS = 2_000  # described one by one; the totals are of all
LOGGED = {
    "request_time": ("request_time_s",),
    "retry_after": ("retry_after",),
    "host": ("host",),
    "accept": ("accept",),
    "conditional": ("if_none_match", "if_modified_since"),
    "limit_status": ("limit_status",),
    "user_agent": ("user_agent",),
}


def document(analysis: "Analysis") -> ReportDocument:
    """Describe everything that was measured."""
    ends, window_s = _ends(analysis.measures.summary.values()), _window_s(analysis)
    clients = _clients(analysis, window_s, _described(analysis))
    hosts = analysis.columns.hosts.to_pylist()
    robots_sizes = sizes(analysis.measures.answers, hosts, analysis.history)
    totals = _totals(analysis, clients, ends, window_s)
    told: ReportDocument = {
        "schema_version": SCHEMA_VERSION,
        "generator": f"loganalyzer {__version__}",
        "asked": {
            "since": instant_or_none(analysis.log.since_us),
            "until": instant_or_none(analysis.log.until_us),
        },
        "inputs": [_input(item) for item in analysis.log.inputs],
        "totals": totals,
        "rejects": _rejects(analysis),
        "robots_versions": analysis.history.document(),
        "robots_changes": changes(analysis, lambda value: evidence.place(analysis, value)),
        "robots_answers": timeline(analysis.measures.answers, hosts, analysis.columns.clients),
        "robots_sizes": robots_sizes,
        "findings": findings(clients, analysis.command),
        "clients": clients,
        "suspected": suspects(analysis),
        "shared_addresses": shared(analysis),
        "series": _series(analysis),
        "thresholds": asdict(analysis.thresholds) | SUSPECT_THRESHOLDS | ledger.THRESHOLDS,
        "notes": [
            *_period(analysis),
            *notes(totals, analysis.history),
            *size_notes(robots_sizes),
            *analysis.grace.notes(analysis.policies),
        ],
        "verification": standing.verification(analysis),
        "compare": None,
    }
    if analysis.before is not None:
        told["compare"] = compare(Side(analysis.before, analysis.before.to_dict()), Side(analysis, told))
    return told


def _period(analysis: "Analysis") -> list[str]:
    """What is counted where a period was asked for."""
    log = analysis.log
    bounds = (("since", log.since_us), ("before", log.until_us))
    asked = " and ".join(f"{word} {iso(us)}" for word, us in bounds if us is not None)
    whole = sum(item.lines for item in log.inputs)
    told = (
        f"anything of what lies outside the period: counted are the requests and rejects {asked}; the lines, requests "
        f"and rejects of each input, and the {whole:,} lines of all, are those of whole logs"
    )
    return [told] if asked else []


def _ends(rows: Iterable[Row]) -> tuple[int, int] | None:
    """First and last start of a request; null where no time is known."""
    timed = [row for row in rows if row["first_us"] is not None]
    return (min(row["first_us"] for row in timed), max(row["last_us"] for row in timed)) if timed else None


def client(analysis: "Analysis", code: int) -> ClientDocument:
    """Describe one client alone."""
    return _clients(analysis, _window_s(analysis), [code])[0]


def window(analysis: "Analysis") -> tuple[str | None, str | None]:
    """First and last instant of the log."""
    ends = _ends(analysis.measures.summary.values())
    return (None, None) if ends is None else (instant_or_none(ends[0]), instant_or_none(ends[1]))


def gaps(analysis: "Analysis") -> list[str]:
    """What the log cannot say of a client."""
    ends = _ends(analysis.measures.summary.values())
    totals = _totals(analysis, [], ends, _window_s(analysis))
    return notes({**totals, "described": totals["clients"]}, analysis.history)


def _window_s(analysis: "Analysis") -> float:
    ends = _ends(analysis.measures.summary.values())
    return 0.0 if ends is None else (ends[1] - ends[0]) / US


def _clients(analysis: "Analysis", window_s: float, codes: Sequence[int]) -> list[ClientDocument]:
    measures = analysis.measures
    summary = measures.summary
    addresses, statuses = by_client(measures.addresses), by_client(measures.statuses)
    ledgers = ledger.ledgers(analysis, codes, lambda value: evidence.place(analysis, value))
    paces = pace.rates(analysis, codes, window_s)
    by_address = pace.address_rates(analysis, codes)
    backoffs = pace.backoffs(analysis, codes)
    contents, over_time = content.contents(analysis, codes), content.series(analysis, codes)
    networks, shared = by_client(measures.origins.networks), standing.shared(analysis)
    standings = standing.standings(analysis, codes)
    after_refusal = refusal_effects.effects(analysis, codes)
    judgements = judge(analysis, ledgers, paces, backoffs, standings)
    requests, size = (sum(row[key] for row in summary.values()) for key in ("requests", "bytes"))
    clients: list[ClientDocument] = []
    for code in codes:
        row, person = summary[code], analysis.identities[code]
        clients.append(
            {
                "client": person.name,
                "automated": person.automated,
                **_named(person),  # type: ignore[typeddict-item] # keys of the document
                "identity": standing.sentence(person, standings[code]),
                "requests": row["requests"],
                "bytes": row["bytes"],
                "request_share": _share(row["requests"], requests),
                "byte_share": _share(row["bytes"], size),
                "addresses": row["addresses"],
                "top_addresses": _top_addresses(analysis, addresses[code]),
                "networks": next((row["networks"] for row in networks[code]), 0),
                "top_networks": standing.networks(analysis, code, networks[code]),
                "shared": shared.get(code),
                "verification": standings[code],
                "first": instant_or_none(row["first_us"]),
                "last": instant_or_none(row["last_us"]),
                "statuses": _statuses(statuses[code]),
                "user_agents": [list(pair) for pair in person.user_agents],
                "robots": ledgers[code],
                "rates": paces[code],
                "rates_by_address": by_address[code],
                "content": contents[code],
                "series": over_time.get(code),
                "backoff": backoffs[code],
                "etiquette": judgements[code].etiquette,
                "manners": manners(judgements[code].etiquette),
                "lever": judgements[code].lever,
                "refusal_effect": after_refusal.get(code),
            }
        )
    return sorted(clients, key=lambda client: (-client["requests"], client["client"]))


def _named(person: Identity) -> dict[str, Any]:
    """What a client says of itself, and what is known of its name."""
    leading = person.leading
    known = ("kind", "purpose", "operator", "docs_url", "user_triggered", "declares_robots", "legal_token")
    return {
        **{name: leading[name] for name in known},
        "contact": person.contact,
        "robots_tokens": list(person.robots_tokens),
        "versions": list(person.versions),
        "flags": list(person.flags),
        "flagged": dict(person.flags),
    }


def _described(analysis: "Analysis") -> list[int]:
    """Codes of the clients that are described one by one: who broke a rule or was refused first, then the busiest.

    Names are free: whoever sends a new one with each request must not make a report that no machine can hold.
    """
    measures = analysis.measures
    broke = set(measures.rules["client"].to_pylist()) | set(measures.episodes["client"].to_pylist())
    rows = sorted(measures.summary.values(), key=lambda row: (row["client"] not in broke, -row["requests"]))
    return [row["client"] for row in rows[:MOST_CLIENTS]]


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0


def _top_addresses(analysis: "Analysis", rows: Sequence[Row]) -> list[list[object]]:
    names = analysis.columns.addresses
    named = [[None if row["address"] is None else names[row["address"]].as_py(), row["requests"]] for row in rows]
    return sorted(named, key=lambda pair: (-pair[1], pair[0] or ""))


def _statuses(rows: Sequence[Row]) -> dict[str, int]:
    counts = {"-" if row["status"] is None else str(row["status"]): row["requests"] for row in rows}
    return dict(sorted(counts.items()))


def _totals(
    analysis: "Analysis", clients: Sequence[ClientDocument], ends: tuple[int, int] | None, window_s: float
) -> TotalsDocument:
    rows = analysis.measures.summary.values()
    automated = [row for row in rows if analysis.identities[row["client"]].automated]
    violating = analysis.measures.rules.filter(pc.equal(analysis.measures.rules["class"], "violation"))["client"]
    requests = analysis.log.request_rows
    hosts = analysis.columns.hosts
    return {
        "lines": sum(item.lines for item in analysis.log.inputs),
        "rejects": analysis.log.reject_rows.num_rows,
        "requests": requests.num_rows,
        "bytes": sum(row["bytes"] for row in rows),
        "suspected": analysis.measures.suspects.num_rows,
        "suspected_requests": pc.sum(analysis.measures.suspects["requests"]).as_py() or 0,
        "untimed": sum(row["untimed"] for row in rows),
        "clients": len(rows),
        "described": len(clients),
        "automated_clients": len(automated),
        "automated_requests": sum(row["requests"] for row in automated),
        "automated_bytes": sum(row["bytes"] for row in automated),
        "refusals": sum(row["refusals"] for row in rows),
        "violating_clients": pc.count_distinct(violating).as_py(),
        "ignoring_clients": sum(client["automated"] and _ignores(client) for client in clients),
        "first": instant_or_none(ends and ends[0]),
        "last": instant_or_none(ends and ends[1]),
        "window_s": window_s,
        "hosts": sorted(hosts[row["host"]].as_py() for row in analysis.measures.hosts.to_pylist()),
        "logged": {name: any(requests.has(column) for column in columns) for name, columns in LOGGED.items()},
    }


def _ignores(client: ClientDocument) -> bool:
    """Measured on enough waits, or so many early requests, to say so."""
    backoff = client["backoff"]
    return ignores(backoff) and (backoff["kept_interval"] is not None or went_on(backoff["worst"], backoff["early"]))


def _input(item: Input) -> InputDocument:
    return asdict(item) | {"formats": [list(pair) for pair in item.formats]}  # type: ignore[return-value] # the very fields


def _rejects(analysis: "Analysis") -> list[RejectDocument]:
    counts, places = Counter[str](), defaultdict[str, list[tuple[str, int]]](list)
    for table in analysis.log.reject_rows.tables(["source", "line", "reason"]):
        for reason in table["reason"].unique().to_pylist():
            mine = table.filter(pc.equal(table["reason"].cast(pa.string()), reason))
            counts[reason] += mine.num_rows
            rows = mine.drop_columns("reason").to_pylist()
            places[reason] = sorted([*places[reason], *((row["source"], row["line"]) for row in rows)])[:EXAMPLES]
    found: list[RejectDocument] = [
        {"reason": reason, "count": count, "examples": [f"{source}:{line}" for source, line in places[reason]]}
        for reason, count in counts.items()
    ]
    return sorted(found, key=lambda row: (-row["count"], row["reason"]))


def _series(analysis: "Analysis") -> SeriesDocument:
    """Requests by purpose in equal buckets, from the first request to the last, and the refusals among them."""
    rows = analysis.measures.series.to_pylist()
    width = analysis.measures.bucket_s * US
    start = min((row["bucket_us"] for row in rows), default=0)
    bars = (max((row["bucket_us"] for row in rows), default=0) - start) // width + 1 if rows else 0
    purposes: dict[str, list[int]] = defaultdict(lambda: [0] * bars)
    refusals = [0] * bars
    for row in rows:
        bar = (row["bucket_us"] - start) // width
        purposes[analysis.identities[row["client"]].purpose][bar] += row["requests"]
        refusals[bar] += row["refusals"]
    return {
        "bucket_s": analysis.measures.bucket_s,
        "start": iso(start),
        "purposes": dict(sorted(purposes.items(), key=lambda pair: (-sum(pair[1]), pair[0]))),
        "refusals": refusals,
    }
