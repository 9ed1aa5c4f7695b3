"""`--version`: what a report of a fault should name."""

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from loganalyzer import __version__

_LIBRARIES = ("pyarrow", "duckdb", "pandas", "ua-parser", "streamlit", "pyspark")


def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the versions of the program and of what it stands on, and end."""
    if wanted:
        click.echo(f"loganalyzer, version {__version__}")
        click.echo(", ".join([f"Python {platform.python_version()}", *map(_named, _LIBRARIES)]))
        context.exit()


def _named(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} not installed"
