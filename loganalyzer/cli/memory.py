"""`--memory`: what a command takes where none is given, and what is said where it does not suffice."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loganalyzer.errors import LogAnalyzerError, NothingUsableError, OutputError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.held import Shelf

LEAST = 64 << 20
_PASSING = 512 << 20  # for rows that are written as they come, unless --memory allows more
_CGROUP = Path("/sys/fs/cgroup/memory.max")  # cgroup version 2: what a container may take
# Of <malloc.h>: an arena for all threads; freed memory at the top that is kept; the least that is mapped by itself.
_ARENA_MAX, _TRIM_THRESHOLD, _MMAP_THRESHOLD = -8, -1, -3
_KEPT_FREE, _MAPPED = 256 << 20, 32 << 20  # the second is the most that glibc takes
# As DuckDB, Arrow, numpy, the loader and the kernel say it.
_SHORT = re.compile(
    r"out of memory|unable to allocate|cannot allocate memory|failed to map segment|bad.alloc|malloc of size"
    r"|start new thread|launch worker thread",
    re.IGNORECASE,
)
_FULL = re.compile("no space left on device", re.IGNORECASE)


def prepare() -> None:
    """Set up the allocators, and keep numpy to one thread; before either is imported.

    A log is read in blocks of some megabytes, each with arrays that live as long: memory that goes back to the kernel
    in between is cleared by it each time, which can take a third of all processor time. So glibc keeps what is free,
    and Arrow's allocator takes no huge pages, of which it would use a part.

    numpy's threads are those of linear algebra, of which there is none here; they would begin by spinning on the cores
    that read.

    Where `ulimit -v` leaves little address space, they make do with it: Arrow's allocator, and glibc's with an arena
    for each thread, reserve some gigabytes that they never touch, harmless but for such a limit.
    """
    os.environ.setdefault("MIMALLOC_ALLOW_THP", "0")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    options = [(_TRIM_THRESHOLD, _KEPT_FREE), (_MMAP_THRESHOLD, _MAPPED)]
    if _limit() is not None:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        options = [(_ARENA_MAX, 1)]
    with suppress(OSError, AttributeError):  # another libc
        from ctypes import CDLL

        for option, value in options:
            CDLL(None).mallopt(option, value)


def wanting(error: BaseException) -> LogAnalyzerError | None:
    """What to say of a failure for want of memory or of room, for which libraries have many words; null for any other.

    Rows that find no room stay in memory (`held.Shelf`); the engine that sorts them cannot do without.
    """
    if _FULL.search(str(error)):
        return OutputError(
            "the temporary folder is full; nothing was reported. TMPDIR=DIR names another, and with more --memory less "
            "is written there"
        )
    said = _short(error)
    return NothingUsableError(said) if said else None


def _short(error: BaseException) -> str | None:
    text = str(error)
    if not (isinstance(error, MemoryError) or _SHORT.search(text)):
        return None
    limit = _limit()
    why = f"this process may take {shown(limit)} (ulimit -v)" if limit else "the machine or its container has no more"
    return (
        f"memory ran short: {why}; nothing was reported. Give it more, or begin with temporary files sooner: "
        f"--memory {shown(LEAST).replace(' ', '')}"
    )


def _limit() -> int | None:
    """Bytes of address space that this process may take; null: any."""
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

    limit = getrlimit(RLIMIT_AS)[0]
    return None if limit == RLIM_INFINITY else limit


def quarter() -> int:
    """A quarter of this machine's memory, or of what its container or `ulimit -v` lets this process take."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    whole = min(whole, _limit() or whole)
    with suppress(OSError, ValueError):  # no container, or "max"
        whole = min(whole, int(_CGROUP.read_text()))
    return max(LEAST, whole // 4)


def shown(size: int) -> str:
    """Bytes for people."""
    return f"{size / (1 << 30):.3g} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.0f} MiB"


def shelf(size: int | None, passing: bool = False) -> "Shelf":
    """What holds the log of a command that may take `size` bytes.

    Args:
        size: as asked; null: as much as there is for it.
        passing: it holds rows only until it is known that each counts.
    """
    from loganalyzer.held import Shelf

    def tell(text: str) -> None:
        click.echo(terminal(f"loganalyzer: {text}"), err=True)

    return Shelf(size or (min(_PASSING, quarter()) if passing else quarter()), tell)
