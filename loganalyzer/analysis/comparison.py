"""Two analyses side by side: what changed, for whom, and how far the two can be compared at all.

Rates are per day of 24 hours over what was asked for, as far as the log covers it: a log that begins late must not look
like a quiet one. A change is said only where the shorter of the two would show enough requests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from loganalyzer.analysis.rows import Row, by_client
from loganalyzer.document import ReportDocument
from loganalyzer.document.client import ClientDocument
from loganalyzer.document.compare import ComparedClientDocument, CompareDocument, PeriodDocument, SideDocument
from loganalyzer.epoch import iso, moment
from loganalyzer.store.tables import DAY_US

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

FEWEST = 10  # requests that the shorter of the two must hold, or be expected to
MORE = 1.5  # times as many per day are "more"; the inverse is "less"
FEWEST_JUDGED = 10  # requests, to say that robots.txt was kept
VISIT_S = 3_600  # who came for less than this came once, and is not said to be gone
MOST_CLIENTS = 2_000
COVERED = 0.99  # of what was asked for: less is said
ALIKE = 0.01  # lengths that differ by less are equal
WEEK = 7
THRESHOLDS = {
    "fewest_requests": float(FEWEST),
    "more_ratio": MORE,
    "fewest_judged": float(FEWEST_JUDGED),
    "visit_s": float(VISIT_S),
}
JUDGED = ("allowed", "violation", "grace")


@dataclass(frozen=True)
class Side:
    """One of the two, ready to be asked for a client by its name."""

    analysis: "Analysis"
    report: ReportDocument  # its own

    @cached_property
    def span_us(self) -> tuple[int, int] | None:
        """What was asked for as far as the log covers it; null where no time is known."""
        log = self.analysis.log
        covered = log.covered_us or self._seen_us
        if covered is None:
            return None
        since, until = log.since_us, log.until_us
        if since is not None and until is not None and _covers(covered, since, until):
            return since, until
        first = covered[0] if since is None else max(since, covered[0])
        last = covered[1] if until is None else min(until, covered[1])
        return first, max(first, last)

    @property
    def _seen_us(self) -> tuple[int, int] | None:
        rows = [row for row in self.analysis.measures.summary.values() if row["first_us"] is not None]
        return (min(row["first_us"] for row in rows), max(row["last_us"] for row in rows)) if rows else None

    @cached_property
    def days(self) -> float | None:
        """Its length; null where there is none."""
        length = 0 if self.span_us is None else self.span_us[1] - self.span_us[0]
        return length / DAY_US if length > 0 else None

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The code of each client by its name."""
        return {self.analysis.identities[code].name: code for code in self.analysis.measures.summary}

    @cached_property
    def described(self) -> Mapping[str, ClientDocument]:
        """The clients that the report describes one by one."""
        return {client["client"]: client for client in self.report["clients"]}

    @cached_property
    def _classes(self) -> Mapping[int, list[Row]]:
        return by_client(self.analysis.measures.classes)

    def per_day(self, number: int) -> float | None:
        """A count of this side as a rate."""
        return None if self.days is None else number / self.days

    def client(self, name: str) -> SideDocument:
        """What one client did here."""
        code = self.codes.get(name)
        row: Row = {"requests": 0, "bytes": 0, "refusals": 0} if code is None else self.analysis.measures.summary[code]
        classes = [] if code is None else self._classes.get(code, [])
        violations = sum(found["requests"] for found in classes if found["class"] == "violation")
        judged = sum(found["requests"] for found in classes if found["class"] in JUDGED)
        return {
            "requests": row["requests"],
            "bytes": row["bytes"],
            "refusals": row["refusals"],
            "violations": violations,
            "judged": judged,
            "requests_per_day": self.per_day(row["requests"]),
            "bytes_per_day": self.per_day(row["bytes"]),
            "robots": "absent" if code is None else _robots(judged, violations),
            "reaction": "absent" if code is None else _reaction(self.described.get(name), row["refusals"]),
        }

    def came_once(self, name: str) -> bool:
        """Whether all its requests lie within one visit."""
        row = self.analysis.measures.summary[self.codes[name]]
        return row["first_us"] is None or row["last_us"] - row["first_us"] < VISIT_S * 1_000_000

    def document(self) -> PeriodDocument:
        """The whole of it."""
        log, totals = self.analysis.log, self.report["totals"]
        classes = self.analysis.measures.classes.to_pylist()
        return {
            "since": None if log.since_us is None else iso(log.since_us),
            "until": None if log.until_us is None else iso(log.until_us),
            "begins": None if self.span_us is None else iso(self.span_us[0]),
            "ends": None if self.span_us is None else iso(self.span_us[1]),
            "days": self.days,
            "sources": [item.source for item in log.inputs],
            "requests": totals["requests"],
            "bytes": totals["bytes"],
            "refusals": totals["refusals"],
            "violations": sum(row["requests"] for row in classes if row["class"] == "violation"),
            "rejects": totals["rejects"],
            "clients": totals["clients"],
            "automated_clients": totals["automated_clients"],
            "automated_requests": totals["automated_requests"],
        }


def compare(before: Side, after: Side) -> CompareDocument:
    """What changed from one analysis to the other."""
    names = sorted({*before.codes, *after.codes})
    clients = sorted((_client(name, before, after) for name in names), key=_weight)
    automated = [client["change"] for client in clients if client["automated"]]
    return {
        "before": before.document(),
        "after": after.document(),
        "caveats": list(_caveats(before, after)),
        "new_clients": automated.count("new"),
        "gone_clients": automated.count("gone"),
        "few_clients": automated.count("too few to say"),
        "described": len(clients[:MOST_CLIENTS]),
        "clients": clients[:MOST_CLIENTS],
        "thresholds": THRESHOLDS,
    }


def _covers(covered: tuple[int, int], since: int, until: int) -> bool:
    """Whether a log covers as good as all of what was asked for."""
    return min(until, covered[1]) - max(since, covered[0]) >= COVERED * (until - since)


def _weight(client: ComparedClientDocument) -> tuple[float, str]:
    moved = client["change_per_day"]
    return (
        -abs(client["after"]["requests"] - client["before"]["requests"] if moved is None else moved),
        client["client"],
    )


def _client(name: str, before: Side, after: Side) -> ComparedClientDocument:
    side = after if name in after.codes else before
    person = side.analysis.identities[side.codes[name]]
    was, now = before.client(name), after.client(name)
    ratio = None
    if was["requests_per_day"] and now["requests_per_day"]:
        ratio = now["requests_per_day"] / was["requests_per_day"]
    return {
        "client": name,
        "automated": person.automated,
        "purpose": person.leading["purpose"],
        "change": _change(name, was, now, before, after),
        "ratio": ratio,
        "change_per_day": _difference(was["requests_per_day"], now["requests_per_day"]),
        "bytes_change_per_day": _difference(was["bytes_per_day"], now["bytes_per_day"]),
        "before": was,
        "after": now,
    }


def _difference(was: float | None, now: float | None) -> float | None:
    return None if was is None or now is None else now - was


def _change(name: str, was: SideDocument, now: SideDocument, before: Side, after: Side) -> str:
    rates = (was["requests_per_day"], now["requests_per_day"])
    if rates[0] is None or rates[1] is None or before.days is None or after.days is None:
        return "too few to say"
    shorter = min(before.days, after.days)
    if max(rates[0], rates[1]) * shorter < FEWEST:
        return "too few to say"
    if not rates[0]:
        return "new"
    if not rates[1]:
        return "too few to say" if before.came_once(name) else "gone"
    ratio = rates[1] / rates[0]
    return "more" if ratio >= MORE else "less" if ratio <= 1 / MORE else "about the same"


def _robots(judged: int, violations: int) -> str:
    if violations:
        return "violated"
    return "not judged" if not judged else "kept" if judged >= FEWEST_JUDGED else "too few to say"


def _reaction(client: ClientDocument | None, refusals: int) -> str:
    if not refusals:
        return "never refused"
    if client is None:
        return "not described"
    backoff = client["backoff"]
    return (backoff["worst"] if backoff["kept_interval"] is not None else None) or "too few to say"


def _caveats(before: Side, after: Side) -> Iterator[str]:
    """What a reader must know before comparing; each only where it holds."""
    if before.span_us is None or after.span_us is None or before.days is None or after.days is None:
        yield "one of the two has no length in time: there are no rates per day, and of no client is said what changed"
        return
    yield from _cut("before", before)
    yield from _cut("now", after)
    overlap = min(before.span_us[1], after.span_us[1]) - max(before.span_us[0], after.span_us[0])
    if overlap > 0:
        yield f"the two overlap by {_days(overlap / DAY_US)}: what falls into both is counted in both"
    elif before.span_us[0] > after.span_us[0]:
        yield "the one that is called before lies later in time than the one that is called now"
    if abs(before.days - after.days) > ALIKE * max(before.days, after.days):
        yield (
            f"the two are not equally long, {_days(before.days)} and {_days(after.days)}: compare rates per day, not "
            f"counts"
        )
    yield from _rhythm(before, after)
    yield from _unlike(before, after)


def _cut(word: str, side: Side) -> Iterator[str]:
    log = side.analysis.log
    if side.days is None or side.span_us is None or log.since_us is None or log.until_us is None:
        return
    asked = (log.until_us - log.since_us) / DAY_US
    if side.span_us != (log.since_us, log.until_us):
        first, last = map(iso, side.span_us)
        yield f"{word}: of the {_days(asked)} asked for the log covers {_days(side.days)}, from {first} to {last}"


def _rhythm(before: Side, after: Side) -> Iterator[str]:
    """Whether the hours of the day, and the days of the week, weigh the same in both."""
    whole = all(abs(days - round(days)) <= ALIKE * days and round(days) for days in (before.days or 0, after.days or 0))
    starts = [span[0] for span in (before.span_us, after.span_us) if span]
    lengths = [span[1] - span[0] for span in (before.span_us, after.span_us) if span]
    alike = abs(lengths[0] - lengths[1]) <= ALIKE * max(lengths)
    same_hour = alike and abs((starts[0] - starts[1] + DAY_US // 2) % DAY_US - DAY_US // 2) <= ALIKE * lengths[0]
    if not (whole or same_hour):
        yield "they are not whole days, so that day and night do not weigh the same in both"
    weeks = all(abs(length / DAY_US / WEEK % 1 - 0.5) > 0.5 - ALIKE for length in lengths if length)
    days = [sorted(_weekdays(side)) for side in (before, after)]
    if not (weeks and min(lengths) > DAY_US) and days[0] != days[1]:
        yield f"the days of the week are not the same: {_names(days[0])} before, {_names(days[1])} now"


def _weekdays(side: Side) -> set[int]:
    first, last = side.span_us or (0, 0)
    count = min(WEEK, (max(first, last - 1) // DAY_US) - first // DAY_US + 1)
    return {(moment(first).weekday() + step) % WEEK for step in range(count)}


def _names(days: list[int]) -> str:
    return ", ".join(datetime(2024, 1, 1 + day).strftime("%a") for day in days)


def _unlike(before: Side, after: Side) -> Iterator[str]:
    """What the one was measured by and the other was not."""
    logged = [side.report["totals"]["logged"] for side in (before, after)]
    apart = [name.replace("_", " ") for name in logged[0] if logged[0][name] != logged[1][name]]
    if apart:
        yield f"logged in one of the two alone, so that what rests on it differs: {', '.join(apart)}"
    span = (before.span_us or (0, 0))[0], (after.span_us or (0, 0))[1]
    changed = [
        version["name"]
        for version, found in zip(before.analysis.history.document(), before.analysis.history.versions, strict=True)
        if found.in_force_from_us is not None and span[0] < found.in_force_from_us < span[1]
    ]
    if changed:
        yield (
            f"robots.txt was not the same throughout ({', '.join(changed)} came), so that what was a violation in one "
            f"may have been allowed in the other"
        )


def _days(days: float) -> str:
    return f"{days:.3g} days" if days >= 2 else f"{days * 24:.3g} hours"
