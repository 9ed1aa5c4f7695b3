r"""The fast reading: lines proven regular go through Arrow's CSV reader, twenty times as fast as a pattern.

The reader alone would not do: an unclosed quote makes it swallow the next line, and it takes `a\"b` for `a\b`. So a
line goes there only when it is proven that the reader cuts it as the layout does:

* it holds as many quotes as the layout, each opening one after a blank or the line's start, each closing one before a
  blank or the line's end and not after a backslash; neighbouring quoted values have one blank between them;
* it has no lone carriage return and does not start with a zero byte or a byte order mark;
* the reader finds as many columns as the layout has words;
* the lengths of the columns add up to the places of the quotes, so that each quoted column was the quoted one.

Where the lines of a block hold together just as many quotes as their layouts want, the last of these proves the first.

What a bare word holds besides its value (`[Client 1.2.3.4]`, `$host:$server_port`) is taken off distinct values only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from loganalyzer.formats import times
from loganalyzer.formats.model import Field, Lines
from loganalyzer.formats.plan import Word

_QUOTE, _RETURN, _BACKSLASH = b'"\r\\'
_NEAR = 24  # bytes behind the last quote in which the bare words there end
_DICTIONARY = pa.dictionary(pa.int32(), pa.binary())


@dataclass(frozen=True, slots=True)
class Read:
    """Columns of the CSV reader for some lines, and for which of them it has cut as the layout does."""

    at: np.ndarray
    columns: list[pa.Array]
    good: np.ndarray


def split(
    lines: Lines, at: np.ndarray, words: tuple[Word, ...], fields: Mapping[str, Field]
) -> tuple[np.ndarray, dict[str, pa.Array]]:
    """Indexes of the lines that are proven regular and hold an instant, and their raw values."""
    block = np.frombuffer(lines.data, np.uint8)
    at = at[_plain_lines(block, lines, at)]
    if words[-1].behind:
        at, heads = _heads(block, lines, at, words)
        good, held = split(heads, np.arange(len(at)), (*words[:-1], replace(words[-1], behind=None)), fields)
        return at[good], held
    read = _all(block, lines, at, words) or _some(block, lines, at, words)
    if read is None:
        return at[:0], {}
    good = read.good
    values: dict[str, pa.Array] = {}
    for word, column in zip(words, read.columns, strict=True):
        if word.stamp is None:
            good &= _values(word, column, values)
    instants, valid = _instants(words, read.columns, values, fields)
    good &= valid
    if not good.all():
        keep = pa.array(np.flatnonzero(good))
        values = {name: value.take(keep) for name, value in values.items()}
        instants = None if instants is None else instants[good]
    return read.at[good], values if instants is None else values | {"time": pa.array(instants)}


def _plain_lines(block: np.ndarray, lines: Lines, at: np.ndarray) -> np.ndarray:
    """Which lines start with text and hold no carriage return but at the end."""
    first = block[lines.starts[at]]
    good: np.ndarray = (first != 0) & (first != 0xEF)
    if np.count_nonzero(block == _RETURN):
        returns = np.flatnonzero(block == _RETURN)
        good &= np.searchsorted(returns, lines.starts[at]) == np.searchsorted(returns, lines.ends[at])
    return good


def _heads(block: np.ndarray, lines: Lines, at: np.ndarray, words: tuple[Word, ...]) -> tuple[np.ndarray, Lines]:
    """Lines without what is read over behind their last word; those that have so many words."""
    count = 2 * sum(word.quoted for word in words)
    bare = next(number for number, word in enumerate(reversed(words)) if word.quoted)
    starts, ends, places = lines.starts[at], lines.ends[at], np.flatnonzero(block == _QUOTE)
    first = np.searchsorted(places, starts)
    enough = np.searchsorted(places, ends) - first >= count
    at, ends = at[enough], ends[enough]
    last = places[first[enough] + count - 1] + 1  # where the last quoted word ends
    if bare:
        near = np.minimum(last[:, None] + np.arange(_NEAR), len(block) - 1)
        blank = (block[near] == words[0].delimiter[0]) | (near >= ends[:, None])
        passed = np.cumsum(blank, axis=1) > bare
        enough = passed.any(axis=1)
        last, at, ends = np.minimum(last + passed.argmax(axis=1), ends)[enough], at[enough], ends[enough]
    if words[-1].behind == "apart":
        enough = block[np.minimum(last, len(block) - 1)] == words[0].delimiter[0]
        last, at, ends = last[enough], at[enough], ends[enough]
    return at, Lines.of(Lines(lines.data, lines.starts[at], last).array(np.arange(len(at))))


def _quoted(block: np.ndarray, lines: Lines, at: np.ndarray, words: tuple[Word, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Lines whose quotes stand as the words want them, and the places of the quotes."""
    wanted = [index for index, word in enumerate(words) if word.quoted]
    count, starts, ends = 2 * len(wanted), lines.starts[at], lines.ends[at]
    places = np.flatnonzero(block == _QUOTE)
    if not wanted:
        at = at[np.searchsorted(places, starts) == np.searchsorted(places, ends)] if len(places) else at
        return at, np.empty((len(at), 0), np.int64)
    whole = places.reshape(-1, count) if len(places) == count * len(at) else places[:0].reshape(0, count)
    if len(whole) != len(at) or (whole[:, 0] < starts).any() or (whole[:, -1] >= ends).any():
        first = np.searchsorted(places, starts)
        counted = np.searchsorted(places, ends) - first == count
        at, starts, ends = at[counted], starts[counted], ends[counted]
        whole = places[first[counted][:, None] + np.arange(count)]
    good = _placed(block, whole, starts, ends, words)
    return (at, whole) if good.all() else (at[good], whole[good])


def _placed(
    block: np.ndarray, quotes: np.ndarray, starts: np.ndarray, ends: np.ndarray, words: tuple[Word, ...]
) -> np.ndarray:
    """Whether each opening quote follows a delimiter and each closing one precedes one, and none is escaped."""
    wanted = [index for index, word in enumerate(words) if word.quoted]
    last, delimiter = len(words) - 1, words[0].delimiter[0]
    good = np.ones(len(quotes), bool)
    for order, index in enumerate(wanted):
        opening, closing = quotes[:, 2 * order], quotes[:, 2 * order + 1]
        if index == 0:
            good &= opening == starts
        elif index - 1 in wanted:
            good &= opening == quotes[:, 2 * order - 1] + 2
        else:
            good &= block[opening - 1] == delimiter
        good &= block[closing - 1] != _BACKSLASH
        good &= closing == ends - 1 if index == last else block[np.minimum(closing + 1, len(block) - 1)] == delimiter
    return good


def _all(block: np.ndarray, lines: Lines, at: np.ndarray, words: tuple[Word, ...]) -> Read | None:
    """All lines of a block, where they hold as many quotes as their words together and all are cut as they should be.

    Each quote stands where a word wants one then: none is left over that would have to be looked for.
    """
    count = 2 * sum(word.quoted for word in words)
    if not 0 < len(at) == len(lines.starts) or np.count_nonzero(block == _QUOTE) != count * len(at):
        return None
    try:
        columns = _columns(lines, at, words)
    except pa.ArrowInvalid:  # some line has another number of columns
        return None
    if len(columns[0]) != len(at):  # an open quote took the next line in
        return None
    good = _aligned(block, lines, at, words, columns)
    return Read(at, columns, good) if good.all() else None


def _some(block: np.ndarray, lines: Lines, at: np.ndarray, words: tuple[Word, ...]) -> Read | None:
    """The lines whose quotes stand as the words want them; those with another number of columns are left out."""
    at, quotes = _quoted(block, lines, at, words)
    if not len(at):
        return None
    try:
        columns = _columns(lines, at, words)
    except pa.ArrowInvalid:  # some line has: only now is counting worth its time
        at = at[_counted(block, lines, at, quotes, words)]
        if not len(at):
            return None
        columns = _columns(lines, at, words)
    return Read(at, columns, _aligned(block, lines, at, words, columns))


def _columns(lines: Lines, at: np.ndarray, words: tuple[Word, ...]) -> list[pa.Array]:
    data = _text(lines, at)
    names = [str(index) for index in range(len(words))]
    types = {name: pa.binary() if _once(word) else _DICTIONARY for name, word in zip(names, words, strict=True)}
    table = pa.csv.read_csv(
        pa.BufferReader(data),
        pa.csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
        pa.csv.ParseOptions(
            delimiter=words[0].delimiter.decode(),
            quote_char='"' if any(word.quoted for word in words) else False,
            double_quote=False,
            ignore_empty_lines=False,
        ),
        pa.csv.ConvertOptions(column_types=types, check_utf8=False),
    )
    return [column.chunk(0) for column in table.combine_chunks().columns]


def _counted(
    block: np.ndarray, lines: Lines, at: np.ndarray, quotes: np.ndarray, words: tuple[Word, ...]
) -> np.ndarray:
    """Which lines have a delimiter outside quotes between every two words and no other."""
    places = np.flatnonzero(block == words[0].delimiter[0])
    count = np.searchsorted(places, lines.ends[at]) - np.searchsorted(places, lines.starts[at])
    for pair in range(0, quotes.shape[1], 2):
        count -= np.searchsorted(places, quotes[:, pair + 1]) - np.searchsorted(places, quotes[:, pair])
    right: np.ndarray = count == len(words) - 1
    return right


def _once(word: Word) -> bool:
    """Instants hardly repeat: hashing them would cost more than it saves."""
    return word.stamp == "head" or (word.stamp is None and bool({"time", "date", "clock"} & set(word.columns)))


def _text(lines: Lines, at: np.ndarray) -> bytes | memoryview:
    """The chosen lines with their line ends, as one text."""
    if len(at) == len(lines.starts):
        return lines.data
    begins = np.append(lines.starts, len(lines.data))
    breaks = np.flatnonzero(np.diff(at) != 1) + 1
    first, last = at[np.append(0, breaks)], at[np.append(breaks - 1, len(at) - 1)]
    return b"".join(lines.data[a:b] for a, b in zip(begins[first].tolist(), begins[last + 1].tolist(), strict=True))


def _lengths(column: pa.Array) -> np.ndarray:
    distinct = column.dictionary if isinstance(column, pa.DictionaryArray) else column
    lengths: np.ndarray = pc.binary_length(distinct).to_numpy()
    return lengths if distinct is column else lengths.take(column.indices.to_numpy())


def _aligned(
    block: np.ndarray, lines: Lines, at: np.ndarray, words: tuple[Word, ...], columns: list[pa.Array]
) -> np.ndarray:
    """Whether the columns fill each line, a quote on both sides of each quoted word, and no bare word is empty."""
    good, last = np.ones(len(at), bool), len(block) - 1
    place = lines.starts[at]
    for word, column in zip(words, columns, strict=True):
        end = place + _lengths(column)
        if word.quoted:
            good &= block[np.minimum(place, last)] == _QUOTE
            end += 1
            good &= (block[np.minimum(end, last)] == _QUOTE) & (block[np.minimum(end - 1, last)] != _BACKSLASH)
            end += 1
        elif word.delimiter == b" ":
            good &= end > place
        place = end + 1
    good &= place - 1 == lines.ends[at]
    return good


def _values(word: Word, column: pa.Array, values: dict[str, pa.Array]) -> np.ndarray | bool:
    """Put the word's values under their columns; which rows have the word's literal texts."""
    if word.plain:
        if word.columns:
            values[word.columns[0]] = column
        return True
    distinct = column.dictionary if isinstance(column, pa.DictionaryArray) else column
    pattern = "^" + "".join(_pattern(piece) for piece in word.pieces) + "$"
    if word.columns:
        found = pc.extract_regex(distinct, pattern)
        for number, column_field in enumerate(found.type):
            taken = found.field(number)
            values[column_field.name] = (
                taken if distinct is column else pa.DictionaryArray.from_arrays(column.indices, taken)
            )
        fits: np.ndarray = found.is_valid().to_numpy(zero_copy_only=False)
    else:
        fits = pc.match_substring_regex(distinct, pattern).to_numpy(zero_copy_only=False)
    if fits.all():
        return True
    return fits[column.indices.to_numpy()] if distinct is not column else fits


def _pattern(piece: str | tuple[str, str]) -> str:
    if isinstance(piece, str):
        return "".join(f"\\x{byte:02X}" for byte in piece.encode())
    column, pattern = piece
    return f"(?P<{column}>{pattern})" if column else f"(?:{pattern})"


def _instants(
    words: tuple[Word, ...], columns: list[pa.Array], values: dict[str, pa.Array], fields: Mapping[str, Field]
) -> tuple[np.ndarray | None, np.ndarray | bool]:
    micros, valid = None, True
    for index, word in enumerate(words):
        if word.stamp == "head":
            heads, before = _without(columns[index], word.pieces[0], True)
            tails, after = _without(columns[index + 1].dictionary, words[index + 1].pieces[-1], False)
            codes = columns[index + 1].indices
            if word.columns:
                stamp = pa.DictionaryArray.from_arrays(codes, tails)
                micros, real = times.stamps("clf", heads, stamp, fields["time"].zone)
            else:  # read over, but between its brackets all the same
                real = _none_in(heads, b"]") & _none_in(tails, b"]")[codes.to_numpy()]
            valid = valid & before & after[codes.to_numpy()] & real
    if micros is not None:
        return micros, valid
    micros, dated = times.of(values, fields)
    return micros, valid & dated


def _none_in(values: pa.Array, text: bytes) -> np.ndarray:
    none: np.ndarray = pc.invert(pc.match_substring(values, text)).to_numpy(zero_copy_only=False)
    return none


def _without(values: pa.Array, literal: str | tuple[str, str], first: bool) -> tuple[pa.Array, np.ndarray]:
    """Values without the literal text before (or after) them, and which of them have it."""
    if not isinstance(literal, str):
        return values, np.ones(len(values), bool)
    text = literal.encode()
    has = (pc.starts_with if first else pc.ends_with)(values, text)
    cut = pc.binary_slice(values, len(text), times.FAR) if first else pc.binary_slice(values, 0, -len(text))
    return cut, has.to_numpy(zero_copy_only=False)
