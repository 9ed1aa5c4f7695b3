"""Which format reads which lines: the given one, the detected one, or what a `#Fields:` line says from there on."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from loganalyzer.errors import UnknownFormatError, UsageError
from loganalyzer.formats import abbreviations, configuration, own
from loganalyzer.formats.daylight import Daylight
from loganalyzer.formats.declarations import FORMATS, of_directive
from loganalyzer.formats.detection import closer, detect, named, sample
from loganalyzer.formats.directives import parse, w3c
from loganalyzer.formats.explain import unknown
from loganalyzer.formats.fit import Fit
from loganalyzer.formats.lines import Other, Part, blank, comments, cut
from loganalyzer.formats.mixture import Mixture, Uses
from loganalyzer.formats.model import Format
from loganalyzer.formats.parts import Parts
from loganalyzer.formats.zones import in_zone, nameless, zone_of
from loganalyzer.sources import Block

_FIELDS = re.compile(rb"^(?:\xef\xbb\xbf)?#Fields:", re.MULTILINE)
_DATE = re.compile(rb"^#Date:[ \t]*(\d{4}-\d\d-\d\d)", re.MULTILINE)
_HEADER = re.compile(rb"#(?:Software|Version|Date|Start-Date|End-Date|Fields|Remark):")
_LOOK = 64 << 10  # bytes at the start of a block that tell what is to be told of it


def given(log_format: str) -> tuple[tuple[Format, ...], str | None]:
    """The formats that a name, a directive or a file of them may stand for, and a note on what of it was not read.

    A `#Fields:` line does not say whether its values are written apart by blanks or by tabs; of the formats in a
    server's configuration (`@nginx.conf`) each input has its own; `my.toml` is a format of the operator's own.

    Raises:
        UsageError: no such name, or a faulty directive.
    """
    if log_format.startswith("@"):
        found, note = configuration.directives(log_format[1:])
        return tuple(of_directive(directive, given=True) for directive in found), note
    if log_format.endswith(".toml"):
        return (own.load(log_format),), None
    named = {form.name: form for form in FORMATS}
    if log_format in named:
        return (named[log_format],), None
    if log_format.strip() and not set(log_format) & set(" \t\n$%#\"'"):
        near = difflib.get_close_matches(log_format, named, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"formats are {', '.join(named)}"
        raise UsageError(f"there is no format {log_format}; {hint}")
    if (name := abbreviations.named(log_format)) is not None:
        return FORMATS, f"{name} names a format and does not say what it logs: the format was detected, not taken"
    directive = parse(log_format)
    forms = [of_directive(directive, given=True)]
    if directive.server == "w3c":
        forms.append(of_directive(w3c(log_format, tabs=True), given=True))
    return tuple(forms), directive.note


@dataclass(frozen=True, slots=True)
class Progress:
    """What a chooser knows after some lines of a source, so that another can go on below them."""

    format: str | None = None  # name
    fields: str | None = None  # the `#Fields:` line in force
    tabs: bool = False  # its values are written apart by tabs
    day: str | None = None  # of the last `#Date:` line
    read: Mapping[str, int] = field(default_factory=dict)  # lines by format, in the order of first use


class Chooser:
    """Formats of one source, block by block.

    `mixture` holds those beside the main one, `uses` counts the lines that each read.
    """

    def __init__(
        self, source: str, formats: Sequence[Format] = FORMATS, zone: str | None = None, judged: bool = False
    ) -> None:
        """Nothing is read yet.

        Args:
            source: its name.
            formats: that which is given, or those of which one is to be found.
            zone: time zone of times that name none.
            judged: stop where the given format reads too little.
        """
        self._several = formats is not FORMATS and len({form.name for form in formats}) > 1
        self.source, self.zone = source, zone
        self.formats = [in_zone(form, zone) for form in formats] if zone else formats
        self._known = [*self.formats, *(in_zone(form, zone) if zone else form for form in _besides(formats))]
        self.mixture, self.uses = Mixture(self._known), Uses()
        self.form = self.formats[0] if len(formats) == 1 else None
        self._fit = Fit(source) if judged else None
        self.misfit: UnknownFormatError | None = None
        self._own = list(self.formats)
        self._notes: list[str] = []
        self.daylight = Daylight()
        self._looked = False
        self.detected = False
        self.day: str | None = None
        self._names = [] if self.form is None else [self.form.name]
        self._usual: Format | None = None
        self._before: dict[str, int] = {}
        self._parts = Parts()
        self._continued = 0
        self._fields: tuple[str, bool] | None = None
        self._headed = False

    @property
    def notes(self) -> list[str]:
        """What the operator should know of the formats."""
        count = self._continued
        parts = f"{count:,} lines go on with a line that a collector cut in parts: they count as comments"
        return [*self._notes, *self.uses.notes, *self.daylight.notes(), *([parts] if count else [])]

    @property
    def settled(self) -> bool:
        """Whether no line that follows can show that no format, or not the given one, reads the source."""
        return self.form is not None and (self._fit is None or self._fit.judged)

    @property
    def names(self) -> list[str]:
        """Formats in the order of first use, then those that have read nothing."""
        return list(dict.fromkeys([*(name for name, _ in self.uses.counts), *self._names]))

    def resume(self, progress: Progress) -> None:
        """Go on below lines that are known: their `#Fields:` line holds, or their format wins where lines are few."""
        self.day = progress.day
        if self.form is None and progress.fields is not None:
            self.detected = True
            self._use_fields(progress.fields, progress.tabs)
        self._usual = named(progress.format, self.formats)
        if self._usual is not None:
            self.formats = [self._usual, *self.formats]
        self._before = dict(progress.read)
        self.mixture = Mixture(self._known, self._before)

    def progress(self) -> Progress:
        """What a later chooser must know to go on below these lines."""
        fields, tabs = self._fields or (None, False)
        read = self._before | {name: self._before.get(name, 0) + lines for name, lines in self.uses.counts}
        return Progress(self.form.name if self.form else None, fields, tabs, self.day, read)

    def segments(self, block: Block) -> Iterator[tuple[Block, Format | None]]:
        """The block in pieces that have one format each.

        Raises:
            UnknownFormatError: no format reads the first block that has lines.
        """
        if self.form.comments if self.form else _starts_as_w3c(block.data):
            places = [match.start() for match in _FIELDS.finditer(block.data)]
            if places:
                yield from self._by_fields(block, places)
                return
        if not self.detected:
            self._detect(block.data)
        self._look(block.data)
        whole = self._parts.whole(block, self.form)
        if whole is not None:
            yield whole, self.form

    def rest(self) -> Iterator[tuple[Block, Format | None]]:
        """What was held of the last block."""
        if (block := self._parts.rest()) is not None:
            yield block, self.form

    def completed(self, block: Block, part: Part, others: Sequence[Other]) -> Part:
        """The part after all known formats were asked; parts come in order.

        Args:
            block: its lines.
            part: as the main format and some others have read it.
            others: these.

        Raises:
            UnknownFormatError: the given format does not fit the first lines.
        """
        if part.format is not None and not part.format.comments:
            part = self._learnt(part)
        part = self.mixture.complete(block, part, others)
        self._continued += sum(len(split.continued) for _, split in part.splits)
        if self._fit:
            self._fit.see(block, part, self._own)
        if self.form is part.format and not (self.form and self.form.comments):  # `#Fields:` lines may come again
            self._use(self.mixture.main(part))
        return part

    def _learnt(self, part: Part) -> Part:
        """A log of another format that goes on as a W3C log: its header is no reject, and its rows can be read."""
        starts = [at for at, text in zip(part.rejected.at, part.rejected.texts, strict=True) if text.startswith(b"#")]
        for text in part.rejected.texts if starts else ():
            if text.startswith(b"#Date:") and (day := _DATE.search(text)):
                self.day = day[1].decode()
            if text.startswith(b"#Fields:"):
                self._learn(text.decode("utf-8", "replace").strip(), part.rejected.texts)
        if not self._headed or not starts:
            return part
        header = np.array(
            [at for at, text in zip(part.rejected.at, part.rejected.texts, strict=True) if _HEADER.match(text)],
            np.int64,
        )
        return part.commented(header)

    def _learn(self, header: str, rows: Sequence[bytes]) -> None:
        tabs = any(b"\t" in row for row in rows if not row.startswith(b"#"))
        try:
            form = of_directive(w3c(header, tabs, self.day))
        except UsageError:
            return
        self._headed = True
        self.mixture.learn(in_zone(form, self.zone) if self.zone else form)

    def finish(self) -> None:
        """The source is read: `misfit` tells if the given format read nothing of it."""
        if self._fit and (misfit := self._fit.finish(self._own)):
            self.misfit = misfit
            self._notes.append("the given format reads none of its lines")

    def _use(self, form: Format | None) -> None:
        """Make a format the main one from here on."""
        if form is not None and form is not self.form:
            self.mixture.displaced(self.form)
            self.form = form
            self._names.append(form.name)

    def _look(self, data: memoryview) -> None:
        """Note, once, what the first lines show: which of several formats it is, and whether its times name a zone."""
        if self._looked or self.form is None:
            return
        self._looked = True
        if self._several:
            self._notes.append(f"read as {self.form.name}")
        if nameless(self.form, cut(data[:_LOOK])):
            zone = zone_of(self.form)
            how = f"in {zone}" if zone else "as UTC; --tz ZONE reads them in another"
            self._notes.append(f"its times name no zone and were read {how}")

    def _by_fields(self, block: Block, places: list[int]) -> Iterator[tuple[Block, Format | None]]:
        """Cut before each `#Fields:` line; each holds until the next."""
        self.detected = True
        starts = places if places[0] == 0 else [0, *places]
        for start, end in zip(starts, [*starts[1:], len(block.data)], strict=True):
            if start in places:
                days = _DATE.findall(block.data[:start])
                self.day = days[-1].decode() if days else self.day
                self._take_fields(bytes(block.data[start : min(end, start + _LOOK)]))
            last = end == len(block.data)
            length = block.length - start if last else end - start
            self._look(block.data[start:end])
            yield Block(block.offset + start, block.data[start:end], length, block.cut and last), self.form

    def _take_fields(self, data: bytes) -> None:
        """The format of a `#Fields:` line and the lines below it."""
        header, _, rest = data.lstrip(b"\xef\xbb\xbf").partition(b"\n")
        row = next((line for line in rest.split(b"\n") if line.strip() and not line.startswith(b"#")), b"")
        day = _DATE.search(rest.partition(row)[0] if row else rest)
        self.day = day[1].decode() if day else self.day
        self._use_fields(header.decode("utf-8", "replace").strip(), b"\t" in row)

    def _use_fields(self, header: str, tabs: bool) -> None:
        try:
            directive = w3c(header, tabs, self.day)
        except UsageError:
            return  # columns of another kind of log: the lines stay with the format before
        form = of_directive(directive)
        self._fields = header, tabs
        self._own.append(in_zone(form, self.zone) if self.zone else form)
        self._use(self._own[-1])

    def _detect(self, data: memoryview) -> None:
        """Nothing is decided by lines that are blank, or comments of a W3C log that has not named its fields yet."""
        lines = cut(data)
        filled = np.flatnonzero(~(blank(lines) | comments(lines)))
        if not len(filled):
            return
        voters = sample(lines.array(filled))
        form = detect(voters, self.formats) or self._usual or self.form
        if form is None:
            first = lines.array(filled[:1])[0].as_py()
            raise unknown(self.source, first, self.formats)
        self.detected, self.form, self._names = True, form, [form.name]
        self._own.append(form)
        exact = closer(voters, form, self.formats)
        if exact is not None:
            rest = voters.filter(pa.array(~exact.grammar.letter(voters)))
            self.mixture.trust(detect(rest, self.formats) or form)
            self._use(exact)


def _besides(formats: Sequence[Format]) -> list[Format]:
    """Known formats that are not among these, under names that are not either."""
    names, given = {form.name for form in formats}, {id(form) for form in formats}
    others = [form for form in FORMATS if id(form) not in given]
    return [replace(form, name=f"known {form.name}") if form.name in names else form for form in others]


def _starts_as_w3c(data: memoryview) -> bool:
    return bytes(data[:_LOOK]).lstrip(b"\xef\xbb\xbf\0 \r\n").startswith(b"#")
