"""A period of a log is what a store of the same log gives for it."""

import json
from pathlib import Path

import pytest

import loganalyzer as la
from loganalyzer.errors import UsageError
from loganalyzer.held import Shelf
from loganalyzer.store import ingest, within
from loganalyzer.store import read as stored

SAMPLE = Path(__file__).resolve().parent.parent / "sample_logs"
LOGS = [str(SAMPLE / name) for name in ("access.log.2.gz", "access.log.1", "access.log")]
ROBOTS = [str(SAMPLE / "robots")]
PERIODS = [
    ("2026-11-02", None),
    (None, "2026-11-02T12:00"),
    ("2026-11-02T06:00Z", "2026-11-03T06:00:30Z"),
    ("2026-11-02T08:00+02:00", "2026-11-02T08:10+02:00"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store") / "s"
    list(ingest(LOGS, folder))
    return folder


@pytest.fixture(scope="module")
def log():
    return la.read(LOGS)


TIED = {"top_addresses", "rates_by_address"}


def report(log):
    """May differ: commands, which name the store or the files; inputs; which of equally busy addresses are named."""
    document = la.analyse(log, robots=ROBOTS).to_dict()
    return {key: value for key, value in commandless(document).items() if key != "inputs"}


def commandless(value):
    if isinstance(value, dict):
        return {key: commandless(part) for key, part in value.items() if key not in TIED}
    if isinstance(value, list):
        return [commandless(part) for part in value]
    return "command" if isinstance(value, str) and value.startswith("loganalyzer lines") else value


@pytest.mark.parametrize(("since", "until"), PERIODS)
def test_a_period_of_a_log_is_that_of_its_store(log, store, since, until):
    assert json.dumps(report(within(log, since, until))) == json.dumps(report(stored(store, since, until)))


def test_a_period_held_in_files_is_the_same(log):
    small = la.read(LOGS, shelf=Shelf(1))

    assert report(within(small, *PERIODS[2])) == report(within(log, *PERIODS[2]))


def test_no_period_is_the_log_itself(log):
    assert within(log) is log


def test_rejects_go_with_the_request_before_them(tmp_path):
    line = '192.0.2.1 - - [0{day}/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "Bot/1"\n'
    path = tmp_path / "access.log"
    path.write_text("one\n" + line.format(day=1) + "two\n" + line.format(day=2) + "three\n" + line.format(day=3))
    log = la.read([path])

    def rejects(*period):
        return within(log, *period).rejects["text"].to_pylist()

    assert rejects("2026-11-02") == [b"three"]
    assert rejects(None, "2026-11-02") == [b"one", b"two"]
    assert rejects("2026-11-02", "2026-11-03") == [b"three"]


def test_commands_of_a_period_name_it(log):
    command = la.analyse(within(log, "2026-11-02", "2026-11-03"), robots=ROBOTS).command("HastyBot")

    assert "--since 2026-11-02T00:00:00Z --until 2026-11-03T00:00:00Z --client HastyBot" in command


def test_what_is_no_instant_is_told(log):
    with pytest.raises(UsageError, match="'soon' is no instant"):
        within(log, "soon")


def test_a_period_that_ends_before_it_begins_is_empty(log):
    assert within(log, "2026-11-03", "2026-11-02").request_rows.num_rows == 0
