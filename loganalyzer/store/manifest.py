"""What a store holds, in one JSON file that is replaced as a whole: only what it lists counts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from loganalyzer.atomic import replace
from loganalyzer.errors import StoreError
from loganalyzer.formats.choice import Progress

VERSION = 1
NAME = "manifest.json"
AGAIN = "ingest the logs into a new store"
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Origin:
    """One log, recognised by its content under whatever name: how far it was read, and what became of its lines.

    lines = requests + rejects + blank + comments + known
    """

    key: str  # as the column `source` of the data files spells it: its first path and a number of its own
    path: str  # where it was last seen: absolute, printable; "-" for standard input
    seen: int  # number of the ingest that saw it last
    end: int = 0  # uncompressed bytes read
    head: str = ""  # SHA-256 of the first 64 KiB, or of all that was read
    tail: str = ""  # SHA-256 of the last 64 KiB before `end`
    lines: int = 0
    requests: int = 0
    rejects: int = 0
    blank: int = 0
    comments: int = 0
    known: int = 0  # left out: copies of lines that another origin holds
    copied_from: list[str] = field(default_factory=list)  # keys of these
    trailing: list[int] = field(default_factory=list)  # digests of its last lines, where the last is such a copy
    compression: str | None = None
    formats: list[str] = field(default_factory=list)
    progress: dict[str, Any] = field(default_factory=dict)  # fields of formats.choice.Progress
    file: list[int] = field(default_factory=list)  # device, inode, size, mtime in ns: a hint, never the truth


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file, all of one UTC day."""

    path: str  # below the store
    kind: str  # "requests" or "rejects"
    rows: int
    size: int  # bytes
    first_us: int | None  # least and greatest `t`; null where no request has a time
    last_us: int | None
    sources: list[str]  # keys of its origins


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that counts."""

    ingests: int = 0  # commits so far; the number of the next one names its files
    origins: tuple[Origin, ...] = ()
    files: tuple[DataFile, ...] = ()
    hidden: str | None = None  # what every ingest hides (Privacy.name); null: nothing

    def names(self) -> dict[str, str]:
        """Name of each origin by key: its path, unless another log has come to that path since; then its key."""
        holders = {origin.path: origin.key for origin in sorted(self.origins, key=lambda origin: origin.seen)}
        return {o.key: o.path if holders[o.path] == o.key else o.key for o in self.origins}


def load(folder: Path) -> Manifest:
    """Read the manifest of a store, once.

    Raises:
        StoreError: the folder is no store, of another version, or its manifest is damaged.
    """
    path = folder / NAME
    try:
        whole = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise StoreError(f"{folder}: is no store of loganalyzer: it has no {NAME}") from None
    except NotADirectoryError:
        raise StoreError(f"{folder}: is no folder, so no store") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise StoreError(f"{path}: is damaged ({error}); {AGAIN}") from error
    version = whole.get("version") if isinstance(whole, dict) else None
    if version != VERSION:
        raise StoreError(
            f"{folder}: is a store of version {version!s:.20}; this loganalyzer reads version {VERSION}: {AGAIN}"
        )
    body = whole.get("content")
    if whole.get("sha256") != _digest(body):
        raise StoreError(f"{path}: is damaged (its digest does not fit its content); {AGAIN}")
    return Manifest(body["ingests"], _rows(Origin, body["origins"]), _rows(DataFile, body["files"]), body.get("hidden"))


def save(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest; the old one stays whole until the new one is on disk.

    Raises:
        OutputError: it could not be written.
    """
    body = asdict(manifest)
    whole = {"version": VERSION, "sha256": _digest(body), "content": body}
    text = json.dumps(whole, indent=1, default=list) + "\n"
    replace(str(folder / NAME), lambda temporary: temporary.write_text(text, encoding="utf-8"))


def progress(origin: Origin) -> Progress:
    """What the reader must know to go on in this log."""
    return Progress(**origin.progress)


def _digest(body: Any) -> str:
    return sha256(json.dumps(body, sort_keys=True, default=list).encode()).hexdigest()


def _rows(kind: type[Row], rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    names = {item.name for item in fields(kind)}  # type: ignore[arg-type] # Origin and DataFile are dataclasses
    return tuple(kind(**{name: value for name, value in row.items() if name in names}) for row in rows)
