"""What the report's document holds of a comparison: two periods, or two logs, side by side."""

from typing import TypedDict


class PeriodDocument(TypedDict):
    """One of the two; rates per day are over `days`, the time that was asked for as far as the log covers it."""

    since: str | None  # as asked for; null: no bound
    until: str | None
    begins: str | None  # null with what follows where the log has no time
    ends: str | None
    days: float | None  # of 24 hours
    sources: list[str]
    requests: int
    bytes: int
    refusals: int  # 429, or 503 that asks to wait
    violations: int  # of robots.txt
    rejects: int
    clients: int
    automated_clients: int
    automated_requests: int


class SideDocument(TypedDict):
    """One client in one of the two."""

    requests: int
    bytes: int
    refusals: int
    violations: int
    judged: int  # requests of which it is known whether robots.txt allowed them: violations are a part of them
    requests_per_day: float | None
    bytes_per_day: float | None
    robots: str  # "kept", "violated", "too few to say", "not judged"; "absent": it did not come
    reaction: str  # worst verdict after 429, "too few to say", "never refused", "not described"; "absent"


class ComparedClientDocument(TypedDict):
    """One client before and now."""

    client: str
    automated: bool
    purpose: str | None
    change: str  # "new", "gone", "more", "less", "about the same", "too few to say"
    ratio: float | None  # of requests per day, now by before; null where it came in one of the two alone
    change_per_day: float | None  # requests
    bytes_change_per_day: float | None
    before: SideDocument
    after: SideDocument


class CompareDocument(TypedDict):
    """What changed from `before` to `after`, which is what the rest of the report is about."""

    before: PeriodDocument
    after: PeriodDocument
    caveats: list[str]  # what makes the two unlike: lengths, parts of days, weekdays, what was logged
    new_clients: int  # automated, by the count of each change
    gone_clients: int
    few_clients: int
    described: int  # clients in `clients`
    clients: list[ComparedClientDocument]  # largest change of requests per day first
    thresholds: dict[str, float]
