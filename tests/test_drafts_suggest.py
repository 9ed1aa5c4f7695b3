"""Rules that are suggested: each kind of waste is found, nothing that people reach is caught, and the saving is so."""

import json

import pytest
from click.testing import CliRunner

import loganalyzer as la
from loganalyzer.analysis.drafting import simulation, suggested
from loganalyzer.cli import cli
from loganalyzer.drafts.suggestions import PEOPLE_SHARE, Spent, suggest
from loganalyzer.drafts.suggestions.candidates import MOST, WAYS, candidates
from loganalyzer.robots import parse

BOT = "SampleBot/1.0 (+https://bots.example/)"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"


def line(who, target, status=200, size=1000, second=0):
    stamp = f"02/Nov/2026:{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} +0000"
    return f'192.0.2.1 - - [{stamp}] "GET {target} HTTP/1.1" {status} {size} "-" "{who}"\n'


PEOPLE = [line(BROWSER, f"/page/{n % 40}", second=n) for n in range(900)]
WASTE = {
    "many queries": (["/search?"], [(f"/search?q=w{n}", 200, n) for n in range(60)]),
    "a parameter": (["/*?sort=", "/*&sort="], [(f"/shop/{n}?{'a=1&' * (n % 2)}sort=up", 200, n) for n in range(60)]),
    "a calendar": (["/events/"], [(f"/events/20{n % 20 + 10}/{n % 12 + 1:02}/{n}", 200, n) for n in range(60)]),
    "errors": (["/gone/"], [(f"/gone/{n % 9}", 404, 300) for n in range(60)]),
    "redirects": (["/old/"], [(f"/old/{n}", 301, 300 + n) for n in range(25)]),
    "unchanged": (["/same/"], [(f"/same/{n % 3}", 200, 5000) for n in range(60)]),
}


@pytest.fixture
def world(tmp_path):
    def make(lines, robots=None):
        (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")
        (tmp_path / "robots.txt").write_text(robots or "User-agent: *\nDisallow: /none\n", encoding="utf-8")
        return la.analyse(la.read([str(tmp_path / "access.log")]), robots=[str(tmp_path / "robots.txt")])

    return make


def asked(rows):
    return [line(BOT, target, status, 1000 + size, second) for second, (target, status, size) in enumerate(rows)]


def found(analysis):
    return {one.kind: one for one in suggest(Spent.of(simulation(analysis)))}


def test_there_is_waste_of_each_way():
    assert set(WASTE) == {way.kind for way in WAYS}


@pytest.mark.parametrize("kind", WASTE)
def test_waste_is_found_with_what_it_costs(kind, world):
    paths, rows = WASTE[kind]
    one = found(world([*PEOPLE, *asked(rows)]))[kind]

    assert list(one.paths) == paths
    assert (one.requests, one.bytes) == (len(rows), sum(1000 + size for *_, size in rows))
    assert one.people == 0
    assert set(one.examples) <= {target for target, *_ in rows}


def test_all_of_it_at_once(world):
    kinds = found(world([*PEOPLE, *(row for _, rows in WASTE.values() for row in asked(rows))]))

    assert set(kinds) == set(WASTE)


@pytest.mark.parametrize("kind", WASTE)
def test_what_people_reach_in_numbers_is_never_caught(kind, world):
    _, rows = WASTE[kind]
    people = [line(BROWSER, target, 200, second=second) for second, (target, *_) in enumerate(rows[:20])]

    assert found(world([*PEOPLE, *people, *asked(rows)])) == {}


@pytest.mark.parametrize("target", ["/feed.xml?n={}", "/news?flav=rss20&n={}", "/sitemap.xml?n={}"])
def test_feeds_and_sitemaps_are_never_caught(target, world):
    assert found(world([*PEOPLE, *asked([(target.format(n), 200, 1) for n in range(60)])])) == {}


def test_what_is_closed_already_is_not_suggested(world):
    _, rows = WASTE["many queries"]

    assert found(world([*PEOPLE, *asked(rows)], "User-agent: *\nDisallow: /search\n")) == {}


def test_user_triggered_clients_and_little_waste_suggest_nothing(world):
    _, rows = WASTE["many queries"]
    fetcher = (
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot"
    )

    assert found(world([*PEOPLE, *(line(fetcher, target) for target, *_ in rows)])) == {}
    assert found(world([*PEOPLE, *asked(rows[:15])])) == {}


def test_signs_of_patterns_in_a_target_are_written_as_letters(world):
    one = found(world([*PEOPLE, *asked([(f"/a*b$/?q={n}", 200, n) for n in range(60)])]))["many queries"]

    assert one.paths == ("/a%2Ab%24/?",)
    assert not parse(f"User-agent: *\n{one.rules}").decide("x", "/a*b$/?q=1").allowed
    assert parse(f"User-agent: *\n{one.rules}").decide("x", "/axb$/?q=1").allowed


def test_the_saving_is_what_the_rule_forbids(world):
    analysis = world([*PEOPLE, *(row for _, rows in WASTE.values() for row in asked(rows))])
    targets = [row["target"] for row in analysis.log.requests.select(["target", "user_agent"]).to_pylist()]
    agents = analysis.log.requests["user_agent"].to_pylist()
    for one, effect, evidence in suggested(analysis, b"User-agent: *\nDisallow: /none\n"):
        robots = parse(f"User-agent: *\n{one.rules}")
        shut = [agent for target, agent in zip(targets, agents, strict=True) if not robots.decide("x", target).allowed]
        assert shut.count(BOT) == one.requests == effect.requests.forbidden
        assert shut.count(BROWSER) == one.people <= PEOPLE_SHARE * one.of_people
        assert len(evidence) == len(one.examples)
        assert all(place.rpartition(":")[0].endswith("access.log") for place in evidence)


def test_candidates_are_bounded_whatever_the_log(world):
    rows = [(f"/p{n % 300}/{n}?k{n % 90}={n}&x{n % 70}=1", 404, n) for n in range(9000)]
    spent = Spent.of(simulation(world([*PEOPLE, *asked(rows)])))

    assert 0 < len(candidates(spent)) <= 3 * MOST * len(WAYS)


def run(*arguments):
    return CliRunner().invoke(cli, ["draft", *arguments], catch_exceptions=False, standalone_mode=False).stdout


def test_the_command_tells_them(world, tmp_path):
    world([*PEOPLE, *asked(WASTE["many queries"][1])])
    arguments = [str(tmp_path / "access.log"), "--robots", str(tmp_path / "robots.txt"), "--suggest"]
    text, told, ticket = (run(*arguments, *form) for form in ([], ["--json"], ["--md"]))

    assert "    Disallow: /search?\n" in text
    assert "Disallow: /search?" in ticket
    document = json.loads(told)["suggestions"][0]
    assert document["rules"] == "Disallow: /search?\n"
    assert document["clients"][0]["client"] == "SampleBot"
    assert document["evidence"][0].endswith(":901")
