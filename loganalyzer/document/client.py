"""What the report's document holds of one client; what `loganalyzer.document` says of values holds here too."""

from typing import Any, TypedDict

from loganalyzer.document.robots import ClientRobotsDocument


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
    course: str  # 32 cells: "#" refused, "." asked to wait, "!" a request inside the wait, "o" one after it
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
