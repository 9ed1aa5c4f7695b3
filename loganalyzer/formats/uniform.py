r"""JSON lines that stand alike, many at a time: a server writes the same keys in the same order on each line.

One line gives the shape: its values, and the literal texts between them. Another line has the shape where it is proven:

* it has as many quotes, those behind a backslash apart, and no control character (RFC 8259 section 7);
* the literal texts stand at its quotes and its edges, byte by byte;
* what is not quoted is a number, `true`, `false` or `null`, and what is holds no escape that JSON has not.

Everything else is left to a reader of JSON.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import jsontext
from loganalyzer.formats.model import Lines

Path = tuple[str, ...]

_SHAPES = 8  # that one block is tried for
_MOST = 1_000  # quotes of a line that a server's template would make
_FEW = 64  # lines for which a shape does not pay
_QUOTE, _BACKSLASH, _NEWLINE, _SPACE = b'"\\\n '
_GAP = re.compile(rb"[\s\[\]{},:]*+(?P<scalar>[^\s\[\]{},:]*+)[\s\[\]{},:]*+")
_COLON = re.compile(rb"\s*+:")
_QUOTES = re.compile(rb'\\.|"', re.DOTALL)
_SCALAR = r"^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$"


@dataclass(frozen=True, slots=True)
class Literal:
    """A text that every line has: `shift` bytes from a place of it."""

    place: int  # 0 is the start of the line, then its quotes follow, then its end
    shift: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Shape:
    """Literal texts of a line, one more than the values between them."""

    literals: tuple[Literal, ...]
    quoted: tuple[bool, ...]  # whether each value is
    paths: Mapping[Path, int]  # number of the value at each wanted path
    quotes: int  # of a line


def shape(line: bytes, paths: Iterable[Path], texts: bool = False) -> Shape | None:
    """The shape of a line; null where it is no JSON object that can be cut at its quotes.

    Args:
        line: without its line end.
        paths: of the values that are wanted; those that the line lacks are left out.
        texts: only of values that are texts themselves: no numbers, and no list for its first.
    """
    quotes = [match.start() for match in _QUOTES.finditer(line) if match[0] == b'"']
    spans = _spans(line, quotes) if len(quotes) <= _MOST else None
    if spans is None:
        return None
    try:
        item = json.loads(_numbered(line, spans))
    except (ValueError, RecursionError):
        return None
    if not isinstance(item, dict):
        return None
    places = [0, *quotes, len(line)]
    begins, ends = [0, *(end for _, end, _ in spans)], [*(begin for begin, _, _ in spans), len(line)]
    literals = tuple(_literal(line, places, begin, end) for begin, end in zip(begins, ends, strict=True))
    quoted = tuple(is_quoted for _, _, is_quoted in spans)
    found = {path: int(leaf) for path in paths if isinstance(leaf := at(item, path, not texts), str)}
    numbers = {path: number for path, number in found.items() if quoted[number] or not texts}
    return Shape(literals, quoted, numbers, len(quotes))


def at(item: Any, path: Path, first: bool = True) -> Any:
    """The value at a path; of a list the first (Caddy writes header values as lists)."""
    for key in path:
        if not isinstance(item, dict) or key not in item:
            return None
        item = item[key]
    return item[0] if first and isinstance(item, list) and item else item


def parts(
    lines: Lines, chosen: np.ndarray, paths: Mapping[Path, bool], texts: bool = False
) -> Iterator[tuple[np.ndarray, dict[Path, pa.Array]]]:
    """Lines of one shape after the other.

    Args:
        lines: of a block.
        chosen: indexes of those to read.
        paths: of the wanted values, each with whether it is to come as a dictionary array.
        texts: as for `shape`.

    Yields:
        Indexes of lines, ascending, and their values by path: binary, null where JSON has `null`.
    """
    text = _Text.of(lines)
    left = chosen[_none_between(text.control, lines.starts[chosen], lines.ends[chosen])]
    tried: set[bytes] = set()
    for turn in range(_SHAPES):
        if len(left) < _FEW:
            return
        line = lines.text(left[len(left) * turn // _SHAPES])
        found = shape(line, paths, texts)
        if found is None or (key := b"".join(literal.text for literal in found.literals)) in tried:
            continue
        tried.add(key)
        read, values = _read(text, lines, left, found, paths)
        if len(read):
            yield read, values
            left = np.setdiff1d(left, read, assume_unique=True)


def _spans(line: bytes, quotes: list[int]) -> list[tuple[int, int, bool]] | None:
    """Begin and end of each value, and whether it is quoted; null where values stand in no order that quotes tell."""
    spans: list[tuple[int, int, bool]] = []
    for number, (before, place) in enumerate(pairwise([-1, *quotes, len(line)])):
        if number % 2 == 0:
            gap = _GAP.fullmatch(line, before + 1, place)
            if gap is None:
                return None
            if gap["scalar"]:
                spans.append((*gap.span("scalar"), False))
        elif not _COLON.match(line, place + 1):
            spans.append((before + 1, place, True))
    return spans


def _numbered(line: bytes, spans: list[tuple[int, int, bool]]) -> bytes:
    """The line with the number of each value in its place."""
    pieces, before = [], 0
    for number, (begin, end, quoted) in enumerate(spans):
        pieces += [line[before:begin], (b"%d" if quoted else b'"%d"') % number]
        before = end
    return b"".join([*pieces, line[before:]])


def _literal(line: bytes, places: list[int], begin: int, end: int) -> Literal:
    """The text between two values, by the first quote in it, or by the edge of the line that it stands at."""
    first = bisect_left(places, begin, 1, len(places) - 1)
    quoted = first < len(places) - 1 and places[first] < end
    place = first if quoted else 0 if begin == 0 else len(places) - 1
    return Literal(place, begin - places[place], line[begin:end])


@dataclass(frozen=True, slots=True)
class _Text:
    """A block and where some of its characters are."""

    data: memoryview
    block: np.ndarray
    quotes: np.ndarray  # those that begin or end a text
    backslashes: np.ndarray
    control: np.ndarray  # characters that no text holds

    @classmethod
    def of(cls, lines: Lines) -> "_Text":
        block = np.frombuffer(lines.data, np.uint8)
        quote, backslashes = block == _QUOTE, np.flatnonzero(block == _BACKSLASH)
        guarded = jsontext.starts(backslashes) + 1  # what stands there is not what it looks like
        quote[guarded[guarded < len(block)]] = False
        low = block < _SPACE
        if (
            len(block) and np.count_nonzero(low) == len(lines.starts) and block[-1] == _NEWLINE
        ):  # the line ends and nothing else
            low = low[:0]
        control = np.flatnonzero(low & (block[: len(low)] != _NEWLINE))
        return cls(lines.data, block, np.flatnonzero(quote), backslashes, control)

    def has(self, begin: np.ndarray, text: bytes) -> np.ndarray:
        """Which of the places begin with a text; it must not reach beyond the block."""
        texts = np.ndarray((len(self.block) - len(text) + 1,), f"S{len(text)}", self.data, strides=(1,))
        good: np.ndarray = texts[begin] == text
        return good


def _none_between(places: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    if not len(places):
        return np.ones(len(starts), bool)
    none: np.ndarray = np.searchsorted(places, starts) == np.searchsorted(places, ends)
    return none


def _read(
    text: _Text, lines: Lines, chosen: np.ndarray, found: Shape, paths: Mapping[Path, bool]
) -> tuple[np.ndarray, dict[Path, pa.Array]]:
    """Indexes of the lines that have a shape, and their values."""
    chosen, begins = _standing(text, lines, chosen, found)
    good, values = np.ones(len(chosen), bool), {}
    encoded = {number: paths[path] for path, number in found.paths.items()}
    for number, quoted in enumerate(found.quoted):
        begin = begins[number] + len(found.literals[number].text)
        end = np.maximum(begins[number + 1], begin)  # before it where nothing stands between
        if quoted and number not in encoded:
            good &= _none_between(text.backslashes, begin, end)
            continue
        value = Lines(text.data, begin, end).array(np.arange(len(begin)))
        value = value.dictionary_encode() if encoded.get(number, True) else value
        values[number], fits = (_unescaped if quoted else _scalars)(value)
        good &= fits
    if not good.all():
        keep = pa.array(np.flatnonzero(good))
        values = {number: value.take(keep) for number, value in values.items() if number in encoded}
        chosen = chosen[good]
    return chosen, {path: values[number] for path, number in found.paths.items()}


def _standing(text: _Text, lines: Lines, chosen: np.ndarray, found: Shape) -> tuple[np.ndarray, list[np.ndarray]]:
    """Lines with the literal texts of a shape, and where each of these begins."""
    starts, ends = lines.starts[chosen], lines.ends[chosen]
    first = np.searchsorted(text.quotes, starts)
    counted = np.searchsorted(text.quotes, ends) - first == found.quotes
    chosen, starts, ends, first = chosen[counted], starts[counted], ends[counted], first[counted]
    begins, good = [], np.ones(len(chosen), bool)
    for order, literal in enumerate(found.literals):
        place = starts if literal.place == 0 else ends if literal.place > found.quotes else None
        begin = (text.quotes[first + (literal.place - 1)] if place is None else place) + literal.shift
        end = begin + len(literal.text)
        good &= (begin == starts) if order == 0 else (begin >= starts)
        good &= (end == ends) if order == len(found.literals) - 1 else (end <= ends)
        begins.append(begin)
        good[good] = text.has(begin[good], literal.text)
    return (chosen, begins) if good.all() else (chosen[good], [begin[good] for begin in begins])


def _scalars(values: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """Values as they are spelled, and which of them JSON has; `null` is null."""
    distinct = _distinct(values)
    fits = pc.match_substring_regex(distinct, _SCALAR).to_numpy(zero_copy_only=False)
    null = pc.equal(distinct, b"null")
    spelled = pc.if_else(null, pa.scalar(None, pa.binary()), distinct)
    return (_with(values, spelled) if pc.any(null).as_py() else values), _of_all(values, fits)


def _unescaped(values: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """Texts without their escapes, and which of them are texts of JSON."""
    texts = jsontext.unescaped(_distinct(values))
    if texts is _distinct(values):
        return values, np.ones(len(values), bool)
    fits = texts.is_valid().to_numpy(zero_copy_only=False)
    return _with(values, texts), _of_all(values, fits)


def _distinct(values: pa.Array) -> pa.Array:
    return values.dictionary if isinstance(values, pa.DictionaryArray) else values


def _of_all(values: pa.Array, fits: np.ndarray) -> np.ndarray:
    """What holds for distinct values, for all."""
    if not isinstance(values, pa.DictionaryArray):
        return fits
    return np.ones(len(values), bool) if fits.all() else fits[values.indices.to_numpy()]


def _with(values: pa.Array, texts: pa.Array) -> pa.Array:
    """Values, the distinct ones replaced; those that become equal, or null, share a code."""
    if not isinstance(values, pa.DictionaryArray):
        return texts
    again = texts.dictionary_encode()
    return pa.DictionaryArray.from_arrays(again.indices.take(values.indices), again.dictionary)
