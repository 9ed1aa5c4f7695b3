"""What a user agent says of itself: the result type and the flags it can carry."""

from dataclasses import dataclass, field

BROWSER = "browser"
UNDECLARED = "undeclared"

# Every flag, with what it means. A flag is something to look at, never a verdict.
FLAGS = {
    "several-identities": "names clients of several operators",
    "foreign-contact": "gives the token of one operator and the contact of another",
    "control-only-token": "sends a token that exists for robots.txt only",
    "attack-string": "holds text that attacks a parser or a database",
    "truncated": "is longer than what was analysed",
    "quoted": "came with quotes inside",
    "encoded": "came percent-encoded or with + for blanks",
    "headless-browser": "is an automated browser under its own name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One identified user agent. Unknown is null; nothing here is verified, all of it is claimed."""

    name: str  # key in reports: the registry's spelling, else the token as sent; "browser", "undeclared"
    token: str | None = None  # as sent
    robots_tokens: tuple[str, ...] = ()  # names to look up in robots.txt, in order, before `*`
    legal_token: bool | None = None  # RFC 9309 section 2.2.1: letters, "_" and "-"
    version: str | None = None
    contact: str | None = None  # the first URL, else the first address
    automated: bool = True
    kind: str | None = None
    purpose: str | None = None
    operator: str | None = None
    user_triggered: bool | None = None
    declares_robots: str | None = None
    star_binds: bool | None = None  # false: its operator documents that `User-agent: *` does not bind it
    docs_url: str | None = None
    flags: tuple[str, ...] = field(default=())
