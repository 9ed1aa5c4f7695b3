"""Blocks of the text report: paragraphs, hanging sentences, rows of clients, verdicts, findings, levers."""

from collections.abc import Sequence

from loganalyzer.document import FindingDocument, ReportDocument
from loganalyzer.document.client import ClientDocument
from loganalyzer.escape import inline
from loganalyzer.reports import wording
from loganalyzer.reports.layout import Column, Line, Span, fit, pad, span, table, wrap

BROKEN = "bold red"  # repeats what the word says, never says it alone
HEADING = "bold"
ASIDE = "dim"

CLIENTS = (
    Column("client", least=10),
    Column("purpose", least=8, goes=2),
    Column("requests", right=True),
    Column("share", right=True, goes=4),
    Column("peak/s", right=True, goes=3),
    Column("robots.txt"),
    Column("after 429", goes=1),
)
VERIFIED = Column("verified", least=8, goes=1)


def paragraph(text: str, width: int, most: int = 3, style: str = "") -> list[Line]:
    """Wrap anybody's text into at most `most` lines."""
    return [(Span(line, style),) for line in wrap(span(text).text, width, most)]


def hanging(name: str, text: str, indent: int, width: int, most: int = 2, style: str = "") -> list[Line]:
    """Set a name in a column of `indent` cells and its text beside it."""
    lines = wrap(span(text).text, width - indent - 2, most)
    names = [span(name).text] + [""] * len(lines)
    return [
        (Span(pad(left, indent), HEADING), Span("  "), Span(line, style))
        for left, line in zip(names, lines, strict=False)
    ]


def client_table(clients: Sequence[ClientDocument], document: ReportDocument, width: int) -> list[Line]:
    """Set clients under CLIENTS, and under VERIFIED where that was asked for."""
    rows = _client_rows(clients)
    if not document["verification"]:
        return table(CLIENTS, rows, width)
    found = [verdict(wording.verification(client)) for client in clients]
    return table((*CLIENTS, VERIFIED), [(*row, word) for row, word in zip(rows, found, strict=True)], width)


def _client_rows(clients: Sequence[ClientDocument]) -> list[tuple[Span, ...]]:
    """Return the cells of CLIENTS for each client."""
    return [
        (
            span(client["client"]),
            span(wording.purpose(client)),
            span(wording.count(client["requests"])),
            span(wording.share(client["request_share"])),
            span(wording.count(client["rates"]["peak_1s"])),
            verdict(wording.robots_verdict(client)),
            verdict(wording.refusal_verdict(client)),
        )
        for client in clients
    ]


def verdict(words: str) -> Span:
    """A verdict: the word says it, colour repeats it."""
    return span(words, BROKEN if wording.is_broken(words) else "")


def finding_lines(finding: FindingDocument, width: int) -> list[Line]:
    """Return a finding, and under it the command that lists its lines, to be pasted as it stands."""
    return [*paragraph(wording.finding(finding), width, 2), *command_lines(finding["evidence"], width)]


def command_lines(command: str, width: int, most: int = 4) -> list[Line]:
    """Break a command between its arguments, with the shell's mark that it goes on."""
    from rich.cells import cell_len

    lines = [""]
    for argument in wording.parts(command):
        word = fit(inline(argument), width - 4)
        if not lines[-1] or cell_len(f"{lines[-1]} {word}") <= width - 4:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
        else:
            lines.append(word)
    if len(lines) > most:
        lines = [fit(" ".join(lines), width - 2)]
    return [(Span("  "), Span(line + " \\" * (line is not lines[-1]), ASIDE)) for line in lines]


def lever_words(client: ClientDocument, document: ReportDocument) -> str:
    """One lever in a sentence: what, what it saves, why."""
    lever = client["lever"]
    saving = wording.saving(lever, document["totals"])
    return f"{lever['title']}{f' ({saving})' if saving else ''}: {lever['why']}"
