"""What is known about a product token: who runs it, what for, what it says of robots.txt. Facts live in registry.jsonl.

To add a client, append one line there with a user agent as `example`; the tests read every example. The first line
holds the version of the data. A registry is never changed: what an operator adds makes a new one (`clients.own`).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

KINDS = ("crawler", "user-triggered", "library", "tool", "monitor", "feed-reader", "preview", "scanner")
PURPOSES = (
    *("search", "ai-training", "ai-search", "user-fetch", "seo", "monitoring", "feed", "preview"),
    *("archive", "security", "ads", "research", "other"),
)
DECLARED = ("yes", "partly", "no")  # what an operator says of robots.txt


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One product token. Null means that nobody was found to say."""

    token: str  # the spelling reports use
    aliases: tuple[str, ...]  # other names that the same client sends
    operator: str | None  # "(software) X" where anybody runs it
    kind: str
    purpose: str | None
    user_triggered: bool | None
    declares_robots: str | None  # what its operator says: "yes", "partly", "no"
    star_binds: bool | None  # false: the operator documents that `User-agent: *` does not bind it
    fallbacks: tuple[str, ...]  # further groups that the operator documents as looked up before `*`, in order
    control_only: bool  # a name for robots.txt alone, which no client sends
    docs_url: str | None
    ip_ranges_url: str | None
    rdns_suffixes: tuple[str, ...]
    contact_hosts: tuple[str, ...]  # registrable domains of the operator; empty = unknown
    example: str | None  # one user agent that carries the token
    verified_fields: tuple[str, ...]  # read on the operator's own page
    source: str

    @property
    def software(self) -> bool:
        """Whether anybody may run it, so that the operator is whoever the contact names."""
        return self.operator is None or self.operator.startswith("(software)")

    @property
    def run_by(self) -> str | None:
        """Who runs every client of this name; null for software, whose users the contact may name."""
        return None if self.software else self.operator

    @property
    def robots_tokens(self) -> tuple[str, ...]:
        """Names to look up in robots.txt, in order, before `*`."""
        return (self.token, *self.fallbacks)


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Entries by name. Compared and hashed as the object that it is, so that it can be the key of a cache."""

    entries: tuple[Entry, ...]
    data_version: str  # day on which the shipped data was last curated, ISO 8601
    files: tuple[str, ...] = ()  # the operator's own, whose entries stand among these
    _by_name: dict[str, Entry] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Index the entries."""
        object.__setattr__(self, "_by_name", {name: entry for entry in self.entries for name in names(entry)})

    def lookup(self, token: str | None) -> Entry | None:
        """The entry of a token or alias, compared without case (RFC 9309 section 2.2.1); null for an unknown one."""
        return self._by_name.get(token.casefold()) if token else None

    def lookup_name(self, name: str) -> Entry | None:
        """Like `lookup`, and else by the last or the first word: `Yahoo! Slurp` is Slurp, `Slurp China` too.

        Libraries and tools are never found inside a longer name: `Foo Java` is not Java.
        """
        if (found := self.lookup(name)) or " " not in name:
            return found
        parts = name.split()
        for word in (parts[-1], parts[0]):
            entry = self.lookup(word)
            if entry and entry.kind not in ("library", "tool") and not entry.software:
                return entry
        return None

    def changed(self, entries: Iterable[Entry], file: str) -> "Registry":
        """A registry in which `entries`, from `file`, stand in place of those of the same token, or behind all."""
        own = {entry.token: entry for entry in entries}
        kept = tuple(own.pop(entry.token, entry) for entry in self.entries)
        return Registry((*kept, *own.values()), self.data_version, (*self.files, file))


def names(entry: Entry) -> tuple[str, ...]:
    """Every name of an entry, without case."""
    return tuple(name.casefold() for name in (*entry.aliases, entry.token))


@cache
def shipped() -> Registry:
    """The registry that comes with the package."""
    header, *rows = files("loganalyzer.clients").joinpath("registry.jsonl").read_text(encoding="utf-8").splitlines()
    return Registry(tuple(_entry(json.loads(row)) for row in rows), str(json.loads(header)["data_version"]))


def _entry(row: dict[str, Any]) -> Entry:
    row = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Entry(**{field.name: row[field.name] for field in fields(Entry)})
