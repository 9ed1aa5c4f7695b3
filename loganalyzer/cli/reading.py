"""Reading and analysing as the command line asks for it: shared by every command that takes logs or a store."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from loganalyzer.cli import memory
from loganalyzer.cli.options import engine, grace, manner, places, privacy, registry, verifier
from loganalyzer.errors import NothingUsableError, UnknownFormatError, UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.backoff.thresholds import Key
    from loganalyzer.formats import Log
    from loganalyzer.privacy import Privacy
    from loganalyzer.reports.progress import Advance
    from loganalyzer.reports.tables import Take

USUAL_LOGS = ("/var/log/nginx/access.log*", "/var/log/apache2/access.log*", "/var/log/httpd/access_log*")
EXIT_PARTLY = 3


def read_log(
    logs: Sequence[str],
    log_format: str | None,
    tz: str | None,
    quiet: bool,
    store: str | None = None,
    since: str | None = None,
    until: str | None = None,
    take: "Take | None" = None,
) -> "Log":
    """The log or store, with what is to be hidden taken out; what happened to the inputs is told on stderr.

    With `take`, that is handed the requests piece by piece, and the log does not hold them.

    Raises:
        UsageError: no log is named, or options do not go together.
        UnknownFormatError: no format reads it.
    """
    hidden = privacy()
    if store is not None:
        log = _stored(logs, log_format or tz, store, since, until, take is not None)
    else:
        from loganalyzer.formats import read
        from loganalyzer.reports.progress import reading
        from loganalyzer.store import within
        from loganalyzer.store.loading import Window

        Window.of(since, until)  # before the logs: a mistake must not cost a long read
        paths = list(logs) or usual_logs()
        _say_what_it_waits_for(paths)
        shown = take is not None and sys.stdout.isatty()  # a bar would write over what is being printed
        hand = None if take is None or since or until else _hiding(take, hidden)
        bar: AbstractContextManager[Advance | None] = nullcontext() if shown else reading(paths)
        with bar as progress:
            try:
                held = memory.shelf(passing=take is not None)
                log = read(paths, log_format, tz, progress, shelf=held, take=hand, **manner())
            except UnknownFormatError as error:  # it shows a line
                raise UnknownFormatError(hidden.text(str(error))) from None
        log = within(log, since, until, _copy_us())
    log = hidden.log(log)
    if take is not None:  # those of a store and of a period, which are held
        for table in log.request_rows.tables():
            take(table)
    if not quiet:
        _notes(log)
    return log


def _hiding(take: "Take", hidden: "Privacy") -> "Take":
    return lambda table: take(hidden.requests(table))


def usable(log: "Log", store: str | None = None) -> "Log":
    """The same log; raises NothingUsableError where there is no request, with the reason that there is."""
    passed = store is None and log.since_us is None and log.until_us is None  # to what `read_log` was given
    if log.request_rows.num_rows or (passed and any(item.requests for item in log.inputs)):
        return log
    if store is not None:
        raise NothingUsableError(f"{store}: no request in the store, or none in the period asked for")
    if log.since_us is not None or log.until_us is not None:
        raise NothingUsableError("no request in the period asked for")
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


def _stored(
    logs: Sequence[str], reading: str | None, store: str, since: str | None, until: str | None, passing: bool
) -> "Log":
    from loganalyzer.store import read

    if logs or reading:
        raise UsageError(
            "--store stands for logs that were ingested: name no LOG, no --log-format and no --tz beside it"
        )
    return read(store, since, until, memory.shelf(passing), _copy_us())


def _copy_us() -> int:
    """For how long anybody may go by a copy of robots.txt."""
    from loganalyzer.robots.grace import read

    return read(grace()).longest_us


def analysed(
    read: "Callable[[], Log]", robots: Sequence[str], limit_key: "Key", store: str | None = None
) -> "Analysis":
    """What `read` gives, analysed with the options of the command that runs.

    Raises:
        UsageError: an option is faulty.
        NothingUsableError: there is no request.
    """
    from loganalyzer.analysis import analyse
    from loganalyzer.robots import history

    # Before the logs: a mistake must not cost a long read.
    versions, known, master, allowance = history.load(robots), registry(), engine(), grace()
    ways, networks = verifier(known), places()
    if ways and privacy().addresses:  # before the logs, too
        raise UsageError("--anonymize takes out the addresses that --ranges and --verify look at; choose one")
    return analyse(usable(read(), store), robots, limit_key, versions, known, master, ways, networks, allowance)


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
