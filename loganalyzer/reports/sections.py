"""A small report as sections, each a title, sentences, a table and text to copy; as text, Markdown or one HTML page."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loganalyzer.escape import inline, json_text, markdown
from loganalyzer.reports import layout, tickets
from loganalyzer.reports.layout import Column, Line, Span, span

MOST_LINES = 8  # of one sentence, in a terminal


@dataclass(frozen=True)
class Section:
    """One section; cells are anybody's text and escaped by whoever writes them."""

    title: str
    sentences: Sequence[str] = ()
    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[str]] = ()
    copy: str = field(default="")  # lines to paste

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.sentences or self.rows or self.copy)


@dataclass(frozen=True)
class Answer:
    """What a command has to say, in each form."""

    title: str
    sections: Sequence[Section]
    document: Mapping[str, Any]  # the same for programs, and whole

    def as_json(self) -> str:
        """One document."""
        return json_text(json.dumps(self.document, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"

    def as_text(self, width: int) -> str:
        """Sections one under the other, no line wider than `width` but those to paste."""
        lines = [line for section in self._told for line in text_lines(section, width)]
        return layout.plain([(span(self.title),), (), *lines[:-1]])

    def as_markdown(self) -> str:
        """Sections under a heading, with GitHub's tables."""
        lines = [f"# {self.title}", ""]
        for section in self._told:
            lines += markdown_lines(section)
        return "\n".join(lines).rstrip("\n") + "\n"

    def as_html(self) -> str:
        """One page that needs nothing else."""
        from loganalyzer.reports import html

        return html.page("sections.html.j2", title=self.title, sections=self._told)

    @property
    def _told(self) -> list[Section]:
        return [section for section in self.sections if not section.is_empty]


def text_lines(section: Section, width: int) -> Iterator[Line]:
    """One section in a terminal, no line wider than `width` but those to paste."""
    yield (span(section.title),)
    for sentence in section.sentences:
        for line in layout.wrap(inline(sentence), width - 2, MOST_LINES):
            yield (Span("  "), Span(line))
    if section.rows:
        rows = [[span(cell) for cell in row] for row in section.rows]
        yield from ((Span("  "), *line) for line in layout.table(section.columns, rows, width - 2))
    yield from ((Span("    "), span(line)) for line in section.copy.splitlines())
    yield ()


def markdown_lines(section: Section) -> Iterator[str]:
    """One section under its heading; nothing where it is empty."""
    if section.is_empty:
        return
    yield from (f"## {markdown(section.title)}", "")
    for sentence in section.sentences:
        yield from (markdown(sentence), "")
    if section.rows:
        titles = [column.title + (">" if column.right else "") for column in section.columns]
        yield from tickets.grid(titles, [[markdown(cell) or " " for cell in row] for row in section.rows])
    if section.copy:
        yield from (*tickets.fenced(section.copy), "")
