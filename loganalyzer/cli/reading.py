"""Reading and analysing as the command line asks for it: shared by every command that takes logs or a store."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

import click

from loganalyzer.cli import memory
from loganalyzer.cli.given import Given
from loganalyzer.epoch import iso
from loganalyzer.errors import NothingUsableError, UnknownFormatError, UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.formats import Log
    from loganalyzer.privacy import Privacy
    from loganalyzer.reports.progress import Advance
    from loganalyzer.reports.tables import Take
    from loganalyzer.store.loading import Window

Last: TypeAlias = Callable[[], int]  # the last instant of the log or store; 0 where none is known
Periods: TypeAlias = Callable[[Last], "Sequence[Window]"]
USUAL_LOGS = ("/var/log/nginx/access.log*", "/var/log/apache2/access.log*", "/var/log/httpd/access_log*")
EXIT_PARTLY = 3


def read_log(given: Given, take: "Take | None" = None) -> "Log":
    """The log or store, with what is to be hidden taken out; what happened to the inputs is told on stderr.

    With `take`, that is handed the requests piece by piece, and the log does not hold them.

    Raises:
        UsageError: no log is named, or options do not go together.
        UnknownFormatError: no format reads it.
    """
    window = given.window  # before the logs: a mistake must not cost a long read
    return read_periods(given, lambda _: [window], take)[0]


def read_periods(given: Given, periods: "Periods", take: "Take | None" = None) -> "list[Log]":
    """The same in each of the periods, which may depend on the last instant; files are read once for all of them."""
    from loganalyzer.store import covered, within
    from loganalyzer.store.period import span_us

    if (store := given.store) is not None:
        windows = periods(lambda: (covered(store) or (0, 0))[1])
        logs = [_stored(given, store, window, take is not None) for window in windows]
    else:
        whole = _whole(given, take)
        windows = periods(lambda: (span_us(whole.request_rows) or (0, 0))[1])
        logs = [within(whole, *window.words, window.copy_us) for window in windows]
    logs = [given.privacy.log(log) for log in logs]
    if take is not None:  # those of a store and of a period, which are held
        for table in logs[0].request_rows.tables():
            take(table)
    if not given.quiet:
        _notes(logs[0])
    return logs


def _whole(given: Given, take: "Take | None") -> "Log":
    from loganalyzer.formats import read
    from loganalyzer.reports.progress import reading

    paths = list(given.logs) or usual_logs()
    _say_what_it_waits_for(paths)
    shown = take is not None and sys.stdout.isatty()  # a bar would write over what is being printed
    hand = None if take is None or given.window.bounded else _hiding(take, given.privacy)
    bar: AbstractContextManager[Advance | None] = nullcontext() if shown else reading(paths)
    with bar as progress:
        try:
            held = memory.shelf(given.memory, passing=take is not None)
            return read(paths, given.log_format, given.tz, progress, shelf=held, take=hand, **given.manner)
        except UnknownFormatError as error:  # it shows a line
            raise UnknownFormatError(given.privacy.text(str(error))) from None


def _hiding(take: "Take", hidden: "Privacy") -> "Take":
    return lambda table: take(hidden.requests(table))


def usable(log: "Log", store: str | None = None) -> "Log":
    """The same log; raises NothingUsableError where there is no request, with the reason that there is."""
    passed = store is None and log.since_us is None and log.until_us is None  # to what `read_log` was given
    if log.request_rows.num_rows or (passed and any(item.requests for item in log.inputs)):
        return log
    if store is not None:
        raise NothingUsableError(f"{store}: no request in the store, or none in the period asked for")
    if log.covered_us is not None:
        first, last = map(iso, log.covered_us)
        raise NothingUsableError(f"no request in the period asked for; those of the log are from {first} to {last}")
    if log.reject_rows.num_rows:
        raise NothingUsableError(
            f"{log.reject_rows.num_rows:,} lines and not one request; the first is {_first_reject(log)}; "
            f"loganalyzer formats --explain LINE shows where it stops"
        )
    raise NothingUsableError("no request in the input, so there is nothing to report on")


def _first_reject(log: "Log") -> str:
    """Where the first line stands that is no request, and why."""
    columns = ["source", "line", "reason"]
    row = next(row for table in log.reject_rows.tables(columns) for row in table.slice(0, 1).to_pylist())
    return f"{row['source']}:{row['line']}, {row['reason']}"


def _stored(given: Given, store: str, window: "Window", passing: bool = False) -> "Log":
    from loganalyzer.store import read

    if given.logs or given.log_format or given.tz:
        raise UsageError(
            "--store stands for logs that were ingested: name no LOG, no --log-format and no --tz beside it"
        )
    return read(store, *window.words, memory.shelf(given.memory, passing), window.copy_us)


def analysed(given: Given) -> "Analysis":
    """The log or store, read and analysed as asked.

    Raises:
        UsageError: an option is faulty.
        NothingUsableError: there is no request.
    """
    window = given.window
    (analysis,) = analysed_periods(given, lambda _: [window])
    return analysis


def analysed_periods(given: Given, periods: "Periods") -> "list[Analysis]":
    """The same in each period; a further one without a request is left out."""
    from loganalyzer.analysis import analyse
    from loganalyzer.robots import history

    # Before the logs: a mistake must not cost a long read.
    versions, known, master, allowance = history.load(given.robots), given.registry, given.engine(), given.allowance()
    ways, networks = given.verifier(), given.places()
    if ways and given.privacy.addresses:  # before the logs, too
        raise UsageError("--anonymize takes out the addresses that --ranges and --verify look at; choose one")
    first, *further = read_periods(given, periods)
    logs = [usable(first, given.store), *(log for log in further if log.request_rows.num_rows)]
    options = (given.robots, given.limit_key, versions, known, master, ways, networks, allowance)
    return [analyse(log, *options) for log in logs]


def usual_logs() -> list[str]:
    """The log that a server here is likely to write, where none is named.

    Raises:
        UsageError: there is none.
    """
    from pathlib import Path

    for pattern in USUAL_LOGS:
        if any(Path("/").glob(pattern[1:])):
            click.echo(f"loganalyzer: no log named; reading {pattern}", err=True)
            return [pattern]
    raise UsageError("no log named, and none where nginx and Apache usually write theirs; see loganalyzer report -h")


def _say_what_it_waits_for(logs: Sequence[str]) -> None:
    """Never hang in silence: a keyboard, or a named pipe that nobody may be writing to."""
    from pathlib import Path

    if "-" in logs and sys.stdin.isatty():
        click.echo("loganalyzer: reading what you type; end with Ctrl-D", err=True)
    for log in logs:
        if not log.startswith(("/dev/", "/proc/")) and Path(log).is_fifo():
            click.echo(terminal(f"loganalyzer: {log} is a pipe: waiting for what is written into it"), err=True)


def _notes(log: "Log") -> None:
    """What happened to the inputs, on stderr: stdout is for data."""
    for item in log.inputs:
        for note in filter(None, (*item.notes, item.problem)):
            click.echo(terminal(f"loganalyzer: {item.source}: {note}"), err=True)


def status(log: "Log", max_rejects: float) -> int:
    """The exit code for what was read; many rejects are told on stderr."""
    lines, rejects = log.lines, log.unread
    if many := rejects * 100 > max_rejects * lines:
        said = (
            f"{rejects:,} of {lines:,} lines could not be read as requests (over {max_rejects:g} %); the first is "
            f"{_first_reject(log)}; loganalyzer parse --rejects FILE keeps them all"
        )
        click.echo(terminal(f"loganalyzer: {said}"), err=True)
    return EXIT_PARTLY if many or any(item.problem for item in log.inputs) else 0
