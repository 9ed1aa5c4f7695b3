"""One line against many formats: which read it, and in words where each of the nearest stops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from loganalyzer.errors import UnknownFormatError
from loganalyzer.escape import inline
from loganalyzer.formats import assembly
from loganalyzer.formats.lines import read_block
from loganalyzer.formats.model import Format, Stop
from loganalyzer.sources import Block

_NEAREST = 3
_NEAR, _ALIKE = 0.6, 0.8  # of the share of the nearest, and of that of the nearest of a family
_LONGEST = 16 << 10  # bytes of a line that are tried: what decides stands in front
_BEFORE, _AFTER = 64, 40  # bytes shown of a line around a caret
_NOT_THERE = "no such instant"
_NAMES = {
    "client_ip": "the client's address",
    "address": "an address",
    "code": "a number",
    "ident": "the ident",
    "user": "the user",
    "forwarded_for": "X-Forwarded-For",
    "host": "the host",
    "method": "the method",
    "target": "the target",
    "protocol": "the protocol",
    "query": "the query",
    "referer": "the referer",
    "retry_after": "Retry-After",
    "words": "text",
    "number": "a number",
    "time": "the time",
    "date": "the date",
    "clock": "the time of day",
    "request": "the request line",
    "path": "the path",
    "status": "the status",
    "bytes": "the size of the answer",
    "user_agent": "the user agent",
    "request_time_s": "the duration",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What one format makes of one line."""

    format: str
    at: int  # byte where reading stops; the length of the line where it is read
    field: str | None  # column or variable to blame
    reason: str | None  # in words; null where the format reads the line
    row: dict[str, Any] | None  # what was read: the columns of REQUEST that are not null


def trials(line: bytes, formats: Sequence[Format]) -> list[Trial]:
    """Every format that reads a line, that which detection would take first; if none does, the nearest three.

    Args:
        line: without its line end.
        formats: in the order in which detection prefers them.
    """
    line = line[:_LONGEST]
    chosen = sorted((_trial(line, form) for form in formats), key=lambda item: item[0], reverse=True)
    read = [trial for _, trial in chosen if trial.row is not None]
    order = {form.name: number for number, form in enumerate(formats)}
    return read or _nearest([(share, trial) for (share, _), trial in chosen], order)


def _nearest(chosen: Sequence[tuple[float, Trial]], order: Mapping[str, int]) -> list[Trial]:
    """The first few, those first that stop at places of their own.

    Formats of one family stop at one place, for one fault: the family's first is named before the others.
    """
    by_place: dict[int, list[tuple[float, Trial]]] = {}
    for share, trial in chosen:
        if share >= _NEAR * chosen[0][0]:
            by_place.setdefault(trial.at, []).append((share, trial))
    families = [[trial for share, trial in found if share >= _ALIKE * found[0][0]] for found in by_place.values()]
    heads = [min(family, key=lambda trial: order[trial.format]) for family in families]
    others = [trial for _, trial in chosen if trial not in heads]
    return [*heads, *others][:_NEAREST]


def _trial(line: bytes, form: Format) -> tuple[tuple[float, int], Trial]:
    """What a format makes of a line, and how near the line is to it."""
    whole = memoryview(line + b"\n")  # without its line end it would be a line that was cut
    part = read_block(Block(0, whole, len(whole)), form)
    if part.splits:
        score = form.grammar.score(pa.array([line], pa.binary()))
        row = assembly.requests("", [(0, part)])[0].drop_columns(["source", "line", "offset"]).to_pylist()[0]
        found = {name: value for name, value in row.items() if value is not None}
        return (score, 0), Trial(form.name, len(line), None, None, found)
    if not len(part.rejected.at):
        return (0, 0), Trial(form.name, 0, None, "a comment" if len(part.comments) else "a blank line", None)
    field, reason, stop = part.rejected.fields[0], part.rejected.reasons[0], form.grammar.stops(line)
    near = stop.share, stop.at
    if reason == _NOT_THERE:  # all else is where it should be: reading goes to the end of the line
        place = form.grammar.stops(line, before=field)
        return near, Trial(form.name, place.at, field, f"{_words(field)} is {reason}", None)
    if not reason.startswith("not in the format"):
        return near, Trial(form.name, stop.at, None, reason, None)
    return near, Trial(form.name, stop.at, stop.field, _expected(line, stop), None)


def _expected(line: bytes, stop: Stop) -> str:
    where = "the line ends, where" if stop.at >= len(line) else "reading stops here, where"
    if stop.text is not None:
        after = f" after {_words(stop.field)}" if stop.field else ""
        return f"{where} {stop.text!r} is expected{after}"
    return f"{where} {_words(stop.field) if stop.field else 'the end of the line'} is expected"


def _words(field: str | None) -> str:
    return _NAMES.get(field or "", field or "a value")


def caret(line: bytes, trial: Trial) -> str:
    """Two lines of text: the part of a line where a format stops, and a caret under the place with the reason."""
    start = max(trial.at - _BEFORE, 0)
    before, after = (_shown(part) for part in (line[start : trial.at], line[trial.at : trial.at + _AFTER]))
    shown = f"{'…' if start else ''}{before}"
    return f"  {shown}{after}\n  {' ' * len(shown)}^ {trial.format}: {trial.reason}"


def unknown(source: str, line: bytes, formats: Sequence[Format]) -> UnknownFormatError:
    """The error for an input that no format reads: its first line and where the nearest formats stop."""
    near = [caret(line, trial) for trial in trials(line, formats) if trial.reason]
    advice = "give the server's own directive: --log-format 'log_format ...;', 'LogFormat \"...\"' or '#Fields: ...'"
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        advice = "it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    return UnknownFormatError("\n".join([f"{source}: no known format reads this; its first line is", *near, advice]))


def _shown(text: bytes) -> str:
    return inline(text.decode("utf-8", "backslashreplace"))
