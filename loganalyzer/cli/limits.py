"""`loganalyzer limits`: what a rate limit would have refused, to whom, and the text to paste."""

import sys
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.given import CLIENTS, MANNER, READING, ROBOTS, STORE, Given, takes
from loganalyzer.cli.reading import analysed, status
from loganalyzer.cli.screen import width
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis.limits import Limits
    from loganalyzer.drafts.limits import Key, Limit

SERVERS = ("nginx", "apache", "haproxy", "caddy", "fail2ban", "crowdsec", "anubis", "cloudflare")


@click.command()
@takes(READING, MANNER, STORE, ROBOTS, CLIENTS, without=["--key"])  # which is a part of the limit here
@click.option("--rate", metavar="N r/s", help="Ask about this limit: 1r/s, 30r/m; else limits are proposed.")
@click.option("--burst", type=click.IntRange(0), help="Requests above the rate that still pass.  [default: 5]")
@click.option("--nodelay", is_flag=True, help="Serve the burst at once.  [default]")
@click.option("--delay", type=click.IntRange(0), metavar="N", help="Serve N of the burst at once, hold the rest back.")
@click.option(
    "--key",
    type=click.Choice(["token", "address", "network"]),
    help="What shares a bucket: a client's name, an address, a /24 or /48.  [default: token]",
)
@click.option("--client", "names", multiple=True, metavar="TOKEN", help="Only for this client; repeat.")
@click.option("--server", type=click.Choice(SERVERS), help="Print the text to paste into this server, nothing else.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every client.")
def limits(
    given: Given,
    rate: str | None,
    burst: int | None,
    nodelay: bool,
    delay: int | None,
    key: "Key | None",
    names: tuple[str, ...],
    server: str | None,
    as_json: bool,
) -> int:
    """Say what a rate limit would have refused, to whom, or propose limits that the well-behaved pass.

    \b
    loganalyzer limits access.log --robots robots.txt
    loganalyzer limits access.log --rate 1r/s --burst 5 --key address
    loganalyzer limits access.log --server nginx > limits.conf
    """  # noqa: D301 - click's mark for "keep these lines" is the character itself
    from loganalyzer.analysis.limits import Limits

    if as_json and server:
        raise UsageError("--json and --server both want stdout; choose one")
    limit = _limit(rate, burst, nodelay, delay, key)
    analysis = analysed(given)
    asked = Limits(analysis)
    sys.stdout.write(_snippet(asked, limit, names, server) if server else _report(asked, limit, names, as_json))
    return status(analysis.log, given.max_rejects)


def _limit(rate: str | None, burst: int | None, nodelay: bool, delay: int | None, key: "Key | None") -> "Limit | None":
    """The limit asked about; null where none is."""
    from loganalyzer.drafts.limits import Limit

    if nodelay and delay is not None:
        raise UsageError("--nodelay serves the whole burst at once, --delay N only N of it; choose one")
    if rate is None:
        if key or nodelay or burst is not None or delay is not None:
            raise UsageError("--burst, --delay, --nodelay and --key are parts of a limit: name its --rate, as 1r/s")
        return None
    try:
        return Limit(rate, 5 if burst is None else burst, delay, key or "token")
    except ValueError as error:
        raise UsageError(f"--rate, --burst, --delay: {error}") from error


def _report(asked: "Limits", limit: "Limit | None", names: tuple[str, ...], as_json: bool) -> str:
    from loganalyzer.reports import limits as reports

    document = asked.document(None if limit is None else asked.effect(limit, names))
    return reports.as_json(document) if as_json else reports.as_text(document, width())


def _snippet(asked: "Limits", limit: "Limit | None", names: tuple[str, ...], server: str) -> str:
    from loganalyzer.analysis.limits import figures
    from loganalyzer.drafts.limits import SERVERS, snippet

    rules = asked.rules(limit, names)
    if not rules:
        raise UsageError("no limit is proposed for these clients, so there is nothing to paste; --rate names one")
    measured = figures(asked.proposals if limit is None else asked.effect(limit, names)["clients"], rules)
    try:
        text = snippet(server, rules, measured)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not SERVERS[server].comments:
        for line in SERVERS[server].notes(measured):
            click.echo(terminal(f"loganalyzer: {line}"), err=True)
    return text
