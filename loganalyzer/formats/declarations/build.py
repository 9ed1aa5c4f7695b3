"""What declarations are made with: a directive of the server, or a table of keys."""

import re
from dataclasses import replace

from loganalyzer.formats.directives import Directive, parse
from loganalyzer.formats.jsonlines import Json, of_template
from loganalyzer.formats.model import Capture, Field, Format, Grammar, Sample
from loganalyzer.formats.text import Text
from loganalyzer.formats.uniform import Path

COMBINED = r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\""'
_VALUE = re.compile(r"\{([^{}]*)\}")
_BLANKS = {"client_ip", "user", "forwarded_for"}
AGENT = "Mozilla/5.0 (compatible; ExampleBot/1.2; +https://bot.example/about)"


def of_directive(
    directive: Directive, title: str = "as the directive says", samples: tuple[Sample, ...] = (), given: bool = False
) -> Format:
    """The format that a directive describes; nginx logs when a request has ended, Apache when it began."""
    template = of_template(directive.layout) if directive.server != "w3c" else None
    grammar: Grammar = template or Text(directive.layout, given, quotable=directive.server == "w3c")
    ends = directive.server == "nginx" or any(
        getattr(piece, "name", None) == "x-edge-location" for piece in directive.layout
    )
    time = grammar.columns.get("time")
    ends = ends or (time is not None and time.end)
    escaped = directive.escape == "default" and template is None
    comments = directive.server == "w3c"
    return Format(directive.name, title, grammar, ends, escaped, comments=comments, samples=samples)


def declared(directive: str, title: str, *samples: Sample, more: bool = False) -> Format:
    """The format of a directive; with `more`, anything may stand behind its last value."""
    parsed = parse(directive)
    rest = (" ", Capture("more", Field("", "rest")))
    return of_directive(replace(parsed, layout=parsed.layout + rest) if more else parsed, title, samples)


def template(
    name: str, title: str, text: str, *samples: Sample, ends: bool = False, absolute: bool = False, more: bool = False
) -> Format:
    """The format of a server that has no directive for it.

    Args:
        name: of the format.
        title: what writes it.
        text: a line of it, each value as `{column:converter}`, or `{}` where it is read over; `{user:text}` holds no
            blanks.
        samples: its lines.
        ends: the logged time is the end of the request.
        absolute: targets are written with scheme and host.
        more: anything may stand behind the last value.
    """
    pieces: list[str | Capture] = []
    for number, piece in enumerate(_VALUE.split(text)):
        column, _, read = piece.partition(":")
        if number % 2 and piece:
            blanks = (column in _BLANKS and read not in ("list", "text", "numeric")) or read.startswith(
                ("%", "written")
            )
            pieces.append(Capture(column or read, Field(column, read or "text", blanks=blanks)))
        elif number % 2:
            pieces.append(Capture("a value", None))
        elif piece:
            pieces.append(piece)
    if more:
        pieces.append(Capture("more", Field("", "rest")))
    return Format(name, title, Text(tuple(pieces)), ends, absolute=absolute, samples=samples)


def paths(table: str) -> tuple[tuple[Path, Field], ...]:
    """Fields by key: lines of `column[:converter] key key ...`, the best key first; a dot goes one level down.

    `key=converter` is for a key whose values are written in another way than the column's others.
    """
    found = []
    for line in table.strip().splitlines():
        column, *names = line.split()
        name, _, usual = column.partition(":")
        for rank, key in enumerate(names):
            path, _, read = key.partition("=")
            found.append((tuple(path.split(".")), Field(name, read or usual or "text", rank)))
    return tuple(found)


def keys(table: str, *telltale: str, never: str = "", answered: bool = False) -> Json:
    """JSON by its keys.

    Args:
        table: as for `paths`.
        telltale: keys or values that every line of this writer holds, and hardly a line of another.
        never: the beginning of a value that no request of this writer holds, though other lines look like one.
        answered: what has no status is logged of a request besides.
    """
    return Json(paths(table), telltale, never, answered)


def objects(
    name: str, title: str, grammar: Json, *samples: Sample, ends: bool = False, absolute: bool = False
) -> Format:
    """The format of JSON lines; `ends` and `absolute` as for `template`."""
    return Format(name, title, grammar, time_is_end=ends, escaped=False, absolute=absolute, samples=samples)
