"""Instants of the report document as Arrow takes them."""

from datetime import datetime


def moment(text: str) -> datetime:
    """An instant in ISO 8601."""
    return datetime.fromisoformat(text)


def moment_or_none(text: str | None) -> datetime | None:
    """The same for an instant that may be unknown."""
    return None if text is None else moment(text)
