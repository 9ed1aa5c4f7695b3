"""The editor of a draft, and what is typed in it, kept for the session.

It is a component of our own, for it has to tell as one types, which Streamlit's own text fields do not.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from importlib.resources import files
from typing import Any

import streamlit as st

from loganalyzer.robots.lint import Finding

STATE = "draft"  # in the session
LONGEST = 600_000  # characters, beyond what a crawler has to read; the field takes no more
SHAPES = {"error": "✕", "warning": "◐", "info": "i"}
_HELD = "draft-editor"  # of the component


def _part(kind: str) -> str:
    return files(__name__).joinpath(f"editor.{kind}").read_text(encoding="utf-8")


_field = st.components.v2.component("loganalyzer_draft", html=_part("html"), css=_part("css"), js=_part("js"))


@dataclass
class Draft:
    """What is being written, beside the file that it would take the place of."""

    base: bytes
    text: str
    put: int = 0  # which text was set from here last: what was typed into another no longer counts

    @property
    def data(self) -> bytes:
        """The draft as a file; the very octets of the present one where nothing was changed."""
        if self.text == shown(self.base):
            return self.base
        newline = "\r\n" if b"\r\n" in self.base else "\n"
        return self.text.replace("\n", newline).encode("utf-8", "replace")

    @property
    def unreadable(self) -> bool:
        """Whether the present file has octets that no editor can show."""
        return "\ufffd" in shown(self.base)

    @property
    def changes(self) -> str:
        """What differs from the present file, as a unified diff; empty where nothing does."""
        before, after = shown(self.base).split("\n"), self.text.split("\n")
        lines = difflib.unified_diff(before, after, "robots.txt in force", "draft", lineterm="")
        return "\n".join(lines)


@dataclass
class Desk:
    """The drafts of one session, one for each host."""

    drafts: dict[str | None, Draft] = field_of(default_factory=dict)
    now: str | None = None  # the host whose draft is shown
    puts: int = 0

    def next(self) -> int:
        """A number that no text had before."""
        self.puts += 1
        return self.puts


def shown(data: bytes) -> str:
    """A file as it can be edited: every end of line is one character, as in a text field."""
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def draft(base: bytes, host: str | None = None) -> Draft:
    """This session's draft for a host with what was typed since; of another present file it keeps what was written."""
    held: Desk = st.session_state.setdefault(STATE, Desk())
    if held.now != host:
        _heard(held)  # what was typed last is of the other host
    one = held.drafts.get(host)
    if one is None or (one.base != base and one.data == one.base):
        one = held.drafts[host] = Draft(base, shown(base), held.next())
    elif held.now != host:
        one.put = held.next()
    one.base, held.now = base, host
    _heard(held)
    return one


def _heard(held: Desk) -> None:
    """Take what was typed into the draft that it was typed in."""
    typed: Any = (st.session_state.get(_HELD) or {}).get("typed")
    one = held.drafts.get(held.now)
    if one and isinstance(typed, dict) and typed.get("put") == one.put and isinstance(typed.get("text"), str):
        one.text = typed["text"][:LONGEST].replace("\r\n", "\n")


def put(data: bytes) -> None:
    """Set the text of the draft; for callbacks, which run before the page."""
    held: Desk = st.session_state[STATE]
    one = held.drafts[held.now]
    one.text, one.put = shown(data), held.next()


def replace_line(number: int, text: str, was: str) -> None:
    """Put other lines in place of one; nothing where it reads otherwise by now."""
    held: Desk = st.session_state[STATE]
    _heard(held)
    lines = held.drafts[held.now].text.split("\n")
    if number <= len(lines) and lines[number - 1] == was:
        put("\n".join([*lines[: number - 1], text, *lines[number:]]).encode("utf-8", "replace"))


def field(held: Draft, findings: Sequence[Finding]) -> None:
    """Show the editor."""
    marks = [
        {
            "line": found.line,
            "start": found.column - 1,
            "end": found.column - 1 + found.length,
            "level": found.level,
            "shape": SHAPES[found.level],
            "title": f"{found.level}: {found.title}",
        }
        for found in findings
    ]
    _field(key=_HELD, data={"text": held.text, "put": held.put, "marks": marks}, on_typed_change=_nothing)


def _nothing() -> None:
    """What was typed is read when the page runs."""
