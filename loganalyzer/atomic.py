"""Files that are whole or not there, whatever happens while they are written."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from loganalyzer.errors import OutputError


def replace(path: str, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a temporary file beside `path`, then put it in place.

    Raises:
        OutputError: disk full, read-only, ...; what stood there before is untouched.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            fill(temporary)
            _settle(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"{path}: not written: {error.strerror or error}; what was there before is untouched"
        ) from error


def _settle(temporary: Path, target: Path) -> None:
    """Flush to disk before the rename, and the folder after it: a power cut leaves the old file or the new one."""
    sync(temporary)
    temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
    temporary.replace(target)
    sync(target.parent)


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
