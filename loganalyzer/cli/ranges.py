"""`loganalyzer ranges`: the address ranges that operators publish, brought on request and listed."""

import sys

import click

from loganalyzer.cli.given import CLIENTS, Given, takes
from loganalyzer.cli.screen import width

EXIT_PARTLY, EXIT_NOTHING = 3, 4
FOLDER = click.option(
    "--ranges",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Where the lists are kept; else ~/.local/share/loganalyzer/ranges.",
)


@click.group()
def ranges() -> None:
    """Keep the address ranges that operators publish, for `report --ranges`."""


@ranges.command()
@click.argument("tokens", nargs=-1, metavar="TOKEN...")
@FOLDER
@takes(CLIENTS)
@click.option("--contact", metavar="URL|MAIL", help="How the operators can reach you; goes into the user agent.")
def fetch(given: Given, tokens: tuple[str, ...], folder: str | None, contact: str | None) -> int:
    """Bring the lists of these clients, of all where none is named: this asks their operators' servers."""
    from pathlib import Path

    from loganalyzer.reports import rangelists
    from loganalyzer.verification import fetching
    from loganalyzer.verification.folder import default_folder

    good = []
    for found in fetching.fetch(Path(folder) if folder else default_folder(), given.registry, tokens, contact):
        sys.stdout.write(rangelists.outcome(found) + "\n")
        sys.stdout.flush()
        good.append(found.good)
    return 0 if all(good) else EXIT_PARTLY if any(good) else EXIT_NOTHING


@ranges.command(name="list")
@FOLDER
@takes(CLIENTS)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(given: Given, folder: str | None, as_json: bool) -> int:
    """Show which lists there are, whose they are and how old."""
    from loganalyzer.reports import rangelists
    from loganalyzer.verification.folder import default_folder, load

    lists = load(folder or str(default_folder()), given.registry)
    sys.stdout.write(rangelists.as_json(lists) if as_json else rangelists.as_text(lists, width(120)))
    return 0
