"""The report in a terminal. The first screen answers who, how many, how fast, who broke what, and what to do."""

from collections.abc import Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.reports import wording
from loganalyzer.reports.blocks import (
    ASIDE,
    BROKEN,
    CLIENTS,
    HEADING,
    client_rows,
    finding_lines,
    hanging,
    lever_words,
    paragraph,
)
from loganalyzer.reports.fulltext import sections
from loganalyzer.reports.layout import Line, Span, coloured, plain, span, table

MOST_CLIENTS, MOST_FINDINGS, MOST_LEVERS, MOST_PROBLEMS = 9, 3, 4, 2  # together 40 lines at most


def render(document: ReportDocument, width: int = 80, colour: bool = False, full: bool = False) -> str:
    """Write the report as text no wider than `width` cells; `full` adds everything after the first screen."""
    lines = list(_first_screen(document, max(width, 40)))
    if full:
        lines += sections(document, max(width, 40))
    return (coloured if colour else plain)(lines)


def _first_screen(document: ReportDocument, width: int) -> Iterator[Line]:
    yield from paragraph(" · ".join(wording.provenance(document)), width, style=ASIDE)
    yield from _problems(document, width)
    yield ()
    yield from paragraph(wording.headline(document), width, style=HEADING)
    yield ()
    yield from _clients(document, width)
    yield from _findings(document, width)
    yield from _levers(document, width)
    if document["notes"]:
        yield ()
        more = len(document["notes"]) - 1
        yield from paragraph(document["notes"][0] + (f" (and {more} more)" if more else ""), width, 2, ASIDE)


def _problems(document: ReportDocument, width: int) -> Iterator[Line]:
    """Say on the first screen what was not read, or the numbers below would pass for the whole."""
    faulty = [f"{source['source']}: {source['problem']}" for source in document["inputs"] if source["problem"]]
    if len(faulty) > MOST_PROBLEMS:
        faulty[MOST_PROBLEMS - 1 :] = [f"and {len(faulty) - MOST_PROBLEMS + 1} more inputs with a problem"]
    for problem in faulty:
        yield from paragraph(problem, width, 1, BROKEN)


def _clients(document: ReportDocument, width: int) -> Iterator[Line]:
    automated = [client for client in document["clients"] if client["automated"]]
    if not automated:
        return
    yield from table(CLIENTS, client_rows(automated[:MOST_CLIENTS]), width)
    if rest := automated[MOST_CLIENTS:]:
        left = wording.share(sum(client["request_share"] for client in rest))
        yield (Span(f"and {len(rest):,} more with {left} of requests", ASIDE),)


def _findings(document: ReportDocument, width: int) -> Iterator[Line]:
    findings = document["findings"]
    if not findings:
        return
    yield ()
    more = len(findings) - MOST_FINDINGS
    yield (Span("Worst first", HEADING), Span(f" ({more:,} more with --all)" if more > 0 else "", ASIDE))
    for finding in findings[:MOST_FINDINGS]:
        yield from finding_lines(finding, width)


def _levers(document: ReportDocument, width: int) -> Iterator[Line]:
    clients = wording.levers_to_try(document["clients"], MOST_LEVERS)
    if not clients:
        return
    yield ()
    yield (Span("What would work, mildest first", HEADING),)
    indent = min(max(len(span(client["client"]).text) for client in clients), 16)
    for client in clients:
        yield from hanging(client["client"], lever_words(client, document), indent, width)
