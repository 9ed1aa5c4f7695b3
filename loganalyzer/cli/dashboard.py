"""The dashboard's command: it only looks whether what is named is there, and starts it."""

from collections.abc import Sequence

import click

from loganalyzer.cli import memory
from loganalyzer.cli.options import (
    CLIENTS,
    LOGS,
    MMDB,
    PRIVACY,
    RANGES,
    ROBOTS,
    STORE,
    grace,
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
@memory.MEMORY
@click.option("--log-format", metavar="NAME|DIRECTIVE", help="As for report.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8501, show_default=True)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def dashboard(
    logs: tuple[str, ...],
    store: str | None,
    since: str | None,
    until: str | None,
    robots: tuple[str, ...],
    log_format: str | None,
    port: int,
    no_browser: bool,
) -> int:
    """Open the dashboard on this machine's loopback address."""
    from loganalyzer.dashboard.launch import launch

    _check_choice(logs, robots, log_format)
    _check_store(logs, log_format, store, since, until)
    named = {"store": store, "since": since, "until": until, "memory": memory.asked() or memory.quarter()}
    further = [
        *(f"--{name}={value}" for name, value in named.items() if value is not None),
        *(f"--clients={file}" for file in registry().files),
        *privacy().options,
        *networks(),
        *(f"--grace={spec}" for spec in grace()),
    ]
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


def _check_store(
    logs: Sequence[str], log_format: str | None, store: str | None, since: str | None, until: str | None
) -> None:
    """The same for a store and its window.

    Raises:
        UsageError: logs beside a store, a window without one, or an instant that is none.
        StoreError: it is no store.
    """
    from pathlib import Path

    from loganalyzer.store.manifest import load
    from loganalyzer.store.window import instant

    if store is None:
        if since or until:
            raise UsageError("--since and --until are for a store: --store DIR")
        return
    if logs or log_format:
        raise UsageError("--store stands for logs that were ingested: name no LOG and no --log-format beside it")
    for bound in filter(None, (since, until)):
        instant(bound)
    load(Path(store))
