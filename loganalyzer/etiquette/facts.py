"""What has to be known of one client before it can be judged: counts and paces, all of them measured elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNDECLARED = "undeclared"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One client over the whole log. None means that the log cannot say; a count of nothing is 0.

    Hours are counted from the first instant of the log. "Pages" are requests for neither assets nor /robots.txt,
    sitemaps, feeds or llms.txt.
    """

    # Who it claims to be
    client: str
    automated: bool = True
    kind: str | None = None
    user_triggered: bool | None = None  # fetches because a person asked
    token: str | None = None
    legal_token: bool | None = None  # letters, "_" and "-" only
    robots_tokens: tuple[str, ...] = ()
    version: str | None = None
    contact: str | None = None
    flags: tuple[str, ...] = ()  # keys of clients.FLAGS
    verified: bool | None = None  # whether its addresses are its operator's; None = not checked
    user_agent_logged: bool = True

    # How much it is
    requests: int = 0
    bytes: int = 0
    request_share: float = 0.0  # of all requests in the log
    byte_share: float = 0.0
    addresses: int | None = None
    first_h: float = 0.0  # its first request
    last_h: float = 0.0  # its last request
    pages: int = 0
    distinct_pages: int = 0
    site_pages: int = 0  # distinct pages that anybody got

    # robots.txt: how it was read, and the five classes of its requests
    robots_asked: int = 0
    robots_kept_back: bool = False  # never given it, by our own answers
    robots_fetches: int = 0  # answered 200 or 304
    first_read_h: float | None = None
    first_before_page: bool | None = None  # None = never read
    longest_unread_h: float | None = None  # between two reads, or from the last read to the last request
    probably_read: bool = False  # the same address read it moments before under a library's default name
    allowed: int = 0
    violation: int = 0
    grace: int = 0
    exempt: int = 0
    unjudged: int = 0
    unjudged_reasons: Mapping[str, int] = field(default_factory=dict)
    blocked_by_name: int = 0  # requests of an exempt client whose own token is disallowed

    # Another name after a refusal, by clients.disguise; None = addresses or user agents are not logged
    disguised_requests: int | None = None
    disguised_addresses: int = 0
    evading_requests: int = 0  # as a browser for what robots.txt closes to it, by clients.evasion
    evading_addresses: int = 0

    # After 429 and 503, by the headline key
    refusals: int = 0
    worst: str | None = None  # worst verdict of its episodes
    waits: int = 0  # that the log saw to their end
    kept: int = 0
    asked_known: bool | None = None  # false: at least one wait was assumed
    early: int = 0
    same_target_early: int = 0
    same_target_later: int = 0  # refusals whose target was asked for again once the wait was over
    patterns: tuple[str, ...] = ()  # ids of backoff.PATTERNS
    resumes: int = 0  # episodes whose pace before and after are both known
    resume_ratio: float | None = None  # median of pace after / pace before over them

    # Pace
    peak_60s: int = 0
    address_peak_60s: int | None = None  # of its busiest address
    concurrency: int | None = None  # None = request times are not logged
    crawl_delay_s: float | None = None  # asked of it by robots.txt
    crawl_delay_gaps: int = 0
    crawl_delay_short: int = 0
    limited: int | None = None  # requests that levers.LIMIT would have refused, replayed

    # Caching
    not_modified: int = 0  # answers 304
    site_not_modified: int = 0  # answers 304 to anybody: 0 = the server may not offer it
    repeats: int = 0  # 200 for a target and size that it had got within the day
    repeat_bytes: int = 0
    avoidable_repeats: int = 0  # of them, for targets that were answered 304 to anybody: the server offers it there
    avoidable_repeat_bytes: int = 0

    # What is made for machines
    sitemaps: int = 0
    feeds: int = 0
    llms: int = 0
    site_machine_files: int = 0  # sitemaps, feeds and llms.txt that anybody got with 200

    # Fetchers
    internal_referers: int | None = None  # pages asked for with a page of this site as referer; None = not logged

    # Who else comes from its addresses
    others_requests: int = 0
    people_requests: int = 0  # of these, from browsers
    people_addresses: int = 0
    neighbours: tuple[tuple[str, int], ...] = ()  # (client, requests), most first
    top_addresses: tuple[str, ...] = ()

    @property
    def judged(self) -> int:
        """Requests that robots.txt could be held against; /robots.txt itself is always allowed and says nothing."""
        return max(self.allowed - self.robots_asked, 0) + self.violation + self.grace

    @property
    def is_fetcher(self) -> bool:
        """Whether it fetches pages that a person asked for just then; feeds and monitors come by the clock."""
        return bool(self.user_triggered) and self.kind not in ("feed-reader", "monitor")

    @property
    def is_exempt(self) -> bool:
        """Whether robots.txt does not bind it, /robots.txt itself left out."""
        return self.exempt > 0 and self.exempt + self.robots_asked >= self.requests
