"""Rows about pace: after a refusal, on coming back, and in everyday work."""

from __future__ import annotations

from typing import Any

from loganalyzer.backoff import ENOUGH_EARLY, FEWEST_WAITS, kept_interval, went_on
from loganalyzer.etiquette.facts import Facts
from loganalyzer.etiquette.row import Case, Evidence, Row, otherwise, sample

NEVER_REFUSED = Case(
    "not observable",
    lambda e: e["refusals"] == 0,
    "Never refused with 429, or 503 that asks to wait.",
    "a limit that answers 429 with Retry-After, and a log of both: docs/server-directives.md",
)


def _waits(facts: Facts) -> dict[str, Any]:
    low, high = kept_interval(facts.kept, facts.waits) or (0.0, 1.0)
    return {
        "refusals": facts.refusals,
        "waits": facts.waits,
        "kept": facts.kept,
        "share": facts.kept / facts.waits if facts.waits else 0.0,
        "low": low,
        "high": high,
        "early": facts.early,
        "same_target_early": facts.same_target_early,
        "soon": facts.same_target_soon,
        "parallel": "parallel" in facts.patterns,
        "worst": (facts.worst or "").replace("_", " "),
        "assumed": "" if facts.asked_known else ", with an assumed wait of 60 s",
    }


WAITS_WHEN_TOLD = Row(
    id="waits-when-told",
    title="Waits when told to",
    lines="early",
    numbers=_waits,
    thresholds={"pass_share": 0.9, "partly_share": 0.5, "fewest_waits": FEWEST_WAITS, "enough_early": ENOUGH_EARLY},
    cases=(
        NEVER_REFUSED,
        Case(
            "fail",
            lambda e: e["waits"] < e["fewest_waits"] and not e["parallel"] and went_on(e["worst"], e["early"]),
            "Kept {kept} of {waits:waits}{assumed}: {early:requests} came early and the worst wait was {worst} "
            "({enough_early} early ones are enough to say so).",
        ),
        Case(
            "not observable",
            lambda e: e["waits"] < e["fewest_waits"] and not e["parallel"],
            "Too few to say: kept {kept} of {waits:waits}{assumed}, and {fewest_waits} are needed.",
            "a longer log",
        ),
        Case(
            "pass",
            lambda e: e["share"] >= e["pass_share"],
            "Kept {kept} of {waits:waits}{assumed} (95 % interval {low:.0%} to {high:.0%}; from {pass_share:.0%} on).",
        ),
        Case(
            "partly",
            lambda e: e["parallel"],
            "Kept {kept} of {waits:waits}{assumed} as a whole, but none of the {early:early requests} repeats a "
            "refused target, and {soon:,} of {refusals:refusals} were followed by one as soon as the wait was over: "
            "workers that each wait.",
        ),
        Case(
            "partly",
            lambda e: e["share"] >= e["partly_share"] or e["worst"] == "slowed",
            "Kept {kept} of {waits:waits}{assumed} (95 % interval {low:.0%} to {high:.0%}); the worst was {worst}.",
        ),
        Case(
            "fail",
            otherwise,
            "Kept {kept} of {waits:waits}{assumed} (95 % interval {low:.0%} to {high:.0%}, under {partly_share:.0%}); "
            "{early:requests} came early and the worst wait was {worst}.",
        ),
    ),
    samples=(
        sample("not observable", "Never refused with 429, or 503 that asks to wait."),
        sample(
            "fail",
            "Kept 0 of 1 wait: 480 requests came early and the worst wait was escalated "
            "(20 early ones are enough to say so).",
            refusals=470, waits=1, early=480, same_target_early=3, worst="escalated", asked_known=True,
        ),
        sample(
            "not observable",
            "Too few to say: kept 1 of 2 waits, with an assumed wait of 60 s, and 3 are needed.",
            refusals=2, waits=2, kept=1, early=4, worst="ignored", asked_known=False,
        ),
        sample(
            "pass",
            "Kept 12 of 12 waits (95 % interval 76 % to 100 %; from 90 % on).",
            refusals=12, waits=12, kept=12, worst="gave_up", asked_known=True,
        ),
        sample(
            "partly",
            "Kept 1 of 8 waits as a whole, but none of the 31 early requests repeats a refused target, "
            "and 8 of 9 refusals were followed by one as soon as the wait was over: "
            "workers that each wait.",
            refusals=9, waits=8, kept=1, early=31, worst="ignored", asked_known=True,
            same_target_soon=8, patterns=("parallel",),
        ),
        sample(
            "partly",
            "Kept 0 of 6 waits (95 % interval 0 % to 39 %); the worst was slowed.",
            refusals=9, waits=6, early=12, same_target_early=2, worst="slowed", asked_known=True,
        ),
        sample(
            "fail",
            "Kept 2 of 9 waits, with an assumed wait of 60 s (95 % interval 6 % to 55 %, under 50 %); "
            "300 requests came early and the worst wait was ignored.",
            refusals=90, waits=9, kept=2, early=300, same_target_early=80, worst="ignored", asked_known=False,
        ),
    ),
)  # fmt: skip

RESUMES_SLOWER = Row(
    id="resumes-slower",
    title="Comes back slower",
    lines="refused",
    numbers=lambda f: {"refusals": f.refusals, "resumes": f.resumes, "ratio": f.resume_ratio},
    thresholds={"slower": 0.75, "faster": 1.5},
    cases=(
        NEVER_REFUSED,
        Case(
            "not observable",
            lambda e: e["ratio"] is None,
            "After {refusals:refusals}, the pace before and the pace after are nowhere both known.",
            "a log that begins before the refusals and goes on for a minute after each return",
        ),
        Case(
            "pass",
            lambda e: e["ratio"] <= e["slower"],
            "Came back at {ratio:.2f} times its pace before (median of {resumes:returns}, {slower} or less is slower).",
        ),
        Case(
            "fail",
            lambda e: e["ratio"] >= e["faster"],
            "Came back at {ratio:.1f} times its pace before "
            "(median of {resumes:returns}, from {faster} on is faster).",
        ),
        Case(
            "partly",
            otherwise,
            "Came back at {ratio:.2f} times its pace before (median of {resumes:returns}): neither slower "
            "(at most {slower}) nor faster (from {faster} on).",
        ),
    ),
    samples=(
        sample("not observable", "Never refused with 429, or 503 that asks to wait."),
        sample(
            "not observable",
            "After 3 refusals, the pace before and the pace after are nowhere both known.",
            refusals=3,
        ),
        sample(
            "pass",
            "Came back at 0.20 times its pace before (median of 4 returns, 0.75 or less is slower).",
            refusals=9, resumes=4, resume_ratio=0.2,
        ),
        sample(
            "fail",
            "Came back at 6.0 times its pace before (median of 2 returns, from 1.5 on is faster).",
            refusals=9, resumes=2, resume_ratio=6.0,
        ),
        sample(
            "partly",
            "Came back at 1.02 times its pace before (median of 5 returns): neither slower (at most 0.75) "
            "nor faster (from 1.5 on).",
            refusals=9, resumes=5, resume_ratio=1.02,
        ),
    ),
)  # fmt: skip


def _budget(facts: Facts) -> dict[str, Any]:
    asked = facts.crawl_delay_s is not None
    gaps, short = (facts.crawl_delay_gaps, facts.crawl_delay_short) if asked else (0, 0)
    concurrency = facts.concurrency
    return {
        "requests": facts.requests,
        "peak_60s": facts.peak_60s,
        "concurrency": concurrency,
        "at_once": "" if concurrency is None else f", {concurrency:,} at once",
        "crawl_delay_s": facts.crawl_delay_s,
        "gaps": gaps,
        "short": short,
        "short_share": short / gaps if gaps else 0.0,
    }


def _over(evidence: Evidence, peak: str, at_once: str) -> bool:
    return bool(evidence["peak_60s"] > evidence[peak] or (evidence["concurrency"] or 0) > evidence[at_once])


KEEPS_A_BUDGET = Row(
    id="keeps-a-budget",
    title="Keeps a budget",
    numbers=_budget,
    # Heritrix opens one connection a site; one request a second and ten are where operators begin to notice and to act.
    thresholds={"peak_pass": 60, "peak_fail": 600, "at_once_pass": 4, "at_once_fail": 16, "few": 0.05, "many": 0.5},
    cases=(
        Case(
            "fail",
            lambda e: _over(e, "peak_fail", "at_once_fail"),
            "Up to {peak_60s:requests} in 60 s{at_once} (over {peak_fail}, or {at_once_fail} at once, is fail).",
        ),
        Case(
            "fail",
            lambda e: e["short_share"] > e["many"],
            "Robots.txt asks for {crawl_delay_s:g} s between requests: {short:,} of {gaps:pauses} were shorter "
            "(over {many:.0%} is fail).",
        ),
        Case(
            "partly",
            lambda e: e["short_share"] > e["few"],
            "Robots.txt asks for {crawl_delay_s:g} s between requests: {short:,} of {gaps:pauses} were shorter "
            "(over {few:.0%} is partly).",
        ),
        Case(
            "partly",
            lambda e: _over(e, "peak_pass", "at_once_pass"),
            "Up to {peak_60s:requests} in 60 s{at_once} (over {peak_pass}, or {at_once_pass} at once, is partly).",
        ),
        Case(
            "pass",
            lambda e: e["gaps"] > 0,
            "At most {peak_60s:requests} in 60 s{at_once}, and kept {crawl_delay_s:g} s between them as "
            "robots.txt asks ({short:,} of {gaps:pauses} were shorter).",
        ),
        Case("pass", otherwise, "At most {peak_60s:requests} in 60 s{at_once} (up to {peak_pass} is a budget)."),
    ),
    samples=(
        sample(
            "fail",
            "Up to 2,400 requests in 60 s (over 600, or 16 at once, is fail).",
            peak_60s=2400,
        ),
        sample(
            "fail",
            "Robots.txt asks for 10 s between requests: 800 of 999 pauses were shorter (over 50 % is fail).",
            peak_60s=30, crawl_delay_s=10.0, crawl_delay_gaps=999, crawl_delay_short=800,
        ),
        sample(
            "partly",
            "Robots.txt asks for 2.5 s between requests: 90 of 999 pauses were shorter (over 5 % is partly).",
            peak_60s=30, crawl_delay_s=2.5, crawl_delay_gaps=999, crawl_delay_short=90,
        ),
        sample(
            "partly",
            "Up to 20 requests in 60 s, 9 at once (over 60, or 4 at once, is partly).",
            peak_60s=20, concurrency=9,
        ),
        sample(
            "pass",
            "At most 6 requests in 60 s, 1 at once, and kept 10 s between them as robots.txt asks "
            "(3 of 999 pauses were shorter).",
            peak_60s=6, concurrency=1, crawl_delay_s=10.0, crawl_delay_gaps=999, crawl_delay_short=3,
        ),
        sample("pass", "At most 12 requests in 60 s (up to 60 is a budget).", peak_60s=12),
    ),
)  # fmt: skip
