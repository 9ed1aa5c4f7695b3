"""Lines of a log that may be shown to the operator of the client that sent them: what is other people's is cut."""

import re
from collections.abc import Mapping
from typing import Any

RULE = (
    "Each line is written anew from what was read: address, time, request, status, bytes, user agent. Addresses of the "
    "client stay. Cut, and shown as …: the query, parameters and fragment of a target, what stands before a host, path "
    "segments with an @, and runs of twenty letters and digits, which may be keys. Referers, names of users, cookies "
    "and forwarded addresses are left out."
)
CUT = "…"
SHORTEST_KEY = 20
_BEHIND = re.compile(r"(?:[?;#]|%3[FfBb]|%23).*", re.DOTALL)
_PERSON = re.compile(r"[^/@%]*(?:@|%40)[^/]*")
_RUN = re.compile(rf"[A-Za-z0-9]{{{SHORTEST_KEY},}}")
_DIGIT = re.compile(r"[0-9]")


def target(text: str) -> str:
    """A target without what may be about a person; the path stays, for rules are about paths."""
    scheme, mark, rest = text.partition("://") if text.lower().startswith(("http://", "https://")) else ("", "", text)
    rest = _PERSON.sub(CUT, _BEHIND.sub(CUT, rest))
    return scheme + mark + _RUN.sub(lambda run: CUT if _DIGIT.search(run[0]) else run[0], rest)


def line(row: Mapping[str, Any]) -> str:
    """A row of schema REQUEST as one line; `-` is what the log does not hold."""
    instant = "-" if row["time"] is None else f"{row['time']:%Y-%m-%dT%H:%M:%SZ}"
    known = row["target"] is not None
    request = " ".join(
        part for part in (row["method"], target(row["target"]) if known else CUT, row["protocol"]) if part
    )
    numbers = " ".join("-" if row[name] is None else str(row[name]) for name in ("status", "bytes"))
    return f'{row["client_ip"] or "-"} [{instant}] "{request}" {numbers} "{row["user_agent"] or "-"}"'
