"""Caddy: its core limits no rate; it can answer 429 to a token, and a plugin counts."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.limit import LONGEST_RETRY_S
from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import REFUSAL, Server, by_limit


def body(rules: Sequence[Rule]) -> str:
    """Write what the core can do, and behind it, as comments, what the plugin would."""
    groups = by_limit(rules)
    core = "".join(
        _core(f"limited_{number}_{place}", rule) for number, _, some in groups for place, rule in enumerate(some, 1)
    )
    plugin = "".join(
        _plugin(f"limited_{number}_{place}", rule) for number, _, some in groups for place, rule in enumerate(some, 1)
    )
    return (
        f"# in the site's block\n{core}"
        "# with the plugin, instead of the lines above (not tried here; its Retry-After is its own):\n"
        f"#     rate_limit {{\n{plugin}#     }}\n"
    )


def _matches(rule: Rule) -> str:
    if rule.who == "unnamed":
        return "not header User-Agent *"
    return f'header_regexp User-Agent "(?i){rule.pattern}"'


def _core(name: str, rule: Rule) -> str:
    return (
        f"    @{name} {{\n        {_matches(rule)}\n        not path /robots.txt\n    }}\n"
        f"    handle @{name} {{\n        header Retry-After {LONGEST_RETRY_S}\n"
        f'        respond "{REFUSAL}" 429\n    }}\n'
    )


def _plugin(name: str, rule: Rule) -> str:
    seconds, requests = rule.limit.window
    key = {"token": "static", "address": "{remote_host}"}[rule.limit.key]
    return (
        f"#         zone {name} {{\n"
        f"#             match {{\n#                 {_matches(rule)}\n#                 not path /robots.txt\n"
        f"#             }}\n"
        f"#             key {key}\n#             events {requests}\n#             window {seconds}s\n#         }}\n"
    )


CADDY = Server(
    name="caddy",
    title="Caddy",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed"}),
    body=body,
    remarks=(
        "Caddy has no rate limit of its own. These lines answer 429 with Retry-After to EVERY request of",
        "whom they name, but /robots.txt: not the limit that was replayed, but a closed door with a",
        "polite sign. To count, build Caddy with github.com/mholt/caddy-ratelimit; the lines for it stand",
        "at the end, as comments.",
    ),
    test="caddy validate --config /etc/caddy/Caddyfile",
    undo="take the lines out and reload",
)
