"""Reads the octets of a robots.txt into groups (RFC 9309 sections 2.1 and 2.2); what is odd becomes a warning."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from loganalyzer.robots.canonical import Profile, canonical_rule
from loganalyzer.robots.match import Pattern, Rule
from loganalyzer.sources.compression import recognise

SIZE_LIMIT = 500 * 1024  # RFC 9309 section 2.5: parsers must read this much; Google reads no more
LINE_LIMIT = 8 * 2083 - 1  # robots.cc reads no more of a line; RFC 9309 section 2.5 leaves limits to the parser

_BLANK = {"rfc": b" \t", "google": b" \t\n\v\f\r"}  # RFC 9309 section 2.2 `WS`; what C calls white space
_DELAY = re.compile(rb"[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
_KEY_LINE = re.compile(rb"^[ \t]*(?:user-?agent|disallow|allow|sitemap)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|script|meta)\b", re.IGNORECASE)
_KEYS = {
    b"user-agent": "user-agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"crawl-delay": "crawl-delay",  # not in RFC 9309: kept for the rate findings
    b"sitemap": "sitemap",
}
# robots.cc takes every key that begins like one of these, misspelt ones included.
_GOOGLE_KEYS = {
    **_KEYS,
    b"useragent": "user-agent",
    b"user agent": "user-agent",
    b"disalow": "disallow",
    b"dissalow": "disallow",
    b"dissallow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"site-map": "sitemap",
}


@dataclass(frozen=True)
class Group:
    """User-agent lines and the rules that they share (RFC 9309 section 2.1)."""

    line: int  # of the first user-agent line
    names: list[str] = field(default_factory=list)  # user-agent values as written
    rules: list[Rule] = field(default_factory=list)
    crawl_delays: list[float] = field(default_factory=list)  # seconds


class Warnings:
    """What was noticed, one sentence a kind however often it happens."""

    def __init__(self) -> None:
        self._lines: dict[str, list[int]] = defaultdict(list)

    def add(self, sentence: str, line: int = 1) -> None:
        """Note a kind of oddity at a line."""
        self._lines[sentence].append(line)

    def sentences(self) -> tuple[str, ...]:
        """The sentences in the order of their first lines."""
        kinds = sorted(self._lines.items(), key=lambda kind: kind[1][0])
        more = {sentence: f" and {len(at) - 1:,} more" if len(at) > 1 else "" for sentence, at in kinds}
        return tuple(f"line {at[0]}{more[sentence]}: {sentence}" for sentence, at in kinds)


@dataclass(frozen=True, slots=True)
class Record:
    """One `key: value` line."""

    line: int
    key: str  # a value of _KEYS
    value: bytes
    text: str  # as written, without comment


def read(data: bytes, profile: Profile) -> tuple[list[Group], list[str], Warnings]:
    """Groups, sitemaps and warnings of a robots.txt."""
    warnings = Warnings()
    groups: list[Group] = []
    sitemaps: list[str] = []
    open_names = False  # whether the next user-agent line joins the last group
    for record in _records(read_body(data, warnings), profile, warnings):
        if record.key == "sitemap":
            sitemaps.append(_text(record.value))
        elif record.key == "user-agent":
            if not open_names:
                groups.append(Group(record.line))
            groups[-1].names.append(_text(record.value))
            open_names = True
        elif not groups:
            # RFC 9309 section 2.2.2: rules belong to a group
            warnings.add("stands before any User-agent line and belongs to no group", record.line)
        elif record.key == "crawl-delay":  # section 2.2.4: other records do not end a group
            groups[-1].crawl_delays.extend(_delay(record, warnings))
        else:
            groups[-1].rules.extend(_rules(record, profile))
            open_names = False
    return groups, sitemaps, warnings


def looks_like_html(data: bytes) -> bool:
    """Whether the body is a web page: an error or login page answered in place of robots.txt.

    What begins with markup that is not HTML (the `<Error>` of an object store) is one where no line of it is a record.
    """
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return bool(_HTML.search(data[:1024])) or not _KEY_LINE.search(data[:SIZE_LIMIT].replace(b"\r", b"\n"))


def is_utf16(data: bytes) -> bool:
    """Whether the body is UTF-16, by its mark or by a NUL at every other octet of its beginning."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    head = data[:64]
    return len(head) >= 8 and any(head[start::2].count(0) == len(head[start::2]) for start in (0, 1))


def no_robots_txt(data: bytes) -> str | None:
    """What a saved body is where it cannot be a robots.txt as it was served; null where it can."""
    if packed := recognise(data):
        return f"is compressed ({packed}), not a robots.txt; save the file unpacked (curl --compressed)"
    if looks_like_html(data):
        return "is a web page (HTML or XML), not a robots.txt; save the file as it was served"
    return None


def read_body(data: bytes, warnings: Warnings) -> bytes:
    """Octets that count: without byte order mark, at most 500 KiB."""
    if is_utf16(data):
        warnings.add("the file is UTF-16, not UTF-8: no rule can be read (RFC 9309 section 2.3)")
    if looks_like_html(data):
        warnings.add("the file looks like HTML, not robots.txt; lines that parse still count")
    if len(data) > SIZE_LIMIT:
        # A rule cut in two would be another rule (`Disallow: /` of `Disallow: /x`), so the line goes whole.
        # One that ends just there is whole: its line end may stand behind the limit.
        kept = max(data.rfind(b"\n", 0, SIZE_LIMIT + 1), data.rfind(b"\r", 0, SIZE_LIMIT + 1)) + 1
        last = len(split_lines(data[:kept])) - 1
        size = f"{len(data):,} octets, more than 500 KiB"
        warnings.add(f"the file has {size}: what follows this line does not count (RFC 9309 section 2.5)", last)
        data = data[:kept]
    mark = next((mark for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef") if data.startswith(mark)), b"")
    if mark:  # robots.cc skips a cut mark as well
        warnings.add("begins with a UTF-8 byte order mark, skipped here; other readers lose the line")
    return data[len(mark) :]


def split_lines(data: bytes) -> list[bytes]:
    """Lines ended by CR, LF or CRLF and by nothing else (RFC 9309 section 2.2 `NL`)."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _records(body: bytes, profile: Profile, warnings: Warnings) -> Iterator[Record]:
    blank = _BLANK[profile]
    for number, octets in enumerate(split_lines(body), 1):
        if b"\0" in octets:
            # Section 2.2: no NUL is part of any record. What stands before it is what readers in C see.
            warnings.add("holds a NUL octet, where the line ends for a reader", number)
            octets = octets.partition(b"\0")[0]
        if not octets.isascii() and not _is_utf8(octets):
            warnings.add("is not UTF-8 (RFC 9309 section 2.3)", number)
        if len(octets) > LINE_LIMIT:
            warnings.add(f"has more than {LINE_LIMIT:,} octets and is cut there, as Google's reader does", number)
            octets = octets[:LINE_LIMIT]
        content = octets.partition(b"#")[0].strip(blank)
        key, value = _key_and_value(content, profile)
        if key:
            yield Record(number, key, value, _text(content))
        elif content:  # RFC 9309 section 2.3.1.5: skipped, the rest is used
            odd = "has a key that RFC 9309 does not know" if b":" in content else "is no `key: value`"
            warnings.add(f"{odd} and is skipped", number)


def _key_and_value(content: bytes, profile: Profile) -> tuple[str | None, bytes]:
    """Known key and value of a line without its comment; no key where it is no record (skipped, section 2.3.1.5)."""
    blank = _BLANK[profile]
    key, colon, value = content.partition(b":")
    if colon:
        key, value = key.strip(blank).lower(), value.strip(blank)
        if profile == "rfc" or not key:
            return _KEYS.get(key), value
        return next((name for known, name in _GOOGLE_KEYS.items() if key.startswith(known)), None), value
    words = content.split()
    if profile == "google" and len(words) == 2:  # robots.cc forgives a missing colon between exactly two words
        return _key_and_value(b":".join(words), profile)
    return None, b""


def _rules(record: Record, profile: Profile) -> Iterator[Rule]:
    allow, patterns = record.key == "allow", [record.value]
    folder, slash, page = record.value.rpartition(b"/")
    if profile == "google" and allow and slash and page.startswith(b"index.htm"):
        patterns.append(folder + b"/$")  # robots.cc: allowing the index page allows its folder
    for pattern in patterns:
        yield Rule(allow, record.line, record.text, Pattern.compile(canonical_rule(pattern, profile)))


def _delay(record: Record, warnings: Warnings) -> Iterator[float]:
    if _DELAY.fullmatch(record.value):
        yield float(record.value)
    else:
        warnings.add("Crawl-delay is no number of seconds", record.line)


def _is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "backslashreplace")
