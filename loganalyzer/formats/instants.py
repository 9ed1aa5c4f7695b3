"""Instants in Apache's LogFormat: `%{...}t` with an epoch, a fraction or strftime, and what stands together as one.

Source: mod_log_config (`sec`, `msec`, `usec`, `msec_frac`, `usec_frac`, else strftime; `begin:` or `end:` in front).
"""

import re

from loganalyzer.formats.model import Capture, Field

Layout = tuple[str | Capture, ...]

_EPOCH = {"sec", "msec", "usec", "%s"}
_FRACTION = {"msec_frac", "usec_frac"}
_LONG = {"%T": "%H:%M:%S", "%F": "%Y-%m-%d", "%h": "%b"}
_CLF = re.compile(r"%d/%b/%Y:%H:%M:%S(?: ?%z)?")
_ISO = re.compile(r"%Y-%m-%d[T _]%H:%M:%S(?: ?%z| ?Z)?")
_ZONE = "%z"


def of_argument(argument: str) -> Field | None:
    """What `%{argument}t` stands for; null for a part of an instant, or a strftime that holds no whole one."""
    text, end = argument.removeprefix("begin:"), argument.startswith("end:")
    text = text.removeprefix("end:").strip("[]")
    if text in _EPOCH:
        return Field("time", "epoch", end=end)
    text = re.sub("%[TFh]", lambda match: _LONG[match[0]], text)
    for read, form in (("clf", _CLF), ("iso", _ISO)):
        if form.fullmatch(text):
            return Field("time", read, 1, blanks=True, end=end)
    return None


def joined(layout: Layout) -> Layout:
    """A layout with one capture for an instant, its fraction and its zone, where they are logged apart."""
    pieces: list[str | Capture] = []
    for piece in layout:
        part = _part(piece)
        between = pieces[-1] if part and len(pieces) > 1 and isinstance(pieces[-1], str) else ""
        head = pieces[-2 if between else -1] if part and pieces else ""
        if isinstance(piece, Capture) and isinstance(head, Capture) and _holds(head, between, part):
            assert head.field is not None  # noqa: S101 - it holds an instant
            del pieces[-2 if between else -1 :]
            pieces.append(Capture(f"{head.name}{between}{piece.name}", head.field))
        else:
            pieces.append(piece)
    return tuple(pieces)


def _part(piece: str | Capture) -> str | None:
    """Whether a capture is the fraction or the zone of an instant that stands before it."""
    argument = re.fullmatch(r"%\{(?:begin:|end:)?(.*)\}t", piece.name) if isinstance(piece, Capture) else None
    if argument is None:
        return None
    return "fraction" if argument[1] in _FRACTION else "zone" if argument[1].strip() == _ZONE else None


def _holds(head: Capture, between: str, part: str | None) -> bool:
    """Whether an instant, the text behind it and a part are one instant."""
    if head.field is None or head.field.column != "time" or part is None:
        return False
    return between in ("", ".", ",") if part == "fraction" else between in ("", " ") and head.field.read != "epoch"
