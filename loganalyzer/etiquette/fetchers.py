"""Rows for fetchers that a person sends: robots.txt does not bind them, behaving like a crawler would be wrong."""

from __future__ import annotations

from loganalyzer.etiquette.row import Case, Row, otherwise, sample

SINGLE_PAGES = Row(
    id="single-pages",
    title="Fetches single pages",
    scope="user-triggered",
    numbers=lambda f: {"peak": f.address_peak_60s, "pages": f.pages, "addresses": f.addresses},
    thresholds={"pass_peak": 10, "fail_peak": 60},
    cases=(
        Case(
            "not observable",
            lambda e: e["peak"] is None,
            "The log has no addresses: people cannot be told apart.",
            "log $remote_addr (nginx) or %a (Apache)",
        ),
        Case(
            "pass",
            lambda e: e["peak"] <= e["pass_peak"],
            "At most {peak:requests} in 60 s from one address, in {pages:pages} (up to {pass_peak} is a person's).",
        ),
        Case(
            "partly",
            lambda e: e["peak"] <= e["fail_peak"],
            "Up to {peak:requests} in 60 s from one address, in {pages:pages} (over {pass_peak} is partly).",
        ),
        Case(
            "fail",
            otherwise,
            "Up to {peak:requests} in 60 s from one address, in {pages:pages} (over {fail_peak} is a crawl).",
        ),
    ),
    samples=(
        sample("not observable", "The log has no addresses: people cannot be told apart.", pages=40),
        sample(
            "pass",
            "At most 3 requests in 60 s from one address, in 40 pages (up to 10 is a person's).",
            address_peak_60s=3,
            pages=40,
        ),
        sample(
            "partly",
            "Up to 25 requests in 60 s from one address, in 40 pages (over 10 is partly).",
            address_peak_60s=25,
            pages=40,
        ),
        sample(
            "fail",
            "Up to 300 requests in 60 s from one address, in 4,000 pages (over 60 is a crawl).",
            address_peak_60s=300,
            pages=4000,
        ),
    ),
)

FOLLOWS_NO_LINKS = Row(
    id="follows-no-links",
    title="Follows no links",
    scope="user-triggered",
    numbers=lambda f: {
        "followed": f.internal_referers,
        "pages": f.pages,
        "share": (f.internal_referers or 0) / f.pages if f.pages else 0.0,
    },
    thresholds={"few": 0.05},
    cases=(
        Case(
            "not observable",
            lambda e: e["followed"] is None,
            "The log has no referers, or no host that they could be of.",
            "log $http_referer and $host (nginx) or %{{Referer}}i and %v (Apache)",
        ),
        Case("not observable", lambda e: not e["pages"], "Asked for no page.", "a longer log"),
        Case(
            "pass",
            lambda e: e["followed"] == 0,
            "Not one of its {pages:pages} came with a page of this site as referer.",
        ),
        Case(
            "partly",
            lambda e: e["share"] <= e["few"],
            "Of its {pages:pages}, {followed:,} came with a page of this site as referer "
            "(at most {few:.0%} is partly).",
        ),
        Case(
            "fail",
            otherwise,
            "Of its {pages:pages}, {followed:,} came with a page of this site as referer (over {few:.0%} is fail).",
        ),
    ),
    samples=(
        sample("not observable", "The log has no referers, or no host that they could be of.", pages=40),
        sample("not observable", "Asked for no page.", internal_referers=0),
        sample(
            "pass", "Not one of its 40 pages came with a page of this site as referer.", pages=40, internal_referers=0
        ),
        sample(
            "partly",
            "Of its 40 pages, 1 came with a page of this site as referer (at most 5 % is partly).",
            pages=40,
            internal_referers=1,
        ),
        sample(
            "fail",
            "Of its 40 pages, 30 came with a page of this site as referer (over 5 % is fail).",
            pages=40,
            internal_referers=30,
        ),
    ),
)

BUILDS_NO_INDEX = Row(
    id="builds-no-index",
    title="Builds no index",
    scope="user-triggered",
    numbers=lambda f: {
        "sitemaps": f.sitemaps,
        "distinct": f.distinct_pages,
        "site": f.site_pages,
        "share": f.distinct_pages / f.site_pages if f.site_pages else 0.0,
    },
    thresholds={"few": 0.2, "many": 0.5, "fewest_pages": 50},
    cases=(
        Case("fail", lambda e: e["sitemaps"], "Read a sitemap {sitemaps:times}, which no single question needs."),
        Case(
            "not observable",
            lambda e: e["site"] < e["fewest_pages"],
            "The log shows only {site:pages} of this site; {fewest_pages} are needed to say.",
            "a longer log",
        ),
        Case(
            "pass",
            lambda e: e["share"] < e["few"],
            "Took {distinct:,} of the {site:pages} that the log shows (under {few:.0%} is no index).",
        ),
        Case(
            "partly",
            lambda e: e["share"] < e["many"],
            "Took {distinct:,} of the {site:pages} that the log shows (from {few:.0%} on is partly).",
        ),
        Case(
            "fail",
            otherwise,
            "Took {distinct:,} of the {site:pages} that the log shows (from {many:.0%} on is an index).",
        ),
    ),
    samples=(
        sample("fail", "Read a sitemap twice, which no single question needs.", sitemaps=2),
        sample("not observable", "The log shows only 12 pages of this site; 50 are needed to say.", site_pages=12),
        sample(
            "pass",
            "Took 35 of the 600 pages that the log shows (under 20 % is no index).",
            distinct_pages=35,
            site_pages=600,
        ),
        sample(
            "partly",
            "Took 180 of the 600 pages that the log shows (from 20 % on is partly).",
            distinct_pages=180,
            site_pages=600,
        ),
        sample(
            "fail",
            "Took 590 of the 600 pages that the log shows (from 50 % on is an index).",
            distinct_pages=590,
            site_pages=600,
        ),
    ),
)
