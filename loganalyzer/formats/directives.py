r"""Directives of servers, pasted verbatim, to layouts.

    log_format main '$remote_addr - $remote_user [$time_local] "$request" '     nginx, over several lines or one
                    '$status';
    LogFormat "%h %l %u %t \"%r\" %>s %b" common                               Apache httpd
    #Fields: date time c-ip cs-method cs-uri-stem sc-status                    W3C extended

A layout is a sequence of literal texts and captures. A faulty directive raises UsageError with a caret under the place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loganalyzer.errors import UsageError
from loganalyzer.formats import abbreviations, instants
from loganalyzer.formats.model import Capture, Field
from loganalyzer.formats.variables import (
    APACHE,
    APACHE_DURATION,
    CLOUDFRONT,
    HEADERS_IN,
    HEADERS_OUT,
    NGINX,
    NGINX_KNOWN,
    W3C,
)

Layout = tuple[str | Capture, ...]

_NGINX_HEAD = re.compile(r"\s*log_format\s+(?:(?P<name>[^\s'\"$;]+)\s+)?(?:escape=(?P<escape>\w+)\s+)?(?=['\"$])")
_NGINX_STRING = re.compile(r"\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\")", re.DOTALL)
_NGINX_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_APACHE_HEAD = re.compile(r"\s*LogFormat\s+(?=\")")
_APACHE_STRING = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"(?:\s+(?P<name>[\w.-]+))?', re.DOTALL)
# Conditions (`!200,304`), `<` or `>` and an argument stand in any order (parse_log_item of mod_log_config).
_APACHE_ITEM = re.compile(r"%(?P<modifiers>(?:[!<>,0-9]|\{[^}]*\})*)(?P<letter>\^t[io]|[A-Za-z%])")
_NGINX_COMBINED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
)
_APACHE_COMBINED = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"'
_ABBREVIATED = "the ... in it was taken for what combined has in that place"
# Captures that make one target; nginx logs `$uri` decoded and rewritten.
_TARGETS: dict[tuple[str, ...], Field] = {
    ("%U", "%q"): Field("target", rank=1),
    **{
        (path, *query): Field("target", rank=2)
        for path in ("$uri", "$document_uri")
        for query in (("$is_args", "$args"), ("$is_args", "$query_string"), ("?", "$args"), ("?", "$query_string"))
    },
}


@dataclass(frozen=True, slots=True)
class Directive:
    """What a directive says."""

    name: str
    server: str  # "nginx", "apache" or "w3c"
    layout: Layout
    escape: str = "default"  # nginx: default, json or none
    note: str | None = None


def faulty(text: str, at: int, why: str) -> UsageError:
    """The error for a place in a directive: its line, a caret under the place, and the reason."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].split("\n", 1)[0]
    return UsageError(f"{why}\n  {line}\n  {' ' * (at - start)}^")


def parse(text: str) -> Directive:
    """Read a directive of any of the three kinds.

    Raises:
        UsageError: it is none, or it is faulty.
    """
    if text.lstrip().startswith("#Fields:"):
        return w3c(text)
    if match := _APACHE_HEAD.match(text):
        return _apache(text, match.end())
    if match := _NGINX_HEAD.match(text):
        return _nginx(text, match)
    at = len(text) - len(text.lstrip())
    raise faulty(text, at, 'a format is given by its name, or as log_format ...;  LogFormat "..."  or  #Fields: ...')


def _nginx(text: str, head: re.Match[str]) -> Directive:
    escape = head["escape"] or "default"
    if escape not in ("default", "json", "none"):
        raise faulty(text, head.start("escape"), "escape is one of default, json and none")
    at, parts = head.end(), []
    while match := _NGINX_STRING.match(text, at):
        body = match["single"] if match["single"] is not None else match["double"]
        parts.append(re.sub(r"\\(.)", _nginx_escape, body, flags=re.DOTALL))
        at = match.end()
    rest = re.match(r"\s*", text[at:])
    at += rest.end() if rest else 0
    if at < len(text) and text[at] != ";":
        why = "a quote is opened here and not closed" if text[at] in "'\"" else "a quoted string or ; is expected here"
        raise faulty(text, at, why)
    combined = tuple(tuple(_nginx_pieces(word)) for word in _NGINX_COMBINED.split())
    layout, short = abbreviations.expanded(tuple(_nginx_pieces("".join(parts))), combined)
    unknown = [piece.name for piece in layout if isinstance(piece, Capture) and _unknown(piece)]
    layout = _with_targets(layout)
    _check(layout, text)
    note = _note(
        (short, _ABBREVIATED),
        (unknown, f"nothing is known of {', '.join(unknown)}: read over, and kept in no column"),
        (text[at + 1 :].strip(), "what follows the directive's ; was not read"),
    )
    return Directive(head["name"] or "custom", "nginx", layout, escape, note)


def _unknown(piece: Capture) -> bool:
    return piece.field is None and NGINX_KNOWN.fullmatch(piece.name.removeprefix("$")) is None


def _note(*cases: tuple[object, str]) -> str | None:
    """The sentences whose case is true, as one."""
    return "; ".join(sentence for true, sentence in cases if true) or None


def _nginx_escape(match: re.Match[str]) -> str:
    """Reading of a backslash as nginx has it in its configuration (ngx_conf_read_token)."""
    return {"t": "\t", "r": "\r", "n": "\n", '"': '"', "'": "'", "\\": "\\"}.get(match[1], match[0])


def _nginx_pieces(text: str) -> Iterator[str | Capture]:
    at = 0
    for match in _NGINX_VARIABLE.finditer(text):
        if match.start() > at:
            yield text[at : match.start()]
        name = match[1] or match[2]
        yield Capture(f"${name}", NGINX.get(name))
        at = match.end()
    if at < len(text):
        yield text[at:]


def _apache(text: str, start: int) -> Directive:
    match = _APACHE_STRING.match(text, start)
    if match is None:
        raise faulty(text, start, "a quote is opened here and not closed")
    body = re.sub(r'\\(["\\])', r"\1", match["text"])
    combined = tuple(tuple(_apache_pieces(word, text)) for word in _APACHE_COMBINED.split())
    layout, short = abbreviations.expanded(tuple(_apache_pieces(body, text)), combined)
    layout = instants.joined(_with_targets(layout))
    _check(layout, text)
    note = _note((short, _ABBREVIATED), (text[match.end() :].strip(), "what follows the directive was not read"))
    return Directive(match["name"] or "custom", "apache", layout, note=note)


def _apache_pieces(body: str, text: str) -> Iterator[str | Capture]:
    at, literal = 0, ""
    while at < len(body):
        if body[at] == "\\" and body[at + 1 : at + 2] in ("t", "n"):
            literal, at = literal + {"t": "\t", "n": "\n"}[body[at + 1]], at + 2
            continue
        if body[at] != "%":
            literal, at = literal + body[at], at + 1
            continue
        match = _APACHE_ITEM.match(body, at)
        if match is None:
            place = text.find(body[at : at + 2])
            raise faulty(text, max(place, 0), "this is no directive of Apache's LogFormat")
        at = match.end()
        if match["letter"] == "%":
            literal += "%"
            continue
        letter, argument = match["letter"], re.search(r"\{([^}]*)\}", match["modifiers"])
        when = re.sub(r"\{[^}]*\}|[^<>]", "", match["modifiers"])[-1:]
        # %t writes its own brackets, and a strftime may.
        bracket = letter == "t" and (argument is None or bool(re.fullmatch(r"\{\[.*\]\}", argument[0])))
        if literal or bracket:
            yield literal + "[" * bracket
        yield Capture(match[0], _apache_field(letter, argument and argument[1], when))
        literal = "]" * bracket
    if literal:
        yield literal


def _with_targets(layout: Layout) -> Layout:
    """Path and query that stand together as one target: nothing between them tells where one ends."""
    pieces = list(layout)
    for index in range(len(pieces)):
        for names, target in _TARGETS.items():
            run = pieces[index : index + len(names)]
            if tuple(piece.name if isinstance(piece, Capture) else piece for piece in run) == names:
                pieces[index : index + len(names)] = [Capture("".join(names), target)]
    return tuple(pieces)


def _apache_field(letter: str, argument: str | None, when: str) -> Field | None:
    name = (argument or "").lower()
    if argument is None or letter not in "ioTtah":
        field = APACHE.get(letter) if argument is None else None
        if field and letter == "s" and when != ">":
            return Field(field.column, field.read, 1)  # %s is the status before an internal redirect
        return field
    if letter in "io":
        return (HEADERS_IN if letter == "i" else HEADERS_OUT).get(name)
    if letter == "T":
        return Field("request_time_s", APACHE_DURATION[name]) if name in APACHE_DURATION else None
    if letter == "t":
        return instants.of_argument(argument)
    return Field("client_ip", "address", 2) if name == "c" else None  # the peer, where mod_remoteip knows better


def w3c(text: str, tabs: bool = False, day: str | None = None) -> Directive:
    """Read a `#Fields:` line.

    Args:
        text: the line.
        tabs: whether values stand apart by tabs, as CloudFront writes them; names always stand apart by blanks.
        day: of the `#Date:` line, yyyy-mm-dd, for a log without a column for it.
    """
    names = text.strip().removeprefix("#Fields:").split()
    lower = [name.lower() for name in names]
    known = CLOUDFRONT if "x-edge-location" in lower else W3C
    if not any(known.get(name) for name in lower):
        raise faulty(text, len("#Fields: "), "no field of an access log stands here")
    if day and not {"date", "date-local"} & set(lower):
        known = known | {"time": Field("clock", day), "time-local": Field("clock", day, 1)}
    pieces: list[str | Capture] = []
    for name in names:
        pieces += ["\t" if tabs else " ", Capture(name, known.get(name.lower()))]
    return Directive("w3c", "w3c", tuple(pieces[1:]), "none")


def _check(layout: Layout, text: str) -> None:
    columns = {piece.field.column for piece in layout if isinstance(piece, Capture) and piece.field}
    end = max(len(text.rstrip()) - 1, 0)
    if "time" not in columns:
        raise faulty(
            text, end, "no time is logged ($time_local, $time_iso8601 or $msec; %t), and nothing works without"
        )
    if not columns & {"request", "target", "path"}:
        raise faulty(text, end, "no request is logged ($request or $request_uri; %r or %U)")
    if "status" not in columns:
        raise faulty(text, end, "no status is logged ($status; %>s), and no answer can be told from another without")
