"""From words to an instant: `2026-11-02`, `2026-11-02T10:00Z`, `yesterday`, `2h`, `7d`; all in UTC."""

import re
from datetime import UTC, datetime, timedelta

from loganalyzer.epoch import microseconds
from loganalyzer.errors import UsageError

_AGO = re.compile(r"(\d{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}


def instant(text: str, now: datetime | None = None) -> int:
    """Microseconds since the epoch.

    Args:
        text: an ISO 8601 instant (UTC where it names no zone), a date (its first instant), `now`, `today` and
            `yesterday` (their first instants), or how long ago: a number and s, m, h, d or w.
        now: what "ago" counts from.

    Raises:
        UsageError: it is none of these.
    """
    now = datetime.now(UTC) if now is None else now
    word = text.strip().lower()
    try:
        if ago := _AGO.fullmatch(word):
            return microseconds(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
        if word == "now":
            return microseconds(now)
        if word in _DAYS:
            return microseconds(datetime(now.year, now.month, now.day, tzinfo=UTC) - timedelta(days=_DAYS[word]))
        moment = datetime.fromisoformat(text.strip())
        return microseconds(moment.replace(tzinfo=moment.tzinfo or UTC))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no instant; give 2026-11-02, 2026-11-02T10:00Z, yesterday, or how long ago: 2h, 7d"
        ) from None
