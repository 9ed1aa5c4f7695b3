"""Rows about /robots.txt: whether it is read in time, and whether it is kept."""

from __future__ import annotations

from typing import Any

from loganalyzer.etiquette.facts import Facts
from loganalyzer.etiquette.row import Case, Row, otherwise, sample
from loganalyzer.robots.answers import PROBABLY_READ_S

REASONS = {
    "no-token": "it has no product token",
    "no-robots": "no robots.txt was given for the host",
    "scope": "the host is not known where several differ",
    "no-path": "they name no path",
    "unreachable": "the server could not give robots.txt at the time",
    "refused": "the server refused it robots.txt",
}
REMEDIES = {
    "no-token": "nothing: robots.txt addresses names alone",
    "no-robots": "--robots FILE, repeated with FILE@2026-11-02T10:00Z for its earlier versions",
    "scope": "log $host (nginx) or %v (Apache), and give the file of each host: --robots HOST=FILE",
    "no-path": "nothing: such requests name nothing that robots.txt could speak of",
    "unreachable": "answer /robots.txt with 200, or with 404 where there is none",
    "refused": "answer /robots.txt with 200 to everybody",
}
EXEMPT = Case(
    "not observable",
    lambda e: e["exempt"],
    "Follows a person's or its operator's own request: not bound by robots.txt.",
)


def _reading(facts: Facts) -> dict[str, Any]:
    return {
        "exempt": facts.is_exempt,
        "asked": facts.robots_asked,
        "kept_back": facts.robots_kept_back,
        "fetches": facts.robots_fetches,
        "probably_read": facts.probably_read,
        "first_before_page": facts.first_before_page,
        "first_read_h": facts.first_read_h or 0.0,
        "longest_unread_h": facts.longest_unread_h or 0.0,
        "last_h": facts.last_h,
        "requests": facts.requests,
    }


READS_ROBOTS_FIRST = Row(
    id="reads-robots-first",
    title="Reads robots.txt first, and daily",
    scope="crawler",
    lines="fetches",
    numbers=_reading,
    # RFC 9309 section 2.4: a cached copy should not serve for more than 24 hours; an hour more for daily schedules.
    thresholds={"copy_h": 24, "slack_h": 1, "probably_s": PROBABLY_READ_S},
    cases=(
        EXEMPT,
        Case(
            "not observable",
            lambda e: not e["fetches"] and e["kept_back"],
            "Asked for /robots.txt {asked:times} and was never given it: the server's fault.",
            "answer /robots.txt with 200, or with 404 where there is none",
        ),
        Case(
            "partly",
            lambda e: not e["fetches"] and e["probably_read"],
            "Did not read /robots.txt under its own name; its address did at most {probably_s} s before, under a "
            "library's: a sign, no proof.",
        ),
        Case(
            "not observable",
            lambda e: not e["fetches"] and e["asked"],
            "Asked for /robots.txt {asked:times}; the answers neither gave it the file nor kept it back.",
            "the log of the place that it was redirected to",
        ),
        Case(
            "not observable",
            lambda e: not e["fetches"] and e["last_h"] <= e["copy_h"],
            "Did not read /robots.txt up to its last request, {last_h:.1f} h into the log; "
            "a copy from before may serve for {copy_h} h.",
            "a log of more than {copy_h} h",
        ),
        Case(
            "fail",
            lambda e: not e["fetches"],
            "Never read /robots.txt: {requests:requests}, the last of them {last_h:.0f} h into the log; "
            "a copy may serve for {copy_h} h.",
        ),
        Case(
            "partly",
            lambda e: e["longest_unread_h"] > e["copy_h"] + e["slack_h"],
            "Read /robots.txt {fetches:times}, but went on for {longest_unread_h:.0f} h without; "
            "a copy may serve for {copy_h} h.",
        ),
        Case(
            "partly",
            lambda e: e["first_before_page"] is False and e["first_read_h"] > e["copy_h"],
            "Read /robots.txt {fetches:times}, but for the first time {first_read_h:.0f} h into the log and after "
            "other requests; a copy may serve for {copy_h} h.",
        ),
        Case(
            "pass",
            otherwise,
            "Read /robots.txt {fetches:times} and never went on for more than {longest_unread_h:.1f} h without "
            "(a copy may serve for {copy_h} h).",
        ),
    ),
    samples=(
        sample(
            "not observable", "Follows a person's or its operator's own request: not bound by robots.txt.", exempt=1000
        ),
        sample(
            "not observable",
            "Asked for /robots.txt 6 times and was never given it: the server's fault.",
            robots_asked=6,
            robots_kept_back=True,
        ),
        sample(
            "not observable",
            "Asked for /robots.txt twice; the answers neither gave it the file nor kept it back.",
            robots_asked=2,
        ),
        sample(
            "partly",
            "Did not read /robots.txt under its own name; its address did at most 60 s before, under a "
            "library's: a sign, no proof.",
            probably_read=True,
        ),
        sample(
            "not observable",
            "Did not read /robots.txt up to its last request, 23.5 h into the log; "
            "a copy from before may serve for 24 h.",
            last_h=23.5,
        ),
        sample(
            "fail",
            "Never read /robots.txt: 1,000 requests, the last of them 60 h into the log; a copy may serve for 24 h.",
        ),
        sample(
            "partly",
            "Read /robots.txt twice, but went on for 41 h without; a copy may serve for 24 h.",
            robots_asked=2,
            robots_fetches=2,
            longest_unread_h=41.0,
        ),
        sample(
            "partly",
            "Read /robots.txt once, but for the first time 30 h into the log and after other requests; "
            "a copy may serve for 24 h.",
            robots_asked=1,
            robots_fetches=1,
            first_before_page=False,
            first_read_h=30.0,
            longest_unread_h=9.0,
        ),
        sample(
            "pass",
            "Read /robots.txt 3 times and never went on for more than 24.4 h without (a copy may serve for 24 h).",
            robots_asked=3,
            robots_fetches=3,
            first_before_page=False,
            first_read_h=5.0,  # it may hold a copy from before the log
            longest_unread_h=24.4,
        ),
    ),
)


def _keeping(facts: Facts) -> dict[str, Any]:
    reason = max(sorted(facts.unjudged_reasons), key=lambda name: facts.unjudged_reasons[name], default="no-robots")
    return {
        "exempt": facts.is_exempt,
        "violation": facts.violation,
        "grace": facts.grace,
        "judged": facts.judged,
        "share": facts.violation / facts.judged if facts.judged else 0.0,
        "requests": facts.requests,
        "reason": REASONS.get(reason, reason),
        "remedy": REMEDIES.get(reason, "log $time_iso8601 (nginx) or %t (Apache)"),
    }


KEEPS_ROBOTS = Row(
    id="keeps-robots",
    title="Keeps robots.txt",
    scope="crawler",
    lines="violations",
    numbers=_keeping,
    thresholds={"few": 0.01},
    cases=(
        EXEMPT,
        Case(
            "not observable",
            lambda e: not e["judged"],
            "Not one of its {requests:requests} could be judged: {reason}.",
            "{remedy}",
        ),
        Case(
            "pass",
            lambda e: not e["violation"] and not e["grace"],
            "Kept it in all of {judged:requests} that could be judged.",
        ),
        Case(
            "pass",
            lambda e: not e["violation"],
            "Kept it in all of {judged:requests} that could be judged; {grace:,} of them are forbidden now, "
            "but not in a copy it may still hold.",
        ),
        Case(
            "partly",
            lambda e: e["share"] <= e["few"],
            "Made {violation:,} of {judged:judged requests} against it ({share:.2%}, at most {few:.0%} is partly).",
        ),
        Case(
            "fail",
            otherwise,
            "Made {violation:,} of {judged:judged requests} against it ({share:.0%}, over {few:.0%} is fail).",
        ),
    ),
    samples=(
        sample(
            "not observable",
            "Follows a person's or its operator's own request: not bound by robots.txt.",
            exempt=998,
            robots_asked=2,
            allowed=2,
        ),
        sample(
            "not observable",
            "Not one of its 1,000 requests could be judged: the server refused it robots.txt.",
            unjudged=1000,
            unjudged_reasons={"refused": 990, "no-path": 10},
        ),
        sample("pass", "Kept it in all of 990 requests that could be judged.", allowed=990),
        sample(
            "pass",
            "Kept it in all of 990 requests that could be judged; 40 of them are forbidden now, "
            "but not in a copy it may still hold.",
            allowed=950,
            grace=40,
        ),
        sample(
            "partly",
            "Made 5 of 1,000 judged requests against it (0.50 %, at most 1 % is partly).",
            allowed=995,
            violation=5,
        ),
        sample(
            "fail", "Made 250 of 1,000 judged requests against it (25 %, over 1 % is fail).", allowed=750, violation=250
        ),
    ),
)
