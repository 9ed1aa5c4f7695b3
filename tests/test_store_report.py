"""Reports and evidence from a store: windows of time, and logs that moved or are gone."""

import gzip
import json
import os
from datetime import UTC, datetime

import commands
import pytest

from loganalyzer.analysis import analyse, evidence
from loganalyzer.dashboard.choice import choice
from loganalyzer.errors import UsageError
from loganalyzer.reports import facts, text
from loganalyzer.store import ingest, read
from loganalyzer.store.window import instant

NOW = datetime(2026, 11, 5, 12, 30, tzinfo=UTC)
LINE = '192.0.2.1 - - [{:02}/Nov/2026:{:02}:00:00 +0000] "GET /{}-{} HTTP/1.1" 200 1 "-" "Bot/1.0"\n'
HOURS = [(day, hour) for day in (1, 2, 3) for hour in range(24)]


@pytest.fixture
def log(tmp_path):
    """A request each hour of three days, and a line that is none after each midnight's."""
    path = tmp_path / "access.log"
    path.write_text("".join(LINE.format(d, h, d, h) + ("what is this\n" if h == 0 else "") for d, h in HOURS))
    return path


@pytest.fixture
def store(log, tmp_path):
    list(ingest([log], tmp_path / "store"))
    return tmp_path / "store"


def run(*arguments):
    return commands.run(*arguments, env={**os.environ, "COLUMNS": "80"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-02", "2026-11-02T00:00:00+00:00"),
        ("2026-11-02T10:00Z", "2026-11-02T10:00:00+00:00"),
        ("2026-11-02T10:00", "2026-11-02T10:00:00+00:00"),
        ("2026-11-02T10:00:00.5+02:00", "2026-11-02T08:00:00.500000+00:00"),
        ("2h", "2026-11-05T10:30:00+00:00"),
        ("90m", "2026-11-05T11:00:00+00:00"),
        ("7d", "2026-10-29T12:30:00+00:00"),
        ("1w", "2026-10-29T12:30:00+00:00"),
        ("today", "2026-11-05T00:00:00+00:00"),
        ("Yesterday", "2026-11-04T00:00:00+00:00"),
        (" now ", "2026-11-05T12:30:00+00:00"),
    ],
)
def test_instants_are_read_in_utc(text, expected):
    assert datetime.fromtimestamp(instant(text, NOW) / 1e6, UTC).isoformat() == expected


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01", "h2", "2y", "-2h", "999999w", "02/Nov/2026"])
def test_what_is_no_instant_is_refused(text):
    with pytest.raises(UsageError, match="is no instant; give 2026-11-02"):
        instant(text, NOW)


@pytest.mark.parametrize(
    ("since", "until", "requests", "rejects"),
    [
        (None, None, 72, 3),
        ("2026-11-02", None, 48, 2),
        (None, "2026-11-02", 24, 1),
        ("2026-11-02", "2026-11-03", 24, 1),
        ("2026-11-02T10:00", "2026-11-02T12:00", 2, 0),
        ("2026-11-02T23:30", "2026-11-03T00:30", 1, 1),
        ("2027-01-01", None, 0, 0),
        ("2026-11-03", "2026-11-01", 0, 0),
    ],
)
def test_a_window_has_its_beginning_and_not_its_end(store, since, until, requests, rejects):
    log = read(store, since, until)

    assert (log.requests.num_rows, log.rejects.num_rows) == (requests, rejects)
    assert log.inputs[0].requests == 72


def test_only_files_of_the_window_and_the_day_before_are_read(tmp_path, log):
    with log.open("a") as file:
        file.write("".join(LINE.format(4, hour, 4, hour) for hour in range(24)))
    store = tmp_path / "four"
    list(ingest([log], store))
    for day in ("2026-11-01", "2026-11-04"):
        for path in store.glob(f"*/day={day}/*"):
            path.unlink()
    log = read(store, "2026-11-03", "2026-11-04")

    assert (log.requests.num_rows, log.inputs[0].problem) == (24, None)


def test_requests_without_a_time_are_in_no_window(tmp_path):
    rows = "192.0.2.1 GET /1 200\n192.0.2.1 GET /2 200\n"
    (tmp_path / "ex.log").write_text("#Fields: c-ip cs-method cs-uri-stem sc-status\n" + rows)
    list(ingest([tmp_path / "ex.log"], tmp_path / "store"))

    assert [path.name for path in (tmp_path / "store" / "requests").iterdir()] == ["day=unknown"]
    assert read(tmp_path / "store").requests["target"].to_pylist() == ["/1", "/2"]
    assert read(tmp_path / "store", since="2026-01-01").requests.num_rows == 0


def test_the_report_names_the_window_and_the_command_keeps_it(store):
    analysis = analyse(read(store, "2026-11-02", "2026-11-03"))
    document = analysis.to_dict()

    assert document["asked"] == {"since": "2026-11-02T00:00:00Z", "until": "2026-11-03T00:00:00Z"}
    assert analysis.command("Bot", "early") == (
        f"loganalyzer lines --store {store} --since 2026-11-02T00:00:00Z --until 2026-11-03T00:00:00Z "
        "--client Bot --early"
    )
    done = run("report", "--store", store, "--since", "2026-11-02", "--max-rejects", "9")
    assert b"only since 2026-11-02 00:00:00" in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("move", ["stay", "rename", "compress"])
def test_evidence_is_the_line_of_the_log_wherever_it_is_now(log, store, move):
    whole = log.read_bytes()
    if move == "rename":
        log.rename(f"{log}.1")
    if move == "compress":
        log.with_name("access.log.2.gz").write_bytes(gzip.compress(whole))
    if move != "stay":
        log.write_text(LINE.format(9, 9, "another", "log"))
    analysis = analyse(read(store, until="2026-11-01T02:00"))

    first, _, second, *_ = whole.split(b"\n")
    assert [text for _, _, text in evidence.lines(analysis, "Bot")] == [first, second]
    assert analysis.log.originals.gone == []


def test_evidence_of_a_log_that_is_gone_is_what_the_store_has(log, store):
    log.unlink()
    done = run("lines", "--store", store, "--client", "Bot", "--until", "2026-11-01T01:00", "--max-rejects", "50")
    place, _, text = done.stdout.decode().partition(": ")

    assert place == f"{log}:1"
    assert json.loads(text)["target"] == "/1-0"
    assert b"this log is not there any more; shown is what the store has" in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report", "--store", "{store}", "{log}"], 2, "name no LOG"),
        (["report", "--store", "{store}", "--log-format", "combined"], 2, "no --log-format"),
        (["report", "{log}", "--since", "2030-01-01"], 4, "no request in the period asked for"),
        (["report", "--store", "{store}", "--since", "soon"], 2, "'soon' is no instant"),
        (["report", "--store", "{store}", "--since", "2030-01-01"], 4, "no request"),
        (["report", "--store", "{store}/none"], 4, "is no store of loganalyzer"),
        (["report", "--store", "{folder}"], 4, "is no store of loganalyzer"),
        (["lines", "--store", "{store}/none", "--client", "x"], 4, "is no store of loganalyzer"),
        (["ingest", "{log}", "--store", "{folder}"], 2, "is no store, and not empty"),
        (["ingest", "{log}.none", "--store", "{store}"], 4, "there is no such file"),
        (["ingest", "{log}", "{log}.none", "--store", "{store}"], 3, "there is no such file"),
        (["ingest", "{log}", "--store", "{store}", "--wait", "-1"], 2, "--wait"),
        (["ingest", "{log}"], 2, "--store"),
        (["ingest", "{log}", "--store", "{store}"], 0, "0 new lines; 75 known already"),
        (["ingest", "{log}", "--store", "{store}2"], 3, "75 new lines (72 requests, 3 rejects); 0 known already"),
    ],
)
def test_a_command_says_what_it_did_and_ends_with_its_code(log, store, arguments, code, message):
    done = run(*(argument.format(log=log, store=store, folder=store.parent) for argument in arguments))

    assert message in done.stderr.decode()
    assert (done.returncode, done.stdout) == (code, b"")


def test_damage_is_told_with_the_report_that_is_left(store):
    next(iter(store.glob("requests/day=2026-11-02/*"))).unlink()
    done = run("report", "--store", store, "--max-rejects", "9")

    assert (done.returncode, b"missing or damaged" in done.stderr, b"Bot" in done.stdout) == (3, True, True)


ROBOTS_LINE = '192.0.2.{} - - [{} +0000] "GET {} HTTP/1.1" {} 1 "-" "{}/1.0"\n'
READERS = [  # who, when, what, answer
    (1, "01/Nov/2026:23:30:00", "/robots.txt", 200, "ReaderBot"),  # of the version that forbids, half an hour old
    (2, "01/Nov/2026:23:40:00", "/robots.txt", 403, "RefusedBot"),
    (3, "01/Nov/2026:23:50:00", "/", 200, "LaterBot"),
    (4, "01/Nov/2026:23:55:00", "/robots.txt", 200, "GoneBot"),
    *(
        (n, f"02/Nov/2026:10:00:0{n}", "/x", 200, name)
        for n, name in enumerate(("ReaderBot", "RefusedBot", "LaterBot"))
    ),
]


@pytest.fixture
def read_the_day_before(tmp_path):
    """Analyses of the whole of a store and of its second day."""
    (tmp_path / "access.log").write_text("".join(ROBOTS_LINE.format(*row) for row in READERS))
    (tmp_path / "old.txt").write_text("User-agent: *\nDisallow:\n")
    (tmp_path / "new.txt").write_text("User-agent: *\nDisallow: /x\n")
    list(ingest([tmp_path / "access.log"], tmp_path / "store"))
    robots = [f"{tmp_path}/old.txt", f"{tmp_path}/new.txt@2026-11-01T23:00Z"]
    return [analyse(read(tmp_path / "store", since), robots=robots) for since in (None, "2026-11-02")]


def test_who_read_robots_txt_the_day_before_is_judged_by_what_it_read(read_the_day_before):
    """Without that reading an older copy might still serve: grace."""
    whole, window = (
        {client["client"]: client["robots"] for client in analysis.to_dict()["clients"]}
        for analysis in read_the_day_before
    )
    classes = ("violation", "grace", "unjudged")

    assert {name: [robots[word] for word in classes] for name, robots in window.items()} == {
        "ReaderBot": [1, 0, 0],
        "RefusedBot": [0, 0, 1],
        "LaterBot": [0, 1, 0],
    }
    for name, robots in window.items():
        assert [robots[word] for word in classes] == [whole[name][word] for word in classes]
    assert {name: (robots["fetches"], robots["fetches_before"]) for name, robots in window.items()} == {
        "ReaderBot": (0, 1),
        "RefusedBot": (0, 0),
        "LaterBot": (0, 0),
    }
    assert window["ReaderBot"]["first_before_page"] is True
    assert {name: robots["reading"] for name, robots in window.items()} == {
        "ReaderBot": "read",
        "RefusedBot": "not given",
        "LaterBot": whole["LaterBot"]["reading"],
    }
    assert window["ReaderBot"]["last_read"] == whole["ReaderBot"]["last_read"]


def test_what_was_read_the_day_before_is_said_and_counted_nowhere(read_the_day_before):
    document = read_the_day_before[1].to_dict()
    reader = next(client for client in document["clients"] if client["client"] == "ReaderBot")
    (row,) = (row for row in reader["etiquette"] if row["row"] == "reads-robots-first")
    said = " ".join(text.render(document, width=200, colour=False, full=True).split())

    assert (document["totals"]["requests"], document["totals"]["lines"], len(document["clients"])) == (3, 7, 3)
    assert document["robots_answers"] == []
    assert row["verdict"] == "pass"
    assert facts.robots(reader).startswith("Read 1 time before the period; the last time 2026-11-01 23:30:00")
    assert "counted are the requests and rejects since 2026-11-02T00:00:00Z" in said
    assert "counted are the requests and rejects since 2026-11-02T00:00:00Z" in document["notes"][0]
    assert "7 lines of all" in document["notes"][0]


@pytest.mark.parametrize(
    ("grace", "reading", "violation"),
    [
        ((), "never read", 1),  # its reading is too old to count: whatever was in force in the last day forbids
        (("EarlyBot=72",), "read", 0),  # it may still go by what it read then
        (("OtherBot=72",), "never read", 1),  # that another may is nothing to it
    ],
)
def test_a_longer_grace_sees_readings_from_before_the_day_before(tmp_path, grace, reading, violation):
    rows = [
        (1, "01/Nov/2026:10:00:00", "/robots.txt", 200, "EarlyBot"),
        (1, "03/Nov/2026:10:00:00", "/x", 200, "EarlyBot"),
        (2, "03/Nov/2026:10:00:01", "/", 200, "OtherBot"),
    ]
    (tmp_path / "access.log").write_text("".join(ROBOTS_LINE.format(*row) for row in rows))
    (tmp_path / "old.txt").write_text("User-agent: *\nDisallow:\n")
    (tmp_path / "new.txt").write_text("User-agent: *\nDisallow: /x\n")
    list(ingest([tmp_path / "access.log"], tmp_path / "store"))
    robots = ["--robots", f"{tmp_path}/old.txt", "--robots", f"{tmp_path}/new.txt@2026-11-01T23:00Z"]
    options = [part for one in grace for part in ("--grace", one)]
    window = run("report", "--store", tmp_path / "store", "--since", "2026-11-03", *robots, *options, "--json")
    (told,) = (one for one in json.loads(window.stdout)["clients"] if one["client"] == "EarlyBot")

    assert (told["robots"]["reading"], told["robots"]["violation"]) == (reading, violation)
    assert told["robots"]["fetches_before"] == (reading == "read")
    whole = json.loads(run("report", tmp_path / "access.log", *robots, *options, "--json").stdout)
    (same,) = (one for one in whole["clients"] if one["client"] == "EarlyBot")
    assert same["robots"]["violation"] == violation


def test_parse_of_a_store_prints_its_window(store):
    done = run("parse", "--store", store, "--since", "2026-11-02", "--until", "2026-11-02T02:00", "--max-rejects", "50")

    assert [json.loads(row)["target"] for row in done.stdout.splitlines()] == ["/2-0", "/2-1"]
    assert done.returncode == 0


def test_rejects_of_a_window_are_held_against_its_lines(store):
    """One of three is no request; of the 75 of the whole log it would be nothing."""
    done = run("parse", "--store", store, "--since", "2026-11-02", "--until", "2026-11-02T02:00", "--max-rejects", "5")

    assert done.returncode == 3
    assert b"1 of 3 lines could not be read" in done.stderr


def test_the_dashboard_shows_the_store(store):
    loaders = pytest.importorskip("loganalyzer.dashboard.loaders", reason="the dashboard needs streamlit")
    wanted = choice(["--store", str(store), "--since=2026-11-02", "--memory=1"])

    assert wanted.files == (f"{store}/manifest.json",)
    assert analyse(loaders._read(wanted)).to_dict() == analyse(read(store, "2026-11-02")).to_dict()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--store", "{store}", "{log}"], 2, "name no LOG"),
        (["{log}", "--since", "soon"], 2, "'soon' is no instant"),
        (["--store", "{store}", "--since", "soon"], 2, "'soon' is no instant"),
        (["--store", "{folder}"], 4, "is no store of loganalyzer"),
    ],
)
def test_the_dashboards_command_says_on_the_terminal_what_is_wrong(log, store, arguments, code, message):
    done = run("dashboard", *(argument.format(log=log, store=store, folder=store.parent) for argument in arguments))

    assert message in done.stderr.decode()
    assert done.returncode == code
