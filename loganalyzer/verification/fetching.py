"""Brings the lists that operators publish, when asked, as a client that this project would have nothing to say against.

It names itself, asks on condition (RFC 9110 section 13), never twice for what it has, and stops at a host that tells it
to wait.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from loganalyzer import __version__
from loganalyzer.atomic import replace
from loganalyzer.clients import Registry
from loganalyzer.errors import OutputError, UsageError
from loganalyzer.verification.folder import MOST_BYTES, Fetched, file_names, remember, state
from loganalyzer.verification.rangelist import address_of, read

TIMEOUT_S = 10.0  # of a connection, and of each read
TOTAL_S = 60.0  # of one list
WAITS = ".waits.json"  # in the folder: until when which host asked not to be asked
DEFAULT_WAIT_S = 3_600  # where a host refuses without saying for how long
CHUNK = 1 << 16
FETCHED, UNCHANGED, FAILED, WAITING = "fetched", "unchanged", "failed", "not asked"


@dataclass(frozen=True)
class Outcome:
    """What became of one list."""

    file: str
    tokens: tuple[str, ...]
    outcome: str  # fetched, unchanged, failed, not asked
    told: str

    @property
    def good(self) -> bool:
        """Whether the folder now holds what the server holds."""
        return self.outcome in (FETCHED, UNCHANGED)


class _RefusedError(Exception):
    """The host answered 429, or 503, and named how long to wait."""

    def __init__(self, status: int, wait_s: float) -> None:
        super().__init__(f"the server answered {status}: it is not asked again for {wait_s:,.0f} s")
        self.wait_s = wait_s


def user_agent(contact: str | None = None) -> str:
    """The name this client gives: token, version, and a contact where one is known."""
    contact = contact or _home()
    return f"loganalyzer/{__version__}" + (f" (+{contact})" if contact else "")


def _home() -> str | None:
    """The first URL of the package, "Label, https://..."."""
    try:
        urls = metadata("loganalyzer").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    return next((url.partition(",")[2].strip() for url in urls), None)


def fetch(
    folder: Path, registry: Registry, tokens: Sequence[str] = (), contact: str | None = None
) -> Iterator[Outcome]:
    """Bring the list of each token, of every token of the registry where none is named; one outcome for each list.

    Raises:
        UsageError: a token is unknown, or nobody publishes a list of it.
        OutputError: the folder cannot be written.
    """
    wanted = _wanted(registry, tokens)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from error
    known, waits, names = state(folder), _waits(folder), file_names(registry.entries)
    for url, owners in wanted.items():
        outcome = _one(folder, url, names[url], owners, known, waits, user_agent(contact))
        remember(folder, known)
        _keep_waits(folder, waits)
        yield outcome


def _wanted(registry: Registry, tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The URLs to ask, each once, with the tokens whose list it is."""
    for token in tokens:
        entry = registry.lookup(token)
        if entry is None or entry.ip_ranges_url is None:
            raise UsageError(
                f"{token}: {'nobody publishes its ranges' if entry else 'no client of this name is known'}"
            )
    chosen = {entry.token for token in tokens if (entry := registry.lookup(token))}
    owners: dict[str, tuple[str, ...]] = {}
    for entry in registry.entries:
        if entry.ip_ranges_url and (not tokens or entry.token in chosen):
            owners[entry.ip_ranges_url] = (*owners.get(entry.ip_ranges_url, ()), entry.token)
    return owners


def _one(
    folder: Path,
    url: str,
    file: str,
    tokens: tuple[str, ...],
    known: dict[str, Fetched],
    waits: dict[str, float],
    agent: str,
) -> Outcome:
    host = urlsplit(url).netloc
    if (until := waits.get(host, 0.0)) > time.time():
        at = datetime.fromtimestamp(until, UTC)
        return Outcome(file, tokens, WAITING, f"{host} asked to be left alone until {at:%Y-%m-%d %H:%M:%S} UTC")
    before = known.get(file) if (folder / file).exists() else None
    try:
        data, headers = _ask(url, before if before and before.url == url else None, agent)
        if data is not None:
            ranges = read(file, data)  # before anything is written: a bad list never replaces a good one
            replace(str(folder / file), lambda temporary: temporary.write_bytes(data))
    except _RefusedError as error:
        waits[host] = time.time() + error.wait_s
        return Outcome(file, tokens, FAILED, str(error))
    except (UsageError, OSError, HTTPException, ValueError) as error:
        kept = "; the list that was there is kept" if (folder / file).exists() else ""
        return Outcome(file, tokens, FAILED, f"{_reason(error)}{kept}")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    same = before if data is None and before else None
    known[file] = Fetched(
        url,
        now,
        headers.get("ETag") or (same.etag if same else None),
        headers.get("Last-Modified") or (same.last_modified if same else None),
    )
    if data is None:
        return Outcome(file, tokens, UNCHANGED, "the server still has this list")
    return Outcome(file, tokens, FETCHED, f"{len(ranges.ranges):,} ranges, {len(data):,} bytes")


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"the server answered {error.code}"
    return str(error.reason if isinstance(error, URLError) else error) or type(error).__name__


def _ask(url: str, before: Fetched | None, agent: str) -> tuple[bytes | None, Message]:
    """The body and the headers of the answer; no body where the list has not changed."""
    _check(url)
    headers = {"User-Agent": agent, "Accept": "application/json, text/plain;q=0.9, */*;q=0.1"}
    if before and before.etag:
        headers["If-None-Match"] = before.etag
    if before and before.last_modified:
        headers["If-Modified-Since"] = before.last_modified
    try:
        with _opener().open(Request(url, headers=headers), timeout=TIMEOUT_S) as answer:  # noqa: S310 - _check
            return _body(answer), answer.headers
    except HTTPError as error:
        with error:
            if error.code == 304 and before:
                return None, error.headers
            if error.code in (429, 503):
                raise _RefusedError(error.code, _wait(error.headers.get("Retry-After"))) from error
            raise


def _body(answer: Any) -> bytes:
    """The body, within bounds of size and time: a server must not hold this for ever."""
    deadline = time.monotonic() + TOTAL_S
    parts, size = [], 0
    while part := answer.read1(CHUNK):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise UsageError(f"the answer is larger than {MOST_BYTES >> 20} MiB, which no list is")
        if time.monotonic() > deadline:
            raise UsageError(f"the answer took longer than {TOTAL_S:.0f} s")
    if answer.length:  # http.client says nothing of it when read1 meets the end
        raise UsageError(f"the answer was cut short, {answer.length:,} bytes before its end")
    return b"".join(parts)


def _wait(asked: str | None) -> float:
    """Seconds that a Retry-After names (RFC 9110 section 10.2.3), at most a day."""
    if asked is None:
        return DEFAULT_WAIT_S
    if asked.strip().isascii() and asked.strip().isdigit():
        return float(min(int(asked), 86_400))
    try:
        return min(max(parsedate_to_datetime(asked).timestamp() - time.time(), 0.0), 86_400.0)
    except ValueError:
        return DEFAULT_WAIT_S


def _check(url: str) -> None:
    """Lists decide who is believed, so that nobody on the way may change one."""
    parts = urlsplit(url)
    address = address_of(parts.hostname or "")
    if parts.scheme != "https" and not (parts.scheme == "http" and address and address.is_loopback):
        raise UsageError(f"{url}: is not https, so that anybody on the way could change the list; not asked")


class _Redirects(HTTPRedirectHandler):
    """Follows a redirect only to where one may ask."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Refuse what `_check` refuses."""
        _check(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> OpenerDirector:
    return build_opener(_Redirects())


def _waits(folder: Path) -> dict[str, float]:
    try:
        return {str(host): float(until) for host, until in json.loads((folder / WAITS).read_text("utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep_waits(folder: Path, waits: dict[str, float]) -> None:
    """Let the next run know, too; no file where nobody has to be left alone."""
    left = {host: until for host, until in waits.items() if until > time.time()}
    if left or (folder / WAITS).exists():
        replace(str(folder / WAITS), lambda temporary: temporary.write_text(json.dumps(left), encoding="utf-8"))
