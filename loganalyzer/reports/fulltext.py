"""What follows the first screen when all is asked for: every client, finding, robots.txt version, input and reject."""

from collections.abc import Callable, Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.reports import changes, refusal_effects, timeline, wording
from loganalyzer.reports.blocks import (
    ASIDE,
    HEADING,
    client_table,
    command_lines,
    finding_lines,
    hanging,
    lever_words,
    paragraph,
)
from loganalyzer.reports.charts import worst
from loganalyzer.reports.layout import Column, Line, Span, span, table

RULES = (
    Column("client", least=12),
    Column("rule", least=24),
    Column("line", right=True),
    Column("of", least=10, goes=3),
    Column("decision", goes=2),
    Column("requests", right=True),
    Column("first", least=14, goes=1),
)
RESPELT = (
    Column("client", least=12),
    Column("rule", least=24),
    Column("line", right=True),
    Column("of", least=10, goes=3),
    Column("if the server", least=12, goes=2),
    Column("requests", right=True),
    Column("such as", least=8, goes=1),
)
CHANGES = (
    Column("client", least=12),
    Column("what changed", goes=1),
    Column("before", right=True, goes=3),
    Column("after", right=True),
    Column("read it", goes=2),
    Column("what it did", least=12),
)
ANSWERS = (
    Column("host", least=8),
    Column("to", least=8),
    Column("status", right=True),
    Column("first"),
    Column("last", goes=1),
    Column("requests", right=True, goes=2),
    Column("clients", right=True, goes=3),
)
CLAIMS = (
    Column("client", least=12),
    Column("verified", right=True),
    Column("refuted", right=True),
    Column("unknown", right=True),
    Column("how", least=20, goes=1),
)
NETWORKS = (
    Column("client", least=12),
    Column("addresses", right=True),
    Column("networks", right=True),
    Column("the busiest", least=22),
    Column("others there", right=True, goes=2),
    Column("by browsers", right=True, goes=3),
)
EFFECTS = tuple(
    Column(title.rstrip(">"), right=title.endswith(">"), least=None if place else 12, goes=goes)
    for place, (title, goes) in enumerate(zip(refusal_effects.TITLES, (0, 4, 1, 0, 0, 0, 3, 2), strict=True))
)
EPISODES = (
    Column("client", least=10),
    Column("first refusal"),
    Column("from", least=9, goes=2),
    Column("asked", right=True),
    Column("early", right=True),
    Column("measured"),
    Column("drawn", goes=1),
)
MOST_EPISODES = 5  # of one client
INPUTS = (
    Column("input", least=12),
    Column("format", least=8, goes=1),
    Column("lines", right=True),
    Column("requests", right=True),
    Column("rejects", right=True),
    Column("blank", right=True, goes=2),
    Column("comments", right=True, goes=3),
)


def sections(document: ReportDocument, width: int) -> list[Line]:
    """Write every section that has something to say."""
    lines: list[Line] = []
    for title, section in SECTIONS.items():
        if body := list(section(document, width)):
            lines += [(), (Span(title, HEADING),), *body]
    return lines


def _clients(document: ReportDocument, width: int) -> list[Line]:
    return client_table(document["clients"], document, width)


def _findings(document: ReportDocument, width: int) -> Iterator[Line]:
    for finding in document["findings"]:
        yield from finding_lines(finding, width)


def _levers(document: ReportDocument, width: int) -> Iterator[Line]:
    for client in document["clients"]:
        if client["automated"]:
            yield from hanging(client["client"], lever_words(client, document), 20, width, most=3)


def _etiquette(document: ReportDocument, width: int) -> Iterator[Line]:
    for client in document["clients"]:
        told = [row for row in client["etiquette"] if row["verdict"] in ("fail", "partly")]
        for row in told:
            yield from hanging(
                client["client"], f"{row['verdict']}: {row['title']}. {row['sentence']}", 20, width, most=3
            )


def _episodes(document: ReportDocument, width: int) -> Iterator[Line]:
    rows = [
        tuple(
            span(text)
            for text in (
                client["client"],
                wording.moment(episode["first"]),
                episode["address"] or "all addresses",
                wording.seconds(episode["asked_s"]) + ("" if episode["asked_known"] else " ?"),
                wording.count(episode["early"]),
                episode["verdict"].replace("_", " "),
                timeline.bar(episode, 20),
            )
        )
        for client in document["clients"]
        for episode in worst(client["backoff"]["episodes"])[:MOST_EPISODES]
    ]
    if rows:
        yield from table(EPISODES, rows, width)
        yield from paragraph(f"Drawn: {timeline.LEGEND}. ? marks a wait that was assumed.", width, 3, ASIDE)
    for client in document["clients"]:
        for found in client["backoff"]["patterns"]:
            yield from hanging(client["client"], found["sentence"], 20, width, most=4)


def _suspected(document: ReportDocument, width: int) -> Iterator[Line]:
    for found in document["suspected"]:
        yield from hanging(found["address"], wording.suspect(found), 20, width, most=6)
        yield from command_lines(found["evidence"], width)


def _claims(document: ReportDocument, width: int) -> Iterator[Line]:
    """Requests by what was found of the addresses they came from; "refuted" ones are not the operator's."""
    asked = document["verification"]
    if not asked:
        return
    rows = []
    for client in document["clients"]:
        if standing := client["verification"]:
            parts = (standing["verified"], standing["refuted"], standing["unknown"])
            ways = dict.fromkeys(way for part in parts for way in part["ways"])
            counts = (wording.count(part["requests"]) for part in parts)
            rows.append(tuple(map(span, (client["client"], *counts, wording.some(list(ways), 2)))))
    yield from table(CLAIMS, rows, width)
    for note in asked["notes"]:
        yield from paragraph(note, width, 3, ASIDE)


def _networks(document: ReportDocument, width: int) -> list[Line]:
    rows = [
        tuple(
            span(text)
            for text in (
                client["client"],
                wording.count(client["addresses"]),
                wording.count(client["networks"]),
                wording.network(client),
                wording.count(shared["requests"]),
                wording.count(shared["people_requests"]),
            )
        )
        for client in document["clients"]
        if (shared := client["shared"]) and client["networks"]
    ]
    return table(NETWORKS, rows, width) if rows else []


def _shared(document: ReportDocument, width: int) -> Iterator[Line]:
    for found in document["shared_addresses"]:
        yield from hanging(found["address"], wording.shared(found), 20, width, most=4)
        yield from command_lines(found["evidence"], width)


def _effects(document: ReportDocument, width: int) -> Iterator[Line]:
    """What came after a refusal, side by side with what came before, in as much time."""
    if rows := [tuple(map(span, row)) for row in refusal_effects.rows(document)]:
        yield from table(EFFECTS, rows, width)
        yield from paragraph(refusal_effects.CAVEAT, width, 3, ASIDE)


def _rules(document: ReportDocument, width: int) -> list[Line]:
    rows = [
        tuple(
            span(text)
            for text in (
                client["client"],
                rule["rule"],
                str(rule["line"]),
                rule["file"],
                rule["decision"],
                wording.count(rule["requests"]),
                wording.some(rule["evidence"][:1]),
            )
        )
        for client in document["clients"]
        for rule in client["robots"]["rules"]
    ]
    return table(RULES, rows, width) if rows else []


def _respelt(document: ReportDocument, width: int) -> list[Line]:
    rows = [
        tuple(
            span(text)
            for text in (
                client["client"],
                told["rule"],
                str(told["line"]),
                told["file"],
                told["words"],
                wording.count(told["requests"]),
                wording.some(told["examples"], 1),
            )
        )
        for client in document["clients"]
        for told in client["robots"]["respelt"]
    ]
    return table(RESPELT, rows, width) if rows else []


def _versions(document: ReportDocument, width: int) -> Iterator[Line]:
    for version in document["robots_versions"]:
        since = f"from {wording.moment(version['in_force_from'])}" if version["in_force_from"] else "the whole log"
        told = f"{version['name']}: in force {since}, {wording.plural(version['rules'], 'rule')}"
        yield from paragraph(told, width, 2)
        for warning in version["warnings"]:
            yield from hanging("", warning, 0, width)


def _changes(document: ReportDocument, width: int) -> Iterator[Line]:
    for place, change in enumerate(document["robots_changes"]):
        if place:
            yield ()
        for sentence in changes.sentences(change):
            yield from paragraph(sentence, width, 4)
        if change["clients"]:
            yield from table(CHANGES, [tuple(map(span, changes.cells(told))) for told in change["clients"]], width)


def _answers(document: ReportDocument, width: int) -> list[Line]:
    rows = [
        tuple(
            span(text)
            for text in (
                answer["host"] or "every host",
                answer["client"] or "all who asked",
                "-" if answer["status"] is None else str(answer["status"]),
                wording.moment(answer["first"]),
                wording.moment(answer["last"]),
                wording.count(answer["requests"]),
                wording.count(answer["clients"]),
            )
        )
        for answer in document["robots_answers"]
    ]
    return table(ANSWERS, rows, width) if rows else []


def _inputs(document: ReportDocument, width: int) -> Iterator[Line]:
    rows = [
        (
            span(source["source"]),
            span(wording.formats(source)),
            *(span(wording.count(source[key])) for key in ("lines", "requests", "rejects", "blank", "comments")),
        )
        for source in document["inputs"]
    ]
    yield from table(INPUTS, rows, width)
    for source in document["inputs"]:
        told = [wording.problem(source)] if source["problem"] else []
        for text in (*told, *(f"{source['source']}: {note}" for note in source["notes"])):
            yield from paragraph(text, width, 2)


def _rejects(document: ReportDocument, width: int) -> Iterator[Line]:
    for reject in document["rejects"]:
        told = f"{wording.plural(reject['count'], 'line')}: {reject['reason']} ({wording.some(reject['examples'])})"
        yield from paragraph(told, width, 2)


def _notes(document: ReportDocument, width: int) -> Iterator[Line]:
    for note in document["notes"]:
        yield from paragraph(note, width, 4)


def _thresholds(document: ReportDocument, width: int) -> Iterator[Line]:
    for name, value in sorted(document["thresholds"].items()):
        yield from paragraph(f"{name} = {value}", width, 2, ASIDE)


SECTIONS: dict[str, Callable[[ReportDocument, int], list[Line] | Iterator[Line]]] = {
    "Every client": _clients,
    "Every finding, worst first": _findings,
    "Levers": _levers,
    "Etiquette, what was not kept": _etiquette,
    "After 429, the worst episodes (UTC)": _episodes,
    "Suspected: browsers like programs": _suspected,
    "Claimed and verified (requests)": _claims,
    "Addresses and networks": _networks,
    "Addresses with several names": _shared,
    "Before and after the first refusal (UTC)": _effects,
    "robots.txt: rules that were met": _rules,
    "Forbidden if the server reads freely": _respelt,
    "robots.txt: versions (UTC)": _versions,
    changes.TITLE: _changes,
    "robots.txt: how it was answered (UTC)": _answers,
    "Inputs": _inputs,
    "Lines not understood": _rejects,
    "What the log cannot say": _notes,
    "Thresholds": _thresholds,
}
