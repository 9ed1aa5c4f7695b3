"""Browsers that behave like programs are suspected on several signs; people are not, whatever single sign they show."""

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from loganalyzer.analysis import analyse
from loganalyzer.formats import read
from loganalyzer.schema import SUSPECT
from loganalyzer.suspects import NEEDED, SIGNS, THRESHOLDS, rhythm
from loganalyzer.suspects.rhythm import RHYTHM

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36"
)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0"
START = 1_793_620_800  # 2026-11-02T12:00:00Z
NOTHING = {
    **{field.name: 0 for field in SUSPECT if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)},
    "pages": 100,
    "distinct_pages": 100,
    "assets": 9,
    "referred": 9,
    "asset_share": 0.9,
    "referer_share": 0.9,
    "gap_s": 9.0,
}


@pytest.mark.parametrize("name", SIGNS)
def test_each_sign_holds_for_its_sample_and_for_no_counter_sample(name):
    sign = SIGNS[name]

    assert not sign.holds(NOTHING)
    assert sign.holds(NOTHING | dict(sign.shown_by))
    assert all(not sign.holds(NOTHING | dict(measures)) for measures in sign.not_by)
    assert sign.sentence.format_map(NOTHING | dict(sign.shown_by))


def test_rhythm_of_two_visits():
    seconds = [0, 10, 20, 30, 45, 100, 7]
    table = pa.table(
        {
            "address": pa.array([4] * 6 + [9], pa.int32()),
            "agent": pa.array([1] * 7, pa.int32()),
            "target": pa.array([1, 2, 2, 3, 1, 4, 1], pa.int32()),
            "t": pa.array([second * 1_000_000 for second in seconds], pa.int64()),
            "id": pa.array(range(7), pa.int64()),
        }
    )

    found = rhythm(table)

    assert found.schema == RHYTHM
    assert found.to_pylist() == [
        {
            "address": 4,
            "agent": 1,
            "distinct_pages": 4,
            "peak_60s": 5,
            "gaps": 5,
            "gap_s": 10.0,
            "gap_spread_s": 45.0,
            "ids": [0, 1, 2],
        },
        {
            "address": 9,
            "agent": 1,
            "distinct_pages": 1,
            "peak_60s": 1,
            "gaps": 0,
            "gap_s": None,
            "gap_spread_s": None,
            "ids": [6],
        },
    ]
    assert rhythm(table.slice(0, 0)).num_rows == 0


def person(address, agent, pages, start=0.0, seed=1, assets=True, referers=True):
    """Somebody who reads: a page, its parts, a while of reading."""
    chance = random.Random(seed)
    at, rows = start, []
    for number in range(pages):
        where = f"https://shop.example/p{number - 1}" if referers and number else "-"
        rows.append((at, address, agent, f"/p{number}", where))
        if assets:
            rows += [(at + 0.2, address, agent, f"/static/{n}.css", "https://shop.example/") for n in range(2)]
        at += chance.uniform(4, 120)
    return rows


def program(address, agent, pages, gap=3.0, start=0.0, robots=False):
    """Something that walks through the site."""
    rows = [(start + gap * n, address, agent, f"/p{n}", "-") for n in range(pages)]
    return [(start, address, agent, "/robots.txt", "-"), *rows] if robots else rows


def crowd(size=8):
    """People enough to show what is usual here."""
    return [row for n in range(size) for row in person(f"192.0.2.{n}", CHROME.format(130 + n), 6, 60.0 * n, n)]


@pytest.fixture
def suspects(tmp_path):
    def found(rows):
        path = tmp_path / "access.log"
        lines = []
        for at, address, agent, target, referer in sorted(rows):
            clock = np.datetime64(START + int(at), "s").item().strftime("%d/%b/%Y:%H:%M:%S +0000")
            lines.append(f'{address} - - [{clock}] "GET {target} HTTP/1.1" 200 900 "{referer}" "{agent}"\n')
        path.write_text("".join(lines))
        return analyse(read([path])).to_dict()

    return found


SCRAPER = "198.51.100.7"
TOLD = {
    "fast": (program(SCRAPER, FIREFOX.format(140), 80, gap=1), {"no-assets", "no-referers", "fast"}),
    "regular": (program(SCRAPER, FIREFOX.format(140), 40, gap=8), {"no-assets", "no-referers", "regular"}),
    "reads robots.txt": (
        [
            *person(SCRAPER, FIREFOX.format(140), 12, assets=False, referers=False),
            (0.0, SCRAPER, FIREFOX.format(140), "/robots.txt", "-"),
        ],
        {"reads-robots", "no-assets", "no-referers"},
    ),
    "all of it": (
        program(SCRAPER, FIREFOX.format(140), 60, gap=2, robots=True),
        {"reads-robots", "no-assets", "no-referers", "regular", "fast"},
    ),
}


@pytest.mark.parametrize(("rows", "signs"), TOLD.values(), ids=TOLD)
def test_a_program_is_suspected_with_its_measures_and_lines(suspects, rows, signs):
    document = suspects(crowd() + rows)

    (found,) = document["suspected"]
    assert (found["address"], set(found["signs"])) == (SCRAPER, signs)
    assert (found["requests"], found["assets"], found["referred"]) == (len(rows), 0, 0)
    assert (document["totals"]["suspected"], document["totals"]["suspected_requests"]) == (1, len(rows))
    assert len(found["examples"]) == 3
    assert found["evidence"].endswith(f"--client browser --address {SCRAPER}")


def test_suspects_stay_browsers_and_are_never_judged_by_robots(suspects):
    rows = program(SCRAPER, FIREFOX.format(140), 60, gap=2, robots=True)
    document = suspects(crowd() + rows)

    (client,) = document["clients"]
    assert (client["client"], client["automated"]) == ("browser", False)
    assert client["robots"]["violation"] == client["robots"]["grace"] == 0
    assert document["totals"]["automated_requests"] == 0


NAT = "203.0.113.1"
PEOPLE = {
    "a fast reader": program(NAT, FIREFOX.format(140), 80, gap=1) + person(NAT, FIREFOX.format(140), 5),
    "no referers by choice": person(NAT, FIREFOX.format(140), 40, referers=False),
    "assets from the cache, no referers": person(NAT, FIREFOX.format(140), 40, assets=False, referers=False),
    "a page that reloads itself": [(30.0 * n, NAT, FIREFOX.format(140), "/status", "-") for n in range(90)],
    "too few pages": program(NAT, FIREFOX.format(140), 9, gap=2, robots=True),
    "many behind one address": [
        row for n in range(30) for row in person(NAT, FIREFOX.format(100 + n), 12, n / 3, 50 + n, referers=n % 2 == 0)
    ],
    "many of one browser behind one address": [
        row for n in range(30) for row in person(NAT, FIREFOX.format(140), 12, n / 3, 50 + n)
    ],
    "a browser that prefetches what a page links to": [
        *person(NAT, FIREFOX.format(140), 6),
        *((30 + n * 0.1, NAT, FIREFOX.format(140), f"/next/{n}", "https://shop.example/p1") for n in range(60)),
    ],
    "a browser that prefetches, without referers": [
        *person(NAT, FIREFOX.format(140), 6, referers=False),
        *((30 + n * 0.1, NAT, FIREFOX.format(140), f"/next/{n}", "-") for n in range(60)),
    ],
    "a service worker that fills its cache": [
        *person(NAT, FIREFOX.format(140), 4),
        *((3 + n * 0.05, NAT, FIREFOX.format(140), f"/p{n}", "https://shop.example/sw.js") for n in range(60)),
    ],
    "a page that polls": [
        *person(NAT, FIREFOX.format(140), 1, referers=False),
        *((10.0 * n, NAT, FIREFOX.format(140), f"/api/news?since={n}", "-") for n in range(1, 200)),
    ],
    "an interface in JSON that is polled by a cached page": [
        (10.0 * n, NAT, FIREFOX.format(140), f"/api/news.json?since={n}", "-") for n in range(200)
    ],
    "a slideshow": [
        (5.0 * n, NAT, FIREFOX.format(140), f"/photo/{n}", "https://shop.example/photo") for n in range(60)
    ],
    "a text browser": person(NAT, FIREFOX.format(140), 60, assets=False),
    "offline reading with pictures": [
        row
        for n in range(40)
        for row in (
            (float(n), NAT, FIREFOX.format(140), f"/p{n}", "-"),
            (n + 0.5, NAT, FIREFOX.format(140), f"/p{n}.jpg", "-"),
        )
    ],
    "an owner who looks at robots.txt": [
        *person(NAT, FIREFOX.format(140), 40),
        (5.0, NAT, FIREFOX.format(140), "/robots.txt", "-"),
    ],
}


@pytest.mark.parametrize("rows", PEOPLE.values(), ids=PEOPLE)
def test_people_are_not_suspected(suspects, rows):
    assert suspects(crowd() + rows)["suspected"] == []


BARE = {
    "tabs that are restored": [(n * 0.3, NAT, FIREFOX.format(140), f"/p{n}", "-") for n in range(25)],
    "articles saved for offline reading": program(NAT, FIREFOX.format(140), 40, gap=1),
    "a cached page that polls": [(10.0 * n, NAT, FIREFOX.format(140), f"/api?since={n}", "-") for n in range(200)],
}


@pytest.mark.parametrize("rows", BARE.values(), ids=BARE)
def test_people_who_take_no_asset_and_send_no_referer_are_not_told_from_programs(suspects, rows):
    """The limit that docs/definitions.md states: suspected, never proven."""
    (found,) = suspects(crowd() + rows)["suspected"]

    assert {"no-assets", "no-referers"} < set(found["signs"])


def test_what_a_log_does_not_hold_is_no_sign(suspects):
    """Assets served elsewhere, or referers that are not logged: everybody would come without."""
    bare = [
        row for n in range(8) for row in person(f"192.0.2.{n}", CHROME.format(130 + n), 12, 60.0 * n, n, False, False)
    ]

    assert suspects(bare + program(SCRAPER, FIREFOX.format(140), 80, gap=1))["suspected"] == []


def test_a_declared_client_is_no_suspect(suspects):
    assert suspects(crowd() + program(SCRAPER, "TidyBot/1.0", 80, gap=1, robots=True))["suspected"] == []


def test_thresholds_stand_in_the_report(suspects):
    thresholds = suspects(crowd())["thresholds"]

    assert THRESHOLDS.items() <= thresholds.items()
    assert thresholds["suspect_signs"] == NEEDED


def test_of_the_sample_nobody_but_the_masked_crawler_is_suspected():
    """Its 200 people read on, and 60 requests of a crawler came as a browser (sample_logs/truth.json: MaskBot)."""
    logs = sorted((Path(__file__).parent.parent / "sample_logs").glob("access.log*"))
    document = analyse(read(logs)).to_dict()

    (masked,) = (client for client in document["clients"] if client["client"] == "MaskBot")
    (found,) = document["suspected"]
    assert found["address"] == masked["top_addresses"][0][0]
    assert (found["requests"], set(found["signs"])) == (60, {"no-assets", "no-referers", "regular"})
