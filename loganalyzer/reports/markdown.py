"""The report as Markdown, for a ticket or a wiki: values are code spans, nothing in them is a link or a picture."""

from collections.abc import Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.escape import code, markdown
from loganalyzer.reports import changes, comparison, refusal_effects, wording
from loganalyzer.reports.sections import markdown_lines
from loganalyzer.reports.tickets import fenced, grid

MOST_CLIENTS = 50  # a ticket is read by people; JSON has them all


def render(document: ReportDocument) -> str:
    """Write the report as Markdown with GitHub's tables."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: ReportDocument) -> Iterator[str]:
    yield from ("# Automated clients", "", markdown(wording.headline(document)), "")
    yield from (markdown(" · ".join(wording.provenance(document))), "")
    sections = (
        _compared,
        _clients,
        _findings,
        _levers,
        _suspected,
        _shared,
        _networks,
        _effects,
        _rules,
        _respelt,
        _changes,
        _inputs,
        _rejects,
        _notes,
    )
    for section in sections:
        yield from section(document)


def _compared(document: ReportDocument) -> Iterator[str]:
    if document["compare"]:
        for section in comparison.sections(document["compare"]):
            yield from markdown_lines(section)


def _clients(document: ReportDocument) -> Iterator[str]:
    automated = [client for client in document["clients"] if client["automated"]]
    asked = document["verification"] is not None
    rows = [
        (
            code(client["client"]),
            markdown(wording.purpose(client)),
            wording.count(client["requests"]),
            wording.share(client["request_share"]),
            wording.size(client["bytes"]),
            wording.count(client["rates"]["peak_1s"]),
            markdown(wording.robots_verdict(client)),
            markdown(wording.refusal_verdict(client)),
            *([markdown(wording.verification(client))] if asked else []),
        )
        for client in automated[:MOST_CLIENTS]
    ]
    titles = (
        "client",
        "purpose",
        "requests>",
        "share of requests>",
        "bytes>",
        "peak in 1 s>",
        "robots.txt",
        "after 429",
        *(["verified"] if asked else []),
    )
    yield from ("## Clients", "", *grid(titles, rows))
    if rest := automated[MOST_CLIENTS:]:
        yield from (
            f"and {len(rest):,} more with {wording.share(sum(c['request_share'] for c in rest))} of requests",
            "",
        )


def _findings(document: ReportDocument) -> Iterator[str]:
    if not document["findings"]:
        return
    yield from ("## Findings, worst first", "")
    for found in document["findings"]:
        yield f"- {markdown(wording.finding(found).rstrip('.'))}. Lines: {code(found['evidence'])}"
    yield ""


def _levers(document: ReportDocument) -> Iterator[str]:
    clients = wording.levers_to_try(document, MOST_CLIENTS)
    if clients:
        yield from ("## What would work, mildest first", "")
    for client in clients:
        lever = client["lever"]
        saving = wording.saving(lever, document["totals"])
        what = markdown(lever["title"]) + (f" ({saving})" if saving else "")
        yield from (f"{code(client['client'])}: {what}. {markdown(lever['why'])}", "")
        if lever["text"]:
            yield from (*fenced(lever["text"]), "")


def _suspected(document: ReportDocument) -> Iterator[str]:
    if document["suspected"]:
        yield from ("## Browsers that behave like programs", "", "Suspected, and counted as browsers.", "")
        for found in document["suspected"][:MOST_CLIENTS]:
            yield f"- {code(found['address'])}: {markdown(wording.suspect(found))}. Lines: {code(found['evidence'])}"
        yield ""


def _networks(document: ReportDocument) -> Iterator[str]:
    rows = [
        (
            code(client["client"]),
            markdown(client["identity"]),
            wording.count(client["addresses"]),
            wording.count(client["networks"]),
            markdown(wording.network(client)),
            wording.count(shared["requests"]),
            wording.count(shared["people_requests"]),
        )
        for client in document["clients"][:MOST_CLIENTS]
        if (shared := client["shared"])
    ]
    if rows:
        yield from ("## Where they come from", "")
        titles = ("client", "who it is", "addresses>", "networks>", "the busiest", "requests of others there>")
        yield from grid((*titles, "of them by browsers>"), rows)
    for note in document["verification"]["notes"] if document["verification"] else ():
        yield from (f"- {markdown(note)}", "")


def _shared(document: ReportDocument) -> Iterator[str]:
    if document["shared_addresses"]:
        yield from ("## Addresses with several names", "")
        for found in document["shared_addresses"][:MOST_CLIENTS]:
            yield f"- {code(found['address'])} {markdown(wording.shared(found))}. Lines: {code(found['evidence'])}"
        yield ""


def _effects(document: ReportDocument) -> Iterator[str]:
    rows = [(code(name), *map(markdown, told)) for name, *told in refusal_effects.rows(document)]
    if rows:
        yield from (
            "## Before and after the first refusal",
            "",
            *grid(refusal_effects.TITLES, rows),
            refusal_effects.CAVEAT,
            "",
        )


def _rules(document: ReportDocument) -> Iterator[str]:
    rows = [
        (
            code(client["client"]),
            code(rule["rule"]),
            code(f"{rule['file']}:{rule['line']}"),
            rule["decision"],
            wording.count(rule["requests"]),
            code(wording.some(rule["evidence"], 1)),
        )
        for client in document["clients"]
        for rule in client["robots"]["rules"]
    ]
    if rows:
        yield from ("## robots.txt: rules that were met", "")
        yield from grid(("client", "rule", "where it stands", "decision", "requests>", "lines"), rows)


def _respelt(document: ReportDocument) -> Iterator[str]:
    rows = [
        (
            code(client["client"]),
            code(told["rule"]),
            code(f"{told['file']}:{told['line']}"),
            markdown(told["words"]),
            wording.count(told["requests"]),
            code(wording.some(told["examples"], 1)),
        )
        for client in document["clients"]
        for told in client["robots"]["respelt"]
    ]
    if rows:
        yield from ("## No violations as sent, but forbidden if the server reads paths freely", "")
        yield from grid(("client", "rule", "where it stands", "if the server", "requests>", "such as"), rows)


def _changes(document: ReportDocument) -> Iterator[str]:
    if document["robots_changes"]:
        yield from (f"## {changes.TITLE}", "")
    titles = [f"{title}>" if title in ("before", "after") else title for title in changes.TITLES]
    for change in document["robots_changes"]:
        yield from (*(f"- {markdown(sentence)}" for sentence in changes.sentences(change)), "")
        if told := change["clients"][:MOST_CLIENTS]:
            rows = [(code(name), *map(markdown, cells)) for name, *cells in map(changes.cells, told)]
            yield from grid(titles, rows)


def _inputs(document: ReportDocument) -> Iterator[str]:
    keys = ("lines", "requests", "rejects", "blank", "comments")
    rows = [
        (
            code(source["source"]),
            markdown(wording.formats(source)),
            *(wording.count(source[key]) for key in keys),  # type: ignore[literal-required] # keys of the same type
            markdown("; ".join([*([source["problem"]] if source["problem"] else []), *source["notes"]])),
        )
        for source in document["inputs"]
    ]
    titles = ("input", "format", *(f"{key}>" for key in keys), "problems and notes")
    yield from ("## Inputs", "", *grid(titles, rows))


def _rejects(document: ReportDocument) -> Iterator[str]:
    if document["rejects"]:
        yield from ("## Lines not understood", "")
        for reject in document["rejects"]:
            where = code(wording.some(reject["examples"]))
            yield f"- **{wording.plural(reject['count'], 'line')}** {markdown(reject['reason'])}: {where}"
        yield ""


def _notes(document: ReportDocument) -> Iterator[str]:
    if document["notes"]:
        yield from (
            "## What the log cannot say",
            "",
            *(f"- {markdown(note)}" for note in document["notes"]),
            "",
        )
