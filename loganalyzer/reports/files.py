"""Outputs are written whole or not at all, never over an input, and are known to be writable before the work begins."""

from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from loganalyzer.atomic import check, replace
from loganalyzer.errors import OutputError, UsageError


def check_writable(*paths: str | None, inputs: Sequence[str] = ()) -> None:
    """Refuse now what could only fail after a long read; None is an output that was not asked for.

    Raises:
        UsageError: an output is one of the inputs, or named twice.
        OutputError: a folder is missing or read-only, or the output is no regular file.
    """
    outputs = [path for path in paths if path is not None]
    read = [name for argument in inputs for name in named(argument)]
    for path in outputs:
        _check(path, read)
    if len({Path(path).resolve() for path in outputs}) < len(outputs):
        raise UsageError(f"{outputs[0]}: is named for two outputs; name another for one of them")


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
    try:
        check(folder)
    except OSError as error:
        raise OutputError(f"{path}: the folder {folder} is not writable: {error.strerror or error}") from error


def named(argument: str) -> Iterator[str]:
    """Paths that an argument may stand for: a file, a pattern, FILE@INSTANT, HOST=FILE, @FILE."""
    yield from (argument, argument.rpartition("@")[0], argument.partition("=")[2], argument.removeprefix("@"))
    if has_magic(argument):
        yield from glob(argument)  # noqa: PTH207 - Path.glob takes no absolute pattern


def write(path: str, content: str | Iterable[str]) -> None:
    """Write text, whole or in parts; the old file stays whole until the new one is."""
    parts = [content] if isinstance(content, str) else content

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.writelines(part.encode("utf-8", "backslashreplace") for part in parts)

    replace(path, fill)
