"""What stands in front of a server: Anubis and Cloudflare."""

from __future__ import annotations

import json
from collections.abc import Sequence

from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import REFUSAL, Server

PERIODS_S = (10, 60)  # that every plan of Cloudflare with user agents in expressions has


def anubis(rules: Sequence[Rule]) -> str:
    """Write bot rules; the first that matches counts, so that /robots.txt comes first."""
    names = [rule.name.replace(".", "-").replace("_", "-") for rule in rules]
    rows = "".join(
        f"  - name: limited-{number}-{name}\n    user_agent_regex: '(?i){rule.pattern}'\n    action: CHALLENGE\n"
        for number, (name, rule) in enumerate(zip(names, rules, strict=True), 1)
    )
    return f"bots:\n  - name: limited-robots-txt\n    path_regex: '^/robots[.]txt$'\n    action: ALLOW\n{rows}"


def cloudflare(rules: Sequence[Rule]) -> str:
    """Write the rules of a zone's http_ratelimit phase, as the Rulesets API takes them."""
    return json.dumps({"rules": [_rule(rule) for rule in rules]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, object]:
    seconds, requests = rule.limit.window
    return {
        "description": f"About {rule.limit.rate} with burst {rule.limit.burst} for {rule.token or rule.who}",
        "expression": f'({_expression(rule)}http.request.uri.path ne "/robots.txt")',
        "action": "block",
        "action_parameters": {"response": {"status_code": 429, "content": REFUSAL, "content_type": "text/plain"}},
        "ratelimit": {
            "characteristics": ["cf.colo.id", "ip.src"],
            "period": seconds,
            "requests_per_period": requests,
            "mitigation_timeout": seconds,
        },
    }


def _expression(rule: Rule) -> str:
    """Its `contains` knows no word's end: the same letters inside a longer name match too."""
    if rule.who == "everybody":
        return ""
    if rule.who == "unnamed":
        return 'http.user_agent eq "" and '
    return f'lower(http.user_agent) contains "{rule.name}" and '


ANUBIS = Server(
    name="anubis",
    title="Anubis",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed"}),
    body=anubis,
    remarks=(
        "Anubis counts nothing: it sets a puzzle for a browser before every page, which crawlers do not",
        "solve, so that CHALLENGE refuses them all, at any pace and without Retry-After. Put the rules",
        "before those of your policy; the first that matches counts. /robots.txt stays open. Not tried",
        "here against the program itself.",
    ),
    test="restart Anubis on a test port with POLICY_FNAME set to the file",
    undo="take the rules out and restart",
)
CLOUDFLARE = Server(
    name="cloudflare",
    title="Cloudflare",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=cloudflare,
    remarks=(
        "Cloudflare: rules for the http_ratelimit phase of a zone (Rulesets API). It counts each address",
        "by itself in each data centre, also under a token, and in windows: about the limit that was",
        "replayed, not the same. Names are matched inside longer ones too. The user agent in expressions",
        "needs the plan Business or a higher one. What Retry-After it sends is its own. /robots.txt stays",
        "open. Written by the documentation, not tried.",
    ),
    test="create the rule switched off, and look at what it would match in Security Analytics",
    undo="delete the rules",
    comments=False,
)
