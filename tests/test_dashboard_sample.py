"""The dashboard on the sample logs: the numbers of the command line, the lines of the files."""

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from dashboards import LOGS, SAMPLE, opened, told

from loganalyzer.dashboard import PAGES, files, loaders, questions
from loganalyzer.dashboard.loaders import Whose
from loganalyzer.reports import comparison

pytest.importorskip("streamlit")

ROBOTS = ["--robots", str(SAMPLE / "robots")]


@pytest.fixture(scope="module")
def document():
    """What `loganalyzer report --json` prints for the sample."""
    import loganalyzer as la
    from loganalyzer.reports import RENDERERS

    return json.loads(RENDERERS["json"](la.analyse(la.read(LOGS), robots=ROBOTS[1:]).to_dict()))


@pytest.fixture
def start(monkeypatch):
    with opened(monkeypatch) as run:
        yield run


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


def printed(capfdbinary, *arguments):
    """What the command line prints for the sample."""
    from loganalyzer.cli import main

    with pytest.raises(SystemExit, match=r"^0$"):
        main([arguments[0], *LOGS, *ROBOTS, "--quiet", *arguments[1:]])
    return capfdbinary.readouterr().out


def test_accounting_is_that_of_the_command_line(start, document):
    shown = start(*LOGS, *ROBOTS, page="inputs").dataframe[0].value

    for key in ("lines", "requests", "rejects", "blank", "comments", "bytes"):
        assert shown[key].tolist() == [source[key] for source in document["inputs"]]


@pytest.mark.parametrize("what", ["violations", "grace", "early", "refused", "fetches"])
def test_saved_evidence_is_what_the_command_line_prints(start, capfdbinary, what):
    start(*LOGS, *ROBOTS)

    saved = questions.saved(Whose("HastyBot"), what)()

    assert saved == printed(capfdbinary, "lines", "--client", "HastyBot", f"--{what}")


def test_saved_evidence_of_an_upload_does_not_say_where_it_is_kept(start, monkeypatch):
    monkeypatch.setattr(loaders, "folders", lambda: [f"{SAMPLE}/"])
    start(*LOGS, *ROBOTS)

    saved = questions.saved(Whose("HastyBot"), "early")().decode()

    assert str(SAMPLE) not in saved
    assert saved.startswith("access.log")


def test_only_so_many_lines_are_saved_at_once(start, monkeypatch):
    monkeypatch.setattr(questions, "MOST_SAVED", 7)
    app = start(*LOGS, *ROBOTS, page="evidence", client="HastyBot", lines="early")

    assert len(questions.saved(Whose("HastyBot"), "early")().splitlines()) == 7
    assert "The file has the first 7 of 162 lines" in told(app)


def test_pages_of_evidence_are_all_of_it_once(start):
    app = start(*LOGS, *ROBOTS, page="evidence", client="HastyBot", lines="early")
    lines = app.code[0].value.splitlines()
    for page in (2, 3, 4):
        lines += app.number_input[0].set_value(page).run().code[0].value.splitlines()

    assert sorted(lines) == sorted(questions.saved(Whose("HastyBot"), "early")().decode().splitlines())


def test_kind_of_line_that_a_client_has_none_of_is_told(start):
    app = start(*LOGS, *ROBOTS, page="evidence", client="HarvestBot", lines="refused")

    assert "No line of theirs is of this kind" in told(app)


@pytest.mark.parametrize(
    ("rate", "burst", "key"), [("1r/s", 5, "address"), ("30r/m", 0, "token"), ("1r/m", 2, "network")]
)
def test_effect_of_a_limit_is_that_of_the_command_line(start, capfdbinary, rate, burst, key):
    app = start(*LOGS, *ROBOTS, page="limits", rate=rate, burst=str(burst), key=key, server="haproxy")

    asked = ("limits", "--rate", rate, "--burst", str(burst), "--key", key)
    effect = json.loads(printed(capfdbinary, *asked, "--json"))["effect"]
    shown = app.dataframe[0].value
    expected = [(row["client"], row["requests"], row["refused"]) for row in effect["clients"] if row["refused"]]
    assert expected
    assert list(zip(shown["client"], shown["requests"], shown["refused"], strict=True)) == expected
    assert f"would have refused {effect['refused']:,} of {effect['requests']:,} requests" in told(app)
    assert app.code[0].value == printed(capfdbinary, *asked, "--server", "haproxy").decode().rstrip()


@pytest.mark.parametrize(
    ("server", "key", "why"), [("apache", "network", "does not count by"), ("caddy", "address", "is only for")]
)
def test_server_that_cannot_do_a_limit_says_why(start, server, key, why):
    app = start(*LOGS, *ROBOTS, page="limits", rate="1r/s", key=key, server=server)

    assert why in told(app)
    assert not app.code


def test_remarks_on_a_text_that_has_no_comments_stand_beside_it(start):
    app = start(*LOGS, *ROBOTS, page="limits", rate="1r/s", key="token", server="cloudflare")

    assert app.code[0].value.startswith(("{", "["))
    assert "HastyBot: 1r/s with burst 5" in told(app)
    assert "To undo:" in told(app)


def test_log_without_addresses_has_no_limit_by_address(start, tmp_path):
    log = tmp_path / "access.log"
    shutil.copy(LOGS[-1], log)

    app = start(str(log), "--anonymize", "hash", page="limits", key="address")

    assert not app.exception
    assert "anonymize" in app.error[0].value


PERIOD = ("2026-11-02T06:00Z", "2026-11-03")


def reported(capfdbinary, *arguments):
    return json.loads(printed(capfdbinary, "report", "--json", *arguments))


def facts(app):
    return app.sidebar.text[-1].value.splitlines()


def test_a_period_in_the_address_is_that_of_the_command_line(start, capfdbinary):
    app = start(*LOGS, *ROBOTS, page="clients", period=PERIOD)

    document = reported(capfdbinary, "--since", PERIOD[0], "--until", PERIOD[1])
    shown = app.dataframe[0].value
    expected = [(client["client"], client["requests"], client["bytes"]) for client in document["clients"]]
    assert list(zip(shown["client"], shown["requests"], shown["bytes"], strict=True)) == expected
    assert f"{document['totals']['requests']:,} requests" in facts(app)
    assert [field.value for field in app.sidebar.text_input] == list(PERIOD)


def test_a_period_that_is_typed_comes_into_the_address_and_stays_on_the_next_page(start):
    app = start(*LOGS, *ROBOTS)
    whole = facts(app)

    app.sidebar.text_input[0].input("2026-11-03").run()
    app.switch_page("loganalyzer/dashboard/pages/inputs.py").run()

    assert not app.exception
    assert app.query_params["from"] in ("2026-11-03", ["2026-11-03"])
    assert "until" not in app.query_params
    assert facts(app) != whole


def test_what_changed_is_that_of_the_command_line(start, capfdbinary):
    app = start(*LOGS, *ROBOTS, page="overview", period=PERIOD).toggle(key="switch-compare").set_value(True).run()

    asked = ("report", "--since", PERIOD[0], "--until", PERIOD[1], "--compare", "previous", "--json")
    found = json.loads(printed(capfdbinary, *asked))["compare"]
    said = [part.value for part in app.text]
    for section in comparison.sections(found):
        assert section.is_empty or section.sentences or section.rows
        assert all(sentence in said for sentence in section.sentences)
    tables = [table.value for table in app.table]
    totals = next(table for table in tables if "a day before" in table.columns)
    assert totals["now"].tolist()[0] == f"{found['after']['requests']:,}"


def test_nothing_is_compared_unless_it_is_asked_for_and_there_is_something(start):
    whole = start(*LOGS, page="overview")
    offered = start(*LOGS, page="overview", period=PERIOD)
    first = start(*LOGS, page="overview", period=("2026-11-01", "2026-11-02"))
    first.toggle(key="switch-compare").set_value(True).run()

    assert "What changed" not in told(whole)
    assert "Is it more than before" in told(offered)
    assert "Nothing is compared: no request in this period" in told(first)


def test_a_period_named_at_start_is_the_first_to_be_shown(start, capfdbinary):
    app = start(*LOGS, "--since", PERIOD[0], "--until", PERIOD[1])

    assert [field.value for field in app.sidebar.text_input] == list(PERIOD)
    document = reported(capfdbinary, "--since", PERIOD[0], "--until", PERIOD[1])
    assert f"{document['totals']['requests']:,} requests" in facts(app)


@pytest.mark.parametrize("period", [("soon",), ("<img src=x onerror=alert(1)>",), ("2030-01-01",), PERIOD[::-1]])
def test_what_is_no_period_is_told_and_can_be_mended(start, period):
    app = start(*LOGS, page="overview", period=period)

    assert not app.exception
    assert "is no instant" in app.error[0].value or "no request in this period" in app.error[0].value
    assert "<img" not in "".join(app.error[0].value.split("`")[::2])
    for field in app.sidebar.text_input:
        field.input("")
    app.run()
    assert not app.error


def test_a_log_without_a_zone_is_read_in_the_one_named_at_start(start, tmp_path):
    log = tmp_path / "u_ex.log"
    log.write_text(
        "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n"
        "2026-11-02 00:30:00 192.0.2.1 GET / 200 ExampleBot/1.0\n"
    )

    utc, tokyo = (start(str(log), *zone, page="overview") for zone in ((), ("--tz", "Asia/Tokyo")))

    assert any("2 Nov 2026 00:30" in fact for fact in facts(utc))
    assert any("1 Nov 2026 15:30" in fact for fact in facts(tokyo))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_all_tables_are_those_of_the_command_line(start, capfdbinary, tmp_path, kind):
    start(*LOGS, *ROBOTS)
    printed(capfdbinary, "report", f"--{kind}", str(tmp_path / "tables"))

    archive = zipfile.ZipFile(io.BytesIO(files.tables(loaders.analysis(), kind)))

    assert {name: archive.read(name) for name in archive.namelist()} == {
        path.name: path.read_bytes() for path in (tmp_path / "tables").iterdir()
    }


def test_files_are_named_by_the_period_they_are_about(start, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["app.py", *LOGS, "--since", "2026-11-02T06:00Z", "--until", "2h/../x"])
    monkeypatch.setattr(loaders, "chosen", loaders.named)

    assert files.named("clients.csv") == "clients-from-2026-11-02T06-00Z-until-2h-x.csv"
