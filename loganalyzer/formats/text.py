r"""Grammar of a text layout: three readings, each for what the one before refuses.

1. regular: Arrow's CSV reader (module `regular`), for lines whose quotes and blanks stand exactly where they should;
2. strict: RE2, the layout to the letter (module `patterns`);
3. lenient: RE2, what real logs hold all the same.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import patterns, regular, times
from loganalyzer.formats.merging import merged
from loganalyzer.formats.model import Capture, Field, Lines, Split, Stop
from loganalyzer.formats.plan import Word, plan


@dataclass(frozen=True)
class Text:
    """A layout of literal texts and captures, one line a record."""

    layout: tuple[str | Capture, ...]
    given: bool = False  # by the operator: what stands for the `-` of `$remote_addr - $remote_user` is read over
    quotable: bool = False  # any bare value may be quoted instead (W3C advanced logging)

    @cached_property
    def _chosen(self) -> dict[str, tuple[int, Field]]:
        """The capture taken for each column: its index in the layout and its field."""
        best: dict[str, tuple[int, Field]] = {}
        for index, piece in enumerate(self.layout):
            field = piece.field if isinstance(piece, Capture) else None
            if field and field.column and (field.column not in best or field.rank < best[field.column][1].rank):
                best[field.column] = index, field
        return best

    @cached_property
    def columns(self) -> dict[str, Field]:
        """Field of each raw column."""
        return {column: field for column, (_, field) in self._chosen.items()}

    @cached_property
    def _names(self) -> dict[int, str]:
        return {index: column for column, (index, _) in self._chosen.items()}

    @cached_property
    def marks(self) -> tuple[bytes, ...]:
        """Its literal texts, but those that a line may lack."""
        return tuple(dict.fromkeys(mark.encode() for mark in patterns.marks(self.layout, self.given)))

    @cached_property
    def words(self) -> tuple[Word, ...] | None:
        """Plan of the regular reading; null where the layout has none."""
        captures = {
            index: (self._names.get(index, ""), patterns.strict_value(self.layout, index, self.quotable))
            for index, piece in enumerate(self.layout)
            if isinstance(piece, Capture)
        }
        return plan(self.layout, captures)

    @cached_property
    def _strict(self) -> str:
        return self._to_the_letter()

    @cached_property
    def _lenient(self) -> str:
        return self._leniently()

    @cached_property
    def _looks(self) -> tuple[str, str]:
        """Patterns to the letter and leniently, by which formats are told apart."""
        if self.given:
            return self._strict, self._lenient
        return self._to_the_letter(looks=True), self._leniently(looks=True)

    def _to_the_letter(self, looks: bool = False) -> str:
        pieces = patterns.strict(self.layout, self._names, self.quotable, looks)
        return patterns.START + "".join(pieces) + patterns.END

    def _leniently(self, looks: bool = False) -> str:
        pieces = patterns.lenient(self.layout, self._names, self.quotable, self.given, looks)
        return patterns.START + " *" + "".join(pieces) + patterns.END

    def split(self, lines: Lines, at: np.ndarray) -> Split:
        """Raw values of the lines at these indexes."""
        parts: list[tuple[np.ndarray, dict[str, pa.Array]]] = []
        if self.words:
            good, columns = regular.split(lines, at, self.words, self.columns)
            parts.append((good, columns))
            at = np.setdiff1d(at, good, assume_unique=True)
        for pattern in (self._strict, self._lenient):
            if len(at):
                good, columns = self._extract(lines, at, pattern)
                parts.append((good, columns))
                at = np.setdiff1d(at, good, assume_unique=True)
        good, columns = merged([part for part in parts if len(part[0])])
        return Split(good, columns, at)

    def score(self, lines: pa.BinaryArray) -> float:
        """How well it reads some lines: 1 for each to the letter, 0.9 leniently, 0.8 where it reads over the rest.

        And 0.85 for each that would have a host and no client.
        """
        strict = pc.match_substring_regex(lines, self._looks[0])
        either = pc.or_(strict, pc.match_substring_regex(lines, self._looks[1]))
        letter, count = (pc.sum(matched).as_py() or 0 for matched in (strict, either))
        nobody = 0
        if self.closed and self._nobody:
            nobody = pc.sum(pc.and_(strict, pc.match_substring_regex(lines, self._nobody))).as_py() or 0
        return letter - 0.15 * nobody + 0.9 * (count - letter) if self.closed else 0.8 * count

    @cached_property
    def _nobody(self) -> str | None:
        """Pattern of lines with no client behind a host: read so by mistake, more likely, than written so."""
        pieces = list(patterns.strict(self.layout, {}, self.quotable))
        leads = next((index for index, piece in enumerate(self.layout) if isinstance(piece, Capture)), 0)
        at = self._chosen.get("client_ip", (leads, None))[0]
        return None if at == leads else patterns.START + "".join(pieces[:at]) + "- "

    def letter(self, lines: pa.BinaryArray) -> np.ndarray:
        """Which of some lines that it reads fit to the letter."""
        fits: np.ndarray = pc.match_substring_regex(lines, self._looks[0]).to_numpy(zero_copy_only=False)
        return fits

    @property
    def closed(self) -> bool:
        """Whether nothing may stand behind its last value."""
        last = self.layout[-1]
        return not (isinstance(last, Capture) and last.field is not None and last.field.read == "rest")

    def stops(self, line: bytes, before: str | None = None) -> Stop:
        """Where reading a line stops, or where the value of a column begins."""
        one, pattern, end, name, found = pa.array([line], pa.binary()), patterns.START + " *", 0, None, 0
        for piece, part in zip(self.layout, self._parts, strict=True):
            pattern += part
            name = _name(piece) if isinstance(piece, Capture) else name
            matched = pc.extract_regex(one, f"(?P<all>{pattern})")[0].as_py()
            if matched is None or (before and name == before):
                share = min((found + self._found_behind(one)) / self._size, 1)
                return Stop(end, name, piece if isinstance(piece, str) else None, share)
            end = len(matched["all"])
            found += _own(piece)
        return Stop(end, share=1)

    def _found_behind(self, one: pa.BinaryArray) -> int:
        """Characters of its own text found from the end of a line backwards: a line may be amiss in one place only."""
        pattern, found = patterns.END, 0
        for piece, part in zip(reversed(self.layout), reversed(self._parts), strict=True):
            if patterns.ANYTHING["rest"] in part:  # holds whatever is behind, the format's own text or not
                break
            pattern = part + pattern
            if not pc.match_substring_regex(one, pattern)[0].as_py():
                break
            found += _own(piece)
        return found

    @cached_property
    def _parts(self) -> list[str]:
        return list(patterns.lenient(self.layout, {}, self.quotable, self.given))

    def _extract(self, lines: Lines, at: np.ndarray, pattern: str) -> tuple[np.ndarray, dict[str, pa.Array]]:
        """Indexes of the lines that match and have a time, and their raw values."""
        found = pc.extract_regex(lines.array(at), pattern)
        good = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
        raw = {f.name: found.field(k) for k, f in enumerate(found.type)}
        values = {column: _taken(raw, column, pa.array(good)) for column in self.columns}
        instants, valid = times.of(values, self.columns)
        if instants is None:
            return at[good], {column: value.dictionary_encode() for column, value in values.items()}
        keep = np.flatnonzero(valid)
        columns = {column: value.take(pa.array(keep)).dictionary_encode() for column, value in values.items()}
        return at[good[keep]], columns | {"time": pa.array(instants[keep])}

    @cached_property
    def _size(self) -> int:
        """Characters of its own text, blanks apart; 1 where there is none, so that a share of it is 0."""
        return max(sum(_own(piece) for piece in self.layout), 1)

    @cached_property
    def _prefixes(self) -> list[tuple[str, str]]:
        """Growing patterns, each with the field or the variable that it adds."""
        prefixes: list[tuple[str, str]] = []
        pattern = patterns.START + " *"
        for piece, part in zip(self.layout, self._parts, strict=True):
            pattern += part
            if isinstance(piece, Capture):
                prefixes.append((pattern, _name(piece)))
            elif prefixes:  # a value is read when the text behind it is found
                prefixes[-1] = pattern, prefixes[-1][1]
        return prefixes

    def reasons(self, lines: pa.BinaryArray) -> list[tuple[str | None, str | None]]:
        """The field where each refused line stops; where all matches it is the time, which is no instant."""
        whole = pc.match_substring_regex(lines, self._lenient).to_numpy(zero_copy_only=False)
        depth = np.zeros(len(lines), np.int64)
        for prefix, _ in self._prefixes:
            depth += pc.match_substring_regex(lines, prefix).to_numpy(zero_copy_only=False)
        names = [name for _, name in self._prefixes] + [None]
        return [
            ("time", "no such instant") if all_matches else (names[place], None)
            for all_matches, place in zip(whole.tolist(), depth.tolist(), strict=True)
        ]


def _own(piece: str | Capture) -> int:
    """Characters of a layout's own text in a piece of it, blanks apart."""
    return len("".join(piece.split())) if isinstance(piece, str) else 0


def _name(capture: Capture) -> str:
    """The column of a capture, else the variable."""
    return (capture.field and capture.field.column) or capture.name


def _taken(raw: dict[str, pa.Array], column: str, at: pa.Array) -> pa.Array:
    """The values of a column; of two alternatives the one that matched."""
    values = raw[column].take(at)
    if f"{column}2" not in raw:
        return values
    other = raw[f"{column}2"].take(at)
    return pc.if_else(pc.greater(pc.binary_length(other), 0), other, values)
