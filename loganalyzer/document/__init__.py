"""The report as one plain document: what `report --json` prints and what every renderer reads.

Keys are always present; unknown is null. Instants are ISO 8601 in UTC, durations seconds, rates requests per second,
shares fractions of one. Lists are sorted, so that the same input gives the same bytes.
"""

from typing import Any, TypedDict

from loganalyzer.document.client import ClientDocument
from loganalyzer.document.compare import CompareDocument
from loganalyzer.document.robots import (
    RobotsAnswerDocument,
    RobotsChangeDocument,
    RobotsSizeDocument,
    RobotsVersionDocument,
)

SCHEMA_VERSION = 1


class InputDocument(TypedDict):
    """One source and its accounting: lines = requests + rejects + blank + comments, and the same for bytes."""

    source: str
    format: str | None  # name; several joined by ", " where the file mixes them
    formats: list[list[Any]]  # [name, lines that it read], in the order of first use; copies are among the lines
    compression: str | None
    lines: int
    requests: int
    rejects: int
    blank: int
    comments: int
    bytes: int  # uncompressed
    problem: str | None  # why the source is missing, cut or unreadable
    notes: list[str]


class RejectDocument(TypedDict):
    """One reason for lines that are no request."""

    reason: str
    count: int
    examples: list[str]  # up to three "file:line"


class TotalsDocument(TypedDict):
    """The whole log, or the period of it that was asked for; shares have these as their base."""

    lines: int  # of whole logs, also where a period was asked for
    rejects: int
    requests: int
    bytes: int
    suspected: int  # browsers' user agents at an address that behave like programs; among the browsers
    suspected_requests: int
    untimed: int  # requests without a time, or with one that cannot be of this log
    clients: int
    described: int  # of these, those in `clients` one by one
    automated_clients: int
    automated_requests: int
    automated_bytes: int
    refusals: int  # 429, or 503 that asks to wait
    violating_clients: int
    # with an episode that was ignored or escalated, by the headline key; not workers that each wait
    ignoring_clients: int
    first: str | None
    last: str | None
    window_s: float
    hosts: list[str]
    logged: dict[str, bool]  # request_time, retry_after, host, accept, conditional, limit_status, user_agent


class VerificationDocument(TypedDict):
    """How clients were verified."""

    ranges: str | None  # the folder of range lists
    dns: bool
    questions: int  # addresses that the DNS was asked for
    unanswered: int  # of these, without an answer in time
    notes: list[str]  # lists that are old, unread or not used


class FindingDocument(TypedDict):
    """One thing to know, worst first."""

    kind: str  # "violations", "ignored-429", ...: a name of analysis.findings.KINDS
    client: str
    severity: int  # 3 = acts against what it was told, 2 = costs or cannot be reached, 1 = to know
    sentence: str
    count: int
    evidence: str  # the command that lists the lines


class SuspectDocument(TypedDict):
    """A browser's user agent at one address that behaves like a program: suspected, and counted as a browser."""

    address: str
    user_agent: str
    requests: int
    pages: int
    distinct_pages: int
    assets: int
    referred: int  # requests with a referer
    robots_reads: int
    peak_60s: int  # pages
    gap_s: float | None  # median between pages
    gap_spread_s: float | None  # between the first and the last tenth of the gaps
    companions: int  # other browsers' user agents at the address that asked for a few things
    first: str
    last: str
    signs: dict[str, str]  # name of the sign and what was measured
    examples: list[str]  # up to three "file:line"
    evidence: str  # the command that lists the lines of browsers at the address


class SharedAddressDocument(TypedDict):
    """One address that came under names of several operators: a proxy that is shared, or one who changes names."""

    address: str
    operators: int  # an unknown operator counts as one for each name
    names: list[list[Any]]  # [client, requests], most requests first
    evidence: str  # the command that lists the lines of the first


class SeriesDocument(TypedDict):
    """Requests over time for charts."""

    bucket_s: int
    start: str
    purposes: dict[str, list[int]]  # purpose, or "browser" / "undeclared" -> requests per bucket
    refusals: list[int]


class AskedDocument(TypedDict):
    """The window asked for with --since and --until; null = no bound."""

    since: str | None
    until: str | None  # this instant is outside


class ReportDocument(TypedDict):
    """The whole report."""

    schema_version: int
    generator: str
    asked: AskedDocument
    inputs: list[InputDocument]  # each as a whole, whatever window was asked for
    totals: TotalsDocument
    rejects: list[RejectDocument]
    robots_versions: list[RobotsVersionDocument]
    robots_changes: list[RobotsChangeDocument]
    robots_answers: list[RobotsAnswerDocument]
    robots_sizes: list[RobotsSizeDocument]
    findings: list[FindingDocument]
    clients: list[ClientDocument]  # most requests first
    suspected: list[SuspectDocument]  # up to five hundred, most pages first
    shared_addresses: list[SharedAddressDocument]  # up to a hundred, most operators first
    series: SeriesDocument
    thresholds: dict[str, Any]
    notes: list[str]  # what the log cannot say, with the directive that would make it so
    verification: VerificationDocument | None  # null: not asked for
    compare: CompareDocument | None  # null: not asked for (--compare)
