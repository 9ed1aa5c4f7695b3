"""Directives as people copy them: `...` for what combined has in that place, or the name of a format alone."""

import re

from loganalyzer.formats.model import Capture

Layout = tuple[str | Capture, ...]

_DOTS = re.compile(r"\.{3}|\N{HORIZONTAL ELLIPSIS}")
# A nickname in the place of the format's text, as Apache allows (mod_log_config, LogFormat format|nickname), or nginx's
# name of a format with nothing behind it that is logged.
_NAMED = (
    re.compile(r"\s*LogFormat\s+(?P<name>[A-Za-z_][\w.-]*)(?P<rest>.*)", re.DOTALL),
    re.compile(r"\s*log_format\s+(?P<name>[^\s'\"$;]+)(?P<rest>[^$]*)", re.DOTALL),
)


def named(text: str) -> str | None:
    """The name of a format whose own text is not there; null for a directive that says what is logged."""
    match = next((match for pattern in _NAMED if (match := pattern.fullmatch(text))), None)
    return match["name"].rstrip(":") if match else None


def expanded(layout: Layout, combined: tuple[Layout, ...]) -> tuple[Layout, bool]:
    """A layout with the words of combined where `...` stands, and whether it stood anywhere.

    Args:
        layout: of a directive.
        combined: the layout of each word of combined, in order.
    """
    for index, piece in enumerate(layout):
        match = _DOTS.search(piece) if isinstance(piece, str) else None
        if isinstance(piece, str) and match:
            before, after = (*layout[:index], piece[: match.start()]), (piece[match.end() :], *layout[index + 1 :])
            rest, _ = expanded(after, combined)
            return _merged(_unbracketed((*before, *_between(before, after, combined), *rest))), True
    return layout, False


def _between(before: Layout, after: Layout, combined: tuple[Layout, ...]) -> Layout:
    """The words of combined behind the last that stands before, and before the first that stands behind."""
    held = [_columns(word) for word in combined]
    first = max((place + 1 for place, columns in enumerate(held) if columns & _columns(before)), default=0)
    last = min((place for place, columns in enumerate(held) if columns & _columns(after)), default=len(combined))
    pieces: list[str | Capture] = []
    for word in combined[first:last]:
        pieces += [" ", *word]
    return tuple(pieces[1:])


def _unbracketed(layout: Layout) -> Layout:
    """Without the brackets of `$host[:$server_port]`, in which who abbreviates says that the port may be missing."""
    pieces = list(layout)
    for at in range(1, len(pieces) - 1):
        before, after = pieces[at - 1], pieces[at + 1]
        if isinstance(before, str) and isinstance(after, str) and before.endswith("[:") and after.startswith("]"):
            pieces[at - 1], pieces[at + 1] = f"{before[:-2]}:", after[1:]
    return tuple(pieces)


def _columns(layout: Layout) -> set[str]:
    return {piece.field.column for piece in layout if isinstance(piece, Capture) and piece.field} - {""}


def _merged(layout: Layout) -> Layout:
    """Neighbouring texts made one."""
    pieces: list[str | Capture] = []
    for piece in layout:
        if pieces and isinstance(piece, str) and isinstance(pieces[-1], str):
            pieces[-1] += piece
        elif piece:
            pieces.append(piece)
    return tuple(pieces)
