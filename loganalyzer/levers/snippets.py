"""Text to paste. A token comes from strangers and a snippet is pasted as root: only harmless tokens go into one."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

from loganalyzer.drafts.limits import SERVERS, Limit, Rule, safe

LIMIT_RATE = "30r/m"
LIMIT_BURST = 5
RETRY_AFTER_S = Limit(LIMIT_RATE, LIMIT_BURST).retry_after_s


def robots_group(token: str | None) -> str | None:
    """A robots.txt group that closes the site to one token."""
    return f"User-agent: {token}\nDisallow: /\n" if safe(token) else None


def nginx_429(token: str | None) -> str | None:
    """A limit for one token; without one, for each address that sends no user agent."""
    if token is not None and not safe(token):
        return None
    key, who = ("address", "unnamed") if token is None else ("token", "token")
    rule = Rule(Limit(LIMIT_RATE, LIMIT_BURST, key=key), who, token)  # type: ignore[arg-type] # both are literals
    return SERVERS["nginx"].text([rule])


def nginx_refuse(token: str | None) -> str | None:
    """Answer 403 to one token, to everything but /robots.txt."""
    if token is None or not safe(token):
        return None
    return f"""# in http {{ }}
map $http_user_agent $refused_client {{ default 0; {_pattern(token)} 1; }}
map $uri $refused {{ default $refused_client; /robots.txt 0; }}
# in server {{ }}
if ($refused) {{ return 403; }}
# test with: nginx -t
"""


def nginx_deny(addresses: Sequence[str]) -> str | None:
    """Refuse addresses; what is no address is left out."""
    lines = [f"deny {address};" for address in addresses if _is_address(address)]
    return "\n".join(["# in server { }", *lines, "# test with: nginx -t", ""]) if lines else None


def _pattern(token: str) -> str:
    return f'"~*{Rule(Limit(LIMIT_RATE), token=token).pattern}"'


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text).compressed) and "%" not in text
    except ValueError:
        return False
