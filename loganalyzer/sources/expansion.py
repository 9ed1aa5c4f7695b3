"""From arguments (files, patterns, `-`) to sources, each once, a rotated set in time order."""

import errno
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

# access.log.2.gz, access.log-20261101.gz: the base name, then a number (higher is older) or a date, then compression.
_ROTATED = re.compile(
    r"(?P<base>.+?)(?:[.-](?:(?P<date>\d{4}-?\d\d-?\d\d(?:-?\d{1,10})?)|(?P<number>\d{1,4})))?(?:\.(?:gz|bz2|xz|zst))?"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One input."""

    name: str  # as the operator named it, printable; undecodable bytes as \xHH
    path: Path | None = None  # None: standard input
    problem: str | None = None  # why it cannot be read
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int | None:
        """Bytes of the file, as compressed; null for what is no regular file."""
        try:
            status = None if self.path is None else self.path.stat()
        except OSError:
            return None
        return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None


def expand(arguments: Iterable[str | Path]) -> list[Source]:
    """Sources of the arguments: patterns give what they match, `-` standard input; a folder is a problem to tell.

    The same file named twice (also by a link) is read once, with a note. Files of one rotated set stand in time
    order: dates upwards, numbers downwards, the current file last. Nothing is opened.
    """
    seen: dict[tuple[int, int], int] = {}
    sources: list[Source] = []
    for path in (path for argument in arguments for path in _paths(str(argument))):
        source = _source(path)
        identity = None if source.path is None or source.problem else _identity(source.path)
        if identity is not None and identity in seen:
            first = sources[seen[identity]]
            note = f"{source.name} is the same file as {first.name}: read once"
            sources[seen[identity]] = Source(first.name, first.path, first.problem, (*first.notes, note))
            continue
        if identity is not None:
            seen[identity] = len(sources)
        sources.append(source)
    return _in_time_order(sources)


def _paths(argument: str) -> list[str]:
    if argument == "-" or not has_magic(argument) or Path(argument).exists():
        return [argument]
    return sorted(glob(argument)) or [argument]  # noqa: PTH207 - Path.glob takes no absolute pattern


def walked(arguments: Iterable[str]) -> list[str]:
    """The arguments, each folder among them replaced by the files in it and below it.

    Hidden ones are left out, so is what does not look like a log where anything does; links to folders are not
    followed, for they may lead in circles. A folder without any stands for itself.
    """
    return [path for argument in arguments for path in (_below(argument) if Path(argument).is_dir() else [argument])]


def _below(folder: str) -> list[str]:
    paths: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths += [str(Path(place, name)) for name in sorted(names) if not name.startswith(".")]
    files = [path for path in paths if Path(path).is_file()]
    return [path for path in files if "log" in Path(path).name] or files or [folder]


def _source(path: str) -> Source:
    if path == "-":
        return Source("-")
    name = os.fsencode(path).decode("utf-8", "backslashreplace")
    here = Path(path)
    try:
        folder = stat.S_ISDIR(here.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        what = "no file matches this pattern" if has_magic(path) else "there is no such file"
        return Source(name, here, f"{what}; nothing was read from it")
    except OSError as error:
        return Source(name, here, f"cannot be opened ({cause(error)}); nothing was read from it")
    if folder and not os.access(here, os.R_OK | os.X_OK):
        refused = cause(PermissionError(errno.EACCES, os.strerror(errno.EACCES), path))
        return Source(name, here, f"cannot be opened ({refused}); nothing was read from it")
    if folder:
        return Source(name, here, f"is a directory; did you mean {name}/*.log*? --recursive reads the logs in it")
    return Source(name, here)


def cause(error: OSError) -> str:
    """Why the system refused, with the owner, the mode and a remedy where it is for want of permission."""
    text = error.strerror or str(error)
    if error.errno != errno.EACCES or error.filename is None:
        return text
    path = Path(os.fsdecode(error.filename)).absolute()
    for place in (path, *path.parents):
        try:
            mode = stat.S_IMODE(place.stat().st_mode)
        except OSError:  # behind a folder that may not be entered
            continue
        owner, group = _named(place, "owner"), _named(place, "group")
        return f"{text}: {place} is {owner}:{group}, mode {mode:03o}; try sudo -u {owner}, or join the group {group}"
    return text


def _named(place: Path, what: str) -> str:
    """Name of the owner or the group; the number where nothing names it."""
    try:
        return getattr(place, what)()  # type: ignore[no-any-return]  # Path.owner and Path.group
    except KeyError:
        return f"#{getattr(place.stat(), {'owner': 'st_uid', 'group': 'st_gid'}[what])}"


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _in_time_order(sources: list[Source]) -> list[Source]:
    """Each rotated set stands where its first member stood."""
    sets: dict[str, int] = {}

    def key(source: Source) -> tuple[int, bool, str, int]:
        match = _ROTATED.fullmatch(source.name)
        base, date, number = match.group("base", "date", "number") if match else (source.name, None, None)
        rank = sets.setdefault(base, len(sets))
        return rank, date is None, date or "", -int(number or 0)

    return sorted(sources, key=key)
