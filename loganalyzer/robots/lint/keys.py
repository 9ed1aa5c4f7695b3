"""Checks of the words before the colon: misspelt, of one engine only, of the past, or made up."""

import re
from collections.abc import Iterator

from loganalyzer.robots.lint.check import Check, Mark, keys, value, values, whole
from loganalyzer.robots.lint.source import RULE_KEYS, Line, Source

KNOWN = ("user-agent", "disallow", "allow", "crawl-delay", "sitemap")
INDEXING = ("noindex", "nofollow", "noarchive", "nosnippet")
OF_ONE_ENGINE = ("host", "clean-param", "request-rate", "visit-time", "revisit-after", "domain")
SLOWEST = 60  # seconds; above, a crawler gets fewer than 1,440 pages a day
OK = "User-agent: *\nDisallow: /x\n"


def _letters(key: str) -> str:
    return re.sub(r"[^a-z]", "", key)


def _near(written: str, meant: str) -> bool:
    """Whether two words differ by one letter, or by two neighbours that changed places."""
    if abs(len(written) - len(meant)) > 1 or written == meant:
        return written == meant
    start = next((i for i, pair in enumerate(zip(written, meant, strict=False)) if pair[0] != pair[1]), None)
    if start is None:  # one is the other with a letter more
        return True
    rest, other = written[start:], meant[start:]
    return rest[1:] == other[1:] or rest[1:] == other or rest == other[1:] or (rest[1::-1] + rest[2:]) == other


def meant(key: str) -> str | None:
    """The key that a misspelt one stands for; null: none is near, or it is right."""
    if key in KNOWN or len(key) > 20:
        return None
    letters = _letters(key)
    near = (known for known in KNOWN if _near(letters, _letters(known)))
    # robots.cc takes every key that begins so: `disallowed`, `user-agents`
    return next(near, next((known for known in ("user-agent", *RULE_KEYS) if key.startswith(known)), None))


def _misspelt(source: Source) -> Iterator[Mark]:
    for key, lines in source.by_key.items():
        if known := meant(key):
            for line in lines:
                paste = f"{known.capitalize()}: {line.value}".rstrip()
                yield Mark(line, line.start, line.text.index(":"), paste, {"key": key, "known": known.capitalize()})


def _first_word(line: Line) -> str:
    return line.value.partition(" ")[0].partition("\t")[0]


def _without_colon(source: Source) -> Iterator[Mark]:
    for line in source.lines:
        if not line.key and line.value and (word := _first_word(line)).lower() in KNOWN:
            yield value(line, f"{word}: {line.value[len(word) :].strip()}".rstrip())


def _made_up(source: Source) -> Iterator[Mark]:
    if source.robots.looks_like_html:
        return  # told once, not for each line
    spoken_for = {*KNOWN, *INDEXING, *OF_ONE_ENGINE, "content-signal", "content-usage"}
    for line in source.lines:
        if line.key:
            made_up = line.key not in spoken_for and meant(line.key) is None
        else:
            made_up = bool(line.value) and _first_word(line).lower() not in KNOWN
        if made_up and not line.text.lstrip().startswith(("//", ";")):
            yield whole(line, f"# {line.text.strip()}")


def _delays(source: Source) -> Iterator[tuple[Line, float | None]]:
    """Crawl-delay lines with their seconds; null where that is no number."""
    for line in source.by_key["crawl-delay"]:
        plain = re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", line.value)
        yield line, float(line.value) if plain else None


def _odd_delay(source: Source) -> Iterator[Mark]:
    for line, seconds in _delays(source):
        if seconds is None:
            yield value(line, "Crawl-delay: 10", what="is no plain number of seconds, so readers differ or skip it")
        elif seconds > SLOWEST:
            yield value(line, "Crawl-delay: 10", what=f"would leave {86_400 / seconds:,.0f} pages a day")


def _sitemap_within(source: Source) -> Iterator[Mark]:
    for line in source.by_key["sitemap"]:
        group = source.group_of(line)
        if group and line.number <= source.span(group)[-1].number:
            yield whole(line)


CHECKS = (
    Check(
        number=5, code="crawl-delay", level="warning", title="Crawl-delay is no part of the standard", once=True,
        says="Google, Yandex and Amazon ignore it; Bing, Anthropic and some others read it",
        source="Google, robots.txt specification; Yandex; Amazon; Anthropic", find=keys("crawl-delay"),
        bad="User-agent: *\nDisallow: /x\nCrawl-delay: 10\n", good=OK,
    ),
    Check(
        number=6, code="odd-crawl-delay", level="warning", title="an odd Crawl-delay",
        says="{value!r} {what}", source="crawler-commons", find=_odd_delay,
        bad="User-agent: *\nCrawl-delay: 1s\n", good="User-agent: *\nCrawl-delay: 2.5\n",
    ),
    Check(
        number=41, code="misspelt-key", level="error", title="a misspelt key",
        says="the standard has no {key!r}, so the line is skipped (Google forgives some spellings); meant is {known}",
        source="RFC 9309 section 2.2; google/robotstxt robots.cc", find=_misspelt,
        bad="User-agent: *\nDisalow: /x\n", good=OK,
    ),
    Check(
        number=42, code="missing-colon", level="error", title="no colon",
        says="without a colon the line is skipped; Google alone forgives that, and only between two words",
        source="RFC 9309 section 2.2; google/robotstxt robots.cc", find=_without_colon,
        bad="User-agent: *\nDisallow /x\n", good=OK,
    ),
    Check(
        number=43, code="indexing-in-robots", level="error", title="indexing rules do not belong here",
        says="no engine reads {key} here (Google stopped on 2019-09-01). Use the meta tag or X-Robots-Tag on the page, "
        "and leave the page open, or the tag is never seen",
        source="Google, robots.txt specification", find=keys(*INDEXING, instead=lambda line: f"# {line.text.strip()}"),
        bad=OK + "Noindex: /x\n", good=OK,
    ),
    Check(
        number=44, code="one-engine-key", level="info", title="a key of one engine, or of the past", once=True,
        says="Google ignores {key}; Host (retired) and Clean-param are Yandex's, the others are of the past",
        source="google/robotstxt reporting_robots.cc; Yandex", find=keys(*OF_ONE_ENGINE),
        bad=OK + "Host: garden.example\n", good=OK,
    ),
    Check(
        number=45, code="content-signal", level="info", title="Content-Signal is no access control", once=True,
        says="Allow and Disallow still decide who may fetch; no log can show whether a signal is kept. Keys are "
        "search, ai-input and ai-train, values yes and no",
        source="draft-romm-aipref-contentsignals; google/robotstxt reporting_robots.cc", find=keys("content-signal"),
        bad="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n", good=OK,
    ),
    Check(
        number=46, code="content-usage", level="info", title="Content-Usage is a draft", once=True,
        says="a draft, no RFC: a dictionary with y and n, optionally behind a path; not yes/no, and not Content-Signal",
        source="draft-ietf-aipref-attach-05", find=keys("content-usage"),
        bad="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n", good=OK,
    ),
    Check(
        number=47, code="made-up-line", level="info", title="a line that nobody reads",
        says="no reader knows this line, so it is skipped; as a comment it can stay (/llms.txt needs no line here)",
        source="RFC 9309 section 2.3.1.5", find=_made_up,
        bad=OK + "LLM-Content: /llms.txt\n", good=OK + "# LLM-Content: /llms.txt\n",
    ),
    Check(
        number=48, code="relative-sitemap", level="warning", title="a sitemap without its host",
        says="a sitemap must be a whole URL", source="sitemaps.org; Google, robots.txt specification",
        find=values(r"^(?![A-Za-z][A-Za-z0-9+.-]{0,20}://)", keys=("sitemap",),
                    instead=lambda line, _: f"https://your.example/{line.value.lstrip('/')}"),
        bad=OK + "Sitemap: /map.xml\n", good=OK + "Sitemap: https://garden.example/map.xml\n",
    ),
    Check(
        number=49, code="sitemap-in-group", level="info", title="a sitemap within a group", once=True,
        says="a sitemap is for everybody: it belongs to no group, and neither ends nor begins one",
        source="RFC 9309 section 2.2.4", find=_sitemap_within,
        bad="User-agent: *\nSitemap: https://garden.example/map.xml\nDisallow: /x\n",
        good=OK + "\nSitemap: https://garden.example/map.xml\n",
    ),
)  # fmt: skip
