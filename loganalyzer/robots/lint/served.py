"""Checks of the file as a whole: its octets, its size, its name, and how a log shows it was served."""

import re
from collections.abc import Iterator

import pyarrow as pa

from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.lint.check import Check, Mark, whole
from loganalyzer.robots.lint.source import RULE_KEYS, Source
from loganalyzer.robots.parse import LINE_LIMIT, SIZE_LIMIT, is_utf16, split_lines
from loganalyzer.sources.compression import recognise

OK = "User-agent: *\nDisallow: /x\n"
MARK = b"\xef\xbb\xbf"
ODD = {
    "a NUL octet, where the line ends for a reader": re.compile("\0"),
    "a separator that ends no line here, but does in some readers": re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"),
    "a blank that is none: only space and tab are trimmed": re.compile("[\xa0\u2000-\u200b\u202f\u3000\ufeff]"),
}
SHOWN = 3  # redirected paths that a sentence names


def _mark(source: Source) -> Iterator[Mark]:
    if source.data.startswith(MARK):
        yield Mark(source.lines[0], 0, 1)


def _other_encoding(source: Source) -> Iterator[Mark]:
    if is_utf16(source.data):
        yield whole(source.lines[0], None, what="the file is UTF-16: no rule of it can be read")
    if packed := recognise(source.data):
        yield whole(source.lines[0], None, what=f"the file is compressed ({packed}): no rule of it can be read")
    if not source.is_text:
        return
    for line, octets in zip(source.lines, split_lines(source.body), strict=True):
        try:
            octets.decode()
        except UnicodeDecodeError as error:
            start = len(octets[: error.start].decode())
            yield Mark(line, start, start + 4, None, {"what": "this octet is not UTF-8"})


def _html(source: Source) -> Iterator[Mark]:
    if source.robots.looks_like_html:
        first = next((line for line in source.lines if line.text.strip()), source.lines[0])
        yield whole(first)


def _too_large(source: Source) -> Iterator[Mark]:
    if len(source.data) > SIZE_LIMIT:
        lost = split_lines(source.data[len(source.body) :])
        rules = sum(line.partition(b":")[0].strip().lower().decode("latin-1") in RULE_KEYS for line in lost)
        yield whole(
            source.lines[-1] if source.lines[-1].text else source.lines[-2], None, size=len(source.data), lost=rules
        )


def _long_line(source: Source) -> Iterator[Mark]:
    for line, octets in zip(source.lines, split_lines(source.body), strict=True):
        if len(octets) > LINE_LIMIT:
            yield Mark(line, line.start, line.start + 1, None, {"octets": len(octets)})


def _odd_octets(source: Source) -> Iterator[Mark]:
    body = source.body
    if b"\r" in body and b"\n" not in body and body.count(b"\r") > 1:
        yield Mark(source.lines[0], len(source.lines[0].text), len(source.lines[0].text) + 1, None,
                   {"what": "lines end with CR alone: valid, but many readers see one single line"})  # fmt: skip
    for line in source.lines:
        content = line.text.partition("#")[0]
        for what, pattern in ODD.items():
            if found := pattern.search(content):
                paste = pattern.sub(" " if "blank" in what else "", content).rstrip()
                yield Mark(line, found.start(), found.end(), paste, {"what": what})


def _wrong_name(source: Source) -> Iterator[Mark]:
    name = source.name.rpartition("/")[2]
    if name.casefold() == "robots.txt" and name != "robots.txt":
        yield whole(source.lines[0], None, what=f"this file is called {name}")
    for path, count in source.observed.misplaced().items() if source.observed else ():
        yield whole(source.lines[0], None, what=f"the log has {path} served (requests: {count:,})")


def _statuses(source: Source) -> Iterator[Mark]:
    for status, count in source.observed.robots_answers().items() if source.observed else ():
        if status in (200, 304):
            continue
        if status == 429 or status >= 500:
            effect = "crawlers then take everything for forbidden at first (for Google 429 too)"
        elif status >= 400:
            effect = "that allows everything"
        elif status >= 300:
            effect = "after more than five redirects crawlers take the file for missing"
        else:
            continue
        yield whole(source.lines[0], None, status=status, count=count, effect=effect)


def _unseen(source: Source) -> Iterator[Mark]:
    """Rules of `*` that forbid paths which the log shows redirected."""
    targets = list(source.observed.redirected()) if source.observed else []
    decided = source.robots.decide_many(EVERYBODY, pa.array(targets, pa.string()))
    paths: dict[int, list[str]] = {}
    for target, allowed, number in zip(targets, *(column.to_pylist() for column in decided.columns), strict=True):
        if not allowed and number is not None:
            paths.setdefault(number, []).append(target)
    for number, found in sorted(paths.items()):
        yield whole(source.lines[number - 1], None, paths=", ".join(found[:SHOWN]), count=len(found))


CHECKS = (
    Check(
        number=50, code="byte-order-mark", level="warning", title="a byte order mark",
        says="Google skips it; many readers lose the first line, and with it the group. Save as UTF-8 without BOM",
        source="Google, robots.txt specification", find=_mark, bad=MARK + OK.encode(), good=OK,
    ),
    Check(
        number=51, code="not-utf-8", level="error", title="not UTF-8", any_body=True,
        says="{what}; the file must be UTF-8", source="RFC 9309 section 2.3", find=_other_encoding,
        bad=OK.encode("utf-16"), good=OK,
    ),
    Check(
        number=52, code="html", level="error", title="a web page in place of robots.txt", any_body=True,
        says="an error or login page: it has no rules, so everything is allowed. Serve text/plain, or a real 404",
        source="RFC 9309 section 2.3; Google, robots.txt specification", find=_html,
        bad="<!doctype html>\n<title>Sign in</title>\n", good=OK,
    ),
    Check(
        number=53, code="too-large", level="error", title="more than 500 KiB", any_body=True,
        says="the file has {size:,} octets and readers need not go beyond 512,000: {lost:,} rules behind this line may "
        "not exist (Yandex reads 500 KB and 2,048 rules)",
        source="RFC 9309 section 2.5; Google; Yandex", find=_too_large,
        bad="User-agent: *\n" + "Disallow: /shed/\n" * 31_000, good=OK,
    ),
    Check(
        number=54, code="line-too-long", level="warning", title="a line that is cut",
        says="the line has {octets:,} octets; Google cuts it after 16,663", source="google/robotstxt robots.cc",
        find=_long_line, bad=f"User-agent: *\nDisallow: /{'a' * 17_000}\n",
        good=f"User-agent: *\nDisallow: /{'a' * 900}\n",
    ),
    Check(
        number=55, code="status", level="warning", title="how robots.txt was answered", any_body=True,
        says="the log has /robots.txt answered {status} (requests: {count:,}): {effect}",
        source="RFC 9309 sections 2.3.1.2 to 2.3.1.4; Google", find=_statuses,
        bad=OK, good=OK, bad_log=(("/robots.txt", 503),), good_log=(("/robots.txt", 200), ("/robots.txt", 304)),
    ),
    Check(
        number=56, code="wrong-place", level="error", title="the wrong place or name", any_body=True,
        says="{what}; only /robots.txt counts, in lower case, at the root of each scheme, host and port",
        source="RFC 9309 section 2.3; Google; Bing", find=_wrong_name,
        bad=OK, good=OK, bad_log=(("/shop/robots.txt", 200),), good_log=(("/robots.txt", 200), ("/a/robots.txt", 404)),
    ),
    Check(
        number=59, code="unseen-redirect", level="warning", title="a blocked page whose redirect nobody sees",
        says="the log has {count:,} redirected paths that this line forbids, as {paths}: crawlers cannot learn where "
        "they went (the same is true of noindex and canonical, which no log shows)",
        source="Google, robots.txt specification", find=_unseen,
        bad="User-agent: *\nDisallow: /old/\n", good="User-agent: *\nDisallow: /old/\n",
        bad_log=(("/old/a", 301),), good_log=(("/old/a", 200), ("/new", 301)),
    ),
    Check(
        number=65, code="odd-octets", level="warning", title="characters that readers disagree about",
        says="{what}", source="RFC 9309 section 2.2 (NL, WS)", find=_odd_octets,
        bad="User-agent: *\nDisallow: /x\u00a0\n", good=OK,
    ),
)  # fmt: skip
