"""Names that are nearly those of known crawlers, found by lookup: an index of every known name with one letter gone."""

from collections import defaultdict
from functools import cache

from loganalyzer.clients.registry import Entry, Registry

SUFFIXES = ("bot", "user", "crawler", "spider", "agent")  # what an author leaves out or puts behind
SHORTEST_STEM = 3
SHORTEST, LONGEST = 5, 40  # letters; of a shorter name too many others are one letter away


def _plain(name: str) -> str:
    """Letters alone, without case."""
    return "".join(filter(str.isalpha, name.casefold()))


def _stems(plain: str) -> set[str]:
    """The name with and without its suffix."""
    return {plain, *(plain.removesuffix(suffix) for suffix in SUFFIXES)}


def _shorter(plain: str) -> set[str]:
    """The name, and all that it becomes by losing one letter."""
    return {plain, *(plain[:place] + plain[place + 1 :] for place in range(len(plain)))}


@cache
def _index(registry: Registry) -> dict[str, tuple[str, ...]]:
    """Crawlers by each spelling that may be meant for them; those of an operator by the operator's name."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in registry.entries:
        if entry.kind not in ("crawler", "user-triggered") or entry.control_only:
            continue
        for name in (entry.token, *entry.aliases):
            # Of `360Spider` nothing is left: every spider would look like it.
            if len(_plain(name)) >= SHORTEST and min(map(len, _stems(_plain(name)))) >= SHORTEST_STEM:
                for spelling in _shorter(_plain(name)) | _stems(_plain(name)):
                    found[spelling].append(entry.token)
        if entry.run_by and len(_plain(entry.run_by)) >= SHORTEST:
            found[_plain(entry.run_by)].append(entry.token)
    return {spelling: tuple(dict.fromkeys(tokens)) for spelling, tokens in found.items()}


@cache
def _fallbacks(registry: Registry) -> frozenset[str]:
    return frozenset(fallback.casefold() for entry in registry.entries for fallback in entry.fallbacks)


def _is_known(name: str, registry: Registry) -> bool:
    """A crawler's name, a group that crawlers look up, or one of a family: a known name, a hyphen and more."""
    stems = (name[:place] for place, letter in enumerate(name) if letter in "-_")
    return any(registry.lookup(known) for known in (name, *stems)) or name in _fallbacks(registry)


def alike(name: str, registry: Registry, most: int = 3) -> tuple[str, ...]:
    """Known crawlers that an unknown name may be meant for; empty for a known name and where nothing is near."""
    plain = _plain(name)
    if not SHORTEST <= len(plain) <= LONGEST or _is_known(name.casefold(), registry):
        return ()
    index = _index(registry)
    if exact := index.get(plain):
        return exact[:most]
    return tuple(dict.fromkeys(token for near in sorted(_shorter(plain)) for token in index.get(near, ())))[:most]


def by_operator(registry: Registry) -> dict[str, list[Entry]]:
    """The agents of each operator that send requests to read for its models, its search or its users."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in registry.entries:
        about_models = (entry.purpose or "").startswith("ai-") or entry.purpose == "user-fetch"
        if entry.run_by and about_models and not entry.control_only and "robots" in entry.verified_fields:
            found[entry.run_by].append(entry)
    return found
