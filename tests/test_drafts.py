"""What a draft of robots.txt would change: by hand on a small log, and against the replay of the draft."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import loganalyzer as la
from loganalyzer.analysis.drafting import simulation
from loganalyzer.cli import cli
from loganalyzer.drafts import EFFECT
from loganalyzer.drafts.engines import ENGINES, NO_ENGINE, engines_of
from loganalyzer.drafts.weight import weigh
from loganalyzer.errors import UsageError
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


def run(*arguments, code=0):
    result = CliRunner().invoke(cli, ["draft", *arguments], catch_exceptions=False, standalone_mode=False)
    assert (result.return_value or 0) == code, result.output
    return result


@pytest.fixture
def files(tmp_path):
    (tmp_path / "access.log").write_text("".join([*KEEPER, *BREAKER, *PEOPLE]), encoding="utf-8")
    (tmp_path / "now.txt").write_text(NOW, encoding="utf-8")
    (tmp_path / "new.txt").write_text("User-agent: *\nDisallow: /a\nDisalow: /x\n", encoding="utf-8")
    return tmp_path


def test_the_command_tells_the_effect_in_each_form(files):
    arguments = (
        str(files / "access.log"),
        "--robots",
        str(files / "now.txt"),
        "--draft",
        str(files / "new.txt"),
    )
    text = run(*arguments, "--html", str(files / "page.html")).stdout
    document = json.loads(run(*arguments, "--json").stdout)
    ticket = run(*arguments, "--md").stdout
    page = (files / "page.html").read_text(encoding="utf-8")

    assert document["totals"]["requests"]["forbidden"] == 13
    assert [row["client"] for row in document["clients"]] == ["KeeperBot", "BreakerBot"]
    assert set(document["clients"][0]) == set(EFFECT.names)
    assert document["unmoved"] == ["BreakerBot"]
    assert document["lint"][0]["counts"]["error"] or document["lint"][0]["counts"]["warning"]
    for shown in (text, ticket, page):
        assert "BreakerBot" in shown
        assert "Wilson" in shown
        assert "disalow" in shown
    assert max(map(len, text.splitlines())) <= 80
    assert run(*arguments).stdout == text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--draft FILE"),
        (["--draft", "{here}/none.txt"], "--draft {here}/none.txt"),
        (["--draft", "{here}/new.txt@2026-11-02"], "without an instant"),
        (["--draft", "{here}/new.txt", "--json", "--md"], "choose one"),
        (["--draft", "{here}/new.txt", "--policy"], "one of"),
        (["--draft", "{here}/new.txt", "--deny", "seo"], "add --policy"),
        (["--policy", "--deny", "evil bot"], "no name that may stand"),
        (
            ["--policy", "--robots", "a.example={here}/new.txt", "--robots", "{here}/now.txt"],
            "for 2 hosts ((all others), a.example)",
        ),
        (["--draft", "{here}/new.txt", "--host", "a.example"], "is --draft HOST=FILE"),
        (["--draft", "{here}/new.txt", "--html", "{here}/new.txt"], "is one of the inputs"),
    ],
)
def test_a_wrong_use_says_what_to_do(files, options, says):
    with pytest.raises(UsageError) as raised:
        run(str(files / "access.log"), *(option.format(here=files) for option in options))

    assert says.format(here=files) in str(raised.value)


def test_strangers_names_and_targets_stay_text(files):
    bad = line("<b>Evil*Bot*|[x](y)\\x1b[31m/1.0", "/a/<script>alert(1)</script>|`x`", 1)
    (files / "access.log").write_text("".join([*KEEPER, bad, bad, bad]), encoding="utf-8")
    arguments = (str(files / "access.log"), "--draft", str(files / "new.txt"), "--html", str(files / "page.html"))
    text = run(*arguments, "--md").stdout

    assert "an unknown part (0.0 % to" in text
    assert "\x1b" not in text
    assert "<script>alert" not in (files / "page.html").read_text(encoding="utf-8")
    assert all(row.count("|") == 8 for row in text.splitlines() if row.startswith("|"))


def test_the_command_writes_a_policy_and_again_the_same(files):
    said = ("--policy", "--deny", "BreakerBot", "--keep-out", "/b,/c")
    first = run(str(files / "access.log"), "--robots", str(files / "now.txt"), *said)
    (files / "written.txt").write_text(first.stdout, encoding="utf-8")
    again = run(str(files / "access.log"), "--robots", str(files / "written.txt"), *said)
    document = json.loads(run(str(files / "access.log"), "--robots", str(files / "now.txt"), *said, "--json").stdout)

    assert "User-agent: BreakerBot\nDisallow: /\n" in first.stdout
    assert first.stdout.startswith(NOW.splitlines()[0])
    assert again.stdout == first.stdout == document["robots_txt"]
    assert "newly forbids 5 requests" in " ".join(first.stderr.split())
    assert [row["client"] for row in document["clients"]] == ["BreakerBot"]
    page = run(str(files / "access.log"), *said, "--md", "--html", str(files / "page.html")).stdout
    assert "BreakerBot" in page
    assert "BreakerBot" in (files / "page.html").read_text(encoding="utf-8")


def test_a_policy_takes_the_newest_of_a_folder_as_the_present_file(files):
    folder = files / "versions"
    folder.mkdir()
    (folder / "20261101T0000Z.txt").write_text("User-agent: *\nDisallow: /old\n", encoding="utf-8")
    (folder / "20261102T0000Z.txt").write_text("User-agent: *\nDisallow: /new\n", encoding="utf-8")

    assert run(str(files / "access.log"), "--robots", str(folder), "--policy").stdout.endswith("Disallow: /new\n")


@pytest.fixture
def two_hosts(files):
    """One client that asks for as much of each of two hosts, with a file each."""
    rows = [
        f"{host} {line(agent('TwoBot'), f'/{n}?q={n}', n)}" for n in range(40) for host in ("a.example", "b.example")
    ]
    (files / "access.log").write_text("".join([*rows, f"b.example {line(agent('BeeBot'), '/1')}"]), encoding="utf-8")
    (files / "b.txt").write_text("User-agent: *\nDisallow: /b\n", encoding="utf-8")
    return files


def test_a_policy_for_one_of_several_hosts_counts_its_requests_alone(two_hosts):
    log, now, other = (str(two_hosts / name) for name in ("access.log", "now.txt", "b.txt"))
    both = ("--robots", f"a.example={now}", "--robots", f"b.example={other}")
    said = ("--policy", "--deny", "TwoBot", "--json")
    first, second = (json.loads(run(log, *both, "--host", host, *said).stdout) for host in ("a.example", "b.example"))

    assert "Disallow: /cart" in first["robots_txt"]
    assert "Disallow: /b" in second["robots_txt"]
    assert "of 40 requests for a.example and" in first["robots_txt"]
    assert "BeeBot" not in str(first)
    assert [one["totals"]["requests"]["forbidden"] for one in (first, second)] == [40, 40]
    assert [one["totals"]["requests"]["of"] for one in (first, second)] == [40, 41]
    # The only file that is given says for whom it is.
    alone = json.loads(run(log, "--robots", f"a.example={now}", *said).stdout)
    assert alone["robots_txt"] == first["robots_txt"]
    assert alone["totals"] == first["totals"]


def test_suggestions_for_one_of_several_hosts_count_its_requests_alone(two_hosts):
    log, now, other = (str(two_hosts / name) for name in ("access.log", "now.txt", "b.txt"))
    both = ("--robots", f"a.example={now}", "--robots", f"b.example={other}")
    found = json.loads(run(log, *both, "--suggest", "--host", "b.example", "--json").stdout)["suggestions"]

    assert {(one["kind"], one["requests"]) for one in found} == {("a parameter", 40)}
    with pytest.raises(UsageError, match=r"is for c.example; hosts of the log: a.example, b.example"):
        run(log, "--suggest", "--host", "c.example")
    assert "Only requests for b.example count" in run(log, *both, "--suggest", "--host", "B.example:443").stdout
