"""A policy in words: who is denied and allowed, what everybody is kept out of, and how long a pause is asked for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from loganalyzer.clients import Registry
from loganalyzer.clients.registry import PURPOSES
from loganalyzer.errors import UsageError
from loganalyzer.robots.canonical import canonical_rule
from loganalyzer.robots.match import Pattern, Rule

Standing = Literal["denied", "allowed", "kept"]
LEGAL_NAME = re.compile(r"[A-Za-z_-]{1,64}")  # RFC 9309 section 2.2.1; no file needs a longer one
_LEGAL_PATH = re.compile(
    r"[/*][!-\"$-~]*"
)  # section 2.2.2: no blank, no `#`; what is not ASCII is percent-encoded first
LONGEST_DELAY_S = 86_400


@dataclass(frozen=True)
class Words:
    """A policy; get one from `words`. Names are compared without case, and say more than purposes."""

    deny: tuple[str, ...] = ()  # purposes and names
    allow: tuple[str, ...] = ()
    keep_out: tuple[str, ...] = ()  # paths, canonical
    crawl_delay_s: float | None = None
    all_known: bool = False  # name clients that the log has not seen, too

    def standing(self, name: str, purpose: str | None) -> Standing:
        """How a client stands: by its name, else by its purpose, else as the present file has it."""
        for said in (name.casefold(), purpose):
            if said in self._folded[0]:
                return "denied"
            if said in self._folded[1]:
                return "allowed"
        return "kept"

    @cached_property
    def _folded(self) -> tuple[frozenset[str], frozenset[str]]:
        deny, allow = (frozenset(map(str.casefold, said)) for said in (self.deny, self.allow))
        return deny, allow

    @property
    def any(self) -> bool:
        """Whether the policy says anything."""
        return bool(self.deny or self.allow or self.keep_out or self.crawl_delay_s is not None)

    @property
    def names(self) -> tuple[str, ...]:
        """Clients that are named, not meant by a purpose."""
        return tuple(said for said in (*self.deny, *self.allow) if said not in PURPOSES)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """What everybody is kept out of."""
        return tuple(
            Rule(False, 0, f"Disallow: {path}", Pattern.compile(canonical_rule(path.encode(), "rfc")))
            for path in self.keep_out
        )

    @property
    def sentence(self) -> str:
        """The policy, as it would be said."""
        pause = [] if self.crawl_delay_s is None else [f"{self.crawl_delay_s:g}"]
        parts = {"deny": self.deny, "allow": self.allow, "keep out of": self.keep_out, "crawl-delay": pause}
        return "; ".join(f"{word} {', '.join(said)}" for word, said in parts.items() if said) or "as it is"


def words(
    registry: Registry,
    deny: Iterable[str] = (),
    allow: Iterable[str] = (),
    keep_out: Iterable[str] = (),
    crawl_delay_s: float | None = None,
    all_known: bool = False,
) -> Words:
    """Read a policy; lists may be joined by commas.

    Raises:
        UsageError: a name cannot stand in robots.txt, a path is none, or something is both denied and allowed.
    """
    denied, allowed = (_said(given, registry) for given in (deny, allow))
    if both := {said.casefold() for said in denied} & {said.casefold() for said in allowed}:
        raise UsageError(f"both denied and allowed: {', '.join(sorted(both))}; choose one")
    if crawl_delay_s is not None and not 0 <= crawl_delay_s <= LONGEST_DELAY_S:
        raise UsageError(f"--crawl-delay {crawl_delay_s:g}: seconds, up to {LONGEST_DELAY_S:,}")
    return Words(denied, allowed, tuple(dict.fromkeys(map(_path, _split(keep_out)))), crawl_delay_s, all_known)


def _split(given: Iterable[str]) -> list[str]:
    return [part.strip() for text in given for part in text.split(",") if part.strip()]


def _said(given: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """Purposes as they are, names as the registry spells them."""
    return tuple(sorted({said if said in PURPOSES else _name(said, registry) for said in _split(given)}))


def _name(said: str, registry: Registry) -> str:
    entry = registry.lookup(said)
    name = entry.token if entry else said
    if not LEGAL_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no purpose ({', '.join(PURPOSES)}), and no name that may stand in robots.txt (RFC 9309 "
            f"section 2.2.1: letters, _ and -); such a client can only be refused by the server"
        )
    return name


def _path(path: str) -> str:
    """A path as it is written: percent-encoded where it must be."""
    encoded = "".join(letter if letter.isascii() else "".join(f"%{o:02X}" for o in letter.encode()) for letter in path)
    if not _LEGAL_PATH.fullmatch(encoded):
        raise UsageError(f"--keep-out {path!r}: a path begins with / (or *), and has no blank and no #")
    return encoded
