"""Text to paste. A token comes from strangers and a snippet is pasted as root: only harmless tokens go into one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address

LIMIT_RATE = "30r/m"
LIMIT_BURST = 5
RETRY_AFTER_S = 60

SAFE_TOKEN = re.compile(r"[A-Za-z0-9._-]{1,64}")


def safe(token: str | None) -> bool:
    """Whether a token may stand in a snippet."""
    return token is not None and SAFE_TOKEN.fullmatch(token) is not None


def robots_group(token: str | None) -> str | None:
    """A robots.txt group that closes the site to one token."""
    return f"User-agent: {token}\nDisallow: /\n" if safe(token) else None


def nginx_429(token: str | None) -> str | None:
    """A limit for one token; without one, for each address that sends no user agent.

    By itself nginx would answer 503 and send no Retry-After. An empty key is not limited, which keeps /robots.txt open.
    """
    if token is None:
        key = 'map $http_user_agent $limited_client { default ""; "" $binary_remote_addr; }'
    elif safe(token):
        key = f'map $http_user_agent $limited_client {{ default ""; {_pattern(token)} "{token.lower()}"; }}'
    else:
        return None
    return f"""# in http {{ }}
{key}
map $uri $limited_key {{ default $limited_client; /robots.txt ""; }}
limit_req_zone $limited_key zone=limited:1m rate={LIMIT_RATE};
map $status $retry_after {{ default ""; 429 {RETRY_AFTER_S}; }}
# in server {{ }}
limit_req zone=limited burst={LIMIT_BURST} nodelay;
limit_req_status 429;
add_header Retry-After $retry_after always;
# test with: nginx -t
"""


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
    """The token as a whole word, so that refusing `Sample` does not refuse `Sample-Image`."""
    return rf'"~*(?<![\w-]){re.escape(token)}(?![\w-])"'


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text).compressed) and "%" not in text
    except ValueError:
        return False
