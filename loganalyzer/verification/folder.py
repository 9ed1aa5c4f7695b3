"""A folder of range lists: which file is which client's, how old it is, and what in it could not be read."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from loganalyzer.atomic import replace
from loganalyzer.clients import Registry
from loganalyzer.clients.registry import Entry
from loganalyzer.errors import UsageError
from loganalyzer.verification.rangelist import RangeList, read
from loganalyzer.verification.shapes import SERVICES

STALE = timedelta(days=30)  # older than the log by so much, a list lacks what was added since
TOO_NEW = timedelta(days=365)  # newer than the log by so much, it lacks what was given up since, which is rarer
MOST_BYTES = 16 << 20  # of one list; the largest known has 3 MB
STATE = ".fetched.json"
OWN_ENDINGS = (".json", ".txt", ".csv")  # of a file named after the token


@dataclass(frozen=True)
class Fetched:
    """What is known of a list that `ranges fetch` brought."""

    url: str
    fetched: str  # when the server last said that this is its list, ISO 8601
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, eq=False)
class Listed:
    """The list of one client, and the day it is good for."""

    ranges: RangeList
    as_of: datetime | None  # the later of when it was made and when it was last fetched; null = neither is known

    @property
    def since(self) -> datetime | None:
        """From when on it was so, as far as is known."""
        return self.ranges.created or self.as_of


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of a folder by token, with what is to be told of the folder."""

    folder: str
    by_token: dict[str, Listed]  # without case
    files: tuple[tuple[str, tuple[str, ...], Listed], ...]  # (file, tokens, list), by file
    notes: tuple[str, ...]

    def of(self, token: str) -> Listed | None:
        """The list of one client."""
        return self.by_token.get(token.casefold())


def default_folder() -> Path:
    """Where lists are kept unless `--ranges` says another place (XDG base directories)."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "loganalyzer" / "ranges"


def file_names(entries: Sequence[Entry]) -> dict[str, str]:
    """The name under which the list of each URL is kept: the last part of its path, with the host where two share it.

    A URL without a path is named by its host.
    """
    urls = sorted({entry.ip_ranges_url for entry in entries if entry.ip_ranges_url})
    last = {url: urlsplit(url).path.rstrip("/").rpartition("/")[2] or (urlsplit(url).hostname or "") for url in urls}
    shared = Counter(name.casefold() for name in last.values())
    return {
        url: name if shared[name.casefold()] == 1 else f"{urlsplit(url).hostname}-{name}" for url, name in last.items()
    }


def load(folder: str, registry: Registry) -> Lists:
    """Read every list in a folder that belongs to a client of the registry.

    Raises:
        UsageError: there is no such folder.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"{folder}: there is no such folder of range lists; loganalyzer ranges fetch makes one")
    present = {path.name.casefold(): path for path in sorted(place.iterdir()) if _is_list(path)}
    owners = _owners(registry, present)
    times, notes = state(place), []
    by_token: dict[str, Listed] = {}
    files = []
    for name, path in present.items():
        try:
            ranges = _read(path)
        except UsageError as error:
            notes.append(f"{error}; it is left out")
            continue
        tokens = tuple(token for token, file in owners.items() if file == name)
        listed = Listed(ranges, _as_of(ranges, times.get(path.name)))
        files.append((path.name, tokens, listed))
        notes += _told(path.name, tokens, ranges)
        by_token |= {t.casefold(): Listed(ranges.of_service(SERVICES.get(t)), listed.as_of) for t in tokens}
    return Lists(folder, by_token, tuple(files), tuple(notes))


def _is_list(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.suffix.casefold() not in (".md", ".part")


def _owners(registry: Registry, present: dict[str, Path]) -> dict[str, str]:
    """The file (its name without case) of each token that has one: named after the token, else after its URL."""
    names = file_names(registry.entries)
    found = {}
    for entry in registry.entries:
        own = [f"{entry.token}{ending}".casefold() for ending in OWN_ENDINGS]
        wanted = [*own, *([names[entry.ip_ranges_url].casefold()] if entry.ip_ranges_url else [])]
        if file := next((name for name in wanted if name in present), None):
            found[entry.token] = file
    return found


def _read(path: Path) -> RangeList:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path.name}: is larger than {MOST_BYTES >> 20} MiB, which no list is")
        return read(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path.name}: cannot be read: {error.strerror or error}") from error


def _as_of(ranges: RangeList, fetched: Fetched | None) -> datetime | None:
    """A list that its server still serves is of today, whenever it was made."""
    at = _instant(fetched.fetched) if fetched else None
    return max((instant for instant in (ranges.created, at) if instant), default=None)


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _told(name: str, tokens: tuple[str, ...], ranges: RangeList) -> list[str]:
    notes = []
    if not tokens:
        notes.append(f"{name}: belongs to no known client, so it is not used; name it after a token, as GPTBot.json")
    if ranges.left_out:
        notes.append(
            f"{name}: {len(ranges.left_out):,} entries are no address range, or too wide a one, and are left out; the "
            f"first is {ranges.left_out[0][:60]!r}"
        )
    return notes


def state(folder: Path) -> dict[str, Fetched]:
    """What `ranges fetch` wrote of each file; nothing where it never ran, or the record is damaged."""
    try:
        rows: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return {name: Fetched(**row) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def remember(folder: Path, known: dict[str, Fetched]) -> None:
    """Write what `state` reads."""
    text = json.dumps({name: asdict(row) for name, row in sorted(known.items())}, indent=1)
    replace(str(folder / STATE), lambda temporary: temporary.write_text(text + "\n", encoding="utf-8"))
