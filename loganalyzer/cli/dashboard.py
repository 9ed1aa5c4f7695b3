"""The dashboard's command: it only looks whether what is named is there, and starts it."""

import click

from loganalyzer.cli.given import CLIENTS, FORMAT, HIDING, LOGS, MEMORY, MMDB, RANGES, ROBOTS, STORE, Given, takes
from loganalyzer.cli.memory import quarter
from loganalyzer.errors import UsageError


@click.command()
@takes(LOGS, STORE, ROBOTS, CLIENTS, RANGES, MMDB, HIDING, MEMORY, FORMAT)
@click.option("--port", type=click.IntRange(1, 65_535), default=8501, show_default=True)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def dashboard(given: Given, port: int, no_browser: bool) -> int:
    """Open the dashboard on this machine's loopback address."""
    from loganalyzer.dashboard.launch import launch

    _check_choice(given)
    _check_store(given)
    named = {"store": given.store, "since": given.since, "until": given.until, "memory": given.memory or quarter()}
    further = [
        *(f"--{name}={value}" for name, value in named.items() if value is not None),
        *(f"--clients={file}" for file in given.registry.files),
        *given.privacy.options,
        *given.networks(),
        *(f"--grace={spec}" for spec in given.allowance()),
    ]
    return launch(
        given.logs,
        robots=given.robots,
        log_format=given.log_format,
        port=port,
        browser=not no_browser,
        further=further,
    )


def _check_choice(given: Given) -> None:
    """Say on the terminal what the dashboard could only say in the browser.

    Raises:
        UsageError: a robots.txt, a format or every log is not there.
    """
    from loganalyzer.formats.choice import given as known_format
    from loganalyzer.robots import load
    from loganalyzer.sources import expand

    load(given.robots)
    if given.log_format is not None:
        known_format(given.log_format)
    missing = [f"{source.name}: {source.problem}" for source in expand(given.logs) if source.problem]
    if given.logs and len(missing) == len(expand(given.logs)):
        raise UsageError("; ".join(missing))


def _check_store(given: Given) -> None:
    """The same for a store and its window.

    Raises:
        UsageError: logs beside a store, a window without one, or an instant that is none.
        StoreError: it is no store.
    """
    from pathlib import Path

    from loganalyzer.period import instant
    from loganalyzer.store.manifest import load

    if given.store is None:
        if given.since or given.until:
            raise UsageError("--since and --until are for a store: --store DIR")
        return
    if given.logs or given.log_format:
        raise UsageError("--store stands for logs that were ingested: name no LOG and no --log-format beside it")
    for bound in filter(None, (given.since, given.until)):
        instant(bound)
    load(Path(given.store))
