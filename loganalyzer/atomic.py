"""Files that are whole or not there, whatever happens while they are written."""

import errno
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from loganalyzer.errors import OutputError, UnsettledError

STALE_S = 86_400.0  # age of a temporary file that no run can be writing any more


class Replacement:
    """A file that is written beside `path` and put in its place where the `with` ends well; else all is as it was."""

    def __init__(self, path: str) -> None:
        """Nothing is made yet."""
        self._path, self._target = path, Path(path)
        self.temporary = self._target  # from the beginning of the `with` on, the file to write

    def __enter__(self) -> Self:
        """Make the temporary file; one that a killed run left is removed.

        Raises:
            OutputError: it cannot be made.
        """
        with self.telling():
            _clear(self._target)
            handle, name = tempfile.mkstemp(prefix=f".{self._target.name}.", suffix=".part", dir=self._target.parent)
            os.close(handle)
            self.temporary = Path(name)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Put the file in place, unless an error ended the `with`.

        Raises:
            OutputError: as of `replace`.
            UnsettledError: as of `replace`.
        """
        try:
            if kind is None:
                with self.telling():
                    self._settle()
        finally:
            self.temporary.unlink(missing_ok=True)
        if kind is None:
            try:
                sync(self._target.parent)  # a power cut leaves the old file or the new; without this perhaps the old
            except OSError as error:
                said = f"written, but the disk may not have it: {error.strerror or error}"
                raise UnsettledError(f"{self._path}: {said}") from error

    @contextmanager
    def telling(self) -> Iterator[None]:
        """What is written to the temporary file is written within this.

        Raises:
            OutputError: disk full, ...; what stood there before is untouched.
        """
        try:
            yield
        except OSError as error:
            written = self.temporary.stat().st_size if self.temporary.exists() else 0
            said = f"not written: {_why(error, written)}; what was there before is untouched"
            raise OutputError(f"{self._path}: {said}") from error

    def _settle(self) -> None:
        sync(self.temporary)
        old = self._target.stat().st_mode & 0o777 if self._target.exists() else None
        self.temporary.chmod(0o666 & ~_umask() if old is None else old)
        self.temporary.replace(self._target)


def replace(path: str, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a temporary file beside `path`, then put it in place; one that a killed run left is removed.

    Raises:
        OutputError: disk full, read-only, ...; what stood there before is untouched.
        UnsettledError: the new file stands there, but a power cut may bring the old one back.
    """
    with Replacement(path) as new, new.telling():
        fill(new.temporary)


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
