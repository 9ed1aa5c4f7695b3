"""Text in columns of a terminal: widths are cells (a wide character takes two), long text is cut in the middle."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loganalyzer.escape import inline


class Span(NamedTuple):
    """A piece of a line and how it is shown; the text has been escaped."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


class Column(NamedTuple):
    """One column: how far it may shrink (None: not at all), and how early it goes where even that is too wide."""

    title: str
    right: bool = False
    least: int | None = None
    goes: int = 0  # 0: stays

    @property
    def gap(self) -> int:
        """Blanks before the column; numbers set to the right bring their own."""
        return 1 if self.right else 2


def span(text: str, style: str = "") -> Span:
    """Make a span of anybody's text."""
    return Span(inline(text), style)


def fit(text: str, width: int) -> str:
    """Cut the middle out of text that is wider than `width` cells."""
    from rich.cells import cell_len

    head, tail = text[: width + 1], text[-width:] if width else ""  # the rest cannot be seen, however long it is
    if len(text) <= 2 * width and cell_len(text) <= width:
        return text
    return _take(head, width // 2) + "…" + _take(tail[::-1], width - width // 2 - 1)[::-1]


def _take(text: str, width: int) -> str:
    """Return the longest beginning that is no wider than `width` cells."""
    from rich.cells import cell_len

    taken = text[: max(width, 0)]
    while cell_len(taken) > width:
        taken = taken[:-1]
    return taken


def pad(text: str, width: int, right: bool = False) -> str:
    """Fit text into exactly `width` cells."""
    from rich.cells import cell_len

    fitted = fit(text, width)
    blanks = " " * (width - cell_len(fitted))
    return blanks + fitted if right else fitted + blanks


def wrap(text: str, width: int, most: int = 3) -> list[str]:
    """Break escaped text at blanks into at most `most` lines; what does not fit ends in an ellipsis."""
    from rich.cells import cell_len

    lines = [""]
    for word in text[: width * (most + 1) * 2].split():
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= width:
            lines[-1] = longer
        elif lines[-1]:
            lines.append(fit(word, width))
        else:
            lines[-1] = fit(word, width)
    if len(lines) > most:
        lines[most - 1] = _whole_words(lines[most - 1], width - 2) + " …"
    return lines[:most]


def _whole_words(text: str, width: int) -> str:
    """Return the longest beginning of whole words, of the first word where even that is too wide."""
    taken = _take(text, width)
    return taken if taken == text else taken.rpartition(" ")[0] or taken


def table(columns: Sequence[Column], rows: Iterable[Sequence[Span]], width: int) -> list[Line]:
    """Set rows under their titles, no line wider than `width`; columns shrink first and go last."""
    body = [tuple(row) for row in rows]
    kept = list(range(len(columns)))
    natural = [_natural(column, [row[i].text for row in body], width) for i, column in enumerate(columns)]
    while len(kept) > 1 and _least(columns, natural, kept) > width:
        kept.remove(max(kept, key=lambda i: (columns[i].goes, i)))
    widths = _shrink(columns, natural, kept, width)
    titles = tuple(Span(column.title, "bold") for column in columns)
    return [_row(columns, row, kept, widths) for row in (titles, *body)]


def _natural(column: Column, texts: Sequence[str], width: int) -> int:
    from rich.cells import cell_len

    return max(cell_len(text[:width]) for text in (column.title, *texts))


def _least(columns: Sequence[Column], natural: Sequence[int], kept: Sequence[int]) -> int:
    least = (natural[i] if columns[i].least is None else min(natural[i], columns[i].least or 0) for i in kept)
    return sum(least) + sum(columns[i].gap for i in kept[1:])


def _shrink(columns: Sequence[Column], natural: Sequence[int], kept: Sequence[int], width: int) -> dict[int, int]:
    """Take what is too much from the widest column that may still give."""
    widths = {i: natural[i] for i in kept}
    excess = sum(widths.values()) + sum(columns[i].gap for i in kept[1:]) - width
    while excess > 0:
        giving = [i for i in kept if columns[i].least is not None and widths[i] > (columns[i].least or 0)]
        if not giving:
            break
        widths[max(giving, key=lambda i: widths[i])] -= 1
        excess -= 1
    return widths


def _row(columns: Sequence[Column], row: Sequence[Span], kept: Sequence[int], widths: dict[int, int]) -> Line:
    cells = ((columns[i].gap, Span(pad(row[i].text, widths[i], columns[i].right), row[i].style)) for i in kept)
    return tuple(part for gap, cell in cells for part in (Span(" " * gap), cell))[1:]


def plain(lines: Iterable[Line]) -> str:
    """Write lines without any colour."""
    return "".join("".join(part.text for part in line).rstrip() + "\n" for line in lines)


def coloured(lines: Iterable[Line]) -> str:
    """Write lines with the terminal's colours; rich leaves them out where NO_COLOR is set.

    Text objects only: rich reads a string as markup, in which a user agent may hold a tag or a link.
    """
    import io

    from rich.console import Console
    from rich.text import Text

    file = io.StringIO()
    console = Console(
        file=file, force_terminal=True, color_system="standard", markup=False, highlight=False, emoji=False
    )
    for line in lines:
        console.print(Text.assemble(*((part.text, part.style) for part in line), end=""), soft_wrap=True)
    return file.getvalue()
