"""What a draft of robots.txt would change: by hand on a small log, and against the replay of the draft."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import loganalyzer as la
from loganalyzer.analysis.drafting import simulation
from loganalyzer.drafts.engines import ENGINES, NO_ENGINE, engines_of
from loganalyzer.drafts.weight import weigh
from loganalyzer.held import Rows
from loganalyzer.robots import History, Policy, Version, parse

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = [str(ROOT / "sample_logs" / name) for name in ("access.log.2.gz", "access.log.1", "access.log")]
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"
NOW = "User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/sitemap.xml\n"


def agent(token):
    return f"{token}/1.0 (+https://bots.example/{token})"


def line(who, target, minute=0, status=200, size=1000, referer="-", address="192.0.2.1"):
    stamp = f"02/Nov/2026:{10 + minute // 60:02}:{minute % 60:02}:00 +0000"
    return f'{address} - - [{stamp}] "GET {target} HTTP/1.1" {status} {size} "{referer}" "{who}"\n'


@pytest.fixture
def world(tmp_path):
    """A function that analyses lines by the file in force, and gives the simulation."""

    def make(lines, now=NOW, **extra):
        log = tmp_path / "access.log"
        log.write_text("".join(lines), encoding="utf-8")
        robots = []
        if now is not None:
            (tmp_path / "now.txt").write_text(now, encoding="utf-8")
            robots = [str(tmp_path / "now.txt")]
        return simulation(la.analyse(la.read([str(log)]), robots=robots, **extra))

    return make


def draft(*texts, hosts=(None,)):
    return History(
        Version(f"draft {host}", host, None, "", parse(text)) for text, host in zip(texts, hosts, strict=True)
    )


def rows(effect):
    return {row["client"]: row for row in effect.clients.to_pylist()}


KEEPER = [
    line(agent("KeeperBot"), "/robots.txt", 0),
    *(line(agent("KeeperBot"), f"/a/{n}", n + 1, size=2000) for n in range(8)),
]
BREAKER = [line(agent("BreakerBot"), f"/{'cart' if n % 2 else 'a'}/{n}", n) for n in range(10)]


def test_what_becomes_forbidden_is_counted_with_its_rule_and_examples(world):
    effect = world(KEEPER).effect(draft("User-agent: *\nDisallow: /cart\nDisallow: /a/\n"))

    row = rows(effect)["KeeperBot"]
    assert (row["forbidden_requests"], row["forbidden_bytes"], row["allowed_requests"]) == (8, 16_000, 0)
    assert row["forbidden_by"] == ["3: Disallow: /a/"]
    assert row["forbidden_examples"] == ["/a/0", "/a/1", "/a/2"]
    assert (row["standing"], row["weight"], row["judged"], row["violations"]) == ("keeps", 1.0, 8, 0)
    assert effect.requests.forbidden == 8
    assert effect.requests.of == 9
    assert effect.requests.low < effect.requests.expected == 8 == effect.requests.high


def test_what_is_opened_is_counted(world):
    effect = world(BREAKER).effect(draft("User-agent: *\nDisallow: /other\n"))

    row = rows(effect)["BreakerBot"]
    assert (row["allowed_requests"], row["allowed_bytes"], row["forbidden_requests"]) == (5, 5000, 0)
    assert row["allowed_examples"] == ["/cart/1", "/cart/3", "/cart/5"]


def test_who_goes_against_the_rules_is_told_and_not_counted_on(world):
    effect = world([*KEEPER, *BREAKER]).effect(draft("User-agent: *\nDisallow: /\n"))

    assert [row["client"] for row in effect.unmoved] == ["BreakerBot"]
    breaker = rows(effect)["BreakerBot"]
    assert (breaker["saves_requests"], breaker["saves_requests_low"]) == (0.0, 0.0)
    assert 0 < breaker["saves_requests_high"] < breaker["forbidden_requests"] == 5
    assert effect.requests.expected == 8


def test_the_same_file_changes_nothing(world):
    effect = world([*KEEPER, *BREAKER]).effect(draft(NOW))

    assert not effect.changes
    assert effect.breaks == ()


def test_without_a_file_in_force_nobody_was_tested(world):
    effect = world(KEEPER, now=None).effect(draft("User-agent: *\nDisallow: /a/\n"))

    row = rows(effect)["KeeperBot"]
    assert (row["standing"], row["saves_bytes"], row["saves_bytes_low"], row["saves_bytes_high"]) == (
        "unknown",
        None,
        0,
        16_000,
    )


def test_a_file_that_forbids_nothing_tests_nobody(world):
    effect = world(KEEPER, now="User-agent: *\nAllow: /\n").effect(draft("User-agent: *\nDisallow: /a/\n"))

    assert rows(effect)["KeeperBot"]["judged"] == 0


WEIGHTS = [
    ("crawler", 300, 0, 2, "keeps", 1.0),
    ("crawler", 300, 3, 2, "keeps", 0.99),
    ("crawler", 300, 4, 2, "violates", 0.0),
    ("crawler", 300, 4, 0, "violates", 0.0),
    ("crawler", 300, 0, 0, "unknown", None),
    ("crawler", 2, 0, 1, "unknown", None),
    ("crawler", 2, 2, 1, "unknown", None),
    ("library", 50, 0, 1, "keeps", 1.0),
    ("undeclared", 0, 0, 9, "unknown", None),
    ("feed-reader", 50, 0, 1, "not bound", None),
    ("user-triggered", 50, 50, 1, "not bound", None),
]


@pytest.mark.parametrize(("kind", "judged", "violations", "reads", "standing", "expected"), WEIGHTS)
def test_a_client_weighs_what_it_was_measured_to_keep(kind, judged, violations, reads, standing, expected):
    weight = weigh(Policy("x", kind, ("x",)), {"judged": judged, "violations": violations, "reads": reads})

    assert (weight.standing, weight.expected) == (standing, expected)
    assert 0 <= weight.low <= (weight.low if expected is None else expected) <= weight.high <= 1
    if expected is None:
        assert (weight.low, weight.high) == (0, 1)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_an_engine_is_known_by_its_referer(engine):
    found = engines_of(pa.array([engine.sample, engine.sample.replace("://", "://x.example/?u=")])).to_pylist()

    assert [ENGINES[place].name if place != NO_ENGINE else None for place in found] == [engine.name, None]


def test_other_referers_are_no_engine():
    others = ["https://notgoogle.com/", "https://google.com.evil.example/", "-", "", "https://shop.example/google.com"]

    assert set(engines_of(pa.array(others)).to_pylist()) == {NO_ENGINE}


PEOPLE = [
    line(BROWSER, "/a/1", 1, referer="https://www.google.com/"),
    line(BROWSER, "/a/1", 2, referer="https://duckduckgo.com/"),
    line(BROWSER, "/style.css", 1, referer="https://shop.example/a/1"),
    line(BROWSER, "/gone", 3, status=404, referer="https://www.google.com/"),
]


def broken(effect):
    return {(one.kind, one.who.rpartition("/")[2]): (one.targets, one.requests, one.examples) for one in effect.breaks}


def test_pages_that_people_find_by_an_engine_are_lost_with_its_crawler(world):
    effect = world(PEOPLE).effect(draft(NOW + "User-agent: bingbot\nDisallow: /a/\nUser-agent: x\nDisallow: /\n"))

    assert broken(effect) == {("search pages", "bingbot"): (1, 1, ("/a/1",))}
    assert effect.breaks[0].through == ("DuckDuckGo",)


def test_a_feed_by_its_query_is_told(world):
    reader = [line("Tiny Tiny RSS/1.0 (http://tt-rss.example/)", "/?flav=rss20", n) for n in range(4)]
    found = world([*reader, *KEEPER]).effect(draft("User-agent: *\nDisallow: /*?\n")).breaks

    assert [(one.kind, one.requests, one.examples) for one in found if one.kind == "feeds"] == [
        ("feeds", 4, ("/?flav=rss20",))
    ]


def test_style_sheets_feeds_and_sitemaps_are_told(world):
    bots = [
        line(agent("Googlebot"), "/sitemap.xml", 1),
        line(agent("Googlebot"), "/a/1", 1),
        line("Feedly/1.0 (+https://feedly.com/fetcher.html)", "/feed.xml", 1),
    ]
    text = "User-agent: *\nDisallow: /cart\nDisallow: /*.css$\nDisallow: /feed.xml\nDisallow: /sitemap.xml\n"

    assert broken(world([*PEOPLE, *bots]).effect(draft(text))) == {
        ("rendering", "Googlebot"): (1, 1, ("/style.css",)),
        ("rendering", "bingbot"): (1, 1, ("/style.css",)),
        ("feeds", "Feedly"): (1, 1, ("/feed.xml",)),
        ("sitemaps", "Googlebot"): (1, 1, ("/sitemap.xml",)),
        ("sitemap lines", "now.txt"): (1, 0, ("https://shop.example/sitemap.xml",)),
    }


def test_a_draft_for_one_host_leaves_the_others_as_they_are(tmp_path):
    text = "".join(
        f'{host}:443 192.0.2.1 - - [02/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 10 "-" "{agent("KeeperBot")}"\n'
        for host in ("one.example", "two.example", "two.example")
    )
    log = tmp_path / "access.log"
    log.write_text(text, encoding="utf-8")
    prepared = simulation(la.analyse(la.read([str(log)], log_format="vhost_combined")))

    assert prepared.effect(draft("User-agent: *\nDisallow: /\n", hosts=["two.example"])).requests.forbidden == 2
    assert prepared.effect(draft("User-agent: *\nDisallow: /\n")).requests.forbidden == 3


DRAFTS = {
    "all": "User-agent: *\nDisallow: /\n",
    "products": "User-agent: *\nDisallow: /products/\nAllow: /products/00\n",
    "queries": "User-agent: *\nDisallow: /*?\nUser-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /journal/\n",
    "suffix": "User-agent: *\nDisallow: /*-workshop$\nUser-agent: HastyBot\nDisallow:\n",
}


@pytest.fixture(scope="module")
def sample():
    return la.read(SAMPLE)


@pytest.mark.parametrize("name", DRAFTS)
def test_the_prediction_is_what_the_replay_of_the_draft_finds(name, sample, tmp_path):
    """Replayed as if it had been in force all the time, each request that would be forbidden is a violation."""
    (tmp_path / "draft.txt").write_text(DRAFTS[name], encoding="utf-8")
    predicted = rows(simulation(la.analyse(sample)).effect(draft(DRAFTS[name])))
    replayed = la.analyse(sample, robots=[str(tmp_path / "draft.txt")])
    judged = {client["client"]: client["robots"] for client in replayed.to_dict()["clients"] if client["automated"]}
    open_ended = {"unreachable", "refused"}  # how our own answers bore on it; the draft cannot know
    compared = 0
    for client, robots in judged.items():
        if robots["exempt"] or client == "undeclared":
            continue
        forbidden = predicted[client]["forbidden_requests"] if client in predicted else 0
        excused = sum(count for reason, count in robots["unjudged_reasons"].items() if reason in open_ended)
        assert robots["violation"] <= forbidden <= robots["violation"] + excused, client
        compared += not excused and forbidden > 0
    assert compared >= 2


def test_the_prediction_is_the_replay_on_a_real_log(shared, tmp_path):
    """The figures stand in docs/drafting.md, and were counted by hand as well."""
    text = "User-agent: *\nDisallow: /blog/tags/\nDisallow: /*?\n\nUser-agent: Googlebot\nDisallow: /projects/\n"
    (tmp_path / "new.txt").write_text(text, encoding="utf-8")
    log = la.read([str(shared / "data" / "logs" / "elastic_apache_logs.log")])
    effect = simulation(la.analyse(log)).effect(draft(text))
    predicted = {name: row["forbidden_requests"] for name, row in rows(effect).items()}
    replayed = la.analyse(log, robots=[str(tmp_path / "new.txt")]).to_dict()["clients"]
    bound = {one["client"]: one["robots"]["violation"] for one in replayed if one["robots"]["violation"]}

    assert (effect.requests.forbidden, len(bound), sum(bound.values())) == (1180, 20, 751)
    assert {name: predicted[name] for name in bound} == bound
    exempt = {one["client"] for one in replayed if one["robots"]["exempt"]}
    assert sum(predicted[name] for name in predicted.keys() & exempt) == 395


def test_the_forecast_came_true_on_the_sample():
    """Told from what came before the rules of 2 November, and held against what came from a day after them."""
    change = np.datetime64("2026-11-02T10:00", "us").astype(np.int64)
    log = la.read(SAMPLE)
    old, new = (str(ROOT / "sample_logs" / "robots" / f"{name}.txt") for name in ("20261001T0000Z", "20261102T1000Z"))
    before = la.analyse(_between(log, None, change), robots=[old])
    after = la.analyse(_between(log, change + 86_400_000_000, None), robots=[new])
    effect = simulation(before).effect(draft(Path(new).read_text(encoding="utf-8")))
    came = {client["client"]: client["robots"]["violation"] for client in after.to_dict()["clients"]}
    told = [row for row in effect.clients.to_pylist() if row["forbidden_requests"] and row["client"] in came]
    kept = [row["client"] for row in told if row["standing"] == "keeps"]

    assert kept
    assert all(came[client] == 0 for client in kept)
    assert all(came[row["client"]] > 0 for row in told if row["standing"] == "violates")


def _between(log, start, end):
    from dataclasses import replace

    t = log.requests["t"].to_numpy()
    mask = np.ones(len(t), bool) if start is None else t >= start
    within = log.requests.filter(pa.array(mask if end is None else mask & (t < end)))
    return replace(log, request_rows=Rows.of(within))
