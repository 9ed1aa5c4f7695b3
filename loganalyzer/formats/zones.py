"""Times that name no zone: in which one they are read."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa

from loganalyzer.errors import UsageError
from loganalyzer.formats.jsonlines import Json
from loganalyzer.formats.lines import cut
from loganalyzer.formats.model import Capture, Field, Format, Grammar, Lines
from loganalyzer.formats.text import Text
from loganalyzer.formats.wrappers import Wrapped

_INSTANTS = {"time", "date", "clock"}
_NONE = pa.nulls(0)
_ANOTHER = "Etc/GMT-1"  # an hour from UTC: what is read otherwise in it names no zone


def with_fields(form: Format, change: Callable[[Field], Field]) -> Format:
    """The format with each of its fields changed."""
    return replace(form, grammar=_with_fields(form.grammar, change))


def _with_fields(grammar: Grammar, change: Callable[[Field], Field]) -> Grammar:
    if isinstance(grammar, Text):
        layout = tuple(
            replace(piece, field=change(piece.field)) if isinstance(piece, Capture) and piece.field else piece
            for piece in grammar.layout
        )
        return replace(grammar, layout=layout)
    if isinstance(grammar, Wrapped):
        return replace(grammar, inner=_with_fields(grammar.inner, change))
    assert isinstance(grammar, Json)  # noqa: S101 - there is no fourth
    return replace(grammar, paths=tuple((path, change(field)) for path, field in grammar.paths))


def in_zone(form: Format, zone: str) -> Format:
    """The format with its times read in this zone where they name none.

    Raises:
        UsageError: there is no such zone.
    """
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # a folder, an absolute path
        raise UsageError(f"there is no time zone {zone}; zones are named like Europe/Zurich, UTC, Etc/GMT-2") from error
    return replace(form, grammar=_in_zone(form.grammar, zone))


@lru_cache(512)  # of thousands of files the same few: their patterns are made once
def _in_zone(grammar: Grammar, zone: str) -> Grammar:
    return _with_fields(grammar, lambda field: replace(field, zone=zone) if field.column in _INSTANTS else field)


def zone_of(form: Format) -> str | None:
    """The zone in which its times are read where they name none; null is UTC."""
    zones = (field.zone for column, field in form.grammar.columns.items() if column in _INSTANTS)
    return next((zone for zone in zones if zone), None)


def assumed(form: Format) -> bool:
    """Whether the times of a format name no zone, by its samples."""
    lines = [sample.line.encode() if isinstance(sample.line, str) else sample.line for sample in form.samples]
    return nameless(form, cut(memoryview(b"\n".join(lines))))


def nameless(form: Format, lines: Lines) -> bool:
    """Whether some of these lines have a time that names no zone, so that its zone is what somebody said or assumed."""
    times = [field for column, field in form.grammar.columns.items() if column in _INSTANTS]
    # Date and time of W3C logs are UTC by their standard; its `date-local` and `time-local` are not.
    if form.comments and not any(field.rank or field.zone for field in times):
        return False
    at = np.arange(len(lines.starts))
    here, there = (in_zone(form, zone).grammar.split(lines, at) for zone in ("UTC", _ANOTHER))
    return not here.columns.get("time", _NONE).equals(there.columns.get("time", _NONE))
