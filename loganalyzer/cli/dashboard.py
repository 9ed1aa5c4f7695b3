"""The dashboard's command: it only looks whether what is named is there, and starts it."""

from collections.abc import Sequence

import click

from loganalyzer.cli import memory
from loganalyzer.cli.options import (
    CLIENTS,
    LOGS,
    MANNER,
    MMDB,
    PRIVACY,
    RANGES,
    ROBOTS,
    STORE,
    grace,
    manner,
    networks,
    privacy,
    registry,
)
from loganalyzer.errors import UsageError


@click.command()
@LOGS
@STORE
@ROBOTS
@CLIENTS
@RANGES
@MMDB
@PRIVACY
@MANNER
@click.option("--log-format", metavar="NAME|DIRECTIVE", help="As for report.")
@click.option("--tz", metavar="ZONE", help="As for report.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8501, show_default=True)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def dashboard(
    logs: tuple[str, ...],
    store: str | None,
    since: str | None,
    until: str | None,
    robots: tuple[str, ...],
    log_format: str | None,
    tz: str | None,
    port: int,
    no_browser: bool,
) -> int:
    """Open the dashboard on this machine's loopback address."""
    from loganalyzer.dashboard.launch import launch

    _check_choice(logs, robots, log_format, tz)
    _check_store(logs, log_format or tz, store, since, until)
    how = manner()
    named = {"store": store, "since": since, "until": until, "memory": memory.asked() or memory.quarter(), "tz": tz}
    named["xff"] = how.pop("xff")
    further = [
        *(f"--{name}={value}" for name, value in named.items() if value is not None),
        *(f"--{name.replace('_', '-')}" for name, given in how.items() if given),
        *(f"--clients={file}" for file in registry().files),
        *privacy().options,
        *networks(),
        *(f"--grace={spec}" for spec in grace()),
    ]
    return launch(logs, robots=robots, log_format=log_format, port=port, browser=not no_browser, further=further)


def _check_choice(logs: Sequence[str], robots: Sequence[str], log_format: str | None, tz: str | None) -> None:
    """Say on the terminal what the dashboard could only say in the browser.

    Raises:
        UsageError: a robots.txt, a format, the zone or every log is not there.
    """
    from loganalyzer.formats import FORMATS
    from loganalyzer.formats.choice import given
    from loganalyzer.formats.zones import in_zone
    from loganalyzer.robots import load
    from loganalyzer.sources import expand

    load(robots)
    if log_format is not None:
        given(log_format)
    if tz is not None:
        in_zone(FORMATS[0], tz)
    missing = [f"{source.name}: {source.problem}" for source in expand(logs) if source.problem]
    if logs and len(missing) == len(expand(logs)):
        raise UsageError("; ".join(missing))


def _check_store(
    logs: Sequence[str], reading: str | None, store: str | None, since: str | None, until: str | None
) -> None:
    """The same for a store and a period.

    Raises:
        UsageError: logs beside a store, or an instant that is none.
        StoreError: it is no store.
    """
    from pathlib import Path

    from loganalyzer.store.loading import Window
    from loganalyzer.store.manifest import load

    Window.of(since, until)
    if store is None:
        return
    if logs or reading:
        raise UsageError(
            "--store stands for logs that were ingested: name no LOG, no --log-format and no --tz beside it"
        )
    load(Path(store))
