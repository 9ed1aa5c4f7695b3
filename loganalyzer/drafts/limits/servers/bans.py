"""fail2ban and CrowdSec: bans of addresses, for those who go on after a limit has answered 429."""

from __future__ import annotations

from collections.abc import Sequence

from loganalyzer.drafts.limits.rule import Rule
from loganalyzer.drafts.limits.servers.server import Server

FEWEST_REFUSALS = 10  # before an address is banned: one that slows down after the first ones never is
FINDTIME_S, BANTIME_S = 60, 600
QUOTED = r'(?:[^"\\]|\\.)*'  # unrolled: nothing in it can be matched in two ways


def fail2ban(rules: Sequence[Rule]) -> str:
    """Write a filter and a jail; the date is cut out of the line before the filter sees it, its brackets stay."""
    agents = "\n            ".join(_failregex(rule) for rule in rules)
    return (
        "# in /etc/fail2ban/filter.d/limited-clients.conf\n"
        f"[Definition]\nfailregex = {agents}\nignoreregex =\n"
        "datepattern = ^[^\\[]*\\[({DATE})\n              {^LN-BEG}\n"
        "# in /etc/fail2ban/jail.d/limited-clients.conf\n"
        "[limited-clients]\nenabled  = true\nport     = http,https\nfilter   = limited-clients\n"
        "logpath  = /var/log/nginx/access.log\n"
        f"maxretry = {FEWEST_REFUSALS}\nfindtime = {FINDTIME_S}\nbantime  = {BANTIME_S}\n"
    )


def _failregex(rule: Rule) -> str:
    agent = {"token": f"{QUOTED}?(?i:{_word(rule)}){QUOTED}", "unnamed": "-?", "everybody": QUOTED}[rule.who]
    return rf'^<HOST> \S+ \S+ \[\] "{QUOTED}" 429 \S+ "{QUOTED}" "{agent}"'


def _word(rule: Rule) -> str:
    """The token as a whole word, without taking the quotes around it."""
    return rf"(?<![\w-]){(rule.token or '').replace('.', '[.]')}(?![\w-])"


def crowdsec(rules: Sequence[Rule]) -> str:
    """Write one scenario for each rule: documents of one YAML file."""
    return "".join(_scenario(number, rule) for number, rule in enumerate(rules, 1))


def _scenario(number: int, rule: Rule) -> str:
    pattern = "^-?$" if rule.who == "unnamed" else rule.pattern  # what is not sent is a dash in the log
    picked = f" && evt.Parsed.http_user_agent matches '(?i){pattern}'" if pattern else ""
    return (
        f"---\ntype: leaky\nname: site/limited-{number}\n"
        f'description: "Goes on after 429: {rule.token or rule.who}"\n'
        f"filter: \"evt.Meta.service == 'http' && evt.Meta.http_status == '429'{picked}\"\n"
        "groupby: evt.Meta.source_ip\n"
        f"capacity: {FEWEST_REFUSALS}\nleakspeed: {FINDTIME_S // FEWEST_REFUSALS}s\nblackhole: {FINDTIME_S}s\n"
        "labels:\n  service: http\n  type: crawl\n  remediation: true\n"
    )


FAIL2BAN = Server(
    name="fail2ban",
    title="fail2ban",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=fail2ban,
    remarks=(
        f"fail2ban limits nothing: it bans, at the firewall and for {BANTIME_S // 60} minutes, each address that",
        f"the server refused {FEWEST_REFUSALS} times in {FINDTIME_S} s. It needs a limit in the server first, which",
        "answers 429. Who is banned reads neither Retry-After nor robots.txt, and whoever shares the address is",
        "banned too: stronger than a limit. For logs in the combined format; set logpath to yours.",
    ),
    test="fail2ban-regex /var/log/nginx/access.log /etc/fail2ban/filter.d/limited-clients.conf",
    undo="delete both files, then fail2ban-client reload",
)
CROWDSEC = Server(
    name="crowdsec",
    title="CrowdSec",
    keys=frozenset({"token", "address"}),
    who=frozenset({"token", "unnamed", "everybody"}),
    body=crowdsec,
    remarks=(
        "CrowdSec, in /etc/crowdsec/scenarios/limited-clients.yaml: its bouncers ban each address that",
        f"the server refused more than {FEWEST_REFUSALS} times in {FINDTIME_S} s. It needs a limit in the server",
        "first, and the log parser of that server. Each address has its own bucket, also under a token. Bans",
        "send no Retry-After and close /robots.txt too: stronger than a limit.",
    ),
    test="crowdsec -t",
    undo="delete the file and reload",
)
