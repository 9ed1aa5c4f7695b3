"""A small report as sections, each a title, sentences, a table and text to copy; as text, Markdown or one HTML page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loganalyzer.escape import inline, markdown
from loganalyzer.reports import layout
from loganalyzer.reports import markdown as tickets
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


def as_text(title: str, sections: Sequence[Section], width: int) -> str:
    """Sections one under the other, no line wider than `width` but those to paste."""
    lines = [line for section in sections if not section.is_empty for line in _text(section, width)]
    return layout.plain([(Span(title),), (), *lines[:-1]])


def _text(section: Section, width: int) -> Iterator[Line]:
    yield (Span(section.title),)
    for sentence in section.sentences:
        for line in layout.wrap(inline(sentence), width - 2, MOST_LINES):
            yield (Span("  "), Span(line))
    if section.rows:
        rows = [[span(cell) for cell in row] for row in section.rows]
        yield from ((Span("  "), *line) for line in layout.table(section.columns, rows, width - 2))
    yield from ((Span("    "), span(line)) for line in section.copy.splitlines())
    yield ()


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    """Sections under a heading, with GitHub's tables."""
    lines = [f"# {title}", ""]
    for section in sections:
        if not section.is_empty:
            lines += [f"## {section.title}", "", *_markdown(section)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _markdown(section: Section) -> Iterator[str]:
    for sentence in section.sentences:
        yield from (markdown(sentence), "")
    if section.rows:
        titles = [column.title + (">" if column.right else "") for column in section.columns]
        yield from tickets.table(titles, [[markdown(cell) or " " for cell in row] for row in section.rows])
    if section.copy:
        yield from (*tickets.fenced(section.copy), "")


def as_html(title: str, sections: Sequence[Section]) -> str:
    """One page that needs nothing else."""
    from loganalyzer.reports import html

    shown = [section for section in sections if not section.is_empty]
    return html.page("sections.html.j2", title=title, sections=shown)
