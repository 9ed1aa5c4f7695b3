"""The dashboard's command: it only looks whether what is named is there, and starts it."""

import click

from loganalyzer.cli.given import CLIENTS, FORMAT, HIDING, LOGS, MANNER, MMDB, RANGES, ROBOTS, STORE, ZONE, Given, takes
from loganalyzer.cli.memory import quarter
from loganalyzer.errors import UsageError


@click.command()
@takes(LOGS, STORE, ROBOTS, CLIENTS, RANGES, MMDB, HIDING, MANNER, FORMAT, ZONE)
@click.option("--port", type=click.IntRange(1, 65_535), default=8501, show_default=True)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def dashboard(given: Given, port: int, no_browser: bool) -> int:
    """Open the dashboard on this machine's loopback address."""
    from loganalyzer.dashboard.launch import launch

    _check_choice(given)
    _check_store(given)
    how = given.manner
    named = {"store": given.store, "since": given.since, "until": given.until, "memory": given.memory or quarter()}
    named |= {"tz": given.tz, "xff": how.pop("xff")}
    further = [
        *(f"--{name}={value}" for name, value in named.items() if value is not None),
        *(f"--{name.replace('_', '-')}" for name, chosen in how.items() if chosen),
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
        UsageError: a robots.txt, a format, the zone or every log is not there.
    """
    from loganalyzer.formats import FORMATS
    from loganalyzer.formats.choice import given as known_format
    from loganalyzer.formats.zones import in_zone
    from loganalyzer.robots import load
    from loganalyzer.sources import expand

    load(given.robots)
    if given.log_format is not None:
        known_format(given.log_format)
    if given.tz is not None:
        in_zone(FORMATS[0], given.tz)
    missing = [f"{source.name}: {source.problem}" for source in expand(given.logs) if source.problem]
    if given.logs and len(missing) == len(expand(given.logs)):
        raise UsageError("; ".join(missing))


def _check_store(given: Given) -> None:
    """The same for a store and a period.

    Raises:
        UsageError: logs beside a store, or an instant that is none.
        StoreError: it is no store.
    """
    from pathlib import Path

    from loganalyzer.store.manifest import load

    _ = given.window
    if given.store is None:
        return
    if given.logs or given.log_format or given.tz:
        raise UsageError(
            "--store stands for logs that were ingested: name no LOG, no --log-format and no --tz beside it"
        )
    load(Path(given.store))
