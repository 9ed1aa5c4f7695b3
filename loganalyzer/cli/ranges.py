"""`loganalyzer ranges`: the address ranges that operators publish, brought on request and listed."""

import sys

import click

from loganalyzer.cli.options import CLIENTS, registry

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
@CLIENTS
@click.option("--contact", metavar="URL|MAIL", help="How the operators can reach you; goes into the user agent.")
def fetch(tokens: tuple[str, ...], folder: str | None, contact: str | None) -> int:
    """Bring the lists of these clients, of all where none is named: this asks their operators' servers."""
    from pathlib import Path

    from loganalyzer.reports import rangelists
    from loganalyzer.verification import fetching
    from loganalyzer.verification.folder import default_folder

    good = []
    for found in fetching.fetch(Path(folder) if folder else default_folder(), registry(), tokens, contact):
        sys.stdout.write(rangelists.outcome(found) + "\n")
        sys.stdout.flush()
        good.append(found.good)
    return 0 if all(good) else EXIT_PARTLY if any(good) else EXIT_NOTHING


@ranges.command(name="list")
@FOLDER
@CLIENTS
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(folder: str | None, as_json: bool) -> int:
    """Show which lists there are, whose they are and how old."""
    from shutil import get_terminal_size

    from loganalyzer.reports import rangelists
    from loganalyzer.verification.folder import default_folder, load

    lists = load(folder or str(default_folder()), registry())
    width = get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 120
    sys.stdout.write(rangelists.as_json(lists) if as_json else rangelists.as_text(lists, width))
    return 0
