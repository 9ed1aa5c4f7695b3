"""Tables of a comparison; they have no row where none was asked for."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loganalyzer.reports.exports.table import Table, count, flag, instant, number, text
from loganalyzer.reports.exports.when import moment_or_none

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Rows = Iterator[Mapping[str, Any]]
SIDES = {"before": "before", "now": "after"}  # as tables call them, and the document
COUNTS = ("requests", "bytes", "refusals", "violations", "judged")
RATES = ("requests_per_day", "bytes_per_day")
VERDICTS = ("robots", "reaction")


def _periods(analysis: "Analysis") -> Rows:
    compared: Any = analysis.to_dict()["compare"]
    for side, key in SIDES.items() if compared else ():
        period = compared[key]
        instants = {name: moment_or_none(period[name]) for name in ("since", "until", "begins", "ends")}
        sources, caveats = "; ".join(period["sources"]), "; ".join(compared["caveats"])
        yield {**period, **instants, "side": side, "sources": sources, "caveats": caveats}


def _clients(analysis: "Analysis") -> Rows:
    compared: Any = analysis.to_dict()["compare"]
    for client in compared["clients"] if compared else ():
        both = {
            f"{name}_{side}": client[key][name] for side, key in SIDES.items() for name in COUNTS + RATES + VERDICTS
        }
        yield {**client, **both}


def _both(*names: str) -> list[str]:
    return [f"{name}_{side}" for name in names for side in SIDES]


TABLES = (
    Table(
        "compared_periods",
        "The two that are compared (--compare), and what makes them unlike; now is what the other tables are about.",
        (
            *text("side"),
            *instant("since", "until", "begins", "ends"),
            *number("days", unit="days of 24 h"),
            *count("requests", "automated_requests", "refusals", "violations", unit="requests"),
            *count("bytes", unit="bytes"),
            *count("rejects", unit="lines"),
            *count("clients", "automated_clients", unit="clients"),
            *text("sources", "caveats", unit="semicolon-separated"),
        ),
        _periods,
    ),
    Table(
        "compared_clients",
        "Each client before and now (--compare), largest change of requests per day first.",
        (
            *text("client"),
            *flag("automated"),
            *text("purpose", "change"),
            *number("ratio", unit="times as many requests per day"),
            *number("change_per_day", unit="requests/day"),
            *number("bytes_change_per_day", unit="bytes/day"),
            *count(*_both("requests", "refusals", "violations", "judged"), unit="requests"),
            *count(*_both("bytes"), unit="bytes"),
            *number(*_both("requests_per_day"), unit="requests/day"),
            *number(*_both("bytes_per_day"), unit="bytes/day"),
            *text(*_both("robots", "reaction")),
        ),
        _clients,
    ),
)
