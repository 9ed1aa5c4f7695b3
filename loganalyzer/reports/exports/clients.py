"""Tables of clients: every one, and what was found of each."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loganalyzer.document.client import ClientDocument
from loganalyzer.reports.exports.table import Table, count, flag, instant, number, text

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Rows = Iterator[Mapping[str, Any]]
LISTED = "comma-separated"
CLASSES = ("allowed", "violation", "grace", "exempt", "unjudged")
# Of a client that is described; null for the others, of which there are more than a report can judge one by one.
ROBOTS = (*CLASSES, "fetches", "blocked_by_name", "longest_gap_h", "first_before_page")
REACTION = ("refusals", "worst", "waits", "kept", "early", "asked_s", "first_return_s")


def _clients(analysis: "Analysis") -> Rows:
    described = {client["client"]: client for client in analysis.to_dict()["clients"]}
    summary = analysis.measures.summary.values()
    requests, size = (sum(row[key] for row in summary) for key in ("requests", "bytes"))
    rows = sorted(summary, key=lambda row: (-row["requests"], analysis.identities[row["client"]].name))
    for row in rows:
        person = analysis.identities[row["client"]]
        yield {
            **person.leading,
            "client": person.name,
            "contact": person.contact,
            "robots_tokens": ", ".join(person.robots_tokens),
            "versions": ", ".join(person.versions),
            "flags": ", ".join(person.flags),
            "requests": row["requests"],
            "bytes": row["bytes"],
            "request_share": row["requests"] / requests if requests else None,
            "byte_share": row["bytes"] / size if size else None,
            "addresses": row["addresses"],
            "untimed": row["untimed"],
            "first": row["first_us"],
            "last": row["last_us"],
            **_judged(described.get(person.name)),
            "refusals": row["refusals"],
        }


def _judged(client: ClientDocument | None) -> Mapping[str, Any]:
    if client is None:
        return {"described": False, **dict.fromkeys((*ROBOTS, *REACTION, "identity", "networks", "lever"))}
    robots: Mapping[str, Any] = client["robots"]
    backoff: Mapping[str, Any] = client["backoff"]
    return {
        "described": True,
        **{name: robots[name] for name in ROBOTS},
        **{name: backoff[name] for name in REACTION},
        "identity": client["identity"],
        "networks": client["networks"],
        "lever": client["lever"]["lever"],
    }


def _statuses(analysis: "Analysis") -> Rows:
    rows = analysis.measures.statuses.to_pylist()
    named = ({**row, "client": analysis.columns.clients[row["client"]]} for row in rows)
    yield from sorted(named, key=lambda row: (row["client"], row["status"] or 0))


def _agents(analysis: "Analysis") -> Rows:
    rows = zip(analysis.columns.agents.to_pylist(), analysis.columns.agent_requests, strict=True)
    used = [{**row, "requests": requests} for row, requests in rows if requests]
    for row in sorted(used, key=lambda row: (-row["requests"], row["user_agent"] or "")):
        yield {**row, "flags": ", ".join(row["flags"] or ())}


def _etiquette(analysis: "Analysis") -> Rows:
    for client in analysis.to_dict()["clients"]:
        for row in client["etiquette"]:
            yield {**row, "client": client["client"]}


def _levers(analysis: "Analysis") -> Rows:
    for client in analysis.to_dict()["clients"]:
        yield {**client["lever"], "client": client["client"]}


TABLES = (
    Table(
        "clients",
        "Every client. What follows `described` is null for those that are not described one by one (beyond 2,000).",
        (
            *text("client", "kind", "purpose", "operator", "contact", "docs_url", "declares_robots"),
            *flag("automated", "user_triggered", "legal_token"),
            *text("robots_tokens", "versions", "flags", unit=LISTED),
            *count("requests", "untimed", "refusals", unit="requests"),
            *count("bytes", unit="bytes"),
            *number("request_share", "byte_share", unit="fraction of all"),
            *count("addresses", unit="addresses"),
            *instant("first", "last"),
            *flag("described"),
            *text("identity"),
            *count("networks", unit="networks"),
            *count(*CLASSES, "fetches", "blocked_by_name", unit="requests"),
            *number("longest_gap_h", unit="h"),
            *flag("first_before_page"),
            *text("worst"),
            *count("waits", "kept", unit="waits"),
            *count("early", unit="requests"),
            *number("asked_s", "first_return_s", unit="s"),
            *text("lever"),
        ),
        _clients,
    ),
    Table(
        "statuses",
        "Requests of each client by status; null: none was logged.",
        (*text("client"), *count("status"), *count("requests", unit="requests")),
        _statuses,
    ),
    Table(
        "user_agents",
        "Every user agent with what it claims; null: none was sent.",
        (
            *text("user_agent", "client", "token", "version", "contact", "kind", "purpose", "operator"),
            *flag("automated"),
            *text("flags", unit=LISTED),
            *count("requests", unit="requests"),
        ),
        _agents,
    ),
    Table(
        "etiquette",
        "Each row of etiquette of each client that is described.",
        text("client", "row", "title", "verdict", "sentence"),
        _etiquette,
    ),
    Table(
        "levers",
        "The mildest lever for each client that is described, and what it would save.",
        (
            *text("client", "lever", "title", "why"),
            *count("saves_requests", unit="requests"),
            *count("saves_bytes", unit="bytes"),
            *text("base", "text", "collateral"),
        ),
        _levers,
    ),
)
