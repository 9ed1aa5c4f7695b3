"""The second dictionary: the patterns of crawler-user-agents, asked only where grammar and registry found nothing.

Of its 1,504 patterns all but about 40 are plain text, and a plain text is found with `in`: no pattern is compiled for
them, which keeps a cold start short. Matches count only on the masked header, so never inside a URL.
"""

import re
from functools import cache

# Patterns that hit real browsers. Each with why.
FALSE_HITS = frozenset(
    {
        r"AP3A\.240617\.008",  # an Android build number
        "Fluid",  # a browser for single sites on macOS
        "Sonic",  # a version of Slack; the crawler's own header needs no list
        "Sogou",  # the Sogou browser, SE 2.X MetaSr
    }
)
LIMIT = 512  # a name stands in front; a text of one letter costs the search of each of 1,500 names its length
_ESCAPE = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"(?<!\\)[\^$.\[\]()*+?|{}]|\\[a-zA-Z]")


def find(text: str) -> tuple[int, int] | None:
    """Return the span of the first listed name in `text`, the longest where several begin there; null for none."""
    literals, rest = _patterns()
    text = text[:LIMIT]
    spans = [(at, at + len(name)) for name in literals if (at := text.find(name)) >= 0]
    spans += [match.span() for pattern in rest if (match := pattern.search(text))]
    return min(
        (span for span in spans if _at_boundary(text, *span)), key=lambda span: (span[0], -span[1]), default=None
    )


def _at_boundary(text: str, start: int, end: int) -> bool:
    """Whether the span begins where a word begins: `Cubot` holds `bot`, and is a phone."""
    return start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())


@cache
def _patterns() -> tuple[tuple[str, ...], tuple[re.Pattern[str], ...]]:
    """The list split into plain texts and the few that are patterns."""
    from crawleruseragents import CRAWLER_USER_AGENTS_DATA

    patterns = [row["pattern"] for row in CRAWLER_USER_AGENTS_DATA if row["pattern"] not in FALSE_HITS]
    special = [pattern for pattern in patterns if _SPECIAL.search(pattern)]
    plain = (_ESCAPE.sub(r"\1", pattern) for pattern in patterns if not _SPECIAL.search(pattern))
    return tuple(plain), tuple(map(re.compile, special))
