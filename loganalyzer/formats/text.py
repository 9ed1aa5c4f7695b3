r"""Grammar of a text layout: one pass over proven regular lines, RE2 for the rest.

Three readings, each for what the one before refuses. All are linear: RE2 does not backtrack.
1. regular: Arrow's CSV reader (module `regular`), for lines whose quotes and blanks stand exactly where they should;
2. strict: the layout to the letter, escapes as the writer makes them (`\"` does not close a quoted value);
3. lenient: what real logs hold all the same: raw quotes (Apache before 1.3.25, IIS converters), a user with blanks, a
   list of addresses, blanks at the end of the line.
Arrow matches binary values in Latin-1, so bytes that are not UTF-8 pass.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import regular, times
from loganalyzer.formats.model import Capture, Field, Lines, Split

# A byte order mark and the zero bytes that a file system leaves after a crash stand before a good line.
_START = r"^(?:\xEF\xBB\xBF)?\x00*"
_END = r"[ \t\r\n]*$"
_STRICT_QUOTED = r'(?:[^"\\]|\\.)*'
# A raw quote inside a value touches text on both sides; a blank beside it is another value or another record.
_LENIENT_QUOTED = r'(?:[^"\\]|\\.|[^ "]"[^ "])*?'
# A raw quote in a request line is its end only before ` 200 `.
_LENIENT_REQUEST = r'(?:[^"\\]|\\.|"[^ ]|" [^0-9-])*?'
_LENIENT_USER = r'(?:-|[^ \[\]"-][^\[\]"]*?)'
_LENIENT_LIST = r"[^ ]+(?:(?:,| :) ?[^ ]+)*"


@dataclass(frozen=True)
class Text:
    """A layout of literal texts and captures, one line a record."""

    layout: tuple[str | Capture, ...]
    given: bool = False  # by the operator: what stands for the `-` of `$remote_addr - $remote_user` is read over
    quotable: bool = False  # any bare value may be quoted instead (W3C advanced logging)

    @cached_property
    def chosen(self) -> dict[str, int]:
        """Index in the layout of the capture taken for each column."""
        best: dict[str, int] = {}
        for index, piece in enumerate(self.layout):
            field = piece.field if isinstance(piece, Capture) else None
            if field and (field.column not in best or field.rank < self._field(best[field.column]).rank):
                best[field.column] = index
        return best

    @cached_property
    def columns(self) -> dict[str, Field]:
        """Field of each raw column."""
        return {column: self._field(index) for column, index in self.chosen.items()}

    @cached_property
    def words(self) -> tuple[regular.Word, ...] | None:
        """Plan of the regular reading; null where the layout has none."""
        names = {index: column for column, index in self.chosen.items()}
        captures = {
            index: (names.get(index, ""), self._value(piece.field, *self._around(index), strict=True))
            for index, piece in enumerate(self.layout)
            if isinstance(piece, Capture)
        }
        return regular.plan(self.layout, captures)

    @cached_property
    def strict(self) -> str:
        """Pattern of the layout to the letter."""
        return _START + "".join(self._patterns(strict=True)) + _END

    @cached_property
    def lenient(self) -> str:
        """Pattern of the layout as real logs bend it."""
        return _START + " *" + "".join(self._patterns(strict=False)) + _END

    def split(self, lines: Lines, at: np.ndarray) -> Split:
        """Raw values of the lines at these indexes."""
        parts: list[tuple[np.ndarray, dict[str, pa.Array]]] = []
        if self.words:
            good, columns = regular.split(lines, at, self.words, self.columns)
            parts.append((good, columns))
            at = np.setdiff1d(at, good, assume_unique=True)
        for pattern in (self.strict, self.lenient):
            if len(at):
                good, columns = self._extract(lines, at, pattern)
                parts.append((good, columns))
                at = np.setdiff1d(at, good, assume_unique=True)
        good, columns = _merged([part for part in parts if len(part[0])])
        return Split(good, columns, at, self._stopped(lines.array(at)) if len(at) else [])

    def matches(self, lines: pa.BinaryArray) -> tuple[int, int]:
        """How many lines it reads to the letter, and how many leniently."""
        strict = pc.match_substring_regex(lines, self.strict)
        either = pc.or_(strict, pc.match_substring_regex(lines, self.lenient))
        return pc.sum(strict).as_py() or 0, pc.sum(either).as_py() or 0

    def stops(self, line: bytes) -> int:
        """Byte position where reading stops."""
        one, end = pa.array([line], pa.binary()), 0
        for prefix, _ in self._prefixes:
            found = pc.extract_regex(one, f"(?P<all>{prefix})")[0].as_py()
            if found is None:
                return end
            end = len(found["all"])
        return end

    def _field(self, index: int) -> Field:
        piece = self.layout[index]
        assert isinstance(piece, Capture)  # noqa: S101 - only captures are chosen; tells mypy so
        assert piece.field is not None  # noqa: S101 - as above
        return piece.field

    def _patterns(self, strict: bool) -> Iterator[str]:
        """Pattern of each piece in turn."""
        names = {index: column for column, index in self.chosen.items()}
        for index, piece in enumerate(self.layout):
            if isinstance(piece, str):
                yield _literal(piece) if strict else _loose(piece, self.given)
                continue
            value = self._value(piece.field, *self._around(index), strict=strict)
            if self.quotable:
                value = f'(?:"{_group(names.get(index, ""), _STRICT_QUOTED)}"|{_group(names.get(index, ""), value, 2)})'
                yield value
            else:
                yield _group(names.get(index, ""), value)

    def _around(self, index: int) -> tuple[str, str, bool]:
        """The characters before and after a capture, and whether it stands inside quotes."""
        before, after = self.layout[index - 1 : index], self.layout[index + 1 : index + 2]
        quotes = sum(piece.count('"') for piece in self.layout[:index] if isinstance(piece, str))
        return _text(before)[-1:], _text(after)[:1], quotes % 2 == 1

    def _value(self, field: Field | None, before: str, after: str, quoted: bool, strict: bool) -> str:
        """Pattern of one value, by what stands around it."""
        if quoted:
            lenient = _LENIENT_REQUEST if field and field.column == "request" else _LENIENT_QUOTED
            return (_STRICT_QUOTED if after == '"' else _STRICT_QUOTED + "?") if strict else lenient
        if before == "[" and after == "]":
            return r"[^\]]*"
        if field and (field.read == "clf" or (field.column == "time" and field.blanks)):
            return r"[^ ]+(?: [+-]\d{4})?"
        if after == "\t" or before == "\t":
            return r"[^\t\r\n]*"
        if strict:
            return r'[^ "\r\n][^ \r\n]*' if self.quotable else r"[^ \r\n]+"
        if field and field.read == "number":
            return r"(?:\d+|-)"
        if field is None or field.column in ("client_ip", "forwarded_for"):
            return _LENIENT_LIST  # of addresses, or what several upstreams gave
        if field.column == "user":
            return r'[^\[\]"]+?' if self.given else _LENIENT_USER
        return r"[^ \r\n]+"

    def _extract(self, lines: Lines, at: np.ndarray, pattern: str) -> tuple[np.ndarray, dict[str, pa.Array]]:
        """Indexes of the lines that match and have a time, and their raw values."""
        found = pc.extract_regex(lines.array(at), pattern)
        good = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
        raw = {f.name: found.field(k) for k, f in enumerate(found.type)}
        values = {column: _taken(raw, column, pa.array(good)) for column in self.chosen}
        instants, valid = times.of(values, self.columns)
        if instants is None:
            return at[good], {column: value.dictionary_encode() for column, value in values.items()}
        keep = np.flatnonzero(valid)
        columns = {column: value.take(pa.array(keep)).dictionary_encode() for column, value in values.items()}
        return at[good[keep]], columns | {"time": pa.array(instants[keep])}

    @cached_property
    def _prefixes(self) -> list[tuple[str, str | None]]:
        """Growing patterns, each with the field that it adds."""
        prefixes, pattern = [], _START
        for piece, part in zip(self.layout, self._patterns(strict=False), strict=True):
            pattern += part.replace("(?P<", "(?P<_") if self.quotable else part
            name = None if isinstance(piece, str) else piece.field.column if piece.field else piece.name
            prefixes.append((pattern, name))
        return prefixes

    def _stopped(self, lines: pa.BinaryArray) -> list[str | None]:
        """The field where each refused line stops; `time` where all matches but the instant is none."""
        whole = pc.match_substring_regex(lines, self.lenient).to_numpy(zero_copy_only=False)
        depth = np.zeros(len(lines), np.int64)
        for prefix, _ in self._prefixes:
            depth += pc.match_substring_regex(lines, prefix).to_numpy(zero_copy_only=False)
        names = self._names_from
        return ["time" if w else names[d] for w, d in zip(whole.tolist(), depth.tolist(), strict=True)]

    @cached_property
    def _names_from(self) -> list[str | None]:
        """The next field at or after each place of the layout."""
        names: list[str | None] = [None]
        for _, name in reversed(self._prefixes):
            names.append(name or names[-1])
        return names[::-1]


def _text(pieces: tuple[str | Capture, ...]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def _group(column: str, value: str, number: int = 1) -> str:
    return f"(?P<{column}{'' if number == 1 else number}>{value})" if column else f"(?:{value})"


def _taken(raw: dict[str, pa.Array], column: str, at: pa.Array) -> pa.Array:
    """The values of a column; of two alternatives the one that matched."""
    values = raw[column].take(at)
    if f"{column}2" not in raw:
        return values
    other = raw[f"{column}2"].take(at)
    return pc.if_else(pc.greater(pc.binary_length(other), 0), other, values)


def _literal(text: str) -> str:
    """A literal as a pattern; RE2 sees Latin-1, so other characters are spelled by their UTF-8 bytes."""
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\x{byte:02X}" for byte in text.encode())


def _loose(text: str, given: bool) -> str:
    """A literal leniently: any number of blanks for one."""
    words = [r"[^ ]+" if given and word == "-" else _literal(word) for word in text.split(" ")]
    return " +".join(words)


def _merged(parts: Sequence[tuple[np.ndarray, dict[str, pa.Array]]]) -> tuple[np.ndarray, dict[str, pa.Array]]:
    """Parts of one block in the order of its lines."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0, np.int64), {}
    at = np.concatenate([part[0] for part in parts])
    order = np.argsort(at, kind="stable")
    columns = {}
    for column in parts[0][1]:
        joined = pa.chunked_array([part[1][column] for part in parts]).unify_dictionaries().combine_chunks()
        columns[column] = joined.take(pa.array(order))
    return at[order], columns
