"""Pieces of Markdown: tables and text to copy."""

import re
from collections.abc import Iterator, Sequence

from loganalyzer.escape import terminal


def grid(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows of Markdown; a title that ends in ">" is set to the right."""
    yield "| " + " | ".join(title.rstrip(">") for title in titles) + " |"
    yield "|" + "|".join("---:" if title.endswith(">") else "---" for title in titles) + "|"
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def fenced(text: str) -> Iterator[str]:
    """Set text to copy in a code block whose fence is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    yield from (f"{fence}text", terminal(text).rstrip("\n"), fence)
