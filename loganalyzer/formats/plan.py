"""Plan of the regular reading: a layout as words between single delimiters, bare or quoted whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from loganalyzer.formats.model import Capture
from loganalyzer.formats.patterns import ANYTHING, TELLING, separator

_FAR = 2  # bare words between the last quote and what is read over, at most: their end is looked for byte by byte


@dataclass(frozen=True, slots=True)
class Word:
    """One column of the reader: literal texts and captures between two blanks."""

    quoted: bool
    pieces: tuple[str | tuple[str, str], ...]  # a capture is its column ("" for none) and its pattern
    delimiter: bytes = b" "
    stamp: str | None = None  # "head" or "tail" of a CLF instant
    behind: str | None = None  # of the last: what is read over stands "apart", behind a delimiter, or "close"
    plain: bool = field(init=False)  # nothing but one capture, which may hold anything

    def __post_init__(self) -> None:
        alone = self.pieces[0] if len(self.pieces) == 1 else ""
        object.__setattr__(self, "plain", isinstance(alone, tuple) and alone[1] not in TELLING)

    @property
    def columns(self) -> list[str]:
        """Columns that it gives."""
        return [piece[0] for piece in self.pieces if not isinstance(piece, str) and piece[0]]


def plan(layout: tuple[str | Capture, ...], captures: Mapping[int, tuple[str, str]]) -> tuple[Word, ...] | None:
    """Words of a layout; null where it is not words between single delimiters, bare or quoted whole.

    Args:
        layout: literal texts and captures.
        captures: for each index of a capture, its column ("" for none) and the strict pattern of its value.
    """
    delimiter = separator(layout) or " "
    builder = _Builder(delimiter)
    pieces, behind = _without_rest(layout, captures, delimiter)
    for index, piece in enumerate(pieces):
        if isinstance(piece, str):
            for character in piece:
                builder.literal(character)
        else:
            builder.capture(piece, *captures[index])
    words = builder.finished()
    if words is None or behind is None:
        return words
    bare = next((number for number, word in enumerate(reversed(words)) if word.quoted), len(words))
    if bare > _FAR or (bare and delimiter != " "):
        return None
    last = words[-1]
    if behind == "close" and not last.quoted:
        last = replace(last, pieces=(*last.pieces, ("", ANYTHING["rest"])))
    return (*words[:-1], replace(last, behind=behind))


def _without_rest(
    layout: tuple[str | Capture, ...], captures: Mapping[int, tuple[str, str]], delimiter: str
) -> tuple[tuple[str | Capture, ...], str | None]:
    """A layout without what is read over at its end, and how that stands behind the rest of it."""
    last = layout[-1]
    if not isinstance(last, Capture) or last.field is None or last.field.read != "rest" or captures[len(layout) - 1][0]:
        return layout, None
    before = layout[-2]
    if isinstance(before, str) and before.endswith(delimiter):
        return (*layout[:-2], before.removesuffix(delimiter)), "apart"
    return layout[:-1], "close"


class _Builder:
    """Words so far, and the one being built."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter
        self.words: list[Word] = []
        self.pieces: list[str | tuple[str, str]] = []
        self.state = "bare"  # "quoted" inside quotes, "closed" after them
        self.quoted, self.tail, self.sound = False, False, True

    def literal(self, character: str) -> None:
        if character == '"':
            self.sound &= self.state == "quoted" or not self.pieces
            self.state = "closed" if self.state == "quoted" else "quoted"
            self.quoted = True
        elif character == self.delimiter and self.state != "quoted":
            self._end()
        else:
            self.sound &= self.state != "closed" and character not in "\\\r\n"
            self.pieces.append(character)

    def capture(self, piece: Capture, column: str, pattern: str) -> None:
        self.sound &= self.state != "closed" and (piece.field is None or piece.field.read not in ANYTHING)
        self.sound &= (
            piece.field is None or piece.field.read != "code"
        )  # it tells formats apart: the reader does not look
        if piece.field and piece.field.column == "time" and self.state == "bare":
            self.sound &= not piece.field.blanks  # a strftime may write any number of words
            if piece.field.read == "clf" and self.delimiter == " ":
                self.pieces.append((column, pattern))
                self._end("head")
                self.tail = True
        self.pieces.append((column, pattern))

    def _end(self, stamp: str | None = None) -> None:
        stamp = stamp or ("tail" if self.tail else None)
        self.sound &= bool(self.pieces) and (not self.quoted or self.state == "closed")
        self.words.append(Word(self.quoted, _joined(self.pieces), self.delimiter.encode(), stamp))
        self.pieces, self.state, self.quoted, self.tail = [], "bare", False, False

    def finished(self) -> tuple[Word, ...] | None:
        self._end()
        return tuple(self.words) if self.sound and len(self.words) > 1 else None


def _joined(pieces: list[str | tuple[str, str]]) -> tuple[str | tuple[str, str], ...]:
    """Pieces with neighbouring characters made one text."""
    joined: list[str | tuple[str, str]] = []
    for piece in pieces:
        if joined and isinstance(piece, str) and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)
