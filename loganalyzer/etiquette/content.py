"""Rows about what is asked for: whether a client keeps what it got, and takes what is made for machines."""

from __future__ import annotations

from typing import Any

from loganalyzer.etiquette.facts import Facts
from loganalyzer.etiquette.row import Case, Row, otherwise, sample


def _caching(facts: Facts) -> dict[str, Any]:
    again = facts.not_modified + facts.avoidable_repeats
    return {
        "not_modified": facts.not_modified,
        "site_not_modified": facts.site_not_modified,
        "repeats": facts.repeats,
        "again": again,
        "share": facts.not_modified / again if again else 0.0,
        "megabytes": facts.avoidable_repeat_bytes / 1e6,
    }


CACHES = Row(
    id="caches",
    title="Caches",
    numbers=_caching,
    thresholds={"fewest": 10, "pass_share": 0.5, "partly_share": 0.1},
    cases=(
        Case(
            "not observable",
            lambda e: e["site_not_modified"] == 0,
            "Got {repeats:unchanged answers} again within a day, but nobody got a 304: "
            "the server may not offer validators.",
            "a server that sends ETag or Last-Modified and answers 304 (RFC 9110, section 13.1)",
        ),
        Case(
            "not observable",
            lambda e: e["again"] < e["fewest"],
            "Got {repeats:unchanged answers} again within a day, but asked {again:times} for something that the "
            "server is seen to answer with 304; {fewest} are needed to say.",
            "a longer log",
        ),
        Case(
            "pass",
            lambda e: e["share"] >= e["pass_share"],
            "Got 304 for {not_modified:,} of {again:unchanged things} it asked for again (from {pass_share:.0%} on).",
        ),
        Case(
            "partly",
            lambda e: e["share"] >= e["partly_share"],
            "Got 304 for {not_modified:,} of {again:unchanged things} it asked for again; the rest came whole, "
            "{megabytes:,.1f} MB (under {pass_share:.0%} is partly).",
        ),
        Case(
            "fail",
            otherwise,
            "Got 304 for {not_modified:,} of {again:unchanged things} it asked for again; the rest came whole, "
            "{megabytes:,.1f} MB (under {partly_share:.0%} is fail).",
        ),
    ),
    samples=(
        sample(
            "not observable",
            "Got 200 unchanged answers again within a day, but nobody got a 304: the server may not offer validators.",
            repeats=200,
        ),
        sample(
            "not observable",
            "Got 40 unchanged answers again within a day, but asked 4 times for something that the server is seen "
            "to answer with 304; 10 are needed to say.",
            repeats=40,
            avoidable_repeats=4,
            site_not_modified=90,
        ),
        sample(
            "pass",
            "Got 304 for 60 of 72 unchanged things it asked for again (from 50 % on).",
            not_modified=60,
            avoidable_repeats=12,
            site_not_modified=90,
        ),
        sample(
            "partly",
            "Got 304 for 30 of 100 unchanged things it asked for again; the rest came whole, 2.1 MB "
            "(under 50 % is partly).",
            not_modified=30,
            avoidable_repeats=70,
            avoidable_repeat_bytes=2_100_000,
            site_not_modified=90,
        ),
        sample(
            "fail",
            "Got 304 for 0 of 700 unchanged things it asked for again; the rest came whole, 1,250.0 MB "
            "(under 10 % is fail).",
            avoidable_repeats=700,
            avoidable_repeat_bytes=1_250_000_000,
            site_not_modified=90,
        ),
    ),
)

PREFERS_MACHINE_FORMATS = Row(
    id="prefers-machine-formats",
    title="Prefers what is made for machines",
    scope="crawler",
    numbers=lambda f: {
        "exempt": f.is_exempt,
        "machine": f.sitemaps + f.feeds + f.llms,
        "sitemaps": f.sitemaps,
        "feeds": f.feeds,
        "llms": f.llms,
        "pages": f.pages,
        "site_machine_files": f.site_machine_files,
    },
    thresholds={"fewest_pages": 100, "pages_each": 200},
    cases=(
        Case(
            "pass",
            lambda e: e["machine"] * e["pages_each"] >= e["pages"] and e["machine"],
            "Asked for sitemaps {sitemaps:times}, feeds {feeds:times}, llms.txt {llms:times}, beside {pages:pages}.",
        ),
        Case(
            "partly",
            lambda e: e["machine"],
            "Asked for a sitemap, a feed or llms.txt {machine:times}, beside {pages:pages} "
            "(fewer than one in {pages_each}).",
        ),
        Case(
            "not observable",
            lambda e: e["exempt"],
            "Follows a person's or its operator's own request: goes where it is sent.",
        ),
        Case(
            "not observable",
            lambda e: e["site_machine_files"] == 0,
            "Nobody got a sitemap, a feed or llms.txt: there may be none.",
            "a sitemap, named in robots.txt by a line Sitemap: URL",
        ),
        Case(
            "not observable",
            lambda e: e["pages"] < e["fewest_pages"],
            "Asked for only {pages:pages}; {fewest_pages} are needed to say.",
            "a longer log",
        ),
        Case(
            "fail",
            otherwise,
            "Asked for {pages:pages} and for no sitemap, feed or llms.txt; "
            "others got these {site_machine_files:times}.",
        ),
    ),
    samples=(
        sample(
            "pass",
            "Asked for sitemaps twice, feeds 0 times, llms.txt once, beside 300 pages.",
            sitemaps=2,
            llms=1,
            pages=300,
        ),
        sample(
            "partly",
            "Asked for a sitemap, a feed or llms.txt once, beside 5,000 pages (fewer than one in 200).",
            feeds=1,
            pages=5000,
        ),
        sample(
            "not observable", "Follows a person's or its operator's own request: goes where it is sent.", exempt=1000
        ),
        sample("not observable", "Nobody got a sitemap, a feed or llms.txt: there may be none.", pages=300),
        sample("not observable", "Asked for only 7 pages; 100 are needed to say.", pages=7, site_machine_files=3),
        sample(
            "fail",
            "Asked for 900 pages and for no sitemap, feed or llms.txt; others got these 31 times.",
            pages=900,
            site_machine_files=31,
        ),
    ),
)
