"""Rules that are suggested, each with what it would save for each client and whom it would catch."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from loganalyzer.analysis.drafting import Suggested
from loganalyzer.drafts import Effect
from loganalyzer.drafts.suggestions import MOST_SUGGESTIONS, PEOPLE_SHARE, PEOPLE_TO_CRAWLERS, WORTH, Suggestion
from loganalyzer.reports.effects import SCHEMA_VERSION, between, saving
from loganalyzer.reports.layout import Column
from loganalyzer.reports.sections import Answer, Section
from loganalyzer.reports.wording import plural, share, size, some

TITLE = "Where crawlers spend much and gain little"
MOST_CLIENTS = 10
CLIENTS = (
    Column("client", least=12),
    Column("so far", least=8),
    Column("requests", right=True),
    Column("bytes", right=True),
    Column("saves", right=True),
    Column("between", right=True, goes=1),
)
BASE = (
    f"At most {MOST_SUGGESTIONS} rules, each worth {share(WORTH)} of what crawlers spend; none that catches more than "
    f"{share(PEOPLE_SHARE)} of what people get, or more of it than {share(PEOPLE_TO_CRAWLERS)} of the requests that it "
    f"saves, and none that catches a feed or a sitemap. People who come by pages that a crawler no longer reads are "
    f"not counted: look at the examples."
)
NOTHING = "No rule would save enough without catching what people reach."


def answer(found: Sequence[Suggested], robots: Sequence[str], host: str | None = None) -> Answer:
    """The suggestions, most saved first; of one host alone, where it is named."""
    whose = [f"Only requests for {host} count, and shares are of these."] if host else []
    head = Section("In all", [*whose, BASE] if found else [*whose, NOTHING, BASE])
    told = [_section(number, one, effect, lines) for number, (one, effect, lines) in enumerate(found, 1)]
    return Answer(TITLE, [head, *told], _document(found, robots))


def _section(number: int, one: Suggestion, effect: Effect, lines: Sequence[str]) -> Section:
    rows = [row for row in effect.clients.to_pylist() if row["forbidden_requests"]]
    return Section(
        f"{number}. {one.kind}: {some(one.paths)}",
        list(_sentences(one, effect, lines)),
        CLIENTS,
        [_client(row) for row in rows[:MOST_CLIENTS]],
        one.rules,
    )


def _sentences(one: Suggestion, effect: Effect, lines: Sequence[str]) -> Iterator[str]:
    yield (
        f"Crawlers spend {plural(one.requests, 'request')} and {size(one.bytes)} on it: {one.why}; as "
        f"{some(one.examples)}. Lines: {some(lines)}."
    )
    of = one.people / one.of_people if one.of_people else 0.0
    yield f"People got such pages {plural(one.people, 'time')} ({share(of)} of what they got)."
    yield f"It would save {between(effect.requests)} of all requests if clients behave as before."
    for broken in effect.breaks:
        yield f"It takes {plural(broken.targets, 'address', 'addresses')} from {broken.who}: {broken.kind}."


def _client(row: dict[str, Any]) -> tuple[str, ...]:
    saves = row["saves_requests"]
    return (
        row["client"],
        row["standing"],
        f"{row['forbidden_requests']:,}",
        size(row["forbidden_bytes"]),
        "unknown" if saves is None else f"{saves:,.0f}",
        f"{row['saves_requests_low']:,.0f} to {row['saves_requests_high']:,.0f}",
    )


def _document(found: Sequence[Suggested], robots: Sequence[str]) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "robots": list(robots),
        "suggestions": [
            asdict(one)
            | {
                "rules": one.rules,
                "evidence": list(lines),
                "totals": {"requests": saving(effect.requests), "bytes": saving(effect.bytes)},
                "clients": effect.clients.to_pylist(),
                "breaks": [asdict(broken) for broken in effect.breaks],
            }
            for one, effect, lines in found
        ],
    }
