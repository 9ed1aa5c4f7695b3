"""`loganalyzer collateral`: whom a block of addresses would meet, before anybody blocks them."""

import sys

import click

from loganalyzer.cli.given import CLIENTS, MANNER, READING, STORE, Given, takes
from loganalyzer.cli.reading import read_log, status, usable
from loganalyzer.cli.screen import width
from loganalyzer.errors import UsageError


@click.command()
@takes(READING, MANNER, STORE, CLIENTS)
@click.option("--range", "ranges", multiple=True, metavar="CIDR", help="Addresses to block; repeat.")
@click.option("--client", metavar="TOKEN", help="Block where this client comes from: its addresses, their networks.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every client.")
def collateral(given: Given, ranges: tuple[str, ...], client: str | None, as_json: bool) -> int:
    """Say who else comes from a range, or from where a client comes, before you block it."""
    from loganalyzer.analysis.collateral import check_ranges, of_client, of_ranges
    from loganalyzer.reports import collaterals

    if bool(ranges) == (client is not None):
        raise UsageError("name what would be blocked: either --range CIDR (repeat it for more) or --client TOKEN")
    if ranges:
        check_ranges(ranges, given.privacy)  # before the logs: a mistake must not cost a long read
    known = given.registry
    log = usable(read_log(given), given.store)
    found = of_client(log, client, known) if client is not None else of_ranges(log, ranges, known)
    sys.stdout.write(collaterals.as_json(found) if as_json else collaterals.as_text(found, client, width()))
    return status(log, given.max_rejects)
