"""A progress bar on a terminal, and nothing anywhere else."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

Advance = Callable[[int, int], None]  # (bytes read so far, bytes in all; 0 where unknown)


@contextmanager
def reading(logs: Sequence[str]) -> Iterator[Advance | None]:
    """Show how far reading `logs` has come, on stderr and only on a terminal; gone at the end."""
    typed = "-" in logs and sys.stdin.isatty()  # a bar would write over what is being typed
    if typed or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "reading", BarColumn(), DownloadColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    )
    with bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
