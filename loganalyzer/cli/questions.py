"""Questions without a log: what a user agent claims to be, and whether robots.txt lets it in."""

import sys
from typing import TYPE_CHECKING

import click

from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.robots.canonical import Profile

EXIT_FINDINGS = 10


@click.command()
@click.argument("user_agents", nargs=-1, metavar="UA... | -")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def identify(user_agents: tuple[str, ...], as_json: bool) -> int:
    """Say what each user agent claims to be; `-` reads them from stdin, one a line."""
    from loganalyzer.reports import identities

    if not user_agents:
        raise UsageError("no user agent given; name some, or - to read them from stdin")
    given = (line.rstrip("\r\n") for line in sys.stdin) if user_agents == ("-",) else iter(user_agents)
    for user_agent in given:
        sys.stdout.write(identities.line(user_agent, as_json) + "\n")
    return 0


@click.command()
@click.argument("robots", type=click.Path(dir_okay=False))
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--agent", "agents", multiple=True, required=True, help="A product token or a whole user agent; repeat.")
@click.option("--profile", type=click.Choice(["rfc", "google"]), default="rfc", show_default=True)
@click.option("--fail-on", type=click.Choice(["disallowed"]), help="Exit 10 if anything is disallowed.")
def check(robots: str, paths: tuple[str, ...], agents: tuple[str, ...], profile: "Profile", fail_on: str | None) -> int:
    """Say whether robots.txt lets an agent fetch each path (`-` reads paths from stdin), and which line decides."""
    from loganalyzer.reports import decisions

    given = [line.rstrip("\r\n") for line in sys.stdin] if paths == ("-",) else list(paths)
    verdicts = decisions.check(robots, agents, given, profile)
    for verdict in verdicts:
        sys.stdout.write(terminal(verdict.sentence) + "\n")
    return EXIT_FINDINGS if fail_on and not all(verdict.allowed for verdict in verdicts) else 0
