"""`report --compare`: what the log or store that is reported is held against."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.given import Given
from loganalyzer.cli.reading import analysed, analysed_periods
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.store.loading import Window

PREVIOUS = "previous"
COMPARE = click.option(
    "--compare",
    "others",
    multiple=True,
    metavar="previous|FROM..TO|LOG|DIR",
    help="Also say what changed, for whom, and how far the two can be compared: since the time before --since, as long "
    "as what is reported (previous); since a period of the same logs (2026-11-01..2026-11-08 is seven days, and so is "
    "14d..7d); or against another log (repeat for several) or store.",
)


def compared(given: Given, others: Sequence[str]) -> "Analysis":
    """What is reported, with what it is compared with.

    Raises:
        UsageError: a comparison cannot be made of what is named.
    """
    if not others:
        return analysed(given)
    period = _period(given, others[0])
    if (period is not None or others[0] == PREVIOUS) and len(others) > 1:
        raise UsageError("--compare takes one period, or logs alone: repeat it for several logs")
    if period is None and others[0] != PREVIOUS:
        return _with_another(given, others)
    asked = given.window
    if period is None and asked.since_us is None:
        raise UsageError("--compare previous is the time before --since, as long as what is reported: give --since")
    analyses = analysed_periods(given, lambda last: [asked, period or asked.previous(last())])
    if len(analyses) < 2:
        click.echo(terminal("loganalyzer: --compare: no request in that period, so nothing is compared"), err=True)
        return analyses[0]
    return analyses[0].compared_with(analyses[1])


def _period(given: Given, text: str) -> "Window | None":
    """FROM..TO; null where it is a path, as `../access.log` is."""
    since, dots, until = text.partition("..")
    if not dots or Path(text).exists():
        return None
    try:
        return replace(given, since=since or None, until=until or None).window
    except UsageError:
        return None


def _with_another(given: Given, others: Sequence[str]) -> "Analysis":
    """Another log or store; --since and --until, where they are given, hold for both."""
    from loganalyzer.sources import expand

    if len(others) == 1 and (Path(others[0]) / "manifest.json").is_file():
        other = given.instead(logs=(), store=others[0], log_format=None, tz=None)
    else:
        missing = [source for source in expand(others) if source.problem]
        if missing:
            named = f"{missing[0].name}: {missing[0].problem}"
            raise UsageError(f"--compare {named}; give previous, FROM..TO (2026-11-01..2026-11-08), a log or a store")
        other = given.instead(logs=tuple(others), store=None)
    return analysed(given).compared_with(analysed(other))
