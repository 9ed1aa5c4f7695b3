"""HAProxy: stick tables, which count requests in a sliding window."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.limit import Limit
from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import Server, by_limit

TYPES = {"token": "string len 64", "address": "ipv6", "network": "ipv6"}
KEYS = {"address": "src", "network": "src,ipmask(24,48)"}


def body(rules: Sequence[Rule]) -> str:
    """Write what stands in the frontend, and a backend for each table."""
    groups = by_limit(rules)
    frontend = "".join(_frontend(number, limit, some) for number, limit, some in groups)
    return (
        "# in the frontend, before other http-request rules: what is behind a deny does not run for a refusal,\n"
        "# and the log line of a refusal then has no user agent\n"
        "    http-request capture req.fhdr(User-Agent) len 256\n"
        "    acl limited_open path /robots.txt\n"
        f"{frontend}"
        "# sections of their own\n"
        f"{''.join(_table(number, limit) for number, limit, _ in groups)}"
    )


def _frontend(number: int, limit: Limit, rules: Sequence[Rule]) -> str:
    """Whoever waits for the length of the window is let in again: that is what Retry-After says."""
    name, (seconds, requests) = f"limited_{number}", limit.window
    if limit.key == "token":
        picked = "".join(
            f"    acl {name}_{place} {_condition(rule)}\n"
            f"    http-request set-var(txn.{name}) str({rule.name}) if {name}_{place}\n"
            for place, rule in enumerate(rules, 1)
        )
        picked, key = f"{picked}    acl {name} var(txn.{name}) -m found\n", f"var(txn.{name})"
    else:
        picked = "".join(f"    acl {name} {_condition(rule)}\n" for rule in rules)
        key = KEYS[limit.key]
    return (
        f"{picked}"
        f"    http-request track-sc0 {key} table {name} if {name} !limited_open\n"
        f"    http-request deny deny_status 429 hdr Retry-After {seconds} "
        f"if {name} !limited_open {{ sc_http_req_rate(0,{name}) gt {requests} }}\n"
    )


def _condition(rule: Rule) -> str:
    if rule.who == "everybody":
        return "always_true"
    if rule.who == "unnamed":
        return "req.hdr_cnt(User-Agent) eq 0"
    return f"req.fhdr(User-Agent) -m reg -i '{rule.pattern}'"


def _table(number: int, limit: Limit) -> str:
    seconds, _ = limit.window
    return (
        f"backend limited_{number}\n"
        f"    stick-table type {TYPES[limit.key]} size 100k expire {2 * seconds}s store http_req_rate({seconds}s)\n"
    )


HAPROXY = Server(
    name="haproxy",
    title="HAProxy",
    keys=frozenset({"token", "address", "network"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=body,
    remarks=(
        "HAProxy (2.2 or newer, mode http): 429 with Retry-After over so many requests in a sliding",
        "window, which is about the limit that was replayed, not the same. Refused requests count too:",
        "who goes on stays refused. Each process and each HAProxy has its own table. /robots.txt stays",
        "open.",
    ),
    test="haproxy -c -f /etc/haproxy/haproxy.cfg",
    undo="take the lines out and reload",
)
