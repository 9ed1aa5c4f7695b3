"""nginx: limit_req, the bucket that the replay counts with."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.limit import Limit
from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import Server, by_limit

NETWORK = r"""map $binary_remote_addr $limited_network {
    default $binary_remote_addr;
    "~(?s)^(?<limited_24>.{3}).$" $limited_24;
    "~(?s)^(?<limited_48>.{6}).{10}$" $limited_48;
}
"""
VALUES = {"address": "$binary_remote_addr", "network": "$limited_network"}


def body(rules: Sequence[Rule]) -> str:
    """Write maps and zones for http { }, and what stands in server { }; Retry-After is the longest of the limits'."""
    groups = by_limit(rules)
    wait = max(limit.retry_after_s for _, limit, _ in groups)
    network = NETWORK if any(limit.key == "network" for _, limit, _ in groups) else ""
    http = "".join(_http(number, limit, rules) for number, limit, rules in groups)
    lines = "".join(f"limit_req zone=limited_{number} {_burst(limit)};\n" for number, limit, _ in groups)
    return (
        f"# in http {{ }}\n{network}{http}"
        f'map $status $limited_retry_after {{ default ""; 429 {wait}; }}\n'
        f"# in server {{ }}\n{lines}"
        "limit_req_status 429;\n"
        "add_header Retry-After $limited_retry_after always;\n"
    )


def _http(number: int, limit: Limit, rules: Sequence[Rule]) -> str:
    everybody = next((rule for rule in rules if rule.who == "everybody"), None)
    default = _value(everybody) if everybody else '""'
    picked = "".join(f"    {_source(rule)} {_value(rule)};\n" for rule in rules if rule.who != "everybody")
    size = "1m" if limit.key == "token" else "10m"
    return (
        f"map $http_user_agent $limited_client_{number} {{\n    default {default};\n{picked}}}\n"
        f'map $uri $limited_key_{number} {{ default $limited_client_{number}; /robots.txt ""; }}\n'
        f"limit_req_zone $limited_key_{number} zone=limited_{number}:{size} rate={limit.rate};\n"
    )


def _source(rule: Rule) -> str:
    return '""' if rule.who == "unnamed" else f'"~*{rule.pattern}"'


def _value(rule: Rule) -> str:
    return VALUES.get(rule.limit.key, f'"{rule.name}"')


def _burst(limit: Limit) -> str:
    if not limit.burst:
        return "nodelay"
    served = {None: " nodelay", 0: ""}.get(limit.at_once, f" delay={limit.at_once}")
    return f"burst={limit.burst}{served}"


NGINX = Server(
    name="nginx",
    title="nginx",
    keys=frozenset({"token", "address", "network"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=body,
    remarks=(
        "nginx, limit_req: exactly the bucket that the log was replayed with. /robots.txt stays open: an",
        "empty key is not limited, and neither is who matches nothing of the map. Refusals are 429 with",
        "Retry-After; without limit_req_status they would be 503. A location with an add_header of its",
        "own does not inherit this one: repeat it there. Where return or rewrite answers, limit_req is",
        "not asked.",
    ),
    test="nginx -t && nginx -s reload",
    undo="take the lines out and reload",
)
