"""Renderers: pure functions from the report document to text. To add one, write its file and its line in RENDERERS."""

from collections.abc import Callable

from loganalyzer.reports import html, json, markdown, text

RENDERERS: dict[str, Callable[..., str]] = {
    "text": text.render,
    "json": json.render,
    "markdown": markdown.render,
    "html": html.render,
}
