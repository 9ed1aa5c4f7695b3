"""`parse --follow`: requests as they are logged, until it is interrupted."""

import sys

import click

from loganalyzer.cli.given import Given
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal


def print_following(given: Given) -> None:
    """Print the requests of a log as JSON lines, then those that are appended; rejects are told on stderr.

    Raises:
        UsageError: not one log is named, or it is no file.
    """
    from loganalyzer.formats.follow import follow
    from loganalyzer.formats.forwarded import clients
    from loganalyzer.reports.tables import printer

    if len(given.logs) != 1:
        raise UsageError("--follow reads one log; name one")
    show = printer(sys.stdout.write)
    for piece in follow(given.logs[0], given.log_format, given.tz):
        show(given.privacy.requests(clients(piece.requests, given.xff)))
        sys.stdout.flush()
        for row in () if given.quiet else piece.rejects.select(["source", "line", "reason"]).to_pylist():
            click.echo(terminal(f"loganalyzer: {row['source']}:{row['line']}: {row['reason']}"), err=True)
