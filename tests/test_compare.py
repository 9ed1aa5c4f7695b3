"""`report --compare`: two periods, logs or stores side by side."""

import json
import os
import re
from pathlib import Path

import commands
import pyarrow.parquet as pq
import pytest
from documents import HOSTILE
from rich.cells import cell_len

import loganalyzer as la
from loganalyzer.analysis.comparison import FEWEST, MORE
from loganalyzer.cli.given import Given
from loganalyzer.errors import UsageError
from loganalyzer.reports import RENDERERS
from loganalyzer.reports.exports import write
from loganalyzer.store import ingest, within
from loganalyzer.store.loading import Window

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = sorted(map(str, (ROOT / "sample_logs").glob("access.log*")))
ROBOTS = ["--robots", str(ROOT / "sample_logs/robots")]
LINE = '192.0.2.1 - - [{:02}/Nov/2026:{:02}:{:02}:{:02} +0000] "GET /{} HTTP/1.1" {} 100 "-" "{}"\n'
DAY = "2026-11-{:02}"
STEADY = ("about the same", "too few to say")


def requests(day, count, agent, target="page", status=200, over=86_399):
    """So many requests, spread over the first `over` seconds of a day, the first and the last at its ends."""
    at = [round(n * over / max(count - 1, 1)) for n in range(count)]
    return [LINE.format(day, s // 3600, s // 60 % 60, s % 60, target, status, agent) for s in at]


def written(path, *parts):
    path.write_text("".join(sorted((line for part in parts for line in part), key=lambda line: line.split("[")[1])))
    return path


def days(first, count):
    """A period of whole days of November 2026."""
    return Window.of(DAY.format(first), DAY.format(first + count))


def compared(path, before, after, **options):
    log = la.read([path])
    now, then = (within(log, *window.words) for window in (after, before))
    return la.analyse(now, **options).compared_with(la.analyse(then, **options))


def one(analysis, name):
    return next(client for client in analysis.to_dict()["compare"]["clients"] if client["client"] == name)


def run(*arguments, folder=None):
    return commands.run(*arguments, text=True, env={**os.environ, "COLUMNS": "80"}, cwd=folder)


def compare_of(*arguments):
    done = run("report", *arguments, "--json")
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)["compare"]


# --- what is said of a client


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (0, FEWEST, "new"),
        (0, FEWEST - 1, "too few to say"),
        (FEWEST, 0, "gone"),
        (FEWEST - 1, 0, "too few to say"),
        (20, 30, "more"),
        (20, 29, "about the same"),
        (30, 20, "less"),
        (29, 20, "about the same"),
        (FEWEST - 1, 2, "too few to say"),
        (100, 100, "about the same"),
    ],
)
def test_a_change_is_said_where_there_are_enough_requests(tmp_path, before, after, change):
    others = [requests(day, 3, "OtherBot/1.0") for day in (1, 2)]
    log = written(tmp_path / "a.log", requests(1, before, "SomeBot/1.0"), requests(2, after, "SomeBot/1.0"), *others)
    told = one(compared(log, days(1, 1), days(2, 1)), "SomeBot")

    assert (told["before"]["requests"], told["after"]["requests"]) == (before, after)
    assert told["change"] == change
    assert told["ratio"] == (after / before if before and after else None)


def test_periods_of_unequal_length_are_compared_by_the_day(tmp_path):
    """Thirty a day for three days, then 45 in one: half as many requests, and more of them a day."""
    log = written(
        tmp_path / "a.log", *(requests(day, 30, "SomeBot/1.0") for day in (1, 2, 3)), requests(4, 45, "SomeBot/1.0")
    )
    analysis = compared(log, days(1, 3), days(4, 1))
    told, caveats = one(analysis, "SomeBot"), analysis.to_dict()["compare"]["caveats"]

    assert (told["before"]["requests_per_day"], told["after"]["requests_per_day"]) == (30, 45)
    assert (told["ratio"], told["change"], told["change_per_day"]) == (MORE, "more", 15)
    assert any("not equally long, 3 days and 24 hours: compare rates per day" in caveat for caveat in caveats)


def test_of_unequal_lengths_the_shorter_must_show_enough(tmp_path):
    """Thirty in ten days are three a day: a day without any is nothing to speak of."""
    parts = [requests(day, 3, "SomeBot/1.0") for day in range(1, 11)]
    log = written(tmp_path / "a.log", *parts, *(requests(day, 2, "OtherBot/1.0") for day in range(1, 12)))

    assert one(compared(log, days(1, 10), days(11, 1)), "SomeBot")["change"] == "too few to say"


def test_who_came_once_is_not_said_to_be_gone(tmp_path):
    others = [requests(day, 3, "OtherBot/1.0") for day in (1, 2)]
    visit = requests(1, 500, "VisitBot/1.0", over=3_599)
    analysis = compared(written(tmp_path / "a.log", visit, *others), days(1, 1), days(2, 1))

    assert one(analysis, "VisitBot")["change"] == "too few to say"


def test_verdicts_stand_beside_each_other_with_what_they_rest_on(tmp_path):
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: *\nDisallow: /closed\n")
    log = written(
        tmp_path / "a.log",
        requests(1, 20, "SomeBot/1.0"),
        requests(2, 20, "SomeBot/1.0", "closed"),
        requests(1, 20, "OtherBot/1.0", status=429),
        requests(2, 4, "ThirdBot/1.0"),
    )
    analysis = compared(log, days(1, 1), days(2, 1), robots=[str(robots)])
    some = one(analysis, "SomeBot")

    assert (some["before"]["robots"], some["after"]["robots"]) == ("kept", "violated")
    assert (some["after"]["violations"], some["after"]["judged"]) == (20, 20)
    assert one(analysis, "OtherBot")["before"]["reaction"] == "gave_up"
    assert one(analysis, "OtherBot")["after"]["reaction"] == "absent"
    assert one(analysis, "ThirdBot")["after"]["robots"] == "too few to say"
    assert re.search(r"SomeBot +robots.txt +kept +violated 20 of 20 judged", RENDERERS["text"](analysis.to_dict()))


def test_the_sums_are_those_of_the_two_reports():
    log = la.read(SAMPLE)
    now, then = (within(log, *days(day, 1).words) for day in (2, 1))
    before, after = la.analyse(then), la.analyse(now)
    told = after.compared_with(before).to_dict()
    compare = told["compare"]

    assert {**told, "compare": None} == after.to_dict()
    for side, analysis in (("before", before), ("after", after)):
        totals = analysis.to_dict()["totals"]
        for key in ("requests", "bytes", "refusals"):
            assert compare[side][key] == totals[key] == sum(client[side][key] for client in compare["clients"])
    changes = [client["change"] for client in compare["clients"] if client["automated"]]
    assert changes.count("new") == compare["new_clients"] > 0


# --- how far the two can be compared


@pytest.mark.parametrize(
    ("before", "after", "caveat"),
    [
        (("2026-11-02", "2026-11-09"), ("2026-11-09", "2026-11-16"), None),
        (("2026-11-02", "2026-11-03"), ("2026-11-09", "2026-11-10"), None),
        (("2026-11-02T06:00", "2026-11-02T12:00"), ("2026-11-09T06:00", "2026-11-09T12:00"), None),
        (("2026-11-02", "2026-11-03"), ("2026-11-03", "2026-11-04"), "week are not the same: Mon before, Tue"),
        (("2026-11-02T06:00", "2026-11-02T12:00"), ("2026-11-09T12:00", "2026-11-09T18:00"), "are not whole days"),
        (("2026-11-02", "2026-11-09"), ("2026-11-09", "2026-11-12T12:00"), "not equally long, 7 days and 3.5 days"),
        (("2026-11-02", "2026-11-09"), ("2026-11-08", "2026-11-15"), "the two overlap by 24 hours"),
        (("2026-11-09", "2026-11-16"), ("2026-11-02", "2026-11-09"), "called before lies later in time"),
        (("2026-10-28", "2026-11-04"), ("2026-11-04", "2026-11-11"), "of the 7 days asked for the log covers 3"),
    ],
)  # fmt: skip
def test_what_makes_the_two_unlike_is_said(tmp_path, before, after, caveat):
    log = written(tmp_path / "a.log", *(requests(day, 40, "SomeBot/1.0") for day in range(1, 18)))
    caveats = compared(log, Window.of(*before), Window.of(*after)).to_dict()["compare"]["caveats"]

    assert caveats == [] if caveat is None else any(caveat in told for told in caveats), caveats


def test_a_new_robots_txt_and_what_one_alone_logged_are_said():
    log = la.read(SAMPLE)
    now, then = (within(log, *days(day, 1).words) for day in (2, 1))
    robots = [ROBOTS[1]]
    analysis = la.analyse(now, robots=robots).compared_with(la.analyse(then, robots=robots))
    caveats = " ".join(analysis.to_dict()["compare"]["caveats"])

    assert "robots.txt was not the same throughout" in caveats
    assert "logged in one of the two alone, so that what rests on it differs: request time, retry after" in caveats


def test_a_single_instant_has_no_rates(tmp_path):
    log = written(tmp_path / "a.log", requests(1, 30, "SomeBot/1.0", over=0))
    analysis = la.analyse(la.read([log]))
    told = analysis.compared_with(analysis).to_dict()

    assert told["compare"]["before"]["days"] is None
    assert told["compare"]["clients"][0]["change"] == "too few to say"
    assert "no rates per day" in told["compare"]["caveats"][0]
    assert all(RENDERERS[name](told) for name in RENDERERS)


def test_the_command_for_evidence_names_the_period():
    document = json.loads(run("report", *SAMPLE, *ROBOTS, "--since", "2026-11-03", "--json").stdout)
    found = next(found for found in document["findings"] if found["kind"] == "violations")
    done = run(*found["evidence"].split()[1:])

    assert "--since 2026-11-03T00:00:00Z" in found["evidence"]
    assert len(done.stdout.splitlines()) == found["count"] > 0
    assert "[03/Nov/2026" in done.stdout
    assert "[02/Nov/2026" not in done.stdout


# --- the command


@pytest.mark.parametrize(
    ("arguments", "before", "after"),
    [
        (["--since", "2026-11-02", "--until", "2026-11-03", "--compare", "previous"], 1662, 2310),
        (["--since", "2026-11-03", "--compare", "previous"], 2310, 1857),
        (["--since", "2026-11-03", "--compare", "2026-11-01..2026-11-02"], 1662, 1857),
        (["--compare", "..2026-11-02"], 1662, 5829),
        (["--compare", SAMPLE[1]], 2310, 5829),
        (["--compare", SAMPLE[1], "--compare", SAMPLE[2]], 3972, 5829),
        (["--since", "2026-11-03", "--compare", "../{}/sample_logs/access.log"], 1857, 1857),
        (["--since", "2026-11-02", "--until", "2026-11-03", "--compare", "{store}"], 2310, 2310),
    ],
)  # fmt: skip
def test_the_forms_of_the_option(tmp_path, arguments, before, after):
    list(ingest(SAMPLE, tmp_path / "store"))
    told = [part.format(ROOT.name, store=tmp_path / "store") for part in arguments]
    done = run("report", *SAMPLE, *told, "--json", folder=ROOT)
    found = json.loads(done.stdout)["compare"]

    assert (found["before"]["requests"], found["after"]["requests"]) == (before, after)
    if "--store" not in told and "{store}" not in arguments:
        same = run("report", "--store", tmp_path / "store", *told, "--json", folder=ROOT)
        totals = json.loads(same.stdout)["compare"]
        assert (totals["before"]["requests"], totals["after"]["requests"]) == (before, after)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--compare", "previous"], 2, "--compare previous is the time before --since"),
        (["--since", "2026-12-01", "--until", "2026-11-01", "--compare", "previous"], 2, "none before its end"),
        (["--compare", "none.log"], 2, "give previous, FROM..TO (2026-11-01..2026-11-08), a log or a store"),
        (["--compare", "2026-13-01..2026-11-02"], 2, "give previous, FROM..TO"),
        (["--compare", "..2026-11-02", "--compare", SAMPLE[0]], 2, "one period, or logs alone"),
        (["--compare", "..2026-01-01"], 0, "no request in that period, so nothing is compared"),
        (["--compare", SAMPLE[0], "--html", SAMPLE[0]], 2, "is one of the inputs"),
    ],
)
def test_what_cannot_be_compared_is_said(arguments, code, message):
    done = run("report", SAMPLE[0], *arguments)

    assert message in " ".join(done.stderr.split())
    assert done.returncode == code


def test_hashed_addresses_are_the_same_on_both_sides(tmp_path):
    """One random key for both, or nobody's address would be in both."""
    log = written(tmp_path / "a.log", *(requests(day, 20, "SomeBot/1.0") for day in (1, 2)))
    done = run("report", log, "--since", "2026-11-02", "--compare", "previous", "--anonymize=hash", "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["compare"]["clients"][0]["change"] == "about the same"


def test_another_log_is_hidden_by_the_same_random_key():
    given = Given(logs=("a.log",), anonymize="hash")
    other = given.instead(logs=("b.log",))

    assert other.logs == ("b.log",)
    assert other.privacy.key == given.privacy.key
    assert other.registry is given.registry


def test_the_same_input_gives_the_same_bytes(tmp_path):
    arguments = ["report", *SAMPLE, *ROBOTS, "--since", "2026-11-02", "--until", "2026-11-03", "--compare", "previous"]
    runs = [run(*arguments, "--json", "--html", tmp_path / f"{n}.html", "--csv", tmp_path / str(n)) for n in (1, 2)]

    assert runs[0].stdout == runs[1].stdout
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()
    for name in ("compared_clients.csv", "compared_periods.csv", "manifest.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


# --- every form of it


@pytest.fixture(scope="module")
def sample():
    log = la.read(SAMPLE)
    now, then = (within(log, *days(day, 1).words) for day in (2, 1))
    robots = [ROBOTS[1]]
    return la.analyse(now, robots=robots).compared_with(la.analyse(then, robots=robots))


def spoiled(document):
    """The same with a stranger's text for every name."""
    compare = document["compare"]
    clients = [{**client, "client": HOSTILE[n % len(HOSTILE)]} for n, client in enumerate(compare["clients"])]
    caveats = [f"{HOSTILE[0]} {HOSTILE[1]}", *compare["caveats"]]
    return {**document, "compare": {**compare, "clients": clients, "caveats": caveats}}


@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("change", [dict, spoiled], ids=["sample", "hostile"])
def test_no_line_is_wider_than_the_terminal(sample, width, change):
    text = RENDERERS["text"](change(sample.to_dict()), width=width, full=True)

    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_every_report_says_what_changed_and_how_far_it_can_be_compared(sample, name):
    said = " ".join(RENDERERS[name](sample.to_dict()).split())

    told = ["What changed (UTC)", "1,662 a day before, 2,310 now, 39 % more", "How far the two can be compared"]
    told += ["The days of the week are not the same", "HastyBot (267 a day more, 40 % of it)", "Who changed"]

    assert [words for words in told if words not in said] == []


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_report_that_compares_nothing_says_nothing_of_it(sample, name):
    assert "What changed (" not in RENDERERS[name]({**sample.to_dict(), "compare": None})


def test_the_chart_has_two_bars_for_each_client_that_changed(sample):
    page = RENDERERS["html"](sample.to_dict())
    changed = [client for client in sample.to_dict()["compare"]["clients"] if client["change"] not in STEADY]
    chart = re.search(r'<svg[^>]*aria-label="Requests a day of (\d+) clients.*?</svg>', page, flags=re.DOTALL)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="10"', chart[0])]

    assert int(chart[1]) == len(changed) > 3
    assert len(widths) == sum(
        (client["before"]["requests"] > 0) + (client["after"]["requests"] > 0) for client in changed
    )
    assert max(widths) == 560


def test_hostile_names_are_no_markup(sample):
    page = RENDERERS["html"](spoiled(sample.to_dict()))

    assert "<script" not in page
    assert "<img" not in page


def test_the_tables_have_every_client_and_both_periods(sample, tmp_path):
    write(str(tmp_path / "out"), "parquet", sample)
    clients, periods = (pq.read_table(tmp_path / "out" / f"compared_{name}.parquet") for name in ("clients", "periods"))
    compare = sample.to_dict()["compare"]

    assert clients["client"].to_pylist() == [client["client"] for client in compare["clients"]]
    assert clients["requests_now"].to_pylist() == [client["after"]["requests"] for client in compare["clients"]]
    assert periods["side"].to_pylist() == ["before", "now"]
    assert periods["requests"].to_pylist() == [1662, 2310]


def test_a_period_knows_the_one_before_it():
    assert days(8, 7).previous(0) == days(1, 7)
    assert Window(100, None).previous(150) == Window(50, 100)
    with pytest.raises(UsageError, match="nothing as long before it"):
        Window(None, 100).previous(150)
