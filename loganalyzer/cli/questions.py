"""Questions without a log: whether robots.txt lets an agent in."""

import sys
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.options import CLIENTS, registry
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.robots.canonical import Profile

EXIT_FINDINGS = 10


@click.command()
@click.argument("robots", type=click.Path(dir_okay=False))
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--agent", "agents", multiple=True, required=True, help="A product token or a whole user agent; repeat.")
@CLIENTS
@click.option("--profile", type=click.Choice(["rfc", "google"]), default="rfc", show_default=True)
@click.option("--fail-on", type=click.Choice(["disallowed"]), help="Exit 10 if anything is disallowed.")
def check(robots: str, paths: tuple[str, ...], agents: tuple[str, ...], profile: "Profile", fail_on: str | None) -> int:
    """Say whether robots.txt lets an agent fetch each path (`-` reads paths from stdin), and which line decides."""
    from loganalyzer.reports import decisions

    given = [line.rstrip("\r\n") for line in sys.stdin] if paths == ("-",) else list(paths)
    verdicts = decisions.check(robots, agents, given, profile, registry())
    for verdict in verdicts:
        sys.stdout.write(terminal(verdict.sentence) + "\n")
    return EXIT_FINDINGS if fail_on and not all(verdict.allowed for verdict in verdicts) else 0
