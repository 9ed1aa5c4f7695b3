"""Names of the places that one robots.txt rules: scheme, host and port (RFC 9309 section 2.3).

A name is `host`, `host:port`, or, where the scheme alone tells two apart, `https://host`. A default port is no port to
a host, and tells the scheme; another port is one place whatever the scheme.
"""

import re
from typing import NamedTuple

SCHEMES = {"80": "http", "443": "https"}  # by default port
_NAMED = re.compile(r"(?:(https?)://)?(.*)", re.IGNORECASE | re.DOTALL)
_PORT = re.compile(r":(\d{1,5})$")


class Place(NamedTuple):
    """A host as logged or as an operator wrote it."""

    scheme: str | None  # null: not told, or told by the port that the host keeps
    host: str  # in normal form

    @property
    def name(self) -> str:
        """Its name with whatever is known of it."""
        return f"{self.scheme}://{self.host}" if self.scheme else self.host


def place(text: str) -> Place:
    """Read a host, with or without scheme and port."""
    found = _NAMED.fullmatch(text.strip())
    scheme, host = (found[1], found[2].rstrip("/")) if found else (None, text)
    port = _PORT.search(host)
    if port and port[1] not in SCHEMES:
        return Place(None, normal_host(host))
    told = SCHEMES[port[1]] if port else None
    return Place(scheme.lower() if scheme else told, normal_host(host))


def normal_host(host: str) -> str:
    """Host in lower case, as ASCII, without default port and last dot."""
    host = re.sub(r":(?:80|443)$", "", host.strip()).rstrip(".").lower()
    if host.isascii() or len(host) > 253:  # RFC 1035 section 2.3.4: no name is longer
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def bare(name: str) -> str:
    """The name or address of a host alone."""
    return _PORT.sub("", place(name).host)
