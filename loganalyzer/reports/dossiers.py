"""The dossier of one client as text, Markdown, HTML and JSON: one page in one order, written four ways."""

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from loganalyzer.analysis.dossier import DossierDocument
from loganalyzer.document.client import EpisodeDocument
from loganalyzer.escape import code, inline, json_text, markdown
from loganalyzer.reports import facts, html, layout, timeline, wording
from loganalyzer.reports.blocks import HEADING
from loganalyzer.reports.definitions import REFUSAL, ROBOTS
from loganalyzer.reports.layout import Column, Line, Span, span
from loganalyzer.reports.tickets import fenced, grid

SOFTWARE = ("library", "tool", "scanner")  # kinds whose names are those of programs, not of who runs them
LEAST = {"rule": 12, "for example": 12}  # columns that give way
MOST_RULES, MOST_EPISODES, MOST_AGENTS, MOST_ADDRESSES = 10, 10, 3, 5


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in this order."""

    title: str
    told: Sequence[str] = ()
    items: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    titles: Sequence[str] = ()  # of the table; ">" at the end: numbers
    rows: Sequence[Sequence[str]] = ()
    verbatim: Sequence[str] = ()
    chart: Sequence[EpisodeDocument] = field(default=())  # drawn in HTML alone


def sections(dossier: DossierDocument) -> list[Section]:
    """The page, without sections that would be empty."""
    made = (_who, _rules, _fetches, _reactions, _pace, _content, _words, _lines, _unsaid, _asked)
    return [section for make in made if (section := make(dossier))]


def title(dossier: DossierDocument) -> str:
    """What the page is about."""
    hosts = wording.some(dossier["hosts"]) or "a web site"
    return f"{dossier['client']['client']} at {hosts}, {wording.period(dossier['first'], dossier['last'])}"


def _opening(dossier: DossierDocument) -> str:
    """What this page is, to somebody who never heard of it."""
    where, name = wording.some(dossier["hosts"]) or "a web site", dossier["client"]["client"]
    if dossier["client"]["kind"] in SOFTWARE:
        return (
            f"This page is to keep, not to send: {name} is software that anybody may run, so that what the access log "
            f"of {where} recorded under the name may be of several who know nothing of one another."
        )
    return (
        f"This page is for whoever runs {name}. It holds what the access log of {where} "
        f"recorded under that name, in counts and lines, and at its end what is asked for. Anybody can send any name: "
        f"some of it may not be yours."
    )


def _who(dossier: DossierDocument) -> Section:
    client = dossier["client"]
    known = facts.identity(client)
    agents = [("user agent", f"{agent or '(none sent)'} ({number:,})") for agent, number in client["user_agents"]]
    places = [("address", f"{address or '(not logged)'} ({number:,})") for address, number in client["top_addresses"]]
    return Section(
        "Who it is, and how sure that is",
        told=[_opening(dossier), facts.introduction(client)],
        facts=[
            *(
                (name, known[name])
                for name in ("operator", "versions", "answers", "networks", "flags")
                if name in known
            ),
            ("contact, as its user agent gives it", client["contact"] or "none"),
            *agents[:MOST_AGENTS],
            *places[:MOST_ADDRESSES],
        ],
    )


def _rules(dossier: DossierDocument) -> Section:
    client, versions = dossier["client"], dossier["robots_versions"]
    held = [
        f"{version['name']}, in force "
        f"{'from ' + wording.moment(version['in_force_from']) if version['in_force_from'] else 'for the whole log'}, "
        f"SHA-256 {version['sha256'][:16]}"
        for version in versions
    ]
    rules = client["robots"]["rules"]
    rows = [
        (
            rule["rule"],
            f"{rule['file']}:{rule['line']}",
            rule["group"],
            rule["decision"],
            wording.count(rule["requests"]),
            wording.size(rule["bytes"]),
            wording.moment(rule["first"]),
            wording.moment(rule["last"]),
            wording.some(rule["examples"], 1),
        )
        for rule in rules[:MOST_RULES]
    ]
    more = [f"and {len(rules) - MOST_RULES} more rules"] if len(rules) > MOST_RULES else []
    judged = facts.robots(client) if versions else "No robots.txt was given to hold its requests against."
    titles = ("rule", "line", "group", "decision", "requests>", "bytes>", "first (UTC)", "last (UTC)", "for example")
    return Section("robots.txt", told=[judged, *more], items=held, titles=titles if rows else (), rows=rows)


def _fetches(dossier: DossierDocument) -> Section | None:
    fetches = dossier["fetches"]
    if not fetches:
        return None
    told = [f"{wording.moment(fetch['at'])} ({fetch['status'] or 'no status'})" for fetch in fetches]
    of = sum(dossier["client"]["robots"]["answers"].values())
    which = "all" if of == len(told) else f"the last {len(told)} of {of:,}"
    return Section(
        f"When it asked for robots.txt, and the answer ({which}, UTC)",
        told=[", ".join(told) + "."],
    )


def _reactions(dossier: DossierDocument) -> Section | None:
    backoff = dossier["client"]["backoff"]
    if not backoff["refusals"]:
        return None
    episodes = backoff["episodes"][:MOST_EPISODES]
    rows = [
        (
            wording.moment(episode["first"]),
            episode["address"] or "all",
            f"{wording.seconds(episode['asked_s'])}{'' if episode['asked_known'] else ' ?'}",
            wording.count(episode["refusals"]),
            wording.count(episode["early"]),
            episode["verdict"].replace("_", " "),
            timeline.bar(episode),
        )
        for episode in episodes
    ]
    verdicts = backoff["per_address"] if backoff["headline"] == "address" else backoff["per_token"]
    of = sum(verdicts[name] for name in ("honoured", "slowed", "ignored", "escalated", "gave_up", "unobserved"))
    first = f"The first {len(episodes)} of {of:,} episodes. " if len(episodes) < of else ""
    legend = f"{first}Drawn: {timeline.LEGEND}. ? marks a wait that was assumed, for Retry-After was not logged."
    titles = ("first refusal (UTC)", "address", "asked>", "refused>", "early>", "measured", "drawn")
    return Section(
        f"After 429: {wording.reaction(backoff)}",
        told=[facts.refusals(dossier["client"]), legend],
        titles=titles,
        rows=rows,
        chart=episodes,
    )


def _pace(dossier: DossierDocument) -> Section:
    return Section("Pace", facts=list(facts.rates(dossier["client"]).items()))


def _content(dossier: DossierDocument) -> Section:
    return Section("What it asked for", facts=list(facts.content(dossier["client"]).items()))


def _words(dossier: DossierDocument) -> Section | None:
    """The words of verdicts that this page uses, as they are defined."""
    robots, backoff = dossier["client"]["robots"], dossier["client"]["backoff"]
    decisions = {rule["decision"] for rule in robots["rules"]}
    used = [
        *(("violation", ROBOTS["violated"]) for _ in decisions & {"violation"}),
        *(("grace", ROBOTS["grace"]) for _ in decisions & {"grace"}),
        *(("not bound", ROBOTS["not bound"]) for _ in range(robots["exempt"] > 0)),
        *(("not judged", ROBOTS["not judged"]) for _ in range(robots["unjudged"] > 0)),
    ]
    if backoff["refusals"]:
        measured = {episode["verdict"].replace("_", " ") for episode in backoff["episodes"]}
        used += [
            (word, said) for word, said in REFUSAL.items() if word in {"refusal", "asked wait", "early", *measured}
        ]
    return Section("What the words mean", items=[f"{word}: {said}" for word, said in used]) if used else None


def _lines(dossier: DossierDocument) -> Section:
    shown = [f"{line['place']}  {line['text']}  <- {line['why']}" for line in dossier["lines"]]
    return Section("Lines of the log (UTC)", told=[dossier["lines_rule"]], verbatim=shown)


def _unsaid(dossier: DossierDocument) -> Section | None:
    return Section("What the log cannot say", items=dossier["notes"]) if dossier["notes"] else None


def _asked(dossier: DossierDocument) -> Section:
    return Section("What is asked for", items=dossier["asked"])


def as_json(dossier: DossierDocument) -> str:
    """The whole document."""
    return json_text(json.dumps(dossier, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def as_text(dossier: DossierDocument, width: int = 80) -> str:
    """For a terminal or a plain letter; lines of the log and sentences keep their whole length."""
    lines: list[Line] = [(span(title(dossier), HEADING),)]
    for section in sections(dossier):
        lines += [(), (span(section.title, HEADING),)]
        for text in section.told:
            lines += _wrapped(text, width, "")
        for text in (*section.items, *(f"{name}: {value}" for name, value in section.facts)):
            lines += _wrapped(text, width, "- ")
        if section.rows:
            lines += layout.table(_columns(section), [tuple(map(span, row)) for row in section.rows], max(width, 160))
        lines += [(span(text),) for text in section.verbatim]
    return layout.plain(lines)


def _columns(section: Section) -> list[Column]:
    """Strangers' text may be cut, figures and instants never."""
    return [Column(name.rstrip(">"), right=name.endswith(">"), least=LEAST.get(name)) for name in section.titles]


def _wrapped(text: str, width: int, mark: str) -> list[Line]:
    """At blanks alone: what is longer than a line stays whole, for it may be an address to write to."""
    said = textwrap.wrap(inline(text), width - len(mark), break_long_words=False, break_on_hyphens=False)
    return [(Span((mark if number == 0 else " " * len(mark)) + line),) for number, line in enumerate(said)]


def as_markdown(dossier: DossierDocument) -> str:
    """For a ticket: strangers' text is in code spans, nothing of it is a link."""
    return "\n".join(_markdown(dossier)) + "\n"


def _markdown(dossier: DossierDocument) -> Iterator[str]:
    yield from (f"# {markdown(title(dossier))}", "")
    for section in sections(dossier):
        yield from (f"## {markdown(section.title)}", "")
        for text in section.told:
            yield from (markdown(text), "")
        if section.items or section.facts:
            yield from (f"- {markdown(text)}" for text in section.items)
            yield from (f"- {markdown(name)}: {code(value)}" for name, value in section.facts)
            yield ""
        if section.rows:
            yield from grid(section.titles, [[code(cell) for cell in row] for row in section.rows])
        if section.verbatim:
            yield from (*fenced("\n".join(map(inline, section.verbatim))), "")


def as_html(dossier: DossierDocument) -> str:
    """One page that needs nothing else."""
    return html.page(
        "dossier.html.j2", title=title(dossier), sections=sections(dossier), generator=dossier["generator"]
    )


RENDERERS: dict[str, Callable[..., Any]] = {"text": as_text, "markdown": as_markdown, "html": as_html, "json": as_json}
