"""Which format reads which lines: the given one, the detected one, or what a `#Fields:` line says from there on."""

import difflib
from collections.abc import Iterator, Sequence

from loganalyzer.errors import UsageError
from loganalyzer.formats.declarations import FORMATS, of_directive
from loganalyzer.formats.detection import detect, explain, sample
from loganalyzer.formats.directives import parse, w3c
from loganalyzer.formats.lines import cut
from loganalyzer.formats.model import Format
from loganalyzer.sources import Block

_FIELDS = b"#Fields:"


def given(log_format: str) -> tuple[tuple[Format, ...], str | None]:
    """The formats that a name or a directive may stand for, and a note on what of it was not read.

    A `#Fields:` line does not say whether its values are written apart by blanks or by tabs.

    Raises:
        UsageError: no such name, or a faulty directive.
    """
    named = {form.name: form for form in FORMATS}
    if log_format in named:
        return (named[log_format],), None
    if log_format.strip() and not set(log_format) & set(" \t\n$%#\"'"):
        near = difflib.get_close_matches(log_format, named, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"formats are {', '.join(named)}"
        raise UsageError(f"there is no format {log_format}; {hint}")
    directive = parse(log_format)
    forms = [of_directive(directive, given=True)]
    if directive.server == "w3c":
        forms.append(of_directive(w3c(log_format, tabs=True), given=True))
    return tuple(forms), directive.note


class Chooser:
    """Formats of one source, block by block."""

    def __init__(self, source: str, formats: Sequence[Format] = FORMATS) -> None:
        self.source, self.formats = source, formats
        self.form = formats[0] if len(formats) == 1 else None
        self.detected = self.form is not None
        self.names = [] if self.form is None else [self.form.name]

    def segments(self, block: Block) -> Iterator[tuple[Block, Format | None]]:
        """The block in pieces that have one format each.

        Raises:
            UnknownFormatError: no format reads the first block that has lines.
        """
        if (self.form is None or self.form.comments) and _has_fields(block.data):
            yield from self._by_fields(block)
            return
        if not self.detected:
            self._detect(block.data)
        yield block, self.form

    def _by_fields(self, block: Block) -> Iterator[tuple[Block, Format | None]]:
        """Cut before each `#Fields:` line; each holds until the next."""
        self.detected = True
        at = [0] if block.data.lstrip(b"\xef\xbb\xbf").startswith(_FIELDS) else []
        place = block.data.find(b"\n" + _FIELDS)
        while place >= 0:
            at.append(place + 1)
            place = block.data.find(b"\n" + _FIELDS, place + 1)
        for start, end in zip(
            [0, *at] if at[0] else at, [*at, len(block.data)] if at[0] else [*at[1:], len(block.data)], strict=True
        ):
            data = block.data[start:end]
            if start in at:
                self._take_fields(data)
            whole = end == len(block.data)
            length = block.length - start if whole else end - start
            yield Block(block.offset + start, data, length, block.cut and whole), self.form

    def _take_fields(self, data: bytes) -> None:
        """The format of a `#Fields:` line and the lines below it."""
        header, _, rest = data.lstrip(b"\xef\xbb\xbf").partition(b"\n")
        row = next((line for line in rest[: 1 << 16].split(b"\n") if line.strip() and not line.startswith(b"#")), b"")
        try:
            directive = w3c(header.decode("utf-8", "replace").strip(), tabs=b"\t" in row)
        except UsageError:
            return  # columns of another kind of log: the lines stay with the format before
        self.form = of_directive(directive)
        self.names.append(self.form.name)

    def _detect(self, data: bytes) -> None:
        lines = cut(data)
        filled = (lines.ends > lines.starts).nonzero()[0]
        if not len(filled):
            return
        self.form = detect(sample(lines.array(filled)), self.formats)
        if self.form is None:
            first = lines.array(filled[:1])[0].as_py()
            raise explain(self.source, first, self.formats)
        self.detected = True
        self.names.append(self.form.name)


def _has_fields(data: bytes) -> bool:
    return data.startswith((_FIELDS, b"\xef\xbb\xbf" + _FIELDS)) or b"\n" + _FIELDS in data
