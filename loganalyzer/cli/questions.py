"""Questions to a robots.txt: whether it lets an agent in, and by which line."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.given import CLIENTS, HIDING, Given, takes
from loganalyzer.cli.reading import read_log
from loganalyzer.errors import UsageError

if TYPE_CHECKING:
    from loganalyzer.reports.decisions import Asked
    from loganalyzer.robots.canonical import Profile

EXIT_FINDINGS = 10
STDIN = "-"


@click.command()
@click.argument("robots", type=click.Path(dir_okay=False))
@click.argument("paths", nargs=-1, metavar="PATH... | -")
@click.option(
    "--agent", "agents", multiple=True, required=True, help="Product token or whole user agent, - of stdin; repeat."
)
@click.option("--log", "logs", multiple=True, metavar="LOG", help="Every path of a log, most requests first; repeat.")
@click.option("--log-format", metavar="NAME|DIRECTIVE|@FILE", help="Of --log, as for report.")
@takes(HIDING, CLIENTS)
@click.option("--profile", type=click.Choice(["rfc", "google"]), default="rfc", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--fail-on", type=click.Choice(["disallowed"]), help="Exit 10 if anything is disallowed.")
def check(
    given: Given,
    robots: str,
    paths: tuple[str, ...],
    agents: tuple[str, ...],
    logs: tuple[str, ...],
    log_format: str | None,
    profile: "Profile",
    as_json: bool,
    fail_on: str | None,
) -> int:
    """Say whether robots.txt lets an agent fetch each path or URL, and which line decides.

    `-` reads paths, or with --agent - the agents, from stdin, one a line.
    """
    from loganalyzer.reports import decisions

    if STDIN in paths and STDIN in agents:
        raise UsageError("paths and agents cannot both come from stdin; give one of them as arguments")
    known, shut = given.registry, False
    for verdict in decisions.check(robots, _lines(agents), _asked(paths, given.of(logs, log_format)), profile, known):
        sys.stdout.write((verdict.json if as_json else verdict.sentence) + "\n")
        shut = shut or not verdict.decision.allowed
    return EXIT_FINDINGS if fail_on and shut else 0


def _lines(given: Sequence[str]) -> list[str]:
    """What was given, and the lines of stdin in place of `-`."""
    if STDIN not in given:
        return list(given)
    typed = [line.rstrip("\r\n") for line in sys.stdin]
    return [*(one for one in given if one != STDIN), *filter(None, typed)]


def _asked(paths: Sequence[str], given: Given) -> "list[Asked]":
    from loganalyzer.reports.decisions import Asked, of_requests

    if bool(paths) == bool(given.logs):
        raise UsageError(
            "both paths and --log given; choose one"
            if given.logs
            else "no path given; name some, or - to read them from stdin, or a log with --log"
        )
    if not given.logs:
        return [Asked(path) for path in _lines(paths)]
    return of_requests(read_log(given).requests)
