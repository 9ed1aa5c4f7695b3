"""Files that are whole or not there, whatever happens while they are written."""

import errno
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loganalyzer.errors import OutputError, UnsettledError

STALE_S = 86_400.0  # age of a temporary file that no run can be writing any more


def replace(path: str, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a temporary file beside `path`, then put it in place; one that a killed run left is removed.

    Raises:
        OutputError: disk full, read-only, ...; what stood there before is untouched.
        UnsettledError: the new file stands there, but a power cut may bring the old one back.
    """
    target, written = Path(path), 0
    try:
        _clear(target)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            fill(temporary)
            sync(temporary)
            temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            temporary.replace(target)
        finally:
            written = temporary.stat().st_size if temporary.exists() else 0
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: not written: {_why(error, written)}; what was there before is untouched") from error
    try:
        sync(target.parent)  # a power cut leaves the old file or the new one; without this perhaps the old one
    except OSError as error:
        raise UnsettledError(f"{path}: written, but the disk may not have it: {error.strerror or error}") from error


def check(folder: Path) -> None:
    """Make a file in a folder and remove it: only that tells whether one can be made.

    Raises:
        OSError: it cannot.
    """
    handle, name = tempfile.mkstemp(prefix=".loganalyzer.", suffix=".part", dir=folder)
    os.close(handle)
    Path(name).unlink()


def _clear(target: Path) -> None:
    """Remove temporary files of the same output that are ours and older than a day: a run was killed before it was."""
    ours = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}\.part")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.geteuid() and time.time() - status.st_mtime > STALE_S:
                    Path(entry.path).unlink(missing_ok=True)


def _why(error: OSError, written: int) -> str:
    """The system's reason, and how much room there was where it was too little."""
    text = os.strerror(error.errno) if error.errno else str(error)  # Arrow's own text names the temporary file
    return f"{text}, needs more than {written:,} bytes" if error.errno == errno.ENOSPC else text


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
