"""The pages One client and robots.txt on the sample logs: figures of the command line, each a click from its lines."""

import json
from pathlib import Path

import numpy as np
import pytest
from dashboards import LOGS, SAMPLE, opened, told

import loganalyzer as la
from loganalyzer.analysis import evidence
from loganalyzer.analysis.course import BARS_S, course, gaps
from loganalyzer.dashboard import drafts, questions

pytest.importorskip("streamlit")
import streamlit as st

ROBOTS = ["--robots", str(SAMPLE / "robots")]


@pytest.fixture(scope="module")
def analysis():
    return la.analyse(la.read(LOGS), robots=ROBOTS[1:])


@pytest.fixture
def start(monkeypatch):
    with opened(monkeypatch, "client") as run:
        yield run


def printed(capfdbinary, *arguments):
    from loganalyzer.cli import main

    with pytest.raises(SystemExit, match=r"^0$"):
        main([*arguments])
    return capfdbinary.readouterr().out


def test_course_of_each_client_is_that_of_the_report(analysis):
    document = analysis.to_dict()
    for client in document["clients"]:
        found = course(analysis, client["client"])

        assert found["requests"] == client["series"]
        assert sum(found["refusals"]) == client["backoff"]["refusals"]
        assert found["bucket_s"] == document["series"]["bucket_s"]
        assert sum(count for _, count in found["gaps"]["bars"]) == found["gaps"]["gaps"]
    every = [course(analysis, client["client"])["refusals"] for client in document["clients"]]
    assert [sum(column) for column in zip(*every, strict=True)] == document["series"]["refusals"]


def test_gaps_are_counted_up_to_each_length_and_no_more():
    t = np.cumsum([0, 0, 1_000_000, 1_000_001, 90_000_000_000])

    found = gaps(t[::-1].astype(np.int64))

    assert found["gaps"] == 4
    assert found["median_s"] == pytest.approx(1.0000005)
    assert {longest: count for longest, count in found["bars"] if count} == {0: 1, 1: 1, 2: 1, None: 1}
    assert [longest for longest, _ in found["bars"]] == [*BARS_S, None]


@pytest.mark.parametrize("t", [[], [5]])
def test_gaps_of_fewer_than_two_requests_are_none(t):
    assert gaps(np.array(t, np.int64)) == {
        "gaps": 0,
        "median_s": None,
        "bars": [[longest, 0] for longest in (*BARS_S, None)],
        "first": [None] * (len(BARS_S) + 1),
    }


def test_first_gap_of_each_length_is_known_by_the_requests_before_its_end():
    seconds, robots = [0, 1, 1, 4, 5], [False, True, False, False, False]

    found = gaps(np.array(seconds, np.int64) * 1_000_000, np.array(robots))

    ends = {longest: first for (longest, _), first in zip(found["bars"], found["first"], strict=True) if first}
    assert ends == {1: 2, 5: 3}  # of one second, and of three


def test_bar_of_gaps_leads_to_the_request_that_ended_the_first(start, analysis, monkeypatch):
    found = course(analysis, "HastyBot")["gaps"]
    place = max(at for at, first in enumerate(found["first"]) if first)
    chart = st.altair_chart

    def click(drawn, key=None, **more):
        chart(drawn, key=key, **more)
        clicked = [{"place": place, "lines": "all"}] if key.startswith("chart-gaps") else []
        return {"selection": {"picked0": clicked}}

    monkeypatch.setattr(st, "altair_chart", click)
    app = start(*LOGS, *ROBOTS, client="HastyBot", tab="Pace")

    assert app.title[0].value == "Evidence"
    assert app.number_input[0].value == found["first"][place] // 50 + 1


@pytest.mark.parametrize(("kind", "option"), [("text", []), ("markdown", ["--md"])])
def test_dossier_to_save_is_the_one_of_the_command_line(start, capfdbinary, kind, option):
    app = start(*LOGS, *ROBOTS, client="HastyBot")

    assert [button.label for button in app.get("download_button") if "Dossier" in button.label] == [
        *("Dossier as text", "Dossier as Markdown", "Dossier as HTML")
    ]
    expected = printed(capfdbinary, "client", "HastyBot", *LOGS, *ROBOTS, "--quiet", *option)
    assert questions.dossier("HastyBot", kind)() == expected


def test_dossier_as_html_is_the_one_of_the_command_line(start, capfdbinary, tmp_path):
    start(*LOGS, *ROBOTS, client="HastyBot")
    printed(capfdbinary, "client", "HastyBot", *LOGS, *ROBOTS, "--quiet", "--html", str(tmp_path / "page.html"))

    assert questions.dossier("HastyBot", "html")() == (tmp_path / "page.html").read_bytes()


@pytest.mark.parametrize("name", ["browser", "undeclared"])
def test_many_who_share_no_name_have_no_dossier(start, name):
    app = start(*LOGS, *ROBOTS, client=name)

    assert not app.exception
    assert not app.error
    assert not [button for button in app.get("download_button") if "Dossier" in button.label]


@pytest.mark.parametrize("name", ["HastyBot", "HarvestBot", "Googlebot"])
def test_collateral_is_that_of_the_command_line(start, capfdbinary, name):
    app = start(*LOGS, *ROBOTS, client=name, tab="Addresses")

    document = json.loads(printed(capfdbinary, "collateral", *LOGS, "--client", name, "--json"))["collateral"]
    assert not app.exception
    assert questions.collateral(name) == document
    assert f"refuses {document[1]['addresses']:,} addresses of this log" in told(app)


def test_each_row_of_etiquette_has_its_numbers_and_leads_to_its_lines(start, analysis):
    client = next(one for one in analysis.to_dict()["clients"] if one["client"] == "HastyBot")
    place = next(n for n, row in enumerate(client["etiquette"]) if row["row"] == "waits-when-told")
    app = start(*LOGS, *ROBOTS, client="HastyBot")

    assert all(f"{row['verdict']}: {row['title']}. {row['sentence']}" in told(app) for row in client["etiquette"])
    app.button(key=f"row-{place}").click().run()

    assert app.title[0].value == "Evidence"
    assert [box.value for box in app.selectbox] == ["one client", "HastyBot", "early"]


@pytest.mark.parametrize("what", ["all", "refused"])
def test_mark_in_the_course_of_a_client_leads_to_the_page_of_its_lines(start, analysis, monkeypatch, what):
    """The test driver of Streamlit cannot click into a chart: what comes back from one is given here."""
    found = course(analysis, "HastyBot")
    counts = found["refusals"] if what == "refused" else found["requests"]
    place = max(at for at, count in enumerate(counts) if count)
    chart = st.altair_chart

    def click(drawn, key=None, **more):
        chart(drawn, key=key, **more)
        clicked = [{"place": place, "lines": what}] if key.startswith("chart-course") else []
        return {"selection": {"picked0": [], "picked1": clicked}}

    monkeypatch.setattr(st, "altair_chart", click)
    app = start(*LOGS, *ROBOTS, client="HastyBot")

    assert [box.value for box in app.selectbox] == ["one client", "HastyBot", what]
    first, page = sum(counts[:place]), app.number_input[0].value
    assert (page - 1) * 50 <= first < page * 50
    bucket = np.datetime64(found["start"].removesuffix("Z")) + place * np.timedelta64(found["bucket_s"], "s")
    line = app.code[0].value.splitlines()[first - (page - 1) * 50]
    assert f"[{bucket.astype(object):%d/%b/%Y:%H}:" in line


@pytest.mark.parametrize(
    ("mark", "of", "what"),
    [
        ({"lines": "all", "purpose": "crawler"}, "crawler", "all"),
        ({"lines": "all", "purpose": "other purposes"}, "everybody", "all"),
        ({"lines": "refused"}, "everybody", "refused"),
    ],
)
def test_mark_in_the_overview_leads_to_the_page_of_its_lines(start, analysis, monkeypatch, mark, of, what):
    series = analysis.to_dict()["series"]
    every = [sum(bar) for bar in zip(*series["purposes"].values(), strict=True)]
    counts = series["refusals"] if what == "refused" else series["purposes"].get(of, every)
    place = max(at for at, count in enumerate(counts) if count)
    chart = st.altair_chart

    def click(drawn, key=None, **more):
        chart(drawn, key=key, **more)
        return {"selection": {"picked0": [mark | {"place": place}] if key == "chart-purposes" else []}}

    monkeypatch.setattr(st, "altair_chart", click)
    app = start(*LOGS, *ROBOTS, page="overview")

    assert app.title[0].value == "Evidence"
    assert [box.value for box in app.selectbox] == [of, what]
    assert f"{of}: {sum(counts):,} lines" in told(app)
    first, page = sum(counts[:place]), app.number_input[0].value
    assert (page - 1) * 50 <= first < page * 50
    bucket = np.datetime64(series["start"].removesuffix("Z")) + place * np.timedelta64(series["bucket_s"], "s")
    assert f"[{bucket.astype(object):%d/%b/%Y:%H}:" in app.code[0].value.splitlines()[first - (page - 1) * 50]


@pytest.mark.parametrize("what", ["all", "violations", "grace", "early", "refused", "fetches"])
def test_lines_of_many_are_those_of_each(analysis, what):
    rows = analysis.columns.requests.table(["id", "t"])
    begun = dict(zip(rows["id"].to_pylist(), rows["t"].to_pylist(), strict=True))
    for purpose in (None, *analysis.to_dict()["series"]["purposes"]):
        names = [person.name for person in analysis.identities if purpose is None or person.purpose == purpose]
        each = np.concatenate([evidence.ids(analysis, name, what) for name in names]).tolist()

        many = evidence.ids_of_many(analysis, purpose, what).tolist()

        assert many == sorted(each, key=lambda one: (begun[one], one))


def test_the_client_that_is_clicked_opens_at_its_lines(start, analysis):
    app = start(*LOGS, *ROBOTS, page="overview")
    found = analysis.to_dict()["findings"]
    number = next(i for i, one in enumerate(found, 1) if one["evidence"].endswith("--violations"))

    app.button(key=f"lines-{number}").click().run()

    assert app.query_params["tab"] in ("Lines", ["Lines"])


def test_robots_page_says_first_who_broke_it_and_how_it_was_answered(start, analysis):
    document = analysis.to_dict()
    app = start(*LOGS, *ROBOTS, page="robots")

    broken = sum(client["robots"]["violation"] for client in document["clients"])
    first = app.text[0].value
    assert f"{document['totals']['violating_clients']} of" in first
    assert f"in {broken:,} requests" in first
    assert f"asked for {sum(answer['requests'] for answer in document['robots_answers']):,} times" in first


def test_robots_page_lints_the_file_in_force_and_leads_to_a_draft(start, capfdbinary):
    app = start(*LOGS, *ROBOTS, page="robots")
    newest = str(SAMPLE / "robots" / "20261102T1000Z.txt")
    logs = [part for log in LOGS for part in ("--log", log)]
    (linted,) = json.loads(printed(capfdbinary, "lint", newest, *logs, "--json"))["files"]

    found = drafts.mistakes(Path(newest).read_bytes())
    assert [one.code for one in found] == [one["code"] for one in linted["findings"]]
    assert f"{linted['counts']['warning']} warnings" in told(app)
    app.button(key="mend").click().run()

    assert app.title[0].value == "Draft"


def test_file_that_has_changed_since_is_told(start, tmp_path, monkeypatch):
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: *\nDisallow: /a\n")
    start(LOGS[-1], "--robots", str(robots))
    from loganalyzer.errors import UsageError

    def gone(host):
        raise UsageError("robots.txt: the file has changed since it was read")

    monkeypatch.setattr(drafts, "in_force", gone)
    for page in ("robots", "draft"):
        app = start(LOGS[-1], "--robots", str(robots), page=page)

        assert not app.exception
        assert "has changed since it was read" in app.error[0].value
