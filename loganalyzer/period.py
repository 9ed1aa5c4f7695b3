"""A period: from words to its instants, and the rows that lie in it; all in UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.epoch import iso, microseconds
from loganalyzer.errors import UsageError

_AGO = re.compile(r"(\d{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}
DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Period:
    """Requests from `since_us` on, before `until_us`; null is no bound."""

    since_us: int | None = None
    until_us: int | None = None

    @classmethod
    def of(cls, since: str | None, until: str | None) -> "Period":
        """The period between two instants in words.

        Raises:
            UsageError: one is no instant.
        """
        return cls(*(None if text is None else instant(text) for text in (since, until)))

    @property
    def bounded(self) -> bool:
        """Whether anything can be outside."""
        return self.since_us is not None or self.until_us is not None

    @property
    def before(self) -> "Period":
        """The day before it: for so long a copy of robots.txt may serve (RFC 9309 section 2.4)."""
        since = 0 if self.since_us is None else self.since_us
        return Period(since - DAY_US, since)

    @property
    def words(self) -> tuple[str | None, str | None]:
        """Its two instants as `of` reads them."""
        since, until = (None if us is None else iso(us) for us in (self.since_us, self.until_us))
        return since, until

    @property
    def options(self) -> tuple[str, ...]:
        """The same as options of a command line."""
        named = zip(("--since", "--until"), self.words, strict=True)
        return tuple(part for name, word in named if word is not None for part in (name, word))

    def previous(self, last_us: int) -> "Period":
        """The one that ends where this begins and is as long; one without an end ends at `last_us`.

        Raises:
            UsageError: it has no beginning, or none before its end.
        """
        end = last_us if self.until_us is None else self.until_us
        if self.since_us is None or end <= self.since_us:
            raise UsageError("there is nothing as long before it: the period has no beginning, or none before its end")
        return Period(2 * self.since_us - end, self.since_us)

    def rows(self, table: pa.Table) -> pa.Table:
        """Rows inside by their `t`; those without a time are inside only where there is no bound."""
        for bound, compare in ((self.since_us, pc.greater_equal), (self.until_us, pc.less)):
            if bound is not None:
                table = table.filter(compare(table["t"], bound))
        return table

    def readings(self, table: pa.Table) -> pa.Table:
        """Requests for /robots.txt in the day before it: who read it then need not read it again."""
        near = self.before.rows(table)
        return near.filter(pc.fill_null(pc.match_substring(near["target"].cast(pa.string()), "/robots.txt"), False))


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
