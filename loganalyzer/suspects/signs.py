"""The signs of a program behind a browser's name: each a threshold, a test and a sentence with what was measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from loganalyzer.schema import SUSPECT

Measures = Mapping[str, Any]  # one row of SUSPECT

MOST_PAGES_UNSEEN = 10  # fewer pages are too few to say anything of who asked for them
FEW_PAGES = 3  # of a visit that counts for what is usual here
USUAL = 0.2  # share of such visits that must do a thing before its absence says something
PAGES_A_MINUTE = 20  # a page each three seconds, for a minute
GAPS = 20  # fewer show no rhythm
SHORTEST_GAP_S = 2.0  # below, a browser that loads the parts of a page has a rhythm too
SPREAD = 0.25  # of the median gap
NEEDED = 3  # signs

THRESHOLDS = {
    "suspect_pages": MOST_PAGES_UNSEEN,
    "suspect_signs": NEEDED,
    "suspect_usual_share": USUAL,
    "suspect_pages_a_minute": PAGES_A_MINUTE,
    "suspect_gaps": GAPS,
    "suspect_shortest_gap_s": SHORTEST_GAP_S,
    "suspect_gap_spread": SPREAD,
}


@dataclass(frozen=True)
class Sign:
    """One sign, and measures that show it and that do not."""

    holds: Callable[[Measures], bool]
    sentence: str  # filled with the measures
    shown_by: Measures
    not_by: tuple[Measures, ...]


def _rhythmic(m: Measures) -> bool:
    """Equal gaps, as far as the clock tells; a page that reloads itself is one page and no walk."""
    return bool(
        m["gaps"] >= GAPS
        and m["gap_s"] >= SHORTEST_GAP_S
        and m["gap_spread_s"] <= SPREAD * m["gap_s"] + m["resolution_s"]
        and m["distinct_pages"] * 2 >= m["pages"]
    )


SIGNS = {
    "reads-robots": Sign(
        lambda m: m["robots_reads"] > 0,
        "read /robots.txt, {robots_reads:,} times",
        {"robots_reads": 1},
        ({"robots_reads": 0},),
    ),
    "no-assets": Sign(
        lambda m: m["assets"] == 0 and m["asset_share"] >= USUAL,
        "took no picture, style or script with {pages:,} pages; {asset_share:.0%} of the browsers here do",
        {"assets": 0, "asset_share": 0.9},
        ({"assets": 1}, {"assets": 0, "asset_share": 0.1}),  # a log without assets says nothing
    ),
    "no-referers": Sign(
        lambda m: m["referred"] == 0 and m["referer_share"] >= USUAL,
        "came from no page in {requests:,} requests; {referer_share:.0%} of the browsers here name one",
        {"referred": 0, "referer_share": 0.9},
        ({"referred": 1}, {"referred": 0, "referer_share": 0.1}),
    ),
    "regular": Sign(
        _rhythmic,
        "kept {gap_s:.1f} s between pages, within {gap_spread_s:.1f} s for four gaps in five of {gaps:,}",
        {"gaps": 40, "gap_s": 10.0, "gap_spread_s": 2.0},
        (
            {"gaps": 19, "gap_s": 10.0, "gap_spread_s": 2.0},
            {"gaps": 40, "gap_s": 10.0, "gap_spread_s": 9.0},
            {"gaps": 40, "gap_s": 1.0, "gap_spread_s": 0.0},
            {"gaps": 40, "gap_s": 10.0, "gap_spread_s": 2.0, "distinct_pages": 1},  # a page that reloads itself
        ),
    ),
    "fast": Sign(
        lambda m: m["peak_60s"] >= PAGES_A_MINUTE,
        "asked for {peak_60s:,} pages in 60 s",
        {"peak_60s": 20},
        ({"peak_60s": 19},),
    ),
}


def suspected(visits: pa.Table, beats: pa.Table, resolution_s: float) -> pa.Table:
    """The visits (schema SUSPECT) that show enough signs, most pages first.

    Args:
        visits: the SQL step `visits`: the columns of SUSPECT up to `referer_share`, `first_us` and `last_us`.
        beats: their rhythm, schema RHYTHM.
        resolution_s: of the log's clock; two gaps that differ by less may be equal.
    """
    rhythms = {(row["address"], row["agent"]): row for row in beats.to_pylist()}
    rows = []
    for visit in visits.to_pylist():
        measures = {**visit, **rhythms[visit["address"], visit["agent"]], "resolution_s": resolution_s}
        signs = [name for name, sign in SIGNS.items() if sign.holds(measures)]
        if len(signs) >= NEEDED:
            rows.append({**measures, "signs": signs})
    rows.sort(key=lambda row: (-row["pages"], row["address"], row["agent"]))
    return pa.Table.from_pylist(rows, schema=SUSPECT)
