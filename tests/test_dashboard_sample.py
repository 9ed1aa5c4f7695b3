"""The dashboard on the sample logs: the numbers of the command line, the lines of the files."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from loganalyzer.dashboard import PAGES

pytest.importorskip("streamlit")
import streamlit as st
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_logs"
LOGS = [str(SAMPLE / name) for name in ("access.log.2.gz", "access.log.1", "access.log")]
ROBOTS = ["--robots", str(SAMPLE / "robots")]


@pytest.fixture(scope="module")
def document():
    """What `loganalyzer report --json` prints for the sample."""
    import loganalyzer as la
    from loganalyzer.reports import RENDERERS

    return json.loads(RENDERERS["json"](la.analyse(la.read(LOGS), robots=ROBOTS[1:]).to_dict()))


@pytest.fixture
def start(monkeypatch):
    def run(*arguments, page=None, **query):
        monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name] = value
        return app.switch_page(f"loganalyzer/dashboard/pages/{page}.py").run() if page else app

    yield run
    st.cache_resource.clear()


def told(app):
    return " ".join(part.value for kind in ("text", "subheader", "info", "warning", "error") for part in app.get(kind))


@pytest.mark.parametrize("name", [name for names in PAGES.values() for name in names])
def test_every_page_of_the_sample_is_shown(start, name):
    app = start(*LOGS, *ROBOTS, page=name)

    assert not app.exception
    assert not app.error
    assert not [info for info in app.info if "Choose a log file" in info.value]


def test_clients_are_those_of_the_command_line(start, document):
    app = start(*LOGS, *ROBOTS, page="clients")

    shown = app.dataframe[0].value
    expected = [(client["client"], client["requests"], client["bytes"]) for client in document["clients"]]
    assert list(zip(shown["client"], shown["requests"], shown["bytes"], strict=True)) == expected


def test_a_finding_leads_to_its_lines(start, document):
    number = next(i for i, found in enumerate(document["findings"], 1) if found["evidence"].endswith("--violations"))
    found = document["findings"][number - 1]
    app = start(*LOGS, *ROBOTS)

    app.button(f"lines-{number}").click().run()

    assert [box.value for box in app.selectbox] == [found["client"], "violations"]
    assert f"{found['count']:,} lines; page 1" in told(app)


def test_lines_are_the_bytes_of_the_file(start):
    app = start(*LOGS, *ROBOTS, page="client", client="HarvestBot", lines="violations")

    for shown in app.code[-1].value.splitlines():
        place, _, text = shown.partition(": ")
        source, _, line = place.rpartition(":")
        if not source.endswith(".gz"):
            assert Path(source).read_text().split("\n")[int(line) - 1] == text
        assert "HarvestBot" in text


def test_the_next_page_of_lines_is_another(start):
    app = start(*LOGS, *ROBOTS, page="client", client="HarvestBot", lines="violations")
    first = app.code[-1].value

    app.number_input[0].set_value(2).run()

    assert not set(first.splitlines()) & set(app.code[-1].value.splitlines())


def test_a_log_that_has_grown_is_read_again(start, tmp_path):
    log = tmp_path / "access.log"
    shutil.copy(SAMPLE / "access.log", log)
    before = told(start(str(log)))
    more = (SAMPLE / "access.log.1").read_bytes()

    with log.open("ab") as file:
        file.write(more)
    after = told(start(str(log)))

    known = json.loads((SAMPLE / "truth.json").read_text(encoding="utf-8"))["shop"]["inputs"]
    requests = known["access.log"]["requests"], known["access.log.1"]["requests"]
    assert f"{requests[0]:,} requests" in before
    assert f"{sum(requests):,} requests" in after


def test_a_file_that_is_gone_gives_a_sentence(start, tmp_path):
    log = tmp_path / "access.log"
    shutil.copy(SAMPLE / "access.log", log)
    app = start(str(log), page="client", client="Googlebot")

    log.unlink()
    app.run()

    assert not app.exception
    assert "access.log" in told(app)


def test_robots_txt_that_is_a_page_gives_a_sentence(start, tmp_path):
    page = tmp_path / "robots.txt"
    page.write_text("<!DOCTYPE html><html><body>not found</body></html>")

    app = start(LOGS[-1], "--robots", str(page))

    assert not app.exception
    assert "robots.txt" in app.error[0].value


def test_an_upload_is_read_and_its_folder_is_nowhere_shown(start):
    app = start()

    app.file_uploader[0].upload("access.log", (SAMPLE / "access.log").read_bytes(), "text/plain").run()

    assert not app.exception
    assert "requests" in told(app)
    everything = told(app) + " ".join(code.value for code in app.code) + str([grid.value for grid in app.dataframe])
    assert "loganalyzer-" not in everything
    assert "access.log" in everything


@pytest.mark.parametrize(
    ("content", "why"), [(b"PK\x03\x04zip", "archives are not read"), (bytes(range(256)), "no text"), (b"", "empty")]
)
def test_an_upload_that_is_no_log_is_refused_in_words(start, content, why):
    app = start()

    app.file_uploader[0].upload("access.log", content, "text/plain").run()

    assert not app.exception
    assert why in app.error[0].value


def test_hostile_log_is_shown_as_text(start, tmp_path):
    log = tmp_path / "access.log"
    agents = [
        "![x](http://a.example/b.png)Bot/1",
        r"\x1b[31mRedBot/1",
        "<img src=x onerror=alert(1)>Bot/2",
        "=1+1Bot/1",
    ]
    line = '192.0.2.{n} - - [01/Nov/2026:00:00:0{n} +0000] "GET /<script>?{n} HTTP/1.1" 200 1 "-" "{agent}"\n'
    log.write_text("".join(line.format(n=n, agent=agent) for n, agent in enumerate(agents)))

    for name in ("overview", "clients", "client"):
        app = start(str(log), page=name)

        assert not app.exception
        outside = "".join("".join(part.value.split("`")[::2]) for part in [*app.markdown, *app.warning, *app.error])
        assert "](" not in outside
        assert "<img" not in outside
