"""`loganalyzer collateral`: whom a block of addresses would meet, before anybody blocks them."""

import sys

import click

from loganalyzer.cli.options import CLIENTS, MANNER, READING, STORE, privacy, registry
from loganalyzer.cli.reading import read_log, status, usable
from loganalyzer.errors import UsageError


@click.command()
@READING
@MANNER
@STORE
@CLIENTS
@click.option("--range", "ranges", multiple=True, metavar="CIDR", help="Addresses to block; repeat.")
@click.option("--client", metavar="TOKEN", help="Block where this client comes from: its addresses, their networks.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every client.")
def collateral(
    logs: tuple[str, ...],
    log_format: str | None,
    tz: str | None,
    max_rejects: float,
    quiet: bool,
    store: str | None,
    since: str | None,
    until: str | None,
    ranges: tuple[str, ...],
    client: str | None,
    as_json: bool,
) -> int:
    """Say who else comes from a range, or from where a client comes, before you block it."""
    from shutil import get_terminal_size

    from loganalyzer.analysis.collateral import check_ranges, of_client, of_ranges
    from loganalyzer.reports import collaterals

    if bool(ranges) == (client is not None):
        raise UsageError("name what would be blocked: either --range CIDR (repeat it for more) or --client TOKEN")
    if ranges:
        check_ranges(ranges, privacy())  # before the logs: a mistake must not cost a long read
    known = registry()
    log = usable(read_log(logs, log_format, tz, quiet, store, since, until), store)
    found = of_client(log, client, known) if client is not None else of_ranges(log, ranges, known)
    width = get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    sys.stdout.write(collaterals.as_json(found) if as_json else collaterals.as_text(found, client, width))
    return status(log, max_rejects)
