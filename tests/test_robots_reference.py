"""The engine beside a slow, plain reader written from RFC 9309 alone: no cleverness, an octet at a time.

Nothing of `loganalyzer.robots` is used by the reader, so that a mistake would have to be made twice.
"""

import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loganalyzer.robots import parse

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
HEX = b"0123456789abcdefABCDEF"
NEVER_RAW = b' "<>\\^`{|}\x7f' + bytes(range(32))


def lines(data):
    """Section 2.2 `NL`: CR, LF or CRLF."""
    found, line, place = [], b"", 0
    while place < len(data):
        octet = data[place : place + 1]
        if octet in b"\r\n":
            found.append(line)
            line = b""
            place += 2 if data[place : place + 2] == b"\r\n" else 1
        else:
            line += octet
            place += 1
    return [*found, line]


def records(data):
    """Number, key and value of the lines that are records."""
    for number, line in enumerate(lines(data.removeprefix(b"\xef\xbb\xbf")[: 500 * 1024]), 1):
        line = line.split(b"\0")[0].split(b"#")[0]
        key, colon, value = line.partition(b":")
        key = key.strip(b" \t").lower().decode("latin-1")
        if colon and key in ("user-agent", "allow", "disallow"):
            yield number, key, value.strip(b" \t")


def groups(data):
    """Section 2.2.1: names, and (allow, pattern, line) of each group."""
    found, naming = [], False
    for number, key, value in records(data):
        if key == "user-agent":
            if not naming:
                found.append(([], []))
            found[-1][0].append(named(value.decode("latin-1")))
            naming = True
        elif found:
            found[-1][1].append((key == "allow", value, number))
            naming = False
    return found


def named(value):
    """A name to its first blank, slash or the like, without case; `*` alone is everybody."""
    if value == "*" or value.startswith(("* ", "*\t")):
        return "*"
    kept = ""
    for letter in value:
        if letter in " \t/*,;(":
            break
        kept += letter
    return kept.lower()


def spelt(octets, *, rule):
    """Section 2.2.2: one spelling for rules and targets, as a list of octets or escapes; `*` and `$` as they are."""
    found, place = [], 0
    while place < len(octets):
        octet = octets[place]
        escape = octets[place : place + 3]
        if octet == ord("%") and len(escape) == 3 and escape[1] in HEX and escape[2] in HEX:
            value = int(escape[1:], 16)
            found.append(chr(value) if value in UNRESERVED else f"%{value:02X}")
            place += 3
            continue
        raw = octet < 128 and octet not in NEVER_RAW
        special = octet in b"*$" and not (rule and (octet == ord("*") or place == len(octets) - 1))
        found.append(chr(octet) if raw and not special else f"%{octet:02X}")
        place += 1
    return "".join(found)


def meets(pattern, target):
    """Section 2.2.3, by the set of places in the target that are reached after each character of the pattern."""
    anchored = pattern.endswith("$")
    reached = {0}
    for letter in pattern[:-1] if anchored else pattern:
        if letter == "*":
            reached = set(range(min(reached), len(target) + 1))
        else:
            reached = {place + 1 for place in reached if target[place : place + 1] == letter}
        if not reached:
            return False
    return len(target) in reached if anchored else True


def decided(data, tokens, target):
    """Whether allowed, and the line that decides; None for none."""
    path = target.partition(b"#")[0]
    path = spelt(path if path.startswith(b"/") else b"/" + path, rule=False)
    if path == "/robots.txt" or path.startswith("/robots.txt?"):
        return True, None
    everything = groups(data)
    names = {name for some, _ in everything for name in some}
    bound = next((named(token) for token in tokens if named(token) in names - {"", "*"}), "*")
    rules = [rule for some, rules in everything if bound in some for rule in rules]
    met = [
        (len(spelt(p, rule=True)), allow, -line) for allow, p, line in rules if p and meets(spelt(p, rule=True), path)
    ]
    return (max(met)[1], -max(met)[2]) if met else (True, None)


# Mostly what meets, now and then what is odd.
NAMES = ["ant", "*"] * 5 + [
    "Ant/2",
    "bee",
    "ant bee",
    "* ant",
    "**",
    "ant*",
    "",
    "ant-bee",
    "an\xe9t",
    "4ant",
    "b.e",
    "bee,ant",
]
ODD = [
    "%61",
    "%2f",
    "%2F",
    "%2a",
    "%24",
    "%zz",
    "%",
    "%e9",
    "%C3%A9",
    "%c3%a9",
    "é",
    " ",
    '"',
    "\\",
    "\x7f",
    "\x0b",
    "?",
    ".",
    ";",
]
PATH = st.lists(st.sampled_from(["a", "b", "/", "*"] * 6 + ["$", "/a", "**", *ODD]), max_size=6).map("".join)
RULE = st.tuples(
    st.sampled_from(["Allow: ", "Disallow:", "Disallow: ", "disallow : ", "\tDISALLOW:"]),
    st.sampled_from(["/", "/", "/a", "*", ""]),
    PATH,
    st.sampled_from(["", "", "$", "#why", " "]),
)
NAMING = st.tuples(
    st.sampled_from(["User-agent:", "user-agent :\t", " USER-AGENT: "]),
    st.sampled_from(NAMES),
    st.sampled_from(["", " # why", "\t"]),
)
SKIPPED = ["", "Sitemap: /s", "Crawl-delay: 3", "Disalow: /a", "Disallow /a", ": /a", "<html>", "Disallow: /a\0b"]
RECORD = st.one_of(RULE.map("".join), RULE.map("".join), NAMING.map("".join), st.sampled_from(SKIPPED))
END = st.sampled_from(["\n"] * 5 + ["\r", "\r\n", "\n\r", "\n\n", "\x0b", "\u2028"])
FILE = st.lists(st.tuples(RECORD, END), max_size=14).map(lambda some: "".join(map("".join, some)))
TARGET = st.one_of(
    st.tuples(st.sampled_from(["/", "/a", "/ab"]), PATH).map("".join),
    st.sampled_from(["/robots.txt", "/robots.txt?a", "/robots%2Etxt", "/a/robots.txt", "/robots.txt#a"]),
)


@settings(deadline=None, max_examples=300)
@given(
    st.booleans(),
    FILE.map("User-agent: ant\n".__add__) | FILE,
    st.lists(st.sampled_from(NAMES[:18]), min_size=1, max_size=3),
    st.lists(TARGET, max_size=8),
)
@example(False, "User-agent: ant\nDisallow: /*a*$", ["ant"], ["/a"])
def test_the_engine_decides_as_the_plain_reader(marked, text, tokens, targets):
    data = (b"\xef\xbb\xbf" if marked else b"") + text.encode()
    robots = parse(data)
    expected = [decided(data, tokens, target.encode()) for target in targets]

    each = [robots.decide(tokens, target) for target in targets]
    assert [(one.allowed, one.line) for one in each] == expected
    many = robots.decide_many(tokens, pa.array(targets, pa.string()))
    assert list(zip(many["allowed"].to_pylist(), many["line"].to_pylist(), strict=True)) == expected
