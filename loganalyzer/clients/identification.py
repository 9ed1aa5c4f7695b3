"""From a User-Agent to a client: normalise, scan, score, choose, and look up what is known.

The order is that of RFC 9110's grammar first, the registry second, a second dictionary last; a browser is what is left
when a header begins like one and nothing in it is evidence of anything else.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from loganalyzer.clients import dictionary, grammar, words
from loganalyzer.clients.client import BROWSER, UNDECLARED, Client
from loganalyzer.clients.evidence import Known, is_evident, score
from loganalyzer.clients.grammar import Candidate, Header, Parsed
from loganalyzer.clients.registry import Entry, Registry, shipped

CACHE = 65_536  # distinct user agents; a log has thousands
KNOWN_MARGIN = 1.0  # a known name wins when its score is this near to the best

_LEGAL = re.compile(r"[A-Za-z_-]+")
_WORD = re.compile(r"[\w.!-]*")

# How a name was found, or why there is none.
NOTHING = "no letter and no digit, so no name"
ATTACK = "text that attacks a parser, without a contact: no name is taken from it"
WHOLE = "the whole header is a name of the registry"
PROXY = "a proxy that fetches for whoever it names"
HOLDER = "the only name that the contact stands behind"
IMITATION = "names of several operators: the one with the contact, else the first"
OWN = "the name beside that of a library"
BEST = "the name with most evidence"
LISTED = "no name by the grammar; found in the second dictionary (crawler-user-agents)"
PERSON = "begins as a browser, and nothing in it is evidence of anything else"
NOBODY = "no name by the grammar, nor in the second dictionary"


@dataclass(frozen=True, slots=True)
class Reading:
    """How one user agent was read: what stood in it, what was chosen, by which rule."""

    header: Header
    parsed: Parsed
    known: Known  # entries of the candidates, by their order
    chosen: Candidate | None
    rule: str  # one of the sentences above


def identify(user_agent: str | None, registry: Registry | None = None) -> Client:
    """Identify one user agent (null = not sent). Cached; never raises; linear in the length of the text.

    Args:
        user_agent: the header's value.
        registry: what is known of tokens; null is the registry that comes with the package.
    """
    return _identify(None if user_agent is None else user_agent[: grammar.LIMIT * 2], registry or shipped())


@lru_cache(maxsize=CACHE)
def _identify(user_agent: str | None, registry: Registry) -> Client:
    read = reading(user_agent, registry)
    return _nameless(read) if read.chosen is None else _named(read, read.chosen, registry)


def reading(user_agent: str | None, registry: Registry) -> Reading:
    """Read one user agent, step by step."""
    header = grammar.normalise(user_agent)
    nothing = not any(c.isalnum() for c in header.text)
    if header.contact is None and (nothing or "attack-string" in header.flags):
        return Reading(header, Parsed(), {}, None, NOTHING if nothing else ATTACK)
    parsed = grammar.parse(header)
    names = [c for c in parsed.candidates if not (c.place and c.name.casefold() in words.FOUNDATIONS)]
    known = {c.order: entry for c in names if (entry := registry.lookup_name(c.name))}
    chosen, rule = _choose(header, parsed, known, registry)
    return Reading(header, parsed, known, chosen, rule)


def _choose(header: Header, parsed: Parsed, known: Known, registry: Registry) -> tuple[Candidate | None, str]:
    """The name, and the rule by which it was chosen."""
    if registry.lookup(header.text):  # whatever its words are taken for
        return Candidate(header.text, None, 0, 0), WHOLE
    if (chosen := choose(parsed, known))[0]:
        return chosen
    if _has_more(parsed) and (listed := _from_dictionary(header)):
        return listed, LISTED
    return None, PERSON if _is_browser(header, parsed) else NOBODY


def choose(parsed: Parsed, known: Known) -> tuple[Candidate | None, str]:
    """Return the candidate with the best evidence and the rule; null where none has enough."""
    passed = {c.order: score(c, parsed, known) for c in parsed.candidates if is_evident(c, parsed, known)}
    candidates = [c for c in parsed.candidates if c.order in passed]
    if not candidates:
        return None, NOBODY
    for c in candidates:
        if c.name.casefold() in words.PROXIES:
            return c, PROXY
    found = {order: entry for order, entry in known.items() if order in passed}
    holders = [c for c in candidates if c.contact == 2 and not words.is_library(c.name) and passed[c.order] > 0]
    if len(holders) == 1 and holders[0].order not in found:
        return holders[0], HOLDER
    run_by = {order: entry.operator for order, entry in found.items() if not entry.software}
    if len(set(run_by.values())) > 1:
        return min((c for c in candidates if c.order in run_by), key=lambda c: (c.contact < 2, c.order)), IMITATION
    best = max(candidates, key=lambda c: passed[c.order] + KNOWN_MARGIN * (c.order in found))
    own = [c for c in candidates if c.slashed and not c.place and not words.is_below(c.name)]
    below = words.is_below(best.name) and not words.lists_parts(best.name)
    return (own[0], OWN) if own and below else (best, BEST)


def _has_more(parsed: Parsed) -> bool:
    """Whether the scan saw anything beyond browser and platform, so that the second dictionary is worth asking."""
    return bool(parsed.candidates) or not parsed.browser_products


def _from_dictionary(header: Header) -> Candidate | None:
    """Find a listed name and widen it to the whole word and its version."""
    text = header.text
    if (span := dictionary.find(text)) is None:
        return None
    listed = text[slice(*span)]
    start = span[0] + len(listed) - len(listed.lstrip())
    end = span[0] + len(listed.rstrip("/ );"))
    while start and _WORD.fullmatch(text[start - 1]):
        start -= 1
    end = max(end, _word_end(text, end))
    version = text[end + 1 : _word_end(text, end + 1)] if text[end : end + 1] == "/" else None
    return None if words.is_browser(text[start:end]) else Candidate(text[start:end], version or None, 0, 0)


def _word_end(text: str, start: int) -> int:
    match = _WORD.match(text, start)
    return match.end() if match else start


def _is_browser(header: Header, parsed: Parsed) -> bool:
    """Not where the header gives a contact that is no add-on's: those stand among the platform and name no robot."""
    offers_contact = parsed.contact_on_top or any(c.contact and not c.platform for c in parsed.comments.values())
    robots = words.STRONG.search(header.contact or "") or words.is_misspelt(header.text.partition("/")[0])
    whole = parsed.browser_first and bool(parsed.browser_products or parsed.platform)
    return whole and not offers_contact and not robots


def _nameless(read: Reading) -> Client:
    header = read.header
    if read.rule == PERSON:
        return Client(name=BROWSER, automated=False, kind=BROWSER, contact=header.contact, flags=header.flags)
    return Client(name=UNDECLARED, kind=UNDECLARED, contact=header.contact, flags=header.flags)


def _named(read: Reading, chosen: Candidate, registry: Registry) -> Client:
    entry = registry.lookup_name(chosen.name)
    kind, purpose = (entry.kind, entry.purpose) if entry else words.trade(chosen.name)
    return Client(
        name=entry.token if entry else chosen.name,
        token=chosen.name,
        robots_tokens=entry.robots_tokens if entry else (chosen.name,),
        legal_token=_LEGAL.fullmatch(chosen.name) is not None,
        version=chosen.version,
        contact=read.header.contact,
        kind=kind,
        purpose=purpose,
        operator=entry.run_by if entry else None,
        user_triggered=entry.user_triggered if entry else True if kind == "user-triggered" else None,
        declares_robots=entry.declares_robots if entry else None,
        star_binds=entry.star_binds if entry else None,
        docs_url=entry.docs_url if entry else None,
        flags=(*read.header.flags, *_flags(read, chosen, entry)),
    )


def _flags(read: Reading, chosen: Candidate, entry: Entry | None) -> list[str]:
    named = {found.operator for found in read.known.values() if not found.software}
    marks = {
        "several-identities": len(named) > 1,
        "foreign-contact": _is_foreign(read.header.contact, entry),
        "control-only-token": entry is not None and entry.control_only,
        "headless-browser": words.is_automation(chosen.name),
    }
    return [flag for flag, raised in marks.items() if raised]


def _is_foreign(contact: str | None, entry: Entry | None) -> bool:
    """Whether the contact's host is none of the operator's; false where either is unknown."""
    if contact is None or entry is None or entry.software or not entry.contact_hosts:
        return False
    host = re.split(r"[/:?#]", contact.rpartition("://")[2])[0].rpartition("@")[2].casefold()
    return not any(host == known or host.endswith(f".{known}") for known in entry.contact_hosts)
