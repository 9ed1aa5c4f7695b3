"""Apache: no request limit of its own; ModSecurity, which many have, can count a token over all processes."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import Server

FIRST_ID = 97_000  # ModSecurity leaves the ids up to 99,999 to the site
MINUTE_S = 60


def body(rules: Sequence[Rule]) -> str:
    """Write two ModSecurity rules for each: one counts, one refuses.

    A counter that expires would be renewed by every hit, and never expire for a client that does not pause. The minute
    stands in the counter's name instead: each minute of the clock has a counter of its own.
    """
    rows = "".join(_count(number, rule) + _refuse(number, rule) for number, rule in enumerate(rules, 1))
    return f'{rows}Header always set Retry-After "{MINUTE_S}" "expr=%{{REQUEST_STATUS}} == 429"\n'


def _count(number: int, rule: Rule) -> str:
    collection = _collection(rule)
    key = "%{REMOTE_ADDR}" if collection == "ip" else rule.name
    counter = f"initcol:{collection}=limited_{number}_{key}_%{{TIME_HOUR}}_%{{TIME_MIN}}"
    counted = f"{counter},setvar:{collection}.limited_{number}=+1"
    return _chain(f"id:{FIRST_ID + 2 * number},phase:1,pass,nolog", _conditions(rule), counted)


def _refuse(number: int, rule: Rule) -> str:
    over = (f"{_collection(rule).upper()}:LIMITED_{number}", f"@gt {_requests(rule)}")
    start = f"id:{FIRST_ID + 2 * number + 1},phase:1,deny,status:429,log,msg:'over {rule.limit.rate}'"
    return _chain(start, [*_conditions(rule), over])


def _chain(start: str, conditions: Sequence[tuple[str, str]], counted: str = "") -> str:
    """Rules that must all match; what is done with the request stands in the first, what is counted in the last."""
    last = len(conditions) - 1
    rows = []
    for place, (variable, test) in enumerate(conditions):
        actions = (start if place == 0 else "", "t:none", counted if place == last else "chain")
        rows.append(f'SecRule {variable} "{test}" "{",".join(filter(None, actions))}"\n')
    return "".join(rows)


def _conditions(rule: Rule) -> list[tuple[str, str]]:
    opened = ("REQUEST_FILENAME", "!@streq /robots.txt")
    if rule.who == "everybody":
        return [opened]
    if rule.who == "unnamed":
        return [opened, ("&REQUEST_HEADERS:User-Agent", "@eq 0")]
    return [opened, ("REQUEST_HEADERS:User-Agent", f"@rx (?i){rule.pattern}")]


def _collection(rule: Rule) -> str:
    return "global" if rule.limit.key == "token" else "ip"


def _requests(rule: Rule) -> int:
    return max(int(rule.limit.per_second * MINUTE_S), 1) + rule.limit.burst


APACHE = Server(
    name="apache",
    title="Apache",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=body,
    remarks=(
        "Apache itself limits no requests: mod_ratelimit slows bytes, mod_evasive answers 403 and counts",
        "in each process by itself. This needs ModSecurity (libapache2-mod-security2, with SecRuleEngine On",
        "and a SecDataDir) and mod_headers. It counts in minutes of the clock: about the limit that was",
        "replayed, not the same; and its counters are not exact where processes write at once.",
        "By address it keeps a counter for each address and minute, for an hour.",
        "With SecRuleEngine DetectionOnly it only logs. /robots.txt stays open. The ids of the rules,",
        f"from {FIRST_ID + 2} on, must be yours alone.",
    ),
    test="apachectl configtest && apachectl graceful",
    undo="take the lines out and reload",
)
