"""A temporary folder of this process: gone when it ends, however it ends.

It lies where TMPDIR says. Python removes it at the end of the process, also after an error or a signal. What a killed
process left (`kill -9`, a power cut) is known by its lock, which nobody holds any more, and removed a day later by
whoever needs such a folder next.
"""

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from pathlib import Path

_PREFIX = "loganalyzer-spill-"
_LOCK = "lock"
_OLD_S = 86_400


class Scratch:
    """The folder `path`, for as long as this object or the process lives; `close` removes it now."""

    def __init__(self) -> None:
        """Make it, and remove what dead processes left.

        Raises:
            OSError: it cannot be made.
        """
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        # Called at the end of the process at the latest; the kernel lets go of the lock with the process.
        self.close = weakref.finalize(self, _remove, self.path, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _sweep(self.path.parent)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _sweep(place: Path) -> None:
    """Remove folders of this user that are a day old and that no process holds."""
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            status = folder.lstat()
            if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _OLD_S and _left(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # another process swept it first


def _left(folder: Path) -> bool:
    """Whether no process holds the folder; a link to elsewhere is nobody's."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True
