"""Grammar of lines of labels and values in any order: LTSV and logfmt. Values are taken by label, as JSON's by key."""

import json
import re
from dataclasses import dataclass
from typing import Any

from loganalyzer.formats.jsonlines import Json

_LABEL = re.compile(rb"[0-9A-Za-z_.-]+:")  # http://ltsv.org
_IN_BRACKETS = re.compile(rb"\[\d[^\]]*\]")  # a time, as LTSV's recommendation has it
_PAIR = re.compile(rb' *+(?P<key>[^\s="]++)=(?:(?P<text>"(?:[^"\\]|\\.)*+")|(?P<bare>[^\s"]*+))(?=[ \r\n]|$)')


@dataclass(frozen=True)
class Ltsv(Json):
    """Labelled tab-separated values."""

    refusal = "not of labels and values between tabs"
    marks = (b"\t", b":")

    @staticmethod
    def _object(line: bytes) -> dict[str, Any] | None:
        """The values that a line holds, by label; of two with one label the first."""
        fields = line.rstrip(b"\r\n").split(b"\t")
        if len(fields) < 2 or not all(_LABEL.match(field) for field in fields if field):
            return None
        found: dict[str, Any] = {}
        for label, _, value in (field.partition(b":") for field in fields if field):
            bare = value[1:-1] if _IN_BRACKETS.fullmatch(value) else value
            found.setdefault(label.decode(), bare.decode("utf-8", "surrogateescape"))
        return found


@dataclass(frozen=True)
class Logfmt(Json):
    """Pairs between blanks, values quoted where they hold some."""

    refusal = "not of pairs between blanks"
    marks = (b"=",)

    @staticmethod
    def _object(line: bytes) -> dict[str, Any] | None:
        """The values that a line holds, by key; of two with one key the first."""
        line, at, found = line.strip(), 0, dict[str, Any]()
        while at < len(line):
            pair = _PAIR.match(line, at)
            if pair is None:
                return None
            at, key = pair.end(), pair["key"].decode("utf-8", "surrogateescape")
            value = (pair["text"] or pair["bare"]).decode("utf-8", "surrogateescape")
            found.setdefault(key, _unquoted(value) if pair["text"] else value)
        return found or None


def _unquoted(text: str) -> str:
    """A quoted value; Go quotes as JSON does, but for bytes that are no text."""
    try:
        value: str = json.loads(text, strict=False)
    except ValueError:
        return text[1:-1]
    return value
