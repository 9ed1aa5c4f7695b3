"""The command that looks for mistakes in robots.txt files."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.given import CLIENTS, HIDING, Given, takes
from loganalyzer.cli.reading import read_log
from loganalyzer.cli.screen import COLOR, colours, out
from loganalyzer.errors import NothingUsableError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.robots.lint import Level

EXIT_PARTLY, EXIT_FINDINGS = 3, 10


@click.command()
@click.argument("robots", nargs=-1, required=True, metavar="ROBOTS...")
@click.option("--log", "logs", multiple=True, metavar="LOG", help="Also look at how it was served, in a log; repeat.")
@click.option("--log-format", metavar="NAME|DIRECTIVE|@FILE", help="Of --log, as for report.")
@click.option("--tokens", metavar="T,...", help="Also tell what the file means for these names.")
@takes(HIDING, CLIENTS)
@click.option("--all", "everything", is_flag=True, help="Every finding, line to paste and name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, with all of it.")
@COLOR
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "info"]), help="Exit 10 at this level or a graver one."
)
def lint(
    given: Given,
    robots: tuple[str, ...],
    logs: tuple[str, ...],
    log_format: str | None,
    tokens: str | None,
    everything: bool,
    as_json: bool,
    color: str,
    fail_on: "Level | None",
) -> int:
    """Find mistakes in robots.txt files (`-` reads one from stdin), each with the line to paste instead."""
    from loganalyzer.reports import mistakes
    from loganalyzer.robots.lint import Observed, Source

    bodies = {name: body for name in robots if (body := _body(name)) is not None}
    if not bodies:
        raise NothingUsableError("no robots.txt could be read, so there is nothing to look at")
    known, seen = given.registry, None
    if logs:
        seen = Observed.of(read_log(given.of(logs, log_format)).requests)
    named = [token.strip() for token in (tokens or "").split(",") if token.strip()]
    found = [mistakes.Linted.of(name, Source(body, known, seen, name), named) for name, body in bodies.items()]
    text = mistakes.as_json(found) if as_json else mistakes.as_text(found, colours(color), everything)
    out(text)
    if fail_on and any(one.reaches(fail_on) for one in found):
        return EXIT_FINDINGS
    return 0 if len(bodies) == len(set(robots)) else EXIT_PARTLY


def _body(name: str) -> bytes | None:
    """The octets of a file; null, and said, where it cannot be read."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        click.echo(terminal(f"loganalyzer: {name}: {error.strerror}"), err=True)
        return None
