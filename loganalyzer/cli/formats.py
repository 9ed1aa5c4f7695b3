"""`loganalyzer formats`: what is read, why a line is not, and what a server should log."""

import sys

import click

from loganalyzer.errors import UsageError


@click.command()
@click.option("--explain", metavar="LINE|-", help="Show where the nearest formats stop in a line (- reads stdin).")
@click.option("--log-format", metavar="NAME|DIRECTIVE", help="With --explain: try this format alone.")
@click.option(
    "--recommend",
    type=click.Choice(["nginx", "apache", "caddy", "haproxy"]),
    help="Print what to log so that everything is observable, how to test it and how to undo it.",
)
@click.option("--json", "as_json", is_flag=True, help="The table, or the explanation, as JSON.")
def formats(explain: str | None, log_format: str | None, recommend: str | None, as_json: bool) -> int:
    """List the formats that are read; explain a line that is not; recommend what to log."""
    from loganalyzer.formats import FORMATS
    from loganalyzer.formats.choice import given
    from loganalyzer.reports import formats as texts

    if explain is None and log_format is not None:
        raise UsageError("--log-format is for --explain LINE")
    if recommend is not None and (explain is not None or as_json):
        raise UsageError("--recommend stands alone: it prints a piece of configuration")
    if recommend is not None:
        sys.stdout.write(texts.recommendation(recommend))
    elif explain is None:
        sys.stdout.write(texts.table(as_json))
    else:
        tried = FORMATS if log_format is None else given(log_format)[0]
        for line in _lines(explain):
            sys.stdout.write(texts.explanation(line, tried, as_json))
    return 0


def _lines(explain: str) -> list[bytes]:
    """The lines to explain, as bytes: a shell hands over any byte as an argument.

    Raises:
        UsageError: there is none.
    """
    text = sys.stdin.buffer.read() if explain == "-" else explain.encode("utf-8", "surrogateescape")
    lines = [line.rstrip(b"\r") for line in text.split(b"\n") if line.strip()]
    if not lines:
        raise UsageError("there is no line to explain")
    return lines
