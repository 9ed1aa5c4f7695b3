"""From a User-Agent to a client: normalise, scan, score, choose, and look up what is known.

The order is that of RFC 9110's grammar first, the registry second, a second dictionary last; a browser is what is left
when a header begins like one and nothing in it is evidence of anything else.
"""

import re
from functools import lru_cache

from loganalyzer.clients import dictionary, grammar, registry, words
from loganalyzer.clients.client import BROWSER, UNDECLARED, Client
from loganalyzer.clients.grammar import Candidate, Header, Parsed

CACHE = 65_536  # distinct user agents; a log has thousands

# Weights of the evidence, found on labelled headers; only their order of size matters.
STRONG, WEAK, VERSION, AFTER_COMPATIBLE, FIRST_PRODUCT = 3.0, 1.2, 0.6, 2.0, 2.2
CONTACT_NEAR, CONTACT_BEHIND, BESIDE_KHTML, SOLE_IN_COMMENT, KNOWN = 2.0, 1.5, 1.5, 1.5, 2.5
LIBRARY, FOUNDATION, IN_COMMENT, PROSE, GENERAL = -2.0, -4.0, -1.5, -6.0, -4.0
KNOWN_MARGIN = 1.0  # a known name wins when its score is this near to the best

_LEGAL = re.compile(r"[A-Za-z_-]+")
_WORD = re.compile(r"[\w.!-]*")


def identify(user_agent: str | None) -> Client:
    """Identify one user agent (null = not sent). Cached; never raises; linear in the length of the text."""
    return _identify(None if user_agent is None else user_agent[: grammar.LIMIT * 2])


@lru_cache(maxsize=CACHE)
def _identify(user_agent: str | None) -> Client:
    header = grammar.normalise(user_agent)
    if not any(c.isalnum() for c in header.text) and header.contact is None:
        return Client(name=UNDECLARED, kind=UNDECLARED, flags=header.flags)
    if "attack-string" in header.flags and header.contact is None:
        return Client(name=UNDECLARED, kind=UNDECLARED, flags=header.flags)
    parsed = grammar.parse(header)
    chosen = _whole(header) or choose(parsed) or (_from_dictionary(header) if _has_more(parsed) else None)
    return _nameless(header, parsed) if chosen is None else _named(header, parsed, chosen)


def _whole(header: Header) -> Candidate | None:
    """A header that is a known name and nothing else, whatever its words are taken for."""
    return Candidate(header.text, None, 0, 0) if registry.lookup(header.text) else None


def choose(parsed: Parsed) -> Candidate | None:
    """Return the candidate with the best evidence; null where none has enough."""
    passed = {c.order: score(c, parsed) for c in parsed.candidates if is_evident(c, parsed)}
    candidates = [c for c in parsed.candidates if c.order in passed]
    if not candidates:
        return None
    for c in candidates:
        if c.name.casefold() in words.PROXIES:
            return c
    found = {c.order: entry for c in candidates if (entry := registry.lookup_name(c.name))}
    holders = [c for c in candidates if c.contact == 2 and not words.is_library(c.name) and passed[c.order] > 0]
    if len(holders) == 1 and holders[0].order not in found:
        return holders[0]
    run_by = {order: entry.operator for order, entry in found.items() if not entry.software}
    if len(set(run_by.values())) > 1:  # a header that imitates several: the one with the contact, else the first
        return min((c for c in candidates if c.order in run_by), key=lambda c: (c.contact < 2, c.order))
    return max(candidates, key=lambda c: passed[c.order] + KNOWN_MARGIN * (c.order in found))


def score(c: Candidate, parsed: Parsed) -> float:
    """Weigh one candidate."""
    comment = parsed.comments.get(c.place)
    first = c is parsed.first_product and not parsed.browser_first
    library_first = bool(parsed.candidates) and words.is_library(parsed.candidates[0].name)
    sole = comment is not None and comment.candidates == 1 and not comment.platform
    folded = c.name.casefold()
    return (
        (STRONG if words.STRONG.search(c.name) else WEAK if words.WEAK.search(c.name) else 0)
        + VERSION * (c.version is not None)
        + AFTER_COMPATIBLE * c.after_compatible
        + FIRST_PRODUCT * first
        + CONTACT_NEAR * (c.contact > 0)
        + CONTACT_BEHIND * (c.contact > 1)
        + (BESIDE_KHTML if c.beside_khtml else SOLE_IN_COMMENT if sole else 0)
        + KNOWN * (registry.lookup_name(c.name) is not None)
        + (FOUNDATION if folded in words.FOUNDATIONS else LIBRARY if words.is_library(c.name) else 0)
        + IN_COMMENT * (comment is not None and not parsed.browser_first and not library_first)
        + PROSE * (words.prose_words(c.name) > 0)
        + GENERAL * words.is_general(c.name)
    )


def is_evident(c: Candidate, parsed: Parsed) -> bool:
    """Whether a name inside a browser's header is more than a part of the browser."""
    comment = parsed.comments.get(c.place)
    strong = words.STRONG.search(c.name) is not None
    if c.device and not (c.contact and comment and comment.contact) and not (strong and c.slashed):
        return False  # a phone's model: "VR BOT 552", never with a contact
    if not parsed.browser_first:
        return True
    return bool(
        strong
        or c.contact
        or c.after_compatible
        or c.beside_khtml
        or registry.lookup_name(c.name)
        or words.is_library(c.name)
        or not (parsed.browser_products or parsed.platform)
        or (c is parsed.trailing and not c.version and not c.slashed and not words.is_plain_tail(c.name))
    )


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


def _nameless(header: Header, parsed: Parsed) -> Client:
    """A browser, unless the header gives a contact outside the platform's comment, where add-ons leave theirs."""
    offers_contact = parsed.contact_on_top or any(c.contact and not c.platform for c in parsed.comments.values())
    if parsed.browser_first and not offers_contact and (parsed.browser_products or parsed.platform):
        return Client(name=BROWSER, automated=False, kind=BROWSER, contact=header.contact, flags=header.flags)
    return Client(name=UNDECLARED, kind=UNDECLARED, contact=header.contact, flags=header.flags)


def _named(header: Header, parsed: Parsed, chosen: Candidate) -> Client:
    entry = registry.lookup_name(chosen.name)
    kind, purpose = (entry.kind, entry.purpose) if entry else words.trade(chosen.name)
    return Client(
        name=entry.token if entry else chosen.name,
        token=chosen.name,
        robots_tokens=entry.robots_tokens if entry else (chosen.name,),
        legal_token=_LEGAL.fullmatch(chosen.name) is not None,
        version=chosen.version,
        contact=header.contact,
        kind=kind,
        purpose=purpose,
        operator=entry.run_by if entry else None,
        user_triggered=entry.user_triggered if entry else True if kind == "user-triggered" else None,
        declares_robots=entry.declares_robots if entry else None,
        docs_url=entry.docs_url if entry else None,
        flags=(*header.flags, *_flags(header, parsed, chosen, entry)),
    )


def _flags(header: Header, parsed: Parsed, chosen: Candidate, entry: registry.Entry | None) -> list[str]:
    named = {
        found.operator for c in parsed.candidates if (found := registry.lookup_name(c.name)) and not found.software
    }
    marks = {
        "several-identities": len(named) > 1,
        "foreign-contact": _is_foreign(header.contact, entry),
        "control-only-token": entry is not None and entry.control_only,
        "headless-browser": any(word in chosen.name.casefold() for word in words.AUTOMATION),
    }
    return [flag for flag, raised in marks.items() if raised]


def _is_foreign(contact: str | None, entry: registry.Entry | None) -> bool:
    """Whether the contact's host is none of the operator's; false where either is unknown."""
    if contact is None or entry is None or entry.software or not entry.contact_hosts:
        return False
    host = re.split(r"[/:?#]", contact.rpartition("://")[2])[0].rpartition("@")[2].casefold()
    return not any(host == known or host.endswith(f".{known}") for known in entry.contact_hosts)
