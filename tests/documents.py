"""Report documents to render: a site's three days in eight clients, and the same with a stranger's text everywhere."""

import copy
from typing import Any

FIRST, LAST = "2026-11-01T00:00:04Z", "2026-11-03T23:59:51Z"
WINDOW_S = 259_187.0
REQUESTS, BYTES = 120_000, 6_400_000_000
NONE = dict.fromkeys(("honoured", "slowed", "ignored", "escalated", "gave_up", "unobserved"), 0)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "'\"><svg onload=alert(1)>",
    "![x](http://pictures.example/b.png)",
    "[click](javascript:alert(1)) www.links.example",
    "\x1b[31mred\x1b]8;;http://links.example\x07link",
    "gnp\u202eexe \u200b\ufeff \x9b31m",
    "[/b][link=http://links.example]x[/link][red]",
    "=HYPERLINK(1)",
    "| pipe ` tick *bold* $x$ :red[x]\nnext line",
    "{{ 7 * 7 }}{% raw %}",
    "日本語" * 60,
)


def verdicts(**counts: int) -> dict[str, int]:
    return {**NONE, **counts}


def episode(**parts: Any) -> dict[str, Any]:
    return {
        "key": "address",
        "address": "192.0.2.10",
        "first": "2026-11-02T10:00:00Z",
        "last": "2026-11-02T10:00:00Z",
        "verdict": "honoured",
        "refusals": 1,
        "waits": 1,
        "kept": 1,
        "asked_s": 120.0,
        "asked_known": True,
        "early": 0,
        "same_target_early": 0,
        "same_target_later": 0,
        "same_target_soon": 0,
        "in_flight": 1,
        "first_return_s": 131.0,
        "pace_before": 0.5,
        "pace_in_wait": 0.0,
        "ratio": 0.0,
        "pace_after": None,
        "shape": None,
        "course": "#" + "." * 24 + "  o    ",
        "elsewhere": None,
        "addresses_before": None,
        "addresses_after": None,
        "spread": None,
        "rotated": None,
        **parts,
    }


def backoff(**parts: Any) -> dict[str, Any]:
    return {
        "refusals": 0,
        "per_address": verdicts(),
        "per_token": verdicts(),
        "headline": "address",
        "verdict": "never refused",
        "worst": None,
        "waits": 0,
        "kept": 0,
        "too_short": 0,
        "kept_interval": None,
        "asked_known": None,
        "asked_s": None,
        "first_return_s": None,
        "early": 0,
        "same_target_early": 0,
        "same_target_later": 0,
        "same_target_soon": 0,
        "spread": 0,
        "rotated": 0,
        "resumes": 0,
        "resume_ratio": None,
        "patterns": [],
        "sensitivity": [],
        "episodes": [],
        **parts,
    }


def robots(**parts: Any) -> dict[str, Any]:
    return {
        "fetches": 0,
        "fetches_before": 0,
        "first_before_page": None,
        "longest_gap_h": None,
        "median_gap_h": None,
        "last_read": None,
        "last_version": None,
        "reading": "read" if parts.get("fetches") else "never read",
        "stale": 0,
        "stale_h": None,
        "grace_h": 24.0,
        "answers": {},
        "probably_read": False,
        "allowed": 0,
        "violation": 0,
        "grace": 0,
        "exempt": 0,
        "unjudged": 0,
        "unjudged_reasons": {},
        "exempt_reasons": {},
        "blocked_by_name": 0,
        "rules": [],
        "respelt": [],
        **parts,
    }


def answer(name: str | None, status: int, first: str, last: str, requests: int, clients: int) -> dict[str, Any]:
    span = {"first": first, "last": last, "requests": requests, "clients": clients}
    return {"host": None, "client": name, "status": status, **span}


def respelt(**parts: Any) -> dict[str, Any]:
    return {
        "way": "slashes",
        "words": "reads several slashes as one",
        "rule": "Disallow: /search",
        "line": 4,
        "version": "robots/2026-11-01T0000Z.txt",
        "file": "2026-11-01T0000Z.txt",
        "requests": 31,
        "bytes": 9_000,
        "examples": ["//search?q=shoes"],
        "evidence": ["access.log:18"],
        **parts,
    }


def changed(name: str, **parts: Any) -> dict[str, Any]:
    return {
        "client": name,
        "effect": "forbidden",
        "before": 5700,
        "before_bytes": 87_000_000,
        "after": 4812,
        "after_bytes": 78_000_000,
        "since": 4812,
        "late": 0,
        "read": None,
        "first": "2026-11-02T10:00:03Z",
        "last": LAST,
        "lag_s": 136_791.0,
        "outcome": "went on",
        "evidence": "access.log:79991",
        **parts,
    }


def rule(**parts: Any) -> dict[str, Any]:
    return {
        "rule": "Disallow: /search",
        "group": "*",
        "line": 4,
        "version": "robots/2026-11-01T0000Z.txt",
        "file": "2026-11-01T0000Z.txt",
        "decision": "violation",
        "requests": 4812,
        "bytes": 96_240_000,
        "first": "2026-11-01T00:00:09Z",
        "last": LAST,
        "examples": ["/search?q=shoes", "/search?q=hats&page=2"],
        "evidence": ["access.log:17", "access.log:42"],
        **parts,
    }


def etiquette(row: str, title: str, verdict: str, sentence: str, **evidence: Any) -> dict[str, Any]:
    return {"row": row, "title": title, "verdict": verdict, "sentence": sentence, "evidence": evidence,
            "observable_with": "a longer log" if verdict == "not observable" else None, "lines": None}  # fmt: skip


def lever(name: str, title: str, why: str, requests: int = 0, size: int = 0, **parts: Any) -> dict[str, Any]:
    return {
        "lever": name,
        "title": title,
        "why": why,
        "saves_requests": requests,
        "saves_bytes": size,
        "saves_requests_interval": [requests // 2, requests] if requests else None,
        "saves_bytes_interval": [size // 2, size] if size else None,
        "base": f"of {REQUESTS:,} requests and {BYTES:,} bytes",
        "text": None,
        "collateral": None,
        **parts,
    }


def client(name: str, requests: int, size: int, **parts: Any) -> dict[str, Any]:
    return {
        "client": name,
        "automated": True,
        "kind": "crawler",
        "purpose": "search",
        "operator": None,
        "contact": f"https://{name.lower()}.example/bot",
        "docs_url": None,
        "user_triggered": False,
        "declares_robots": "yes",
        "legal_token": True,
        "robots_tokens": [name],
        "versions": ["1.0"],
        "flags": [],
        "flagged": {},
        "identity": f"claims to be {name}; not verified",
        "requests": requests,
        "bytes": size,
        "request_share": requests / REQUESTS,
        "byte_share": size / BYTES,
        "addresses": 2,
        "top_addresses": [["192.0.2.10", requests - 1], ["2001:db8::10", 1]],
        "networks": 2,
        "top_networks": [
            network("192.0.2.0/24", requests - 1, requests, asn=64_500, organisation="Example Networks", country="NZ"),
            network("2001:db8::/48", 1, requests),
        ],
        "shared": {"requests": 40, "bytes": 9_000, "people_requests": 12, "people_addresses": 1},
        "verification": None,
        "first": FIRST,
        "last": LAST,
        "statuses": {"200": requests},
        "user_agents": [[f"Mozilla/5.0 (compatible; {name}/1.0; +https://{name.lower()}.example/bot)", requests]],
        "robots": robots(fetches=3, first_before_page=True, longest_gap_h=23.5, allowed=requests),
        "rates": {
            "peak_1s": 3,
            "peak_1s_at": "2026-11-02T10:00:00Z",
            "peak_60s": 70,
            "peak_60s_at": "2026-11-02T10:00:00Z",
            "mean_active": 0.34,
            "mean_window": 0.33,
            "burst": 9,
            "burst_at": "2026-11-02T10:00:00Z",
            "burst_s": 8.0,
            "concurrency": 2,
            "concurrency_is": "upper bound",
            "concurrency_least": 1,
            "crawl_delay_s": None,
            "crawl_delay_gaps": None,
            "crawl_delay_short": None,
            "crawl_delay_windows": None,
            "crawl_delay_crowded": None,
            "peak_1s_line": "access.log:7",
            "peak_60s_line": "access.log:7",
            "burst_line": "access.log:7",
        },
        "rates_by_address": [
            {
                "address": "192.0.2.10",
                "requests": requests - 1,
                "peak_1s": 3,
                "peak_60s": 70,
                "peak_60s_at": "2026-11-02T10:00:00Z",
                "mean_active": 0.34,
                "burst": 9,
                "concurrency": 2,
            }
        ],
        "content": {
            "kinds": {"page": requests},
            "machine": 0,
            "machine_share": 0.0,
            "client_error_share": 0.0,
            "server_error_share": None,
            "not_modified": 0,
            "repeats": 3,
            "repeat_bytes": 3_000,
            "avoidable_repeats": 1,
            "avoidable_repeat_bytes": 1_000,
        },
        "series": [requests // 4, 0, requests // 2, requests // 4],
        "backoff": backoff(),
        "etiquette": [
            etiquette("names-itself", "Names itself", "pass", f"{name}/1.0 with a contact address."),
            etiquette("waits", "Waits when told to", "not observable", "It was never refused."),
        ],
        "manners": {"passed": 1, "partly": 0, "failed": 0, "not_observable": 1, "score": None},
        "lever": lever("leave-alone", "leave alone", "It keeps every rule it read."),
        "refusal_effect": None,
        **parts,
    }


def network(name: str, requests: int, of: int, **parts: Any) -> dict[str, Any]:
    return {
        "network": name,
        "requests": requests,
        "request_share": requests / of,
        "bytes": 1_000 * requests,
        "addresses": 1,
        "asn": None,
        "organisation": None,
        "country": None,
        **parts,
    }


def standing(requests: int = 0, addresses: int = 0, violations: int = 0, **ways: int) -> dict[str, Any]:
    return {
        "requests": requests,
        "bytes": 1_000 * requests,
        "addresses": addresses,
        "violations": violations,
        "ways": {way.replace("_", " "): number for way, number in ways.items()},
    }


def finding(name: str, severity: int, sentence: str, count: int, flag: str) -> dict[str, Any]:
    return {
        "client": name,
        "kind": {"early": "ignored-429"}.get(flag, flag),
        "severity": severity,
        "sentence": sentence,
        "count": count,
        "evidence": f"loganalyzer lines access.log access.log.1.gz --client {name} --{flag}",
    }


def clients() -> list[dict[str, Any]]:
    return [
        client("browser", 46_000, 1_600_000_000, automated=False, kind="browser", purpose=None, contact=None,
               robots_tokens=[], robots=robots(exempt=46_000, exempt_reasons={"kind:browser": 46_000})),
        client("GreedyBot", 30_113, 2_600_000_000, purpose="ai-training",
               robots=robots(allowed=25_301, violation=4812, rules=[rule()]),
               backoff=backoff(refusals=310, verdict="ignored 9 of 9", worst="ignored", waits=9, kept=0,
                               kept_interval=[0.0, 0.299], asked_known=True, asked_s=120.0, first_return_s=2.0,
                               early=147, same_target_early=44,
                               per_address=verdicts(ignored=9), per_token=verdicts(ignored=7),
                               episodes=[
                                   episode(verdict="ignored", kept=0, early=57, refusals=40, first_return_s=2.0,
                                           last="2026-11-02T10:01:10Z", pace_in_wait=0.55, ratio=1.1),
                                   episode(verdict="escalated", kept=0, early=90, first_return_s=3.0, ratio=1.8),
                               ]),
               refusal_effect={
                   "first_refusal": "2026-11-02T10:00:00Z", "window_s": 122_391.0,
                   "before": {"requests": 11_113, "bytes": 1_100_000_000, "refusals": 0},
                   "after": {"requests": 19_000, "bytes": 1_500_000_000, "refusals": 310},
                   "window_before": {"requests": 11_113, "bytes": 1_100_000_000, "refusals": 0},
                   "window_after": {"requests": 17_004, "bytes": 1_400_000_000, "refusals": 308},
               },
               etiquette=[
                   etiquette("keeps-robots", "Keeps it", "fail", "4,812 of 30,113 requests were forbidden.",
                             violation=4812, requests=30_113),
                   etiquette("waits", "Waits when told to", "fail", "Kept 0 of 9 waits.", kept=0, waits=9),
               ],
               lever=lever("refuse-token", "refuse the token", "429 alone did not slow it; nobody else uses the token.",
                           30_113, 2_600_000_000, text='map $http_user_agent $refuse {\n  "~*GreedyBot" 1;\n}',
                           collateral="none: no other client comes with this token")),
        client("ExampleBot", 18_020, 900_000_000,
               backoff=backoff(refusals=12, verdict="honoured 12 of 12", worst="honoured", waits=12, kept=12,
                               kept_interval=[0.757, 1.0], asked_known=True, asked_s=120.0, first_return_s=131.0,
                               per_address=verdicts(honoured=12), per_token=verdicts(honoured=12),
                               episodes=[episode(), episode(first_return_s=125.0)])),
        client("python-requests", 11_777, 500_000_000, kind="library", purpose=None, contact=None,
               robots=robots(allowed=11_777, respelt=[respelt()]),
               backoff=backoff(refusals=2, verdict="too few to say (2)", worst="slowed", waits=2, kept=1,
                               asked_known=False, asked_s=60.0, per_address=verdicts(slowed=1, honoured=1),
                               per_token=verdicts(slowed=2),
                               episodes=[episode(verdict="slowed", asked_s=60.0, asked_known=False, early=1, kept=0,
                                                 first_return_s=40.0, ratio=0.3)]),
               lever=lever("429", "answer 429 with Retry-After", "It slowed at 1 of 2 refusals.", 4000, 1_000_000)),
        client("CacheBot", 6000, 300_000_000, purpose="archive",
               robots=robots(fetches=3, first_before_page=True, longest_gap_h=23.0, allowed=5700, grace=300,
                             rules=[rule(decision="grace", requests=300, version="robots/2026-11-02T1000Z.txt")])),
        client("Asker-User", 4090, 300_000_000, kind="user-triggered", purpose="user-fetch", user_triggered=True,
               robots=robots(exempt=4090, exempt_reasons={"kind:user-triggered": 4090}, blocked_by_name=12)),
        client("SlowBot", 3000, 150_000_000, purpose="seo",
               lever=lever("robots", "a robots.txt line", "It kept every rule it read.", 2900, 140_000_000,
                           text="User-agent: SlowBot\nDisallow: /\n")),
        client("undeclared", 1000, 50_000_000, kind="undeclared", purpose=None, contact=None, robots_tokens=[],
               robots=robots(unjudged=1000, unjudged_reasons={"no-token": 1000}), operator=None, legal_token=None),
    ]  # fmt: skip


def site() -> dict[str, Any]:
    """Eight clients over three days."""
    return {
        "schema_version": 1,
        "generator": "loganalyzer 0.1.0",
        "asked": {"since": None, "until": None},
        "inputs": [
            {
                "source": "access.log",
                "format": "nginx extended",
                "formats": [["nginx extended", 80_000]],
                "compression": None,
                "lines": 80_012,
                "requests": 80_000,
                "rejects": 12,
                "blank": 0,
                "comments": 0,
                "bytes": 18_000_000,
                "problem": None,
                "notes": [],
            },
            {
                "source": "access.log.1.gz",
                "format": "combined, main",
                "formats": [["combined", 39_000], ["main", 1_000]],
                "compression": "gzip",
                "lines": 40_001,
                "requests": 40_000,
                "rejects": 0,
                "blank": 1,
                "comments": 0,
                "bytes": 9_000_000,
                "problem": "cut short: the gzip stream ends in the middle",
                "notes": ["no time zone in the log: UTC assumed"],
            },
        ],
        "totals": {
            "lines": 120_013,
            "rejects": 12,
            "requests": REQUESTS,
            "bytes": BYTES,
            "suspected": 1,
            "suspected_requests": 64,
            "untimed": 0,
            "clients": 8,
            "described": 8,
            "automated_clients": 7,
            "automated_requests": 74_000,
            "automated_bytes": 4_800_000_000,
            "refusals": 324,
            "violating_clients": 1,
            "ignoring_clients": 1,
            "first": FIRST,
            "last": LAST,
            "window_s": WINDOW_S,
            "hosts": ["www.shop.example"],
            "logged": {"request_time": True, "retry_after": False, "host": True, "user_agent": True},
        },
        "rejects": [{"reason": "no HTTP request line", "count": 12, "examples": ["access.log:90", "access.log:91"]}],
        "robots_changes": [
            {
                "host": None,
                "at": "2026-11-02T10:00:00Z",
                "old": "robots/2026-11-01T0000Z.txt",
                "new": "robots/2026-11-02T1000Z.txt",
                "old_file": "2026-11-01T0000Z.txt",
                "new_file": "2026-11-02T1000Z.txt",
                "window_s": 122_396.0,
                "since": "2026-11-01T00:00:04Z",
                "until": "2026-11-03T19:59:56Z",
                "added": ["User-agent: * / Disallow: /search"],
                "removed": [],
                "forbidden": [6000, 90_000_000, 5100, 80_000_000],
                "allowed": [0, 0, 0, 0],
                "never_noticed": ["GreedyBot"],
                "clients": [changed("GreedyBot", late=2800), changed("CacheBot", outcome="stopped", lag_s=7200.0)],
            }
        ],
        "robots_versions": [
            {
                "name": "robots/2026-11-01T0000Z.txt",
                "host": None,
                "in_force_from": "2026-11-01T00:00:00Z",
                "sha256": "a" * 64,
                "lines": 20,
                "groups": 3,
                "rules": 9,
                "warnings": [],
            },
            {
                "name": "robots/2026-11-02T1000Z.txt",
                "host": None,
                "in_force_from": "2026-11-02T10:00:00Z",
                "sha256": "b" * 64,
                "lines": 24,
                "groups": 4,
                "rules": 11,
                "warnings": ["line 7: a rule before the first User-agent line"],
            },
        ],
        "robots_sizes": [],
        "robots_answers": [
            answer(None, 200, FIRST, "2026-11-02T09:58:00Z", 9, 3),
            answer("CacheBot", 503, "2026-11-02T09:59:00Z", LAST, 2, 1),
        ],
        "findings": [
            finding("GreedyBot", 3, "GreedyBot asked for 4,812 pages that robots.txt forbade it.", 4812, "violations"),
            finding("GreedyBot", 3, "GreedyBot came back early in 9 of 9 waits.", 147, "early"),
            finding("Asker-User", 2, "Asker-User is blocked by name and came all the same.", 12, "violations"),
            finding("python-requests", 1, "python-requests never read robots.txt.", 11_777, "all"),
        ],
        "clients": clients(),
        "suspected": [
            {
                "address": "203.0.113.9",
                "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "requests": 64, "pages": 60, "distinct_pages": 58, "assets": 0, "referred": 0, "robots_reads": 4,
                "peak_60s": 24, "gap_s": 2.5, "gap_spread_s": 1.0, "companions": 0, "first": FIRST, "last": LAST,
                "signs": {
                    "reads-robots": "read /robots.txt, 4 times",
                    "no-assets": "took no picture, style or script with 60 pages; 93% of the browsers here do",
                    "no-referers": "came from no page in 64 requests; 91% of the browsers here name one",
                },
                "examples": ["access.log:7"],
                "evidence": "loganalyzer lines access.log --client browser --address 203.0.113.9",
            }
        ],
        "shared_addresses": [
            {
                "address": "203.0.113.40",
                "operators": 3,
                "names": [["GreedyBot", 900], ["Asker-User", 12], ["TidyBot", 4]],
                "evidence": "loganalyzer lines access.log --client GreedyBot --address 203.0.113.40",
            }
        ],
        "series": {
            "bucket_s": 3600,
            "start": "2026-11-01T00:00:00Z",
            "purposes": {
                "ai-training": [400 + 20 * (hour % 24) for hour in range(72)],
                "browser": [300 + 40 * (hour % 24) for hour in range(72)],
                "search": [250] * 72,
                "undeclared": [14] * 72,
            },
            "refusals": [0] * 34 + [310] + [0] * 30 + [7, 7, 0, 0, 0, 0, 0],
        },
        "thresholds": {
            "grace_h": 24, "assumed_wait_s": 60, "ignored_ratio": 0.5, "escalated_ratio": 1.5,
            "suspect_signs": 3, "suspect_pages": 10,
        },
        "verification": None, "compare": None,
        "notes": ["Retry-After is not logged, so waits are assumed: add $sent_http_retry_after to log_format."],
    }  # fmt: skip


def verified() -> dict[str, Any]:
    """The same site, whose operator asked for verification: one client is somebody else's in part."""
    document = site()
    notes = ["old.json: is left out"]
    document["verification"] = {"ranges": "ranges", "dns": True, "questions": 6, "unanswered": 1, "notes": notes}
    greedy = next(client for client in document["clients"] if client["client"] == "GreedyBot")
    greedy["verification"] = {
        "verified": standing(30_000, 4, 4_700, reverse_DNS=30_000),
        "refuted": standing(100, 1, 112, reverse_DNS=100),
        "unknown": standing(13, 1, no_answer=13),
    }
    return document


# Keys whose values a log, a robots.txt, a file name or a registry can fill with anything.
_STRANGERS = {
    "client", "operator", "contact", "docs_url", "robots_tokens", "versions", "flags", "identity", "source",
    "format", "problem", "notes", "reason", "examples", "evidence", "name", "host", "warnings", "rule", "group",
    "version", "sentence", "why", "text", "base", "collateral", "address", "top_addresses", "user_agents",
    "file", "title", "hosts", "purpose", "user_agent", "network", "organisation", "country", "ranges", "names",
    "added", "removed", "old", "new", "old_file", "new_file", "never_noticed", "last_version"
}  # fmt: skip


def hostile() -> dict[str, Any]:
    """The same report, with a stranger's text in every place that one can reach."""
    count = 0

    def spoil(value: Any, foreign: bool) -> Any:
        nonlocal count
        if isinstance(value, dict):
            return {key: spoil(part, key in _STRANGERS) for key, part in value.items()}
        if isinstance(value, list):
            return [spoil(part, foreign) for part in value]
        if isinstance(value, str) and foreign:
            count += 1
            return HOSTILE[count % len(HOSTILE)]
        return value

    document = copy.deepcopy(verified())
    series = document["series"]["purposes"]
    document["series"]["purposes"] = {f"{HOSTILE[i]}{name}": counts for i, (name, counts) in enumerate(series.items())}
    return spoil(document, False)


def refused(name: str, requests: int, refused: int, **parts: Any) -> dict[str, Any]:
    return {
        "client": name,
        "automated": True,
        "requests": requests,
        "refused": refused,
        "refused_share": refused / requests,
        "refused_bytes": 1_000 * refused,
        "addresses": 1,
        "first_refused": FIRST if refused else None,
        "delayed": 0,
        "longest_delay_s": 0.0,
        **parts,
    }


def limited(*clients: dict[str, Any], people: int = 0) -> dict[str, Any]:
    """What a limit by address would have refused these clients."""
    return {
        "limit": {"rate": "2r/s", "burst": 10, "at_once": None, "key": "address", "retry_after_s": 6},
        "requests": sum(row["requests"] for row in clients),
        "refused": sum(row["refused"] for row in clients),
        "refused_bytes": sum(row["refused_bytes"] for row in clients),
        "people": {"requests": 40 * people, "refused": people, "addresses": 9, "refused_addresses": min(people, 2)},
        "clients": list(clients),
    }


def crowd(count: int = 500) -> dict[str, Any]:
    """A site with `count` automated clients, each with findings, rules and episodes."""
    document = site()
    greedy = document["clients"][1]
    document["clients"] += [
        {
            **copy.deepcopy(greedy),
            "client": f"Crowd{n:03}Bot",
            "requests": 900 - n,
            "request_share": (900 - n) / REQUESTS,
        }
        for n in range(count)
    ]
    document["findings"] += [
        finding(
            f"Crowd{n:03}Bot", 3, f"Crowd{n:03}Bot asked for 40 pages that robots.txt forbade it.", 40, "violations"
        )
        for n in range(count)
    ]
    document["totals"].update(clients=8 + count, automated_clients=7 + count)
    return document


def drafted(*names: str) -> Any:
    """What a draft changes, for clients of some names, with their names in everything that is text."""
    import pyarrow as pa

    from loganalyzer.drafts import EFFECT, Break, Effect, Saving

    def cell(name: str, field: pa.Field) -> Any:
        if pa.types.is_list(field.type):
            return [name]
        return name if pa.types.is_string(field.type) else 5

    rows = [{field.name: cell(name, field) for field in EFFECT} for name in names]
    saving = Saving(50.0, 40.0, 60.0, 100, 1000)
    broken = tuple(Break("search pages", name, (name,), 1, 1, (name,)) for name in names)
    return Effect(pa.Table.from_pylist(rows, EFFECT), saving, saving, 5, 0, broken)


def course() -> dict[str, Any]:
    """How a client came: three hours, refused in the second."""
    gaps = {"gaps": 3, "median_s": 1.0, "bars": [[0, 0], [1, 2], [2, 0], [None, 1]], "first": [None, 1, None, 3]}
    return {"start": FIRST, "bucket_s": 3600, "requests": [2, 1, 1], "refusals": [0, 1, 0], "gaps": gaps}


def collateral(*names: str) -> list[dict[str, Any]]:
    """Whom a block would meet: clients of some names."""
    part = {"clients": len(names), "requests": 5, "bytes": 50, "addresses": 1}
    met = [{"client": name, "automated": True, "requests": 5, "bytes": 50, "addresses": 1} for name in names]
    block = {"blocked": "its addresses", "ranges": list(names), "request_share": 0.5, "addresses": 1}
    return [{**block, "aimed_at": part, "others": part, "people": part, "clients": met}]
