"""What the report's document holds about robots.txt; what `loganalyzer.document` says of values holds here too."""

from typing import TypedDict


class RobotsVersionDocument(TypedDict):
    """One robots.txt as given by the operator."""

    name: str
    host: str | None  # null = every host of the log
    in_force_from: str | None  # null = the whole log
    sha256: str
    lines: int
    groups: int
    rules: int
    warnings: list[str]


class RobotsAnswerDocument(TypedDict):
    """A run of equal answers to /robots.txt, read off the log."""

    host: str | None
    client: str | None  # null: to everybody who asked; else to this client alone, while others were served
    status: int | None
    first: str
    last: str
    requests: int
    clients: int


class RobotsSizeDocument(TypedDict):
    """The file changed its size between two answers 200: a sign of a new version."""

    host: str | None
    old: int  # bytes of the last answer before, to a user agent that got both
    new: int
    last: str  # last answer of the old size
    first: str  # first answer of the new size
    user_agents: int  # that got both, so that no other compression explains it
    given: bool  # a version given by the operator came into force between


class ChangedClientDocument(TypedDict):
    """One client and what one change of robots.txt forbade or allowed it."""

    client: str
    effect: str  # "forbidden" or "allowed", newly
    before: int  # requests for it in the window before the change
    before_bytes: int
    after: int  # in the window after it, which is as long
    after_bytes: int
    since: int  # requests for it from the change to the next one, or the end of the log
    late: int  # of these, those made when no older copy may serve any more
    read: str | None  # when it first got the new version; null: not in this log
    first: str | None  # of the requests since
    last: str | None
    lag_s: float | None  # newly forbidden: to the last such request; newly allowed: to the first; null: none came
    outcome: str  # "went on", "stopped", "too early to say", "left"; newly allowed: "came", "did not come", "left"
    evidence: str | None  # "file:line" of the last


class RobotsChangeDocument(TypedDict):
    """One version of robots.txt in place of another, and what came of it, in equal windows before and after."""

    host: str | None  # null = every host without versions of its own
    at: str
    old: str  # RobotsVersionDocument.name
    new: str
    old_file: str  # the same, as short as tells it from the others
    new_file: str
    window_s: float  # length of each window
    since: str  # the window before begins
    until: str  # the window after ends
    added: list[str]  # "User-agent: * / Disallow: /search"
    removed: list[str]
    forbidden: list[int]  # requests and bytes before, requests and bytes after, of all clients
    allowed: list[int]
    never_noticed: list[str]  # clients that went on with what was forbidden when no older copy may serve any more
    clients: list[ChangedClientDocument]


class RuleDocument(TypedDict):
    """Requests of one client that one rule of one version forbade, or that fall in its grace."""

    rule: str  # as written, "Disallow: /private/"
    group: str  # the user-agent value of the group that bound the client
    line: int
    version: str  # RobotsVersionDocument.name
    file: str  # the same, as short as tells it from the others
    decision: str  # "violation" or "grace"
    requests: int
    bytes: int
    first: str
    last: str
    examples: list[str]  # up to three targets
    evidence: list[str]  # up to three "file:line"


class RespeltDocument(TypedDict):
    """Requests that one rule does not forbid as they were sent, but would if the server read the path more freely."""

    way: str  # "slashes", "dots", "escapes", "case"
    words: str  # what the server would have to do: "reads several slashes as one"
    rule: str
    line: int
    version: str
    file: str
    requests: int  # allowed; no violations
    bytes: int
    examples: list[str]
    evidence: list[str]


class ClientRobotsDocument(TypedDict):
    """One client and robots.txt; the five classes add up to its requests."""

    fetches: int
    fetches_before: int  # before the period asked for, in a day or its longer grace: known to the replay alone
    answers: dict[str, int]  # to its requests for /robots.txt, by status; "-" where none was logged
    first_before_page: bool | None  # null: never read, the day before included
    longest_gap_h: float | None  # longest time between two reads, hours
    median_gap_h: float | None
    last_read: str | None  # instant of its last reading
    last_version: str | None  # RobotsVersionDocument.name: the version that it then got; null: none known
    reading: str  # "read", "not given" (kept from it by our answers), "probably read", "asked" (and got what tells
    # neither: a redirect, 404 while there was none), "never read"
    stale: int  # requests made more than a day after its last reading
    stale_h: float | None  # age of the oldest copy among them, hours
    grace_h: float  # for how long it may go by an older copy: 24, or as asked for
    probably_read: bool  # an address of it read it at most 60 s before under a library's default user agent
    allowed: int
    violation: int
    grace: int
    exempt: int
    unjudged: int
    unjudged_reasons: dict[str, int]
    exempt_reasons: dict[str, int]
    blocked_by_name: int  # requests of an exempt client whose own token is disallowed
    rules: list[RuleDocument]
    respelt: list[RespeltDocument]  # what escapes a rule by its spelling; one request may stand under several ways
