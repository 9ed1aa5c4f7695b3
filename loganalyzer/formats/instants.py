"""Instants in Apache's LogFormat: `%{...}t` with an epoch, a fraction or strftime, and what stands together as one.

Source: mod_log_config (`sec`, `msec`, `usec`, `msec_frac`, `usec_frac`, else strftime; `begin:` or `end:` in front).
"""

import re

from loganalyzer.formats import strftime
from loganalyzer.formats.model import Capture, Field

Layout = tuple[str | Capture, ...]

_FORMS = {"sec": "%s", "msec": "%s", "usec": "%s", "msec_frac": "%f", "usec_frac": "%f"}
_ARGUMENT = re.compile(r"%\{(?:begin:|end:)?([^}]*)\}t")
_FAST = (  # read by `times` without a pattern of their own
    ("epoch", re.compile(r"%s(?:[.,]?%f)?")),
    ("clf", re.compile(r"%d/%b/%Y:%H:%M:%S(?:[.,]%f)?(?: ?%z)?")),
    ("iso", re.compile(r"%Y-%m-%d[T _]%H:%M:%S(?:[.,]%f)?(?: ?%z| ?Z)?")),
)


def of_argument(argument: str) -> Field | None:
    """What `%{argument}t` stands for; null for a part of an instant, or a strftime that holds no whole one."""
    text, end = argument.removeprefix("begin:"), argument.startswith("end:")
    text = text.removeprefix("end:").strip("[]")
    return _field(_FORMS.get(text, text), end)


def joined(layout: Layout) -> Layout:
    """A layout with one capture for an instant whose date, clock, fraction and zone are logged apart."""
    pieces: list[str | Capture] = []
    for piece in layout:
        between = pieces[-1] if len(pieces) > 1 and isinstance(pieces[-1], str) else ""
        head = pieces[-2 if between else -1] if pieces else ""
        together = _together(head, between, piece)
        if together:
            del pieces[-2 if between else -1 :]
        pieces.append(together or piece)
    return tuple(pieces)


def _together(head: str | Capture, between: str, piece: str | Capture) -> Capture | None:
    """One capture for two parts and the text between them; null where they are not one instant."""
    first, second = _form(head), _form(piece)
    if first is None or second is None or '"' in between or _field(second, False):
        return None
    end = head.name.startswith("%{end:") if isinstance(head, Capture) else False
    field = _field(f"{first}{between}{second}", end)
    return Capture(f"{_name(head)}{between}{_name(piece)}", field) if field else None


def _name(piece: str | Capture) -> str:
    return piece.name if isinstance(piece, Capture) else piece


def _form(piece: str | Capture) -> str | None:
    """The strftime of a capture, or of several that were put together."""
    if not isinstance(piece, Capture) or not _ARGUMENT.match(piece.name):
        return None
    return _ARGUMENT.sub(lambda match: _FORMS.get(match[1], match[1]).strip("[]"), piece.name)


def _field(form: str, end: bool) -> Field | None:
    form = strftime.expanded(form)
    for read, fast in _FAST:
        if fast.fullmatch(form):
            return Field("time", read, 0 if read == "epoch" else 1, blanks=read != "epoch", end=end)
    return Field("time", form, 1, blanks=True, end=end) if strftime.whole(form) else None
