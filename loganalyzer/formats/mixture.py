"""Files that mix formats: what the main format refuses is offered to the others, and what each read is told.

A server whose log_format was changed goes on in the same file, and two virtual hosts may write one file in two formats.
Only refused lines cost anything, and in each block the formats are asked about a sample of them.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.assembly import Used, added
from loganalyzer.formats.detection import closer, detect, named, sample
from loganalyzer.formats.lines import REDETECT, Other, Part, cut, offered
from loganalyzer.formats.model import Format, Grammar, Lines
from loganalyzer.formats.wrappers import Wrapped
from loganalyzer.sources import Block

_VOTES = 4  # detections in a block at most
_LOOK = 256 << 10  # bytes of refused lines that vote
_NOTHING: Mapping[str, int] = MappingProxyType({})
_MAIN = 0.9  # share of the lines of a block that makes a format the main one


class Mixture:
    """Formats of one source beside the main one, in the order in which they were met."""

    def __init__(self, known: Sequence[Format], read: Mapping[str, int] = _NOTHING) -> None:
        """Nothing is read yet.

        Args:
            known: formats that may read what the main one refuses; of equals the first.
            read: lines before, by the name of the format that read them.
        """
        self._known = known
        self._met = [form for name in read if (form := named(name, known)) is not None]
        self._read = dict(read)
        self.detections = 0

    def others(self, main: Format | None) -> tuple[Other, ...]:
        """Formats to be offered what the main one refuses."""
        return tuple(self._other(form) for form in self._met if form != main)

    def trust(self, form: Format) -> None:
        """Offer what the main format refuses to this one first, and believe it."""
        self._met.append(form)
        self._read[form.name] = REDETECT

    def learn(self, form: Format) -> None:
        """Know a format more, and ask it first."""
        self._known = [form, *self._known]

    def complete(self, block: Block, part: Part, others: Sequence[Other]) -> Part:
        """Offer what is left of a part to the formats met since it was read, then to all that are known.

        Args:
            block: the lines of the part.
            part: as the main format and the others have read it.
            others: formats that have seen it.
        """
        if part.rejected.open.any():
            lines = cut(block.data)
            seen = [other.format for other in others]
            for form in [form for form in self._met if form not in seen and form != part.format]:
                part = self._offer(lines, part, form)
            part = self._redetect(lines, part)
        for form, split in part.splits:
            self._read[form.name] = self._read.get(form.name, 0) + len(split.at)
        return part

    def main(self, part: Part) -> Format | None:
        """The main format of the blocks to come: another one if it reads nearly all of this one."""
        if part.splits:
            form, split = max(part.splits, key=lambda item: len(item[1].at))
            closed = form.grammar.closed or part.format is None or not part.format.grammar.closed
            if closed and len(split.at) >= max(REDETECT, _MAIN * (part.requests + len(part.rejected.at))):
                return form
        return part.format

    def displaced(self, main: Format | None) -> None:
        """Keep a format that is the main one no longer."""
        if main is not None and main not in self._met:
            self._met.append(main)
            self._read.setdefault(main.name, 0)

    def _other(self, form: Format) -> Other:
        return Other(form, self._read.get(form.name, 0) >= REDETECT)

    def _offer(self, lines: Lines, part: Part, form: Format) -> Part:
        at = part.rejected.at[part.rejected.open]
        split = offered(lines, at, self._other(form))
        return part.read_by(form, split) if len(split.at) else part

    def _redetect(self, lines: Lines, part: Part) -> Part:
        known = list(self._known)
        for _ in range(_VOTES):
            at = part.rejected.at[part.rejected.open]
            if not len(at):
                break
            self.detections += 1
            voters = _voters(lines, at)
            form = detect(voters, known)
            if form is None:
                break
            form = closer(voters, form, known) or form
            known = [other for other in known if _bare(other.grammar) is not _bare(form.grammar)]
            if form != part.format and form not in self._met:
                more = self._offer(lines, part, form)
                if more is not part:
                    self._met.append(form)
                part = more
        return part


def _voters(lines: Lines, at: np.ndarray) -> pa.BinaryArray:
    """A sample of some lines, and of that as much as is quickly read."""
    voters = sample(lines.array(at))
    within = np.cumsum(pc.binary_length(voters).to_numpy()) <= _LOOK
    within[:1] = True
    return voters.filter(pa.array(within))


def _bare(grammar: Grammar) -> Grammar:
    return grammar.inner if isinstance(grammar, Wrapped) else grammar


class Uses:
    """Lines of one source by the format that read them."""

    def __init__(self) -> None:
        self._used: dict[str, Used] = {}

    def add(self, used: Sequence[Used]) -> None:
        """Count lines that follow."""
        for item in used:
            self._used[item.name] = self._used[item.name] + item if item.name in self._used else item

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Name and lines of each format, in the order of first use."""
        return [(item.name, item.lines) for item in self._in_order]

    @property
    def notes(self) -> list[str]:
        """Where the format changes, if there are several, and where something is no number."""
        return [*self._changes, *self._odd]

    @property
    def _odd(self) -> list[str]:
        odd: Mapping[str, tuple[int, int]] = reduce(added, (item.odd for item in self._in_order), {})
        return [
            f"{column} of line {first:,} is no number: unknown there"
            if lines == 1
            else f"{column} of {lines:,} lines, from line {first:,} on, is no number: unknown there"
            for column, (lines, first) in odd.items()
        ]

    @property
    def _changes(self) -> list[str]:
        used = self._in_order
        pairs = list(pairwise(used))
        if all(before.last < after.first for before, after in pairs):
            return [
                f"format changed at line {after.first:,}: {before.name} before, {after.name} from there on"
                for before, after in pairs
            ]
        told = ", ".join(f"{item.name} ({item.lines:,} line{'' if item.lines == 1 else 's'})" for item in used)
        return [f"{len(used)} formats alternate: {told}"]

    @property
    def _in_order(self) -> list[Used]:
        return sorted(self._used.values(), key=lambda item: item.first)
