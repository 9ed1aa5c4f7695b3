"""The report as one plain document: what `report --json` prints and what every renderer reads.

Keys are always present; unknown is null. Instants are ISO 8601 in UTC, durations seconds, rates requests per second,
shares fractions of one. Lists are sorted, so that the same input gives the same bytes.
"""

from typing import Any, TypedDict

from loganalyzer.robotsdocument import (
    ClientRobotsDocument,
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
    ignoring_clients: (
        int  # with an episode that was ignored or escalated, by the headline key; not workers that each wait
    )
    first: str | None
    last: str | None
    window_s: float
    hosts: list[str]
    logged: dict[str, bool]  # request_time, retry_after, host, accept, conditional, limit_status, user_agent


class RatesDocument(TypedDict):
    """Pace of one client over all its addresses."""

    peak_1s: int
    peak_1s_at: str | None  # null with the others where no time was logged
    peak_60s: int
    peak_60s_at: str | None
    mean_active: float | None
    mean_window: float | None  # null where the log is a single instant
    burst: int
    burst_at: str | None
    burst_s: float
    concurrency: int | None
    concurrency_is: str | None  # "measured" or "upper bound": the clock of the log is too coarse to prove it
    concurrency_least: int | None  # what it proves
    crawl_delay_s: float | None  # asked of this client by robots.txt
    crawl_delay_gaps: int | None
    crawl_delay_short: int | None  # gaps that were too short: the delay read as a pause
    crawl_delay_windows: int | None  # windows of that length with a request: the delay read as one access a window
    crawl_delay_crowded: int | None  # of these, with more than one
    peak_1s_line: str | None  # "file:line" of the first request of each
    peak_60s_line: str | None
    burst_line: str | None


class AddressRatesDocument(TypedDict):
    """Pace of one client at one of its busiest addresses."""

    address: str
    requests: int
    peak_1s: int
    peak_60s: int
    peak_60s_at: str
    mean_active: float | None
    burst: int
    concurrency: int | None  # as of RatesDocument, an upper bound where the log has whole seconds


class ContentDocument(TypedDict):
    """What one client asked for and got."""

    kinds: dict[str, int]  # requests by kind of target: page, asset, feed, sitemap, llms, json, robots
    machine: int  # of these, feed, sitemap, llms and json: what is made for machines
    machine_share: float  # of its requests
    client_error_share: float | None  # 4xx, of its answers whose status is logged
    server_error_share: float | None  # 5xx
    not_modified: int
    repeats: int  # 200 for a target and size that it had got within the 24 hours before
    repeat_bytes: int
    avoidable_repeats: (
        int  # of these, for targets that the server is seen to answer with 304: a conditional request saves
    )
    avoidable_repeat_bytes: int


class VerdictsDocument(TypedDict):
    """Episodes by verdict."""

    honoured: int
    slowed: int
    ignored: int
    escalated: int
    gave_up: int
    unobserved: int


class EpisodeDocument(TypedDict):
    """One episode, for the timeline."""

    key: str  # "address" or "token"
    address: str | None
    first: str
    last: str
    verdict: str
    refusals: int
    waits: int
    kept: int | None
    asked_s: float
    asked_known: bool
    early: int
    same_target_early: int
    same_target_later: int
    same_target_soon: int
    in_flight: int
    first_return_s: float | None
    pace_before: float | None
    pace_in_wait: float | None
    ratio: float | None
    pace_after: float | None  # once back
    shape: str | None  # "growing", "constant", "irregular": of the gaps between refusals
    course: (
        str  # 32 cells from the first refusal to a little after the last wait: "#" refused, "." asked to wait, "!" a
    )
    # request inside the wait, "o" one after it; of several in a cell, "!" first, then "#", "o", "."
    elsewhere: int | None  # early ones from addresses not refused in it; null, as what follows, by address
    addresses_before: int | None
    addresses_after: int | None
    spread: bool | None
    rotated: bool | None


class PatternDocument(TypedDict):
    """What kind of reaction it was, beside the verdict."""

    pattern: str  # "parallel", "fleet", "drops", ...
    sentence: str


class SensitivityDocument(TypedDict):
    """The headline judged by another threshold than the chosen one."""

    threshold: str  # "slow_ratio", "assumed_wait_s"; the chosen values stand in `thresholds`
    value: float
    worst: str
    waits: int
    kept: int
    by_worker: bool | None  # so judged, it is workers that each wait; null for `slow_ratio`


class BackoffDocument(TypedDict):
    """What one client did after 429 or 503 that asks to wait."""

    refusals: int
    per_address: VerdictsDocument
    per_token: VerdictsDocument
    headline: str  # "address" or "token": whose counts `waits`, `kept` and `verdict` are
    verdict: str  # "honoured 12 of 12", "too few to say (2)", "never refused"
    worst: str | None  # worst verdict of the headline key
    waits: int
    kept: int
    too_short: int  # waits that end before a request could be early; not among `waits`
    kept_interval: list[float] | None  # 95 % Wilson interval of kept / waits; null below 3 waits
    asked_known: bool | None  # false: at least one wait was assumed; null: never refused
    asked_s: float | None  # median
    first_return_s: float | None  # median
    early: int  # requests begun inside a wait
    same_target_early: int  # of these, how many asked for the refused target again
    same_target_later: int  # refusals whose target was asked for again once the wait was over
    same_target_soon: int  # of these, soon after it was over
    spread: int  # episodes by token in which half of the early requests came from addresses that were not refused
    rotated: int  # episodes by token with at least twice as many addresses after as before
    resumes: int  # episodes whose pace before and after are known
    resume_ratio: float | None  # median of pace after / pace before; under one: it came back slower
    patterns: list[PatternDocument]
    sensitivity: list[SensitivityDocument]
    episodes: list[EpisodeDocument]  # the first twenty of the headline key; the counts are of all


class EtiquetteDocument(TypedDict):
    """One row of etiquette for one client."""

    row: str  # "names-itself", ...
    title: str
    verdict: str  # "pass", "partly", "fail", "not observable"
    sentence: str
    evidence: dict[str, Any]  # the numbers in the sentence, with their base and threshold
    observable_with: str | None  # of "not observable": the directive, option or time that would change it
    lines: str | None  # the option of `loganalyzer lines` that lists what it stands on; null: all lines of the client


class MannersDocument(TypedDict):
    """The rows of etiquette of one client counted, to sort by; the rows themselves stand beside it."""

    passed: int
    partly: int
    failed: int
    not_observable: int
    score: float | None  # (passed + partly / 2) / observable rows; null below three of them


class LeverDocument(TypedDict):
    """The mildest lever that the measured behaviour says will work."""

    lever: str  # "leave-alone", "write", "robots", "429", "refuse-token", "address-range"
    title: str
    why: str
    saves_requests: int  # expected, weighted by measured compliance
    saves_bytes: int
    saves_requests_interval: list[int] | None  # 95 %, of the share that weights it; null: nothing measured, or too few
    saves_bytes_interval: list[int] | None
    base: str  # what the saving is a share of, and how it was weighted
    text: str | None  # what to paste or send
    collateral: str | None


class NetworkDocument(TypedDict):
    """One network of a client: a /24 of IPv4, a /48 of IPv6."""

    network: str
    requests: int
    request_share: float  # of the client's requests
    bytes: int
    addresses: int
    asn: int | None  # these three from the operator's own file (--mmdb); null = not in it, or none given
    organisation: str | None
    country: str | None  # ISO 3166-1, two letters


class SharedDocument(TypedDict):
    """What others sent from the addresses of a client: whom a block of these addresses would meet as well."""

    requests: int
    bytes: int
    people_requests: int  # from browsers; bots that pass for one are among them
    people_addresses: int


class StandingDocument(TypedDict):
    """The part of a client's requests of which one thing was found."""

    requests: int
    bytes: int
    addresses: int
    violations: int  # of robots.txt
    ways: dict[str, int]  # requests by the way it was found: "reverse DNS"; of unknown, by the reason


class ClientVerificationDocument(TypedDict):
    """One client and the addresses it comes from; the three add up to its requests."""

    verified: StandingDocument
    refuted: StandingDocument
    unknown: StandingDocument


class SentDocument(TypedDict):
    """What a client sent, and was sent, in some time."""

    requests: int
    bytes: int
    refusals: int  # of the requests


class RefusalEffectDocument(TypedDict):
    """Cause and effect of a limit: before a client's first refusal, and from it on."""

    first_refusal: str | None
    before: SentDocument  # in the whole log
    after: SentDocument
    window_s: float  # as much of the log as there is on both sides
    window_before: SentDocument
    window_after: SentDocument


class VerificationDocument(TypedDict):
    """How clients were verified."""

    ranges: str | None  # the folder of range lists
    dns: bool
    questions: int  # addresses that the DNS was asked for
    unanswered: int  # of these, without an answer in time
    notes: list[str]  # lists that are old, unread or not used


class ClientDocument(TypedDict):
    """One client: a product token with its addresses under it; browsers are one, undeclared ones another."""

    client: str
    automated: bool
    kind: str | None
    purpose: str | None
    operator: str | None
    contact: str | None
    docs_url: str | None
    user_triggered: bool | None
    declares_robots: str | None
    legal_token: bool | None
    robots_tokens: list[str]
    versions: list[str]
    flags: list[str]
    flagged: dict[str, int]  # requests that carry each flag
    identity: str  # "claims to be X; not verified", "X of Y; verified: ..."
    requests: int
    bytes: int
    request_share: float
    byte_share: float
    addresses: int
    top_addresses: list[list[Any]]  # [address, requests], up to ten
    networks: int
    top_networks: list[NetworkDocument]  # up to ten
    shared: SharedDocument | None  # null: for clients that are not automated
    verification: ClientVerificationDocument | None  # null: not asked for, or there is no claim to verify
    first: str | None
    last: str | None
    statuses: dict[str, int]
    user_agents: list[list[Any]]  # [user agent, requests], up to five
    robots: ClientRobotsDocument
    rates: RatesDocument
    rates_by_address: list[
        AddressRatesDocument
    ]  # up to ten, most requests first; none of clients that are not automated
    content: ContentDocument
    series: list[int] | None  # requests in the buckets of ReportDocument.series; null beyond the busiest two hundred
    backoff: BackoffDocument
    etiquette: list[EtiquetteDocument]
    manners: MannersDocument | None  # null: for browsers
    lever: LeverDocument
    refusal_effect: RefusalEffectDocument | None  # null: never refused


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
