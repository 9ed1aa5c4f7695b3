"""Plan of the regular reading: a layout as words between single blanks (or tabs), bare or quoted whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loganalyzer.formats.model import Capture
from loganalyzer.formats.patterns import ANYTHING


@dataclass(frozen=True, slots=True)
class Word:
    """One column of the reader: literal texts and captures between two blanks."""

    quoted: bool
    pieces: tuple[str | tuple[str, str], ...]  # a capture is its column ("" for none) and its pattern
    delimiter: bytes = b" "
    stamp: str | None = None  # "head" or "tail" of a CLF instant
    plain: bool = field(init=False)  # nothing but one capture

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", len(self.pieces) == 1 and isinstance(self.pieces[0], tuple))

    @property
    def columns(self) -> list[str]:
        """Columns that it gives."""
        return [piece[0] for piece in self.pieces if not isinstance(piece, str) and piece[0]]


def plan(layout: tuple[str | Capture, ...], captures: Mapping[int, tuple[str, str]]) -> tuple[Word, ...] | None:
    """Words of a layout; null where it is not words between single blanks (or tabs), bare or quoted whole.

    Args:
        layout: literal texts and captures.
        captures: for each index of a capture, its column ("" for none) and the strict pattern of its value.
    """
    delimiter = "\t" if "\t" in layout else " "
    builder = _Builder(delimiter)
    for index, piece in enumerate(layout):
        if isinstance(piece, str):
            for character in piece:
                builder.literal(character)
        else:
            builder.capture(piece, *captures[index])
    return builder.finished()


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
            if piece.field.read == "clf":
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
