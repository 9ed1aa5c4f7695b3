"""Microseconds since the epoch, and instants in words: ISO 8601, always in UTC."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(us: int) -> str:
    """An instant in microseconds since the epoch as ISO 8601 in UTC, with as many digits as are needed."""
    text = (_EPOCH + timedelta(microseconds=us)).isoformat().removesuffix("+00:00")
    return (text.rstrip("0") if "." in text else text) + "Z"


def microseconds(moment: datetime) -> int:
    """Microseconds since the epoch of an instant with a zone."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(us: int) -> datetime:
    """The instant of microseconds since the epoch, in UTC."""
    return _EPOCH + timedelta(microseconds=us)
