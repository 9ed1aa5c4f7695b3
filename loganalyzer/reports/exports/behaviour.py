"""Tables of what clients did: robots.txt, pace, refusals, disguises, suspects. None is cut short."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loganalyzer.analysis import evidence, ledger
from loganalyzer.analysis.suspicion import suspects
from loganalyzer.reports.exports.table import Table, count, flag, instant, number, text
from loganalyzer.reports.exports.when import moment

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Rows = Iterator[Mapping[str, Any]]
US = 1_000_000


def _classes(analysis: "Analysis") -> Rows:
    """The classes of the ledger, with those of what was not replayed: they add up to each client's requests."""
    for client in analysis.to_dict()["clients"]:
        robots: Mapping[str, Any] = client["robots"]
        for name in ("allowed", "violation", "grace"):
            if robots[name]:
                yield {"client": client["client"], "class": name, "reason": None, "requests": robots[name]}
        for name in ("exempt", "unjudged"):
            for reason, requests in robots[f"{name}_reasons"].items():
                yield {"client": client["client"], "class": name, "reason": reason, "requests": requests}
            if rest := robots[name] - sum(robots[f"{name}_reasons"].values()):
                yield {"client": client["client"], "class": name, "reason": None, "requests": rest}


def _rules(analysis: "Analysis") -> Rows:
    found = ledger.rules(analysis, lambda value: evidence.place(analysis, value))
    for code, name in enumerate(analysis.columns.clients):
        for rule in found.get(code, []):
            moments = {"first": moment(rule["first"]), "last": moment(rule["last"])}
            evidences = ", ".join(rule["evidence"])
            yield {**rule, **moments, "client": name, "evidence": evidences}


def _rates(analysis: "Analysis") -> Rows:
    measures, columns = analysis.measures, analysis.columns
    asked = {row["client"]: row for row in measures.restraint.to_pylist() if row["delay_s"]}
    rows = [*measures.rates.to_pylist(), *measures.address_rates.to_pylist()]
    named = [(columns.clients[row["client"]], _address(analysis, row["address"]), row) for row in rows]
    for client, address, row in sorted(named, key=lambda item: (item[0], item[1] or "")):
        delay = asked.get(row["client"], {}) if row["address"] is None else {}
        yield {
            **row,
            "client": client,
            "address": address,
            "first": row["first_us"],
            "last": row["last_us"],
            "peak_1s_at": row["peak_1s_at_us"],
            "peak_60s_at": row["peak_60s_at_us"],
            "burst_at": row["burst_at_us"],
            "burst_s": None if row["burst_us"] is None else row["burst_us"] / US,
            "crawl_delay_s": delay.get("delay_s"),
            "crawl_delay_gaps": delay.get("gaps"),
            "crawl_delay_short": delay.get("violations"),
        }


def _episodes(analysis: "Analysis") -> Rows:
    measures = analysis.measures
    for key, table in (("address", measures.episodes), ("token", measures.token_episodes)):
        rows = (
            {
                **row,
                "key": key,
                "client": analysis.columns.clients[row["client"]],
                "address": _address(analysis, row["address"]),
                "first": row["t0"],
                "last": row["t1"],
            }
            for row in table.to_pylist()
        )
        yield from sorted(rows, key=lambda row: (row["client"], row["first"], row["address"] or ""))


def _effects(analysis: "Analysis") -> Rows:
    rows = analysis.measures.refusal_effects.to_pylist()
    named = ({**row, "client": analysis.columns.clients[row["client"]]} for row in rows)
    for row in sorted(named, key=lambda row: str(row["client"])):
        yield {**row, "first_refusal": row["t0"], "window_s": max(row["width"], 0) / US}


def _disguises(analysis: "Analysis") -> Rows:
    rows = analysis.measures.disguises.to_pylist()
    named = (
        {
            "client": analysis.columns.clients[row["client"]],
            "address": _address(analysis, row["address"]),
            "reason": row["reason"],
            "requests": row["count"],
            "first": row["first_us"],
            "evidence": ", ".join(evidence.place(analysis, value) for value in row["ids"]),
        }
        for row in rows
    )
    yield from sorted(named, key=lambda row: (row["client"], row["address"] or "", row["reason"]))


def _suspects(analysis: "Analysis") -> Rows:
    for one in suspects(analysis, most=None):
        moments = {"first": moment(one["first"]), "last": moment(one["last"])}
        signs = "; ".join(f"{name}: {sentence}" for name, sentence in one["signs"].items())
        yield {**one, **moments, "signs": signs, "examples": ", ".join(one["examples"])}


def _address(analysis: "Analysis", code: int | None) -> str | None:
    return None if code is None else str(analysis.columns.addresses[code].as_py())


TABLES = (
    Table(
        "classes",
        "Requests by how they stand to robots.txt, of each client that is described; they add up to its requests.",
        (*text("client", "class", "reason"), *count("requests", unit="requests")),
        _classes,
    ),
    Table(
        "rules",
        "Each rule that forbade requests, by client, version and decision (violation, or grace of an older copy).",
        (
            *text("client", "decision", "rule", "group"),
            *count("line"),
            *text("version"),
            *count("requests", unit="requests"),
            *count("bytes", unit="bytes"),
            *instant("first", "last"),
            *text("evidence", unit="comma-separated source:line, three at most"),
        ),
        _rules,
    ),
    Table(
        "rates",
        "Pace of each client; and of each address (not null) of the clients that people send.",
        (
            *text("client", "address"),
            *count("requests", "peak_1s", "peak_60s", "burst", "concurrency", unit="requests"),
            *number("mean_active", unit="requests/s"),
            *number("burst_s", unit="s"),
            *instant("first", "last", "peak_1s_at", "peak_60s_at", "burst_at"),
            *number("crawl_delay_s", unit="s"),
            *count("crawl_delay_gaps", "crawl_delay_short", unit="gaps"),
        ),
        _rates,
    ),
    Table(
        "episodes",
        "Every chain of refusals and what followed, counted by address and once more by token.",
        (
            *text("key", "client", "address", "verdict", "shape", "course"),
            *instant("first", "last"),
            *count("refusals", "early", "same_target_early", "in_flight", "robots_in_wait", unit="requests"),
            *count("waits", "kept", unit="waits"),
            *number("asked_s", "first_return_s", unit="s"),
            *flag("asked_known"),
            *number("pace_before", "pace_in_wait", "pace_after", unit="requests/s"),
            *number("ratio", unit="pace_in_wait / pace_before"),
        ),
        _episodes,
    ),
    Table(
        "refusal_effects",
        "What each refused client sent before its first refusal and from it on; `near`: in windows of equal length.",
        (
            *text("client"),
            *instant("first_refusal"),
            *number("window_s", unit="s"),
            *count("requests_before", "requests_after", "refusals", unit="requests"),
            *count("near_requests_before", "near_requests_after", "near_refusals", unit="requests"),
            *count("bytes_before", "bytes_after", "near_bytes_before", "near_bytes_after", unit="bytes"),
        ),
        _effects,
    ),
    Table(
        "disguises",
        "Each address where a client seems to have come back under another name.",
        (
            *text("client", "address", "reason"),
            *count("requests", unit="requests"),
            *instant("first"),
            *text("evidence", unit="comma-separated source:line, three at most"),
        ),
        _disguises,
    ),
    Table(
        "suspects",
        "Browsers' user agents that behave like programs: suspected, and counted as browsers.",
        (
            *text("address", "user_agent"),
            *count("requests", "pages", "distinct_pages", "assets", "referred", "robots_reads", unit="requests"),
            *count("peak_60s", unit="pages"),
            *number("gap_s", "gap_spread_s", unit="s"),
            *count("companions", unit="user agents"),
            *instant("first", "last"),
            *text("signs", unit="semicolon-separated"),
            *text("examples", unit="comma-separated source:line, three at most"),
            *text("evidence"),
        ),
        _suspects,
    ),
)
