"""A folder of outputs that is whole or not there: written beside its name, then put in place of the one before.

Two renames: between them the folder is missing for a moment, and where the second fails the first is undone. A folder
is replaced only if all that it holds is what an earlier export wrote, so that nothing of anybody else is ever lost.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex

from loganalyzer.atomic import STALE_S, check, sync
from loganalyzer.errors import OutputError, UnsettledError, UsageError
from loganalyzer.reports.files import named

MANIFEST = "manifest.json"


def check_folders(*folders: str | None, inputs: Sequence[str] = (), files: Sequence[str | None] = ()) -> None:
    """Refuse now what could only fail after a long read; None is an output that was not asked for.

    Args:
        folders: to be written.
        inputs: arguments that name what is read.
        files: other outputs.

    Raises:
        UsageError: an input or another output is the folder, or lies in it.
        OutputError: it holds other things, or cannot be written.
    """
    wanted = [Path(folder).resolve() for folder in folders if folder is not None]
    others = [Path(file).resolve() for file in files if file is not None]
    read = [Path(name).resolve() for argument in inputs for name in named(argument) if name and Path(name).exists()]
    for place, target in enumerate(wanted):
        for other in (*wanted[:place], *others):
            if _within(other, target) or _within(target, other):
                raise UsageError(f"{target}: is named for two outputs; name another for one of them")
        if any(_within(path, target) for path in read):
            raise UsageError(f"{target}: is, or holds, one of the inputs; name another output")
        _check(target)


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _check(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise OutputError(f"{target}: is no folder; name one")
    if not target.parent.is_dir():
        raise OutputError(f"{target}: there is no folder {target.parent}; make it first")
    try:
        check(target.parent)
        strange = next(_strange(target), None) if target.exists() else None
    except OSError as error:
        raise OutputError(f"{target}: {target.parent} is not writable: {error.strerror or error}") from error
    if strange is not None:
        raise OutputError(f"{target}: holds {strange}, which no export wrote, and is left alone; name another folder")


def _strange(folder: Path) -> Iterator[str]:
    """Names in a folder that an earlier export did not write, by its manifest."""
    try:
        tables = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["tables"]
        ours = {MANIFEST, *(table["file"] for table in tables)}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        ours = set()
    yield from sorted(path.name for path in folder.iterdir() if path.name not in ours or path.is_dir())


def replace_folder(folder: str, fill: Callable[[Path], object]) -> None:
    """Let `fill` write into a new folder beside `folder`, then put it in place.

    Raises:
        OutputError: disk full, read-only, ...; what stood there before is untouched.
        UnsettledError: it stands there, but a power cut may undo it.
    """
    target = Path(folder).resolve()
    new, old = (target.with_name(f".{target.name}.{token_hex(4)}.part") for _ in range(2))
    try:
        try:
            new.mkdir()
            fill(new)
            for path in (*new.iterdir(), new):
                sync(path)
            _swap(target, new, old)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"{folder}: not written: {why}; what was there before is untouched") from error
    shutil.rmtree(old, ignore_errors=True)
    try:
        _clear(target)
        sync(target.parent)
    except OSError as error:
        raise UnsettledError(f"{folder}: written, but the disk may not have it: {error.strerror or error}") from error


def _swap(target: Path, new: Path, old: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    if (strange := next(_strange(target), None)) is not None:  # it came while the logs were read
        raise OSError(None, f"it now holds {strange}, which no export wrote")
    try:
        target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


def _clear(target: Path) -> None:
    """Remove folders of the same output that are ours and older than a day: a run was killed before it did."""
    ours = re.compile(re.escape(f".{target.name}.") + r"[0-9a-f]{8}\.part")
    for path in target.parent.iterdir():
        if ours.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            status = path.stat()
            if status.st_uid == os.geteuid() and time.time() - status.st_mtime > STALE_S:
                shutil.rmtree(path, ignore_errors=True)
