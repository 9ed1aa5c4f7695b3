"""Checks of user-agent lines: names that nobody has, and names that do not do what they seem to."""

import re
from collections.abc import Callable, Iterator

from loganalyzer.clients import identify
from loganalyzer.clients.registry import Entry, Registry
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.lint.check import Check, Find, Mark, value
from loganalyzer.robots.lint.names_known import alike, by_operator
from loganalyzer.robots.lint.source import Line, Source

RULED = "User-agent: {}\nDisallow: /x\n"
GRAMMAR = "RFC 9309 section 2.2.1"

# What can be wrong with the spelling of a name; the first that fits is told, so that one name is one finding.
SHAPES = {
    "header": re.compile(r"^Mozilla/|\(compatible"),
    "several": re.compile(r"^[^()\[\]]*[,;]"),  # not those of a comment in brackets
    "wildcard": re.compile(r"^.*\*"),
    "version": re.compile(r"/"),
    "space": re.compile(r"\s"),
    "digit-first": re.compile(r"^[0-9]"),
    "dot": re.compile(r"\."),
    "digits": re.compile(r"[0-9]"),
}


def shape(name: str) -> str | None:
    """What is wrong with a name's spelling; null: nothing."""
    if name == EVERYBODY or not name:
        return None
    return next((kind for kind, pattern in SHAPES.items() if pattern.search(name)), None)


def shaped(kind: str, instead: Callable[[str], str] | None = None) -> Find:
    """Find names of one shape."""

    def find(source: Source) -> Iterator[Mark]:
        for line in source.by_key["user-agent"]:
            if shape(line.value) == kind:
                paste = instead(line.value) if instead else None
                yield value(line, paste, cut=re.split(r"[^A-Za-z_-]", line.value, maxsplit=1)[0])

    return find


def _one_a_line(names: str) -> str:
    return "\n".join(f"User-agent: {name.strip()}" for name in re.split(r"[,;]", names) if name.strip())


def _product(header: str) -> str:
    """The token that a whole header stands for."""
    return f"User-agent: {identify(header).token or 'ExampleBot'}"


def _one_word(name: str) -> str:
    """Words of letters joined, else the first that is a name."""
    words = name.split()
    joined = "".join(words) if all(word.isalpha() for word in words) else re.split(r"[^A-Za-z_-]", name, maxsplit=1)[0]
    return f"User-agent: {joined}"


def _entries(source: Source) -> Iterator[tuple[Line, Entry]]:
    """Names of the file that the registry knows."""
    for name, line in source.names.items():
        if entry := source.registry.lookup(name):
            yield line, entry


def _known_as(wanted: Callable[[Entry], bool]) -> Find:
    def find(source: Source) -> Iterator[Mark]:
        for line, entry in _entries(source):
            if wanted(entry):
                yield value(line, operator=entry.operator, page=entry.docs_url or "its documentation")

    return find


def _look_alike(source: Source) -> Iterator[Mark]:
    for name, line in source.names.items():
        if name != EVERYBODY and shape(line.value) is None and (near := alike(name, source.registry)):
            yield value(line, "\n".join(f"User-agent: {token}" for token in near), near=" or ".join(near))


def _deaf_to_star(source: Source) -> Iterator[Mark]:
    if not (star := source.names.get(EVERYBODY)) or all(rule.allow for rule in source.robots.binding(EVERYBODY).rules):
        return
    # Those that keep robots.txt at all: a line for the others would change nothing.
    entries = (entry for entry in source.registry.entries if not entry.user_triggered and entry.kind == "crawler")
    deaf = [entry.token for entry in entries if entry.star_binds is False and entry.declares_robots != "no"]
    if missing := [token for token in deaf if source.robots.own_group(token) is None]:
        yield value(star, "\n".join(f"User-agent: {name}" for name in (*missing, EVERYBODY)), names=", ".join(missing))


def _shut_out(source: Source, name: str) -> bool:
    return not source.robots.decide(name, "/").allowed


def _siblings(source: Source) -> Iterator[Mark]:
    operators = by_operator(source.registry)
    told: set[str | None] = set()
    for line, entry in _entries(source):
        if entry.operator in told or not (entry.purpose or "").startswith("ai-") or not _shut_out(source, entry.token):
            continue
        others = [other.token for other in operators.get(entry.operator or "", ()) if other.token != entry.token]
        if free := [token for token in others if not _shut_out(source, token)]:
            told.add(entry.operator)
            paste = "\n".join(f"User-agent: {token}" for token in (entry.token, *free))
            yield value(line, paste, operator=entry.operator, names=", ".join(free))


def _follows_another(source: Source) -> Iterator[Mark]:
    registry: Registry = source.registry
    for entry in registry.entries:
        for fallback in entry.fallbacks:
            line, other = source.names.get(fallback.casefold()), registry.lookup(fallback)
            if line and other and other.operator != entry.operator and source.robots.own_group(entry.token) is None:
                yield value(line, None, token=entry.token)


def _nameless(source: Source) -> Iterator[Mark]:
    for line in source.by_key["user-agent"]:
        if not line.value:
            yield value(line, "User-agent: *")


CHECKS = (
    Check(
        number=7, code="token-with-digits", level="warning", title="a name with digits",
        says="names are letters, _ and -. Google's reader cuts {value} to {cut}; the bot itself may compare it whole",
        source=f"{GRAMMAR}; google/robotstxt#46", find=shaped("digits"),
        bad=RULED.format("Rake2bot"), good=RULED.format("Rakebot"),
    ),
    Check(
        number=8, code="token-begins-with-digit", level="error", title="a name that begins with a digit",
        says="readers that follow Google's cut {value} to nothing: this group cannot be addressed safely",
        source=f"{GRAMMAR}; google/robotstxt#46", find=shaped("digit-first"),
        bad=RULED.format("7rakes"), good=RULED.format("rakes"),
    ),
    Check(
        number=9, code="token-with-space", level="error", title="a name of several words",
        says="only the first word, {cut}, is read; a name of two words matches nobody",
        source=f"{GRAMMAR}; google/robotstxt#77",
        find=shaped("space", _one_word),
        bad=RULED.format("Rake Bot"), good=RULED.format("RakeBot"),
    ),
    Check(
        number=10, code="token-with-version", level="warning", title="a version in the name",
        says="Google ignores the version; readers that compare exactly find nobody called {value}",
        source=f"{GRAMMAR}; Google, robots.txt specification",
        find=shaped("version", lambda name: f"User-agent: {name.partition('/')[0].strip()}"),
        bad=RULED.format("RakeBot/2.1"), good=RULED.format("RakeBot"),
    ),
    Check(
        number=11, code="token-with-dot", level="warning", title="a dot in the name",
        says="readers that follow Google's cut {value} at the dot, to {cut}",
        source=f"{GRAMMAR}; ai.robots.txt#242", find=shaped("dot"),
        bad=RULED.format("rake.example"), good=RULED.format("rake-example"),
    ),
    Check(
        number=12, code="wildcard-in-token", level="error", title="a wildcard inside a name",
        says="* stands for everybody only when it stands alone; {value} is read as {cut!r}",
        source="RFC 9309 section 2.2 (product-token)",
        find=shaped("wildcard", lambda name: f"User-agent: {name.replace('*', '').strip() or EVERYBODY}"),
        bad=RULED.format("*rake*"), good=RULED.format("*"),
    ),
    Check(
        number=13, code="several-names", level="error", title="several names on one line",
        says="only {cut} is read: one name a line, the lines on top of each other",
        source="RFC 9309 section 2.2 (startgroupline); crawler-commons", find=shaped("several", _one_a_line),
        bad=RULED.format("RakeBot, HoeBot"), good="User-agent: RakeBot\nUser-agent: HoeBot\nDisallow: /x\n",
    ),
    Check(
        number=14, code="whole-header", level="error", title="a whole User-Agent header as name",
        says="this addresses a bot called {cut}; write the product token alone",
        source=f"{GRAMMAR}; robotspy#209", find=shaped("header", _product),
        bad=RULED.format("Mozilla/5.0 (compatible; RakeBot/1.0)"), good=RULED.format("RakeBot"),
    ),
    Check(
        number=15, code="look-alike-token", level="warning", title="a name that no known crawler has",
        says="no known crawler uses the name {value}; did you mean {near}?",
        source="the registry of clients (loganalyzer identify); ai.robots.txt", find=_look_alike,
        bad=RULED.format("Open-AI"), good=RULED.format("GPTBot"),
    ),
    Check(
        number=16, code="control-token", level="info", title="a name for control only",
        says="no request ever carries {value}, so no log can show whether it is kept",
        source="the operator's documentation: Google common crawlers, Apple 119829",
        find=_known_as(lambda entry: entry.control_only),
        bad=RULED.format("Google-Extended"), good=RULED.format("Googlebot"),
    ),
    Check(
        number=17, code="may-ignore-robots", level="info", title="an agent that may ignore robots.txt",
        says="{value} fetches for people, and {operator} says that robots.txt may not apply; to block, use a "
        "server rule",
        source="the operator's documentation: OpenAI, Perplexity, Meta, Google, Amazon",
        find=_known_as(lambda entry: bool(entry.user_triggered) and entry.declares_robots in ("no", "partly")),
        bad=RULED.format("ChatGPT-User"), good=RULED.format("GPTBot"),
    ),
    Check(
        number=18, code="ignores-star", level="info", title="crawlers that * does not bind",
        says="these ignore the group of * and have none of their own here: {names}; name them if they are meant",
        source="Google, special-case crawlers", find=_deaf_to_star,
        bad="User-agent: *\nDisallow: /x\n", good="User-agent: *\nDisallow:\n",
    ),
    Check(
        number=19, code="sibling-tokens", level="warning", title="one AI agent blocked, its siblings not",
        says="{operator} also runs {names}, which may still fetch /; each name needs its own line",
        source="documentation of OpenAI, Anthropic, Perplexity, Amazon", find=_siblings,
        bad="User-agent: GPTBot\nDisallow: /\n", good="User-agent: *\nDisallow: /\n",
    ),
    Check(
        number=20, code="follows-another-group", level="info", title="an agent that follows another's group",
        says="{token} has no group of its own here: it follows this one, not that of *",
        source="Apple 119829", find=_follows_another,
        bad=RULED.format("Googlebot"), good=RULED.format("Googlebot") + RULED.format("Applebot"),
    ),
    Check(
        number=64, code="empty-user-agent", level="warning", title="User-agent without a name",
        says="this line addresses nobody", source="RFC 9309 section 2.2 (product-token)", find=_nameless,
        bad="User-agent:\nDisallow: /\n", good="User-agent: *\nDisallow: /\n",
    ),
)  # fmt: skip
