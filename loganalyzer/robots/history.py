"""Which robots.txt was in force when: the versions that the operator gives, by host and instant.

A specification is `[host=]PATH[@INSTANT]`, the host with its port or scheme where these tell two files apart. A file
without an instant is in force for the whole log, or until the first version with one. A folder holds a file a version,
named by the instant it came into force: `2026-11-02`, `2026-11-02T10:00Z`, `2026-11-02T10-00Z`, `20261102T1000Z`,
`20261102100000` (as web archives write it), with or without seconds, `robots-` in front and `.txt` behind; or it holds
a folder a host, named by it, with such files in it or a single `robots.txt`. Instants without a zone are UTC.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loganalyzer.epoch import iso, microseconds
from loganalyzer.errors import UsageError
from loganalyzer.robots.file import Robots, parse
from loganalyzer.robots.hosts import SCHEMES, Place, place
from loganalyzer.robots.parse import no_robots_txt
from loganalyzer.robotsdocument import RobotsVersionDocument

DAY_US = 86_400_000_000  # RFC 9309 section 2.4: a cached copy may serve that long
ALWAYS = int(np.iinfo(np.int64).min)  # in force since before the log
NO_ROBOTS, AMBIGUOUS = -1, -2  # no timeline for a host: none given; host unknown where several differ

_HOST = re.compile(r"(?:https?://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?/?", re.IGNORECASE)
_MEMBER = re.compile(r"(?:robots(?:\.txt)?[-_.@])?(.+?)(?:\.txt)?")
_DIGITS = re.compile(r"(\d{8})(\d{4}|\d{6})")
_DASHED_TIME = re.compile(r"(?<=T)(\d\d)-(\d\d)(?:-(\d\d))?")
_FORMS = "2026-11-02, 2026-11-02T10:00Z or 20261102T1000Z"


@dataclass(frozen=True)
class Version:
    """One robots.txt and from when it was in force."""

    name: str  # as the operator gave it
    host: str | None  # `Place.name`; null: every host without versions of its own
    in_force_from_us: int | None  # microseconds since the epoch; null: since before the log
    sha256: str
    robots: Robots


@dataclass(frozen=True)
class Timeline:
    """The versions of one host: a contiguous range of `History.versions`, oldest first."""

    first: int
    starts: NDArray[np.int64]  # when each came into force, microseconds

    def at(self, t: NDArray[np.int64]) -> NDArray[np.int64]:
        """Index into `History.versions` of the one in force at each instant; -1 before the first."""
        place = np.searchsorted(self.starts, t, side="right") - 1
        return np.where(place < 0, -1, place + self.first)


class History:
    """All versions, grouped by host and in order of time."""

    def __init__(self, versions: Iterable[Version] = ()) -> None:
        """Order the versions.

        Raises:
            UsageError: two versions of one host come into force at the same instant.
        """
        self.versions = tuple(sorted(versions, key=lambda version: (version.host or "", _start(version))))
        for one, other in zip(self.versions, self.versions[1:], strict=False):
            if (one.host, _start(one)) == (other.host, _start(other)):
                when = "for the whole log" if one.in_force_from_us is None else f"from {iso(one.in_force_from_us)}"
                raise UsageError(
                    f"--robots {one.name} and {other.name} are both in force {when}: say from when, FILE@INSTANT"
                )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for each version that is short to read: its file's, or whole where two files have the same."""
        files = [version.name.rpartition("/")[2] for version in self.versions]
        names = zip(self.versions, files, strict=True)
        return tuple(file if files.count(file) == 1 and file else version.name for version, file in names)

    @cached_property
    def timelines(self) -> tuple[Timeline, ...]:
        """One timeline a host; `scope` tells which is whose."""
        hosts = [version.host for version in self.versions]
        starts = np.array([_start(version) for version in self.versions], np.int64)
        spans = [(hosts.index(host), hosts.count(host)) for host in self._hosts]
        return tuple(Timeline(first, starts[first : first + count]) for first, count in spans)

    @cached_property
    def _hosts(self) -> list[str | None]:
        return list(dict.fromkeys(version.host for version in self.versions))

    def scope(self, host: str | None, logged: Iterable[str] = ()) -> int:
        """Index of the timeline that holds for a host as logged, NO_ROBOTS or AMBIGUOUS.

        A host that is not logged (null) may be any of those that the log names elsewhere (`logged`) or that versions
        are given for. Where one timeline holds for all of them, it holds for the missing one; of several none can be
        told to be the right one.
        """
        if not self._hosts:
            return NO_ROBOTS
        if host is None:
            possible = {self.scope(other) for other in logged} | set(range(len(self._hosts)))
            return 0 if possible == {0} else AMBIGUOUS
        asked = place(host)
        if asked.scheme or not self._by_scheme(asked.host):
            return self._given_for(asked)
        # The scheme is not logged: what holds for both holds; one that is given alone is taken to be the one.
        possible = {self._given_for(asked._replace(scheme=scheme)) for scheme in SCHEMES.values()} - {NO_ROBOTS}
        return possible.pop() if len(possible) == 1 else AMBIGUOUS if possible else NO_ROBOTS

    def key(self, host: str) -> str:
        """One name for all spellings of a host that share a robots.txt."""
        asked = place(host)
        return asked.name if self._by_scheme(asked.host) else asked.host

    def _by_scheme(self, host: str) -> bool:
        """Whether versions are given for one scheme of a host."""
        return any(f"{scheme}://{host}" in self._hosts for scheme in SCHEMES.values())

    def _given_for(self, asked: Place) -> int:
        names: tuple[str | None, ...] = (asked.name, asked.host, None)
        return next((self._hosts.index(name) for name in names if name in self._hosts), NO_ROBOTS)

    def at(self, host: str | None, t: int) -> Version | None:
        """The version in force for a host at an instant; null where none is known."""
        return next(iter(self.between(host, t, t)), None)

    def between(self, host: str | None, t0: int, t1: int) -> tuple[Version, ...]:
        """The versions in force for a host at any instant from t0 to t1, both included."""
        scope = self.scope(host)
        if scope < 0:
            return ()
        timeline = self.timelines[scope]
        low, high = timeline.at(np.array([t0, t1], np.int64)).tolist()
        return self.versions[max(low, timeline.first) : high + 1]

    def in_force(self, timeline: NDArray[np.int64], t: NDArray[np.int64]) -> NDArray[np.int64]:
        """Index of the version in force in each timeline at each instant; -1 for none."""
        version = np.full(len(t), -1)
        for number, versions in enumerate(self.timelines):
            rows = timeline == number
            version[rows] = versions.at(t[rows])
        return version

    def first(self, timeline: NDArray[np.int64]) -> NDArray[np.int64]:
        """Index of the first version of each timeline; -1 where there is none."""
        return np.array([*(versions.first for versions in self.timelines), -1, -1], np.int64)[timeline]

    def document(self) -> list[RobotsVersionDocument]:
        """The versions as the report shows them."""
        return [_document(version) for version in self.versions]


def load(specs: Sequence[str]) -> History:
    """Read the versions that the operator gives, see the head of this module.

    Raises:
        UsageError: a file or folder cannot be read, is a web page, or its instant cannot be told.
    """
    return History(version for spec in specs for version in _versions(spec))


def instant(text: str) -> int:
    """Microseconds since the epoch of an ISO 8601 instant; UTC where it names no zone.

    Raises:
        ValueError: it is none.
    """
    text = _DIGITS.sub(r"\1T\2", text) if _DIGITS.fullmatch(text) else text
    text = _DASHED_TIME.sub(lambda found: ":".join(filter(None, found.groups())), text)
    when = datetime.fromisoformat(text)
    return microseconds(when.replace(tzinfo=when.tzinfo or UTC))


def _versions(spec: str) -> list[Version]:
    host, path, start = _split(spec)
    if not path.is_dir():
        return [_version(spec, host, path, start)]
    if start is not None:
        raise UsageError(f"--robots {spec}: a folder takes no instant, its files are named by theirs")
    return _members(spec, host, path)


def _members(spec: str, host: str | None, folder: Path) -> list[Version]:
    """The versions in a folder; a folder in it is a host's."""
    members = sorted(member for member in folder.iterdir() if not member.name.startswith("."))
    if not members:
        raise UsageError(f"--robots {spec}: the folder is empty" + (f": {folder}" if str(folder) not in spec else ""))
    found = []
    for member in members:
        if member.is_dir():
            if host or not _HOST.fullmatch(member.name):
                raise UsageError(f"--robots {spec}: {member} is no file; a folder of a host is named by it")
            found += _members(spec, place(member.name).name, member)
        else:
            prefix = f"{host}=" if host and "=" in spec else ""
            start = None if member.name == "robots.txt" else _named_instant(member)
            found.append(_version(f"{prefix}{member}", host, member, start))
    return found


def _split(spec: str) -> tuple[str | None, Path, int | None]:
    """Host, path and instant of a specification; a path that exists as it stands is taken whole."""
    if Path(spec).exists():
        return None, Path(spec), None
    host, equals, rest = spec.partition("=")
    named = equals and _HOST.fullmatch(host)
    rest = rest if named else spec
    path, at, when = rest.rpartition("@") if not Path(rest).exists() else (rest, "", "")
    if not at:
        return place(host).name if named else None, Path(rest), None
    try:
        return place(host).name if named else None, Path(path), instant(when)
    except ValueError:
        raise UsageError(f"--robots {spec}: {when!r} is no instant; write it as {_FORMS}") from None


def _named_instant(member: Path) -> int:
    named = _MEMBER.fullmatch(member.name)
    try:
        return instant(named[1] if named else "")
    except ValueError:
        raise UsageError(f"--robots {member}: is not named by an instant such as {_FORMS}") from None


def _version(name: str, host: str | None, path: Path, start: int | None) -> Version:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--robots {name}: {path} cannot be read: {error.strerror}") from error
    if wrong := no_robots_txt(data):
        raise UsageError(f"--robots {name}: {path} {wrong}")
    return Version(name, host, start, hashlib.sha256(data).hexdigest(), _parsed(data))


@lru_cache(maxsize=64)
def _parsed(data: bytes) -> Robots:
    """One object for copies of one file, so that its decisions are made once."""
    return parse(data)


def _start(version: Version) -> int:
    return ALWAYS if version.in_force_from_us is None else version.in_force_from_us


def _document(version: Version) -> RobotsVersionDocument:
    robots = version.robots
    return {
        "name": version.name,
        "host": version.host,
        "in_force_from": None if version.in_force_from_us is None else iso(version.in_force_from_us),
        "sha256": version.sha256,
        "lines": robots.lines,
        "groups": len(robots.groups),
        "rules": sum(len(group.rules) for group in robots.groups),
        "warnings": list(robots.warnings),
    }
