"""What changed between two periods, or two logs, in words: every report says the same."""

from collections.abc import Iterator, Sequence

from loganalyzer.document.compare import ComparedClientDocument, CompareDocument, PeriodDocument
from loganalyzer.reports.layout import Column
from loganalyzer.reports.sections import Section
from loganalyzer.reports.wording import count, moment, percent, plural, rate, size

MOST_CLIENTS = 50  # JSON has more
MOST_DRIVERS = 3
SHARE_TOLD = 0.1  # of what moved in one direction: less is no driver
STEADY = 0.05  # of the rate before: a smaller difference is told as about the same
TIMES = 3.0  # from here on "3.0 times" instead of per cent
CLIENTS = (
    Column("client", least=12),
    Column("what", least=4),
    Column("before", right=True),
    Column("now", right=True),
    Column("change", right=True),
    Column("bytes", right=True, goes=3),
    Column("refused", right=True, goes=2),
    Column("violations", right=True, goes=1),
)
TOTALS = (
    Column("", least=8),
    Column("before", right=True),
    Column("now", right=True),
    Column("a day before", right=True, goes=1),
    Column("a day now", right=True, goes=1),
    Column("change", right=True),
)
VERDICTS = (
    Column("client", least=12),
    Column("about", goes=1),
    Column("before", least=8),
    Column("now", least=8),
)
UNSURE = {"too few to say", "absent", "not described"}
CHANGED = ("new", "gone", "more", "less")


def sections(compared: CompareDocument, most: int = MOST_CLIENTS) -> list[Section]:
    """Everything that is to be told, the first `most` clients of each table."""
    told = changed(compared)
    turned = [row for client in compared["clients"] for row in _turned(client)]
    return [
        Section("What changed (UTC)", list(_summary(compared)), TOTALS, list(_totals(compared))),
        Section("How far the two can be compared", [f"{_capital(caveat)}." for caveat in compared["caveats"]]),
        Section(
            "Who changed, in requests a day",
            list(_few(compared, told, most)),
            CLIENTS,
            [_client(client) for client in told[:most]],
        ),
        Section("Verdicts that changed", list(_more(turned, most)), VERDICTS, turned[:most]),
    ]


def changed(compared: CompareDocument) -> list[ComparedClientDocument]:
    """The clients of which it is said that they changed."""
    return [client for client in compared["clients"] if client["change"] in CHANGED]


def _summary(compared: CompareDocument) -> Iterator[str]:
    before, after = compared["before"], compared["after"]
    yield f"Before: {_period(before)}. Now: {_period(after)}."
    if not before["days"] or not after["days"]:
        return
    for key in ("requests", "bytes"):
        was, now = (side[key] / (side["days"] or 1) for side in (before, after))
        shown = size if key == "bytes" else rate
        moved = "about the same" if was and abs(now - was) < STEADY * was else _ratio(was, now)
        yield " ".join(
            [f"{_capital(key)}: {shown(was)} a day before, {shown(now)} now, {moved}.", *_drivers(compared, key)]
        )


def _period(period: PeriodDocument) -> str:
    length = "no time" if period["days"] is None else _days(period["days"])
    return f"{moment(period['begins'])} to {moment(period['ends'])} ({length}, {plural(period['requests'], 'request')})"


def _drivers(compared: CompareDocument, key: str) -> Iterator[str]:
    """Who makes up the difference, in its direction and against it."""
    field = "change_per_day" if key == "requests" else "bytes_change_per_day"
    moves = [(client["client"], client[field] or 0.0) for client in compared["clients"]]  # type: ignore[literal-required]
    net = sum(move for _, move in moves)
    sign = 1 if net >= 0 else -1
    with_it = sorted(((name, move) for name, move in moves if move * sign > 0), key=lambda pair: -abs(pair[1]))
    against = sorted(((name, move) for name, move in moves if move * sign < 0), key=lambda pair: -abs(pair[1]))
    for words, found in (("The rise" if sign > 0 else "The fall", with_it), ("Against it", against)):
        gross = sum(abs(move) for _, move in found)
        led = [(name, move) for name, move in found[:MOST_DRIVERS] if abs(move) >= SHARE_TOLD * gross]
        if led:
            parts = [f"{name} ({_moved(move, key)}, {percent(abs(move), gross)} of it)" for name, move in led]
            yield f"{words}: {', '.join(parts)}."


def _moved(move: float, key: str) -> str:
    number = size(abs(move)) if key == "bytes" else rate(abs(move))
    return f"{number} a day {'more' if move > 0 else 'less'}"


def _totals(compared: CompareDocument) -> Iterator[tuple[str, ...]]:
    before, after = compared["before"], compared["after"]
    rows = (
        ("requests", "requests"),
        ("automated_requests", "of them automated"),
        ("bytes", "bytes"),
        ("refusals", "refused"),
        ("violations", "violations"),
        ("rejects", "lines not read"),
    )
    for key, title in rows:
        shown = size if key == "bytes" else rate
        was, now = before[key], after[key]  # type: ignore[literal-required] # keys of numbers
        if before["days"] and after["days"]:
            rates = (was / before["days"], now / after["days"])
            change = _ratio(*rates) if max(was, now) >= compared["thresholds"]["fewest_requests"] else "too few to say"
            yield (title, _whole(was, key), _whole(now, key), *map(shown, rates), change)
        else:
            yield (title, _whole(was, key), _whole(now, key), "", "", "")
    yield ("automated clients", count(before["automated_clients"]), count(after["automated_clients"]), "", "", "")


def _whole(number: int, key: str) -> str:
    return size(number) if key == "bytes" else count(number)


def _few(compared: CompareDocument, told: Sequence[ComparedClientDocument], most: int) -> Iterator[str]:
    left = len(told) - most
    new, gone, few = compared["new_clients"], compared["gone_clients"], compared["few_clients"]
    words = [f"{count(new)} new", f"{count(gone)} gone", f"{count(few)} with too few requests to say"]
    yield f"Automated clients: {', '.join(words)}." + (
        f" {count(left)} more changed (--all, --json)." if left > 0 else ""
    )


def _more(rows: Sequence[object], most: int) -> Iterator[str]:
    if (left := len(rows) - most) > 0:
        yield f"The first {count(most)}; {count(left)} more (--all, --json)."


def _client(client: ComparedClientDocument) -> tuple[str, ...]:
    was, now = client["before"], client["after"]
    both = client["ratio"] is not None  # else it is new or gone, and that is said
    return (
        client["client"],
        client["change"],
        rate(was["requests_per_day"]),
        rate(now["requests_per_day"]),
        _ratio(was["requests_per_day"], now["requests_per_day"]) if both else "",
        _ratio(was["bytes_per_day"], now["bytes_per_day"]) if both else "",
        _pair(was["refusals"], now["refusals"]),
        _pair(was["violations"], now["violations"]),
    )


def _pair(was: int, now: int) -> str:
    return f"{count(was)} to {count(now)}" if was or now else ""


def _turned(client: ComparedClientDocument) -> Iterator[tuple[str, ...]]:
    """Verdicts of one client that are not the same; one that is not sure on a side is none."""
    before, after = client["before"], client["after"]
    if before["robots"] != after["robots"] and not UNSURE & {before["robots"], after["robots"]}:
        yield (client["client"], "robots.txt", _robots(before), _robots(after))
    if before["reaction"] != after["reaction"] and not UNSURE & {before["reaction"], after["reaction"]}:
        words = (side["reaction"].replace("_", " ") for side in (before, after))
        yield (client["client"], "after 429", *words)


def _robots(side: object) -> str:
    found: dict[str, int | str] = dict(side)  # type: ignore[call-overload] # a typed dictionary
    if found["robots"] != "violated":
        return str(found["robots"])
    return f"violated {found['violations']:,} of {found['judged']:,} judged"


def _ratio(was: float | None, now: float | None) -> str:
    """How one rate stands to another: "54 % more", "3.2 times", "new"; without a sign, which Markdown would read."""
    if was is None or now is None:
        return "unknown"
    if not was or not now:
        return "" if was == now else "gone" if was else "new"
    ratio = now / was
    if ratio >= TIMES:
        return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.1f} times"
    change = round(100 * abs(ratio - 1))
    if not change:
        return "the same"
    return f"{change} % more" if ratio > 1 else f"{change} % less" if change < 100 else "over 99 % less"


def _days(days: float) -> str:
    return f"{days:.3g} days" if days >= 2 else f"{days * 24:.3g} hours"


def _capital(text: str) -> str:
    return text if text.startswith("robots.txt") else text[:1].upper() + text[1:]  # which is a name
