"""The report in a terminal. The first screen answers who, how many, how fast, who broke what, and what to do."""

from collections.abc import Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.reports import comparison, wording
from loganalyzer.reports.blocks import (
    ASIDE,
    BROKEN,
    HEADING,
    client_table,
    finding_lines,
    hanging,
    lever_words,
    paragraph,
)
from loganalyzer.reports.fulltext import sections
from loganalyzer.reports.layout import Line, Span, coloured, plain, span
from loganalyzer.reports.sections import text_lines

SCREEN = 40  # lines
MOST_CLIENTS, MOST_FINDINGS, MOST_LEVERS, MOST_PROBLEMS, MOST_CHANGED = 8, 4, 3, 2, 10


def render(document: ReportDocument, width: int = 80, colour: bool = False, full: bool = False) -> str:
    """Write the report as text no wider than `width` cells; `full` adds everything after the first screen."""
    lines = [*_compared(document, max(width, 40), full), *_first_screen(document, max(width, 40))]
    if full:
        lines += sections(document, max(width, 40))
    return (coloured if colour else plain)(lines)


def _compared(document: ReportDocument, width: int, full: bool) -> Iterator[Line]:
    """What changed goes before all else: it was asked for."""
    if document["compare"]:
        for section in comparison.sections(document["compare"], comparison.MOST_CLIENTS if full else MOST_CHANGED):
            if not section.is_empty:
                yield from text_lines(section, width)


def _first_screen(document: ReportDocument, width: int) -> list[Line]:
    """Set the blocks in order; the findings get what the others leave of the screen."""
    above = [*_head(document, width), *_clients(document, width)]
    below = [*_levers(document, width), *_note(document, width)]
    return [*above, *_findings(document, width, SCREEN - len(above) - len(below)), *below]


def _head(document: ReportDocument, width: int) -> Iterator[Line]:
    yield from paragraph(" · ".join(wording.provenance(document)), width, style=ASIDE)
    yield from _problems(document, width)
    yield ()
    yield from paragraph(wording.headline(document), width, style=HEADING)
    yield ()


def _problems(document: ReportDocument, width: int) -> Iterator[Line]:
    """Say on the first screen what was not read, or the numbers below would pass for the whole."""
    faulty = [wording.problem(source) for source in document["inputs"] if source["problem"]]
    if len(faulty) > MOST_PROBLEMS:
        faulty[MOST_PROBLEMS - 1 :] = [f"and {len(faulty) - MOST_PROBLEMS + 1} more inputs with a problem"]
    for problem in faulty:
        yield from paragraph(problem, width, 1, BROKEN)


def _clients(document: ReportDocument, width: int) -> Iterator[Line]:
    automated = [client for client in document["clients"] if client["automated"]]
    if not automated:
        return
    yield from client_table(automated[:MOST_CLIENTS], document, width)
    if rest := automated[MOST_CLIENTS:]:
        left = wording.share(sum(client["request_share"] for client in rest))
        yield (Span(f"and {len(rest):,} more with {left} of requests", ASIDE),)
    if suspected := document["totals"]["suspected"]:
        told = wording.plural(suspected, "browser behaves like a program", "browsers behave like programs")
        yield from paragraph(f"{told}: suspected, see --all", width, 1, ASIDE)


def _findings(document: ReportDocument, width: int, room: int) -> Iterator[Line]:
    """Show as many findings as fit into `room` lines, at least one; a command is never cut, or it could not be run."""
    findings = document["findings"]
    if not findings:
        return
    blocks = [finding_lines(finding, width) for finding in findings[:MOST_FINDINGS]]
    while len(blocks) > 1 and 2 + sum(map(len, blocks)) > room:
        blocks.pop()
    more = len(findings) - len(blocks)
    yield ()
    yield (Span("Worst first", HEADING), Span(f" ({more:,} more with --all)" if more > 0 else "", ASIDE))
    for block in blocks:
        yield from block


def _levers(document: ReportDocument, width: int) -> Iterator[Line]:
    clients = wording.levers_to_try(document, MOST_LEVERS)
    if not clients:
        return
    yield ()
    yield (Span("What would work, mildest first", HEADING),)
    indent = min(max(len(span(client["client"]).text) for client in clients), 16)
    for client in clients:
        yield from hanging(client["client"], lever_words(client, document), indent, width)


def _note(document: ReportDocument, width: int) -> Iterator[Line]:
    if document["notes"]:
        yield ()
        more = len(document["notes"]) - 1
        yield from paragraph(document["notes"][0] + (f" (and {more} more)" if more else ""), width, 2, ASIDE)
