"""Whom a limit is for. A token comes from strangers, a snippet is pasted as root: only harmless ones become a rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from loganalyzer.drafts.limits.limit import Limit

SAFE_TOKEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
Who = Literal["token", "unnamed", "everybody"]


def safe(token: str | None) -> bool:
    """Whether a token may stand in a snippet: nothing that a configuration language or pattern reads, but the dot."""
    return token is not None and SAFE_TOKEN.fullmatch(token) is not None


@dataclass(frozen=True)
class Rule:
    """A limit for one token, for requests that send no user agent (`unnamed`), or for everybody.

    Raises:
        ValueError: The token is not harmless, or the limit counts by a token that there is none of.
    """

    limit: Limit
    who: Who = "token"
    token: str | None = None

    def __post_init__(self) -> None:
        if (self.who == "token") != (self.token is not None):
            raise ValueError("a rule for a token has one, and no other rule has")
        if self.token is not None and not safe(self.token):
            raise ValueError("this token is in no snippet: it has other characters than A-Z, a-z, 0-9, dot, _ and -")
        if self.token is None and self.limit.key == "token":
            raise ValueError("who sends no token cannot be counted by it; count by address or network")

    @property
    def name(self) -> str:
        """What its bucket is called where the key is the token."""
        return (self.token or self.who).lower()

    @property
    def pattern(self) -> str:
        """The token as a whole word, so that limiting `Sample` does not limit `Sample-Image`.

        POSIX extended syntax without a backslash: PCRE, RE2 and the C library read it alike, and no quoting of any
        configuration language can change it. Without a token it matches the user agent that is not sent.
        """
        if self.token is None:
            return "^$" if self.who == "unnamed" else ""
        return f"(^|[^A-Za-z0-9_-]){self.token.replace('.', '[.]')}([^A-Za-z0-9_-]|$)"
