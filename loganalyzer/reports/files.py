"""Outputs are written whole or not at all, never over an input, and are known to be writable before the work begins."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from loganalyzer.atomic import replace
from loganalyzer.errors import OutputError, UsageError


def check_writable(*paths: str | None, inputs: Sequence[str] = ()) -> None:
    """Refuse now what could only fail after a long read; None is an output that was not asked for.

    Raises:
        UsageError: an output is one of the inputs, or named twice.
        OutputError: a folder is missing or read-only, or the output is no regular file.
    """
    named = [path for path in paths if path is not None]
    for path in named:
        _check(path, inputs)
    if len({Path(path).resolve() for path in named}) < len(named):
        raise UsageError(f"{named[0]}: is named for two outputs; name another for one of them")


def _check(path: str, inputs: Sequence[str]) -> None:
    target = Path(path)
    if not target.name:
        raise UsageError("an output needs a name; name a file")
    if target.exists() and not target.is_file():
        raise OutputError(f"{path}: is no regular file, and would be replaced by one; name a file")
    if any(Path(name).exists() and target.exists() and target.samefile(name) for name in inputs):
        raise UsageError(f"{path}: is one of the inputs; name another output")
    folder = target.parent
    if not folder.is_dir():
        raise OutputError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path}: the folder {folder} is not writable")


def write(path: str, content: str | Iterable[str]) -> None:
    """Write text, whole or in parts; the old file stays whole until the new one is."""
    parts = [content] if isinstance(content, str) else content

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.writelines(part.encode("utf-8", "backslashreplace") for part in parts)

    replace(path, fill)
