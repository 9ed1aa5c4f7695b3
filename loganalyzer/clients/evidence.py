"""How much speaks for one candidate name: each mark it bears has a weight, found on labelled headers.

Only the order of size of the weights matters. The marks are words, so that `loganalyzer identify --why` can show them.
"""

from collections.abc import Mapping

from loganalyzer.clients import words
from loganalyzer.clients.grammar import Candidate, Parsed
from loganalyzer.clients.registry import Entry

Known = Mapping[int, Entry]  # what the registry has of a candidate, by its order

WEIGHTS = {
    "a word of crawlers in the name": 3.0,
    "a word of automation in the name": 1.2,
    "a version": 0.6,
    'after "compatible"': 2.0,
    "the first product": 2.2,
    "a contact near": 2.0,
    "the contact stands behind it": 1.5,
    "beside KHTML": 1.5,
    "alone in its comment": 1.5,
    "in the registry": 2.5,
    "a library": -2.0,
    "what a library stands on": -4.0,
    "in a comment behind a product": -1.5,
    "a remark behind a product": -5.0,
    "words of a sentence": -6.0,
    "a trade and no name": -4.0,
}


def marks(c: Candidate, parsed: Parsed, known: Known) -> list[str]:
    """The marks (keys of WEIGHTS) of one candidate."""
    comment = parsed.comments.get(c.place)
    library_first = bool(parsed.candidates) and words.is_library(parsed.candidates[0].name)
    foundation = c.name.casefold() in words.FOUNDATIONS
    strong = words.STRONG.search(c.name) is not None
    borne = {
        "a word of crawlers in the name": strong,
        "a word of automation in the name": not strong and words.WEAK.search(c.name),
        "a version": c.version is not None,
        'after "compatible"': c.after_compatible,
        "the first product": c is parsed.first_product and not parsed.browser_first,
        "a contact near": c.contact > 0,
        "the contact stands behind it": c.contact > 1,
        "beside KHTML": c.beside_khtml,
        "alone in its comment": not c.beside_khtml and comment and comment.candidates == 1 and not comment.platform,
        "in the registry": c.order in known,
        "a library": not foundation and words.is_library(c.name),
        "what a library stands on": foundation,
        "in a comment behind a product": comment and not parsed.browser_first and not library_first,
        "a remark behind a product": is_remark(c, parsed),
        "words of a sentence": words.prose_words(c.name) > 0,
        "a trade and no name": words.is_general(c.name),
    }
    return [mark for mark, found in borne.items() if found]


def is_remark(c: Candidate, parsed: Parsed) -> bool:
    """Whether words without a version only describe the product in front of them: `Overcast/1.0 Podcast Sync`."""
    first = parsed.first_product
    return (
        first is not None
        and c is not first
        and not (parsed.browser_first or words.is_library(first.name) or c.slashed or c.version or c.after_compatible)
        and first.slashed
        and first.version is not None
        and first.name.casefold() not in words.FOUNDATIONS
    )


def score(c: Candidate, parsed: Parsed, known: Known) -> float:
    """Weigh one candidate."""
    return sum(WEIGHTS[mark] for mark in marks(c, parsed, known))


def is_evident(c: Candidate, parsed: Parsed, known: Known) -> bool:
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
        or c.order in known
        or words.is_library(c.name)
        or words.is_automation(c.name)
        or (parsed.runtime and c.slashed and not c.place)
        or not (parsed.browser_products or (parsed.platform and (c.place or not c.slashed)))
        or (c is parsed.trailing and not c.version and not c.slashed and not words.is_plain_tail(c.name))
    )
