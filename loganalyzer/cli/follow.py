"""`parse --follow`: requests as they are logged, until it is interrupted."""

import sys

import click

from loganalyzer.cli.options import client_rule, privacy
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal


def print_following(logs: tuple[str, ...], log_format: str | None, tz: str | None, quiet: bool) -> None:
    """Print the requests of a log as JSON lines, then those that are appended; rejects are told on stderr.

    Raises:
        UsageError: not one log is named, or it is no file.
    """
    from loganalyzer.formats.follow import follow
    from loganalyzer.formats.forwarded import clients
    from loganalyzer.reports.tables import printer

    if len(logs) != 1:
        raise UsageError("--follow reads one log; name one")
    hidden, show = privacy(), printer(sys.stdout.write)
    for piece in follow(logs[0], log_format, tz):
        show(hidden.requests(clients(piece.requests, client_rule())))
        sys.stdout.flush()
        for row in () if quiet else piece.rejects.select(["source", "line", "reason"]).to_pylist():
            click.echo(terminal(f"loganalyzer: {row['source']}:{row['line']}: {row['reason']}"), err=True)
