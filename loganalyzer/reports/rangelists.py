"""What is in a folder of range lists, and what became of fetching them: for `loganalyzer ranges`."""

import json
from datetime import UTC, datetime

from loganalyzer.escape import inline, json_text
from loganalyzer.reports import layout, wording
from loganalyzer.reports.layout import Column, span
from loganalyzer.verification.fetching import Outcome
from loganalyzer.verification.folder import STALE, Listed, Lists

COLUMNS = (
    Column("file", least=12),
    Column("networks", right=True),
    Column("made", goes=2),
    Column("good on", goes=1),
    Column("age", right=True),
    Column("clients", least=16),
)


def as_json(lists: Lists) -> str:
    """Every list, and what is to be told of the folder."""
    rows = [
        {
            "file": name,
            "clients": list(tokens),
            "networks": len(listed.ranges.ranges),
            "shape": listed.ranges.shape,
            "created": _iso(listed.ranges.created),
            "as_of": _iso(listed.as_of),
            "stale": _stale(listed),
        }
        for name, tokens, listed in lists.files
    ]
    text = json.dumps({"folder": lists.folder, "lists": rows, "notes": lists.notes}, ensure_ascii=False, indent=2)
    return json_text(text) + "\n"


def as_text(lists: Lists, width: int) -> str:
    """A table of the lists, then the notes."""
    rows = [
        tuple(
            span(text)
            for text in (
                name,
                wording.count(len(listed.ranges.ranges)),
                _day(listed.ranges.created),
                _day(listed.as_of),
                _age(listed),
                wording.some(tokens, 4) if tokens else "none",
            )
        )
        for name, tokens, listed in lists.files
    ]
    lines = layout.table(COLUMNS, rows, width) if rows else [(span(f"{lists.folder}: holds no list"),)]
    return layout.plain(lines) + "".join(f"{inline(note)}\n" for note in lists.notes)


def outcome(found: Outcome) -> str:
    """What became of one list."""
    return inline(f"{found.outcome}: {found.file} ({wording.some(found.tokens, 3)}): {found.told}")


def _iso(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def _day(instant: datetime | None) -> str:
    return f"{instant:%Y-%m-%d}" if instant else "unknown"


def _age(listed: Listed) -> str:
    if listed.as_of is None:
        return "unknown"
    days = (datetime.now(UTC) - listed.as_of).days
    return f"{days:,} d{', stale' if _stale(listed) else ''}"


def _stale(listed: Listed) -> bool | None:
    """Whether it is too old to refute anybody now; null where its age is not known."""
    return None if listed.as_of is None else datetime.now(UTC) - listed.as_of > STALE
