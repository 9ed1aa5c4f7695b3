"""The command that says what user agents claim to be: given ones, those of stdin, or all of a log."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.given import CLIENTS, HIDING, Given, takes
from loganalyzer.cli.reading import read_log
from loganalyzer.cli.screen import width
from loganalyzer.errors import UsageError

if TYPE_CHECKING:
    from loganalyzer.reports.identities import Asked


@click.command()
@click.argument("user_agents", nargs=-1, metavar="UA... | -")
@click.option("--log", "logs", multiple=True, metavar="LOG", help="Every user agent of a log, most requests first.")
@click.option("--log-format", metavar="NAME|DIRECTIVE|@FILE", help="Of --log, as for report.")
@takes(HIDING, CLIENTS)
@click.option("--why", is_flag=True, help="Show how each name was found: the rule, and what spoke for which name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def identify(
    given: Given, user_agents: tuple[str, ...], logs: tuple[str, ...], log_format: str | None, why: bool, as_json: bool
) -> int:
    """Say what each user agent claims to be; `-` reads them from stdin, one a line."""
    from loganalyzer.reports import identities

    if bool(user_agents) == bool(logs):
        raise UsageError(
            "both user agents and --log given; choose one"
            if logs
            else "no user agent given; name some, or - to read them from stdin, or a log with --log"
        )
    known = given.registry
    if logs and not (why or as_json):
        sys.stdout.write(identities.table(_of_logs(given.of(logs, log_format)), known, width(200)))
        return 0
    asked = _of_logs(given.of(logs, log_format)) if logs else _given(user_agents)
    for one in asked:
        sys.stdout.write(identities.line(one, known, as_json, why) + "\n")
    return 0


def _given(user_agents: Sequence[str]) -> "Sequence[Asked] | map[Asked]":
    from loganalyzer.reports.identities import Asked

    if user_agents == ("-",):
        return map(Asked, (line.rstrip("\r\n") for line in sys.stdin))
    return [Asked(user_agent) for user_agent in user_agents]


def _of_logs(given: Given) -> "Sequence[Asked]":
    from loganalyzer.reports.identities import of_requests

    return of_requests(read_log(given).requests)
