"""A command as a process: what ends it, with which exit code, and what is said on stderr then."""

import errno
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from loganalyzer.cli import memory
from loganalyzer.cli.unneeded import hide_pandas
from loganalyzer.errors import LogAnalyzerError, OutputError
from loganalyzer.escape import terminal

EXIT_PIPE = 141
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # of no reading


class Commands(click.Group):
    """The commands; a reader that goes away ends any of them in silence, a full disk with a sentence."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the command line; the help may be written here."""
        with _writing():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _writing():
            return super().invoke(ctx)


@contextmanager
def _writing() -> Iterator[None]:
    """Flush what is written on stdout, and tell what is wrong with it: click itself would end with 1, or with 0.

    Raises:
        Exit: with 141: the reader went away.
        OutputError: it cannot be written.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _close_stdout()
        raise click.exceptions.Exit(EXIT_PIPE) from None
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        _close_stdout()
        raise OutputError(f"stdout: not written to its end: {error.strerror}") from error


def _close_stdout() -> None:
    """Python flushes stdout at exit, and would complain of what is wrong with it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: BaseException, debug: bool) -> int:
    if debug:
        raise error
    expected = error if isinstance(error, LogAnalyzerError) else memory.wanting(error)
    if expected is not None:
        click.echo(terminal(f"loganalyzer: {expected}"), err=True)
        return expected.exit_code
    click.echo(
        terminal(f"loganalyzer: a bug: {type(error).__name__}: {error}; run again with --debug and report it"), err=True
    )
    return 1


# Signals that were to end the process: a library that is interrupted may raise an error of its own instead (DuckDB says
# "Query interrupted").
_received: list[int] = []


def _interrupt(*_: object) -> NoReturn:
    """Stop and clean up; should that take long, a second Ctrl-C ends the process at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _received.append(signal.SIGINT)
    raise KeyboardInterrupt


def _terminate(*_: object) -> NoReturn:
    _received.append(signal.SIGTERM)
    sys.exit(128 + signal.SIGTERM)


def run(commands: click.Group, arguments: Sequence[str]) -> NoReturn:
    """Run a command and end with its exit code."""
    _received.clear()
    memory.prepare()
    hide_pandas()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored: nohup
        signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _terminate)
    debug = "--debug" in arguments or bool(os.environ.get("LOGANALYZER_DEBUG"))
    try:
        status = commands.main(list(arguments), prog_name="loganalyzer", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = 128 + signal.SIGINT
    except Exception as error:  # noqa: BLE001 - the last resort: a sentence instead of a traceback
        status = 128 + _received[0] if _received else _fail(error, debug)
    sys.exit(status if isinstance(status, int) else 0)
