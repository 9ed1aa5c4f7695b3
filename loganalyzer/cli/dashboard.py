"""The dashboard's command: it only looks whether what is named is there, and starts it."""

from collections.abc import Sequence

import click

from loganalyzer.cli.options import CLIENTS, LOGS, MMDB, PRIVACY, RANGES, ROBOTS, grace, networks, privacy, registry
from loganalyzer.errors import UsageError


@click.command()
@LOGS
@ROBOTS
@CLIENTS
@RANGES
@MMDB
@PRIVACY
@click.option("--log-format", metavar="NAME|DIRECTIVE", help="As for report.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8501, show_default=True)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def dashboard(
    logs: tuple[str, ...], robots: tuple[str, ...], log_format: str | None, port: int, no_browser: bool
) -> int:
    """Open the dashboard on this machine's loopback address."""
    from loganalyzer.dashboard.launch import launch

    _check_choice(logs, robots, log_format)
    further = [*(f"--clients={file}" for file in registry().files), *privacy().options, *networks()]
    further += [f"--grace={spec}" for spec in grace()]
    return launch(logs, robots=robots, log_format=log_format, port=port, browser=not no_browser, further=further)


def _check_choice(logs: Sequence[str], robots: Sequence[str], log_format: str | None) -> None:
    """Say on the terminal what the dashboard could only say in the browser.

    Raises:
        UsageError: a robots.txt, a format or every log is not there.
    """
    from loganalyzer.formats.choice import given
    from loganalyzer.robots import load
    from loganalyzer.sources import expand

    load(robots)
    if log_format is not None:
        given(log_format)
    missing = [f"{source.name}: {source.problem}" for source in expand(logs) if source.problem]
    if logs and len(missing) == len(expand(logs)):
        raise UsageError("; ".join(missing))
