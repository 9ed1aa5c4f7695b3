"""Whether the format that an operator gave reads the log, told before the rest is read in vain."""

from collections import Counter
from collections.abc import Sequence

from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats.explain import caret, trials
from loganalyzer.formats.lines import CUT, LONG, NUL, Part, cut
from loganalyzer.formats.model import Format
from loganalyzer.sources import Block

LINES = 10_000  # that are read before it is judged
_SHARE = 0.99  # of them that it must read
_NO_EVIDENCE = (CUT, LONG, NUL)  # what was damaged says nothing about the format


class Fit:
    """Lines of one source that the given format reads, that others read, and that none reads."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._before = self._own = self._rejects = 0
        self._others: Counter[str] = Counter()
        self._first: tuple[int, bytes] | None = None  # number and text of a line that it does not read
        self._judged = False

    @property
    def judged(self) -> bool:
        """Whether enough lines are read to know that it fits."""
        return self._judged

    def see(self, block: Block, part: Part, own: Sequence[Format]) -> None:
        """Count a part that follows.

        Args:
            block: the lines of the part.
            part: as all formats have read it.
            own: the given format, and what it has become by a wrapper or a `#Fields:` line.

        Raises:
            UnknownFormatError: the first `LINES` lines are read, and the given format does not fit them.
        """
        if self._judged:
            return
        for form, split in part.splits:
            if form in own:
                self._own += len(split.at)
            else:
                self._others[form.name] += len(split.at)
        self._rejects += len(part.rejected.at)
        if self._first is None:
            self._first = self._misread(block, part, own)
        self._before += len(part.starts)
        if self._lines >= LINES:
            self._judged = True
            if self._own < _SHARE * self._lines and (error := self._misfit(own[0])):
                raise error

    def finish(self, own: Sequence[Format]) -> UnknownFormatError | None:
        """The error for a source that is shorter, if the given format reads none of its lines."""
        return None if self._judged or self._own else self._misfit(own[0])

    @property
    def _lines(self) -> int:
        return self._own + self._rejects + self._others.total()

    def _misread(self, block: Block, part: Part, own: Sequence[Format]) -> tuple[int, bytes] | None:
        found = [int(split.at[0]) for form, split in part.splits if form not in own]
        reasons = zip(part.rejected.at.tolist(), part.rejected.reasons, strict=True)
        found += [at for at, reason in reasons if not reason.startswith(_NO_EVIDENCE)][:1]
        return (self._before + min(found) + 1, cut(block.data).text(min(found))) if found else None

    def _misfit(self, form: Format) -> UnknownFormatError | None:
        if self._first is None:
            return None
        number, text = self._first
        (trial,) = trials(text, [form])
        head = f"{self._source}: the given format reads {self._own:,} of the first {self._lines:,} lines"
        others = [f"; {name} reads {count:,} of them" for name, count in self._others.most_common(1)]
        advice = "mend it, leave --log-format out to have the format found, or read all the same with --force"
        head = f"{head}{''.join(others)}; line {number:,} is"
        return UnknownFormatError("\n".join([head, caret(text, trial), advice]))
