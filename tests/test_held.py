"""A log larger than memory goes through temporary files: the same results, and nothing left behind."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pyarrow as pa
import pytest

from loganalyzer import held, scratch
from loganalyzer.analysis import analyse, evidence
from loganalyzer.analysis.collateral import of_client, of_ranges
from loganalyzer.cli import kinds, memory
from loganalyzer.clients.registry import shipped
from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats import read
from loganalyzer.held import Rows, Shelf
from loganalyzer.privacy import Privacy
from loganalyzer.reports import tables
from loganalyzer.schema import REQUEST
from loganalyzer.store import ingest
from loganalyzer.store import read as read_store
from loganalyzer.verification import Verifier
from loganalyzer.verification.folder import load

AGENTS = ("GoodBot/1.0 (+https://good.example/)", "GPTBot/1.2", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "-")
LINE = (
    '192.0.2.{address} - - [{day:02}/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] "GET {target} HTTP/1.1" '
    '{status} {size} "{referer}" "{agent}"\n'
)
SAMPLE = Path(__file__).parents[1] / "sample_logs"
LIST = '{"creationTime": "2026-11-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/30"}]}'
ROBOTS = "User-agent: *\nDisallow: /page/1\nCrawl-delay: 5\n"


def lines(start, count):
    """Four clients in turn; robots.txt, refusals, and each 50th line no request."""
    for n in range(start, start + count):
        if n % 50 == 49:
            yield f"no request {n % 3}\n"
        yield LINE.format(
            address=n % 7 + 1,
            day=1 + n // 8640,
            hour=n // 360 % 24,
            minute=n // 6 % 60,
            second=n % 6 * 10,
            target="/robots.txt" if n % 401 == 0 else f"/page/{n % 353}",
            status=429 if n % 4 == 1 and n % 97 < 5 else 200,
            size=n,
            referer="-" if n % 5 else "https://shop.example/",
            agent=AGENTS[n % 4],
        )


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Two logs, the second of which begins with the end of the first; many pieces of few lines."""
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 20_000)
    monkeypatch.setattr("loganalyzer.formats.pieces._HELD", 2)
    monkeypatch.setattr(held, "_LEAST", 100_000)
    (tmp_path / "a.log").write_text("".join(lines(0, 2500)))
    (tmp_path / "b.log").write_text("".join(lines(2000, 2500)))
    (tmp_path / "robots.txt").write_text(ROBOTS)
    (tmp_path / "ranges").mkdir()
    (tmp_path / "ranges" / "gptbot.json").write_text(LIST)
    return [str(tmp_path / name) for name in ("a.log", "b.log")]


def small():
    """A shelf that is full at once."""
    return Shelf(1)


def report(log, folder):
    verifier = Verifier(load(str(folder / "ranges"), shipped()))
    return analyse(log, robots=[str(folder / "robots.txt")], verifier=verifier)


def in_files(rows):
    return sum(piece.path is not None for piece in rows.pieces)


def test_a_report_is_the_same_through_files(logs, tmp_path):
    here, there = read(logs), read(logs, shelf=small())
    one, other = report(here, tmp_path), report(there, tmp_path)

    assert in_files(there.request_rows) == len(there.request_rows.pieces) > 5
    assert in_files(other.columns.requests) == len(other.columns.requests.pieces) > 5
    assert "copies of lines in" in there.inputs[1].notes[0]
    assert one.to_dict() == other.to_dict()
    for what in evidence.WHAT:
        assert list(evidence.lines(one, "GPTBot", what)) == list(evidence.lines(other, "GPTBot", what))
    assert list(evidence.lines(one, "GPTBot", "impostor"))


def test_the_report_of_the_sample_is_the_same_through_files(monkeypatch):
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 20_000)
    monkeypatch.setattr(held, "_LEAST", 100_000)
    here, there = (read([SAMPLE / "access.log.1", SAMPLE / "access.log"], shelf=shelf) for shelf in (None, small()))

    assert in_files(there.request_rows) > 1
    one, other = (analyse(log, robots=[str(SAMPLE / "robots")]).to_dict() for log in (here, there))
    assert one == other


def test_whom_a_block_meets_is_the_same_through_files(logs):
    here, there = read(logs), read(logs, shelf=small())

    for asked in (lambda log: of_client(log, "GPTBot"), lambda log: of_ranges(log, ["192.0.2.0/30"])):
        assert asked(here) == asked(there)
    assert in_files(there.request_rows) > 1
    assert of_client(there, "GPTBot")[0]["aimed_at"]["requests"] > 0


@pytest.mark.parametrize(
    "change",
    [{"keep_duplicates": True}, {"tz": "Europe/Zurich"}, {"log_format": "combined", "force": True}],
    ids=lambda change: next(iter(change)),
)
def test_requests_and_rejects_are_the_same_through_files(logs, change):
    here, there = read(logs, **change), read(logs, **change, shelf=small())

    assert there.requests.to_pylist() == here.requests.to_pylist()
    assert there.rejects.to_pylist() == here.rejects.to_pylist()
    assert there.unread == here.unread > 0
    assert there.inputs == here.inputs


def test_a_store_and_its_report_go_through_files(logs, tmp_path):
    list(ingest(logs, tmp_path / "store"))
    here, there = (read_store(tmp_path / "store", "2026-11-01T06:00", shelf=shelf) for shelf in (Shelf(), small()))

    assert in_files(there.request_rows) > 1
    assert report(here, tmp_path).to_dict() == report(there, tmp_path).to_dict()


@pytest.mark.parametrize("name", ["requests.parquet", "requests.csv", "raw.csv"])
def test_outputs_are_the_same_through_files(logs, tmp_path, name):
    def write(log):
        path = tmp_path / name
        parquet = name.endswith("parquet")
        into = tables.parquet(str(path), REQUEST) if parquet else tables.csv(str(path), raw=name.startswith("raw"))
        with into as take:
            for table in log.request_rows.tables():
                take(table)
        return pa.parquet.read_table(path).to_pylist() if parquet else path.read_bytes()

    assert write(read(logs)) == write(read(logs, shelf=small()))


def test_lines_of_json_are_the_same_through_files(logs):
    here, there = read(logs), read(logs, shelf=small())

    def printed(log):
        texts = []
        for table in log.request_rows.tables():
            tables.printer(texts.append)(table)
        return "".join(texts)

    assert printed(here) == printed(there)
    assert "".join(tables.reject_lines(here.reject_rows)) == "".join(tables.reject_lines(there.reject_rows))


def test_what_is_hidden_is_hidden_in_the_files_too(logs, tmp_path):
    privacy = Privacy("hash", queries=True, key=b"k" * 32)
    here, there = privacy.log(read(logs)), privacy.log(read(logs, shelf=small()))

    assert here.requests.to_pylist() == there.requests.to_pylist()
    left = b"".join(path.read_bytes() for path in there.shelf.folder.glob("*.parquet"))
    assert b"192.0.2." not in left


def test_a_log_that_fits_makes_no_files(logs):
    shelf = Shelf(1 << 40)
    log = read(logs, shelf=shelf)

    assert in_files(log.request_rows) == 0
    assert len(log.request_rows.pieces) == 1


@pytest.mark.parametrize(("room", "stage"), [(3, "reading"), (0.75, "narrowing"), (1.0, "replaying")])
def test_a_full_disk_is_told_once_and_memory_goes_on(logs, tmp_path, monkeypatch, room, stage):
    """So many files have room, or such a part of all: some rows lie in files, others in memory."""
    written, told = [], []
    write = held.pq.write_table
    if isinstance(room, float):
        room = int(room * report(read(logs, shelf=small()), tmp_path).log.shelf._files) - 1

    def full(table, path, **how):
        if len(written) == room:
            path.write_bytes(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(path)
        write(table, path, **how)

    monkeypatch.setattr(held.pq, "write_table", full)
    log = read(logs, shelf=Shelf(1, told.append))
    assert (in_files(log.request_rows) > 0) == (stage != "reading")

    assert report(log, tmp_path).to_dict() == report(read(logs), tmp_path).to_dict()
    assert ["No space left on device" in text for text in told] == [True]
    assert not [path for path in log.shelf._scratch.path.glob("*.parquet") if path.read_bytes() == b"half"]


def test_no_temporary_folder_is_told_and_memory_goes_on(logs, monkeypatch):
    told = []
    monkeypatch.setattr("tempfile.tempdir", "/proc/none")
    log = read(logs, shelf=Shelf(1, told.append))

    assert analyse(log).to_dict() == analyse(read(logs)).to_dict()
    assert len(told) == 1


COMMAND = """
import os, signal, sys, time
sys.path.insert(0, {root!r})
from loganalyzer import held
from loganalyzer.cli import main
held._LEAST = 1000
spill = held.Piece.spill
def stop(piece, path):
    spill(piece, path)
    {stop}
held.Piece.spill = stop
main(["report", {log!r}, "--json", "--memory", "64MiB"])
"""


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        ("pass", 3),  # one line in fifty is no request
        ("os.kill(os.getpid(), signal.SIGINT)", 130),
        ("os.kill(os.getpid(), signal.SIGTERM)", 143),
        ("raise RuntimeError", 1),
    ],
    ids=["end", "SIGINT", "SIGTERM", "error"],
)
def test_the_temporary_folder_is_gone_at_the_end(logs, tmp_path, stop, code):
    place = tmp_path / "temporary"
    place.mkdir()
    command = COMMAND.format(root=str(Path(held.__file__).parents[1]), log=logs[0], stop=stop)
    environment = {**os.environ, "TMPDIR": str(place)}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False, env=environment)

    assert done.returncode == code, done.stderr
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_goes_a_day_later(logs, tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    command = COMMAND.format(
        root=str(Path(held.__file__).parents[1]), log=logs[0], stop="os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(place)}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False, env=environment)
    assert done.returncode == -signal.SIGKILL
    (left,) = place.iterdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))

    scratch.Scratch().close()
    assert left.exists()  # it may be that of a process that is about to take its lock

    old = time.time() - 90_000
    os.utime(left, (old, old))
    with (left / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        scratch.Scratch().close()
        assert left.exists()  # somebody holds it

    strange = place / "loganalyzer-spill-link"
    strange.symlink_to(tmp_path, target_is_directory=True)
    os.utime(strange, (old, old), follow_symlinks=False)
    scratch.Scratch().close()
    assert not left.exists()
    assert strange.is_symlink()
    assert (tmp_path / "a.log").exists()


def test_rows_of_no_piece_are_an_empty_table():
    rows = Rows(pa.schema([("a", pa.int64())]))

    assert rows.table().num_rows == rows.num_rows == 0
    assert rows.table(["a"]).column_names == ["a"]
    assert not rows.has("a")


@pytest.mark.parametrize(
    ("text", "size"),
    [("64MiB", 64 << 20), ("2G", 2 << 30), ("1.5 gib", 3 << 29), ("800MB", 800_000_000), ("100000000", 100_000_000)],
)
def test_sizes_as_operators_write_them(text, size):

    assert kinds.Size().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "much", "-2GiB", "2 bits", "1e9", "1KiB", "0"])
def test_what_is_no_size_is_refused(text):

    with pytest.raises(click.BadParameter):
        kinds.Size().convert(text, None, None)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        pa.ArrowMemoryError("malloc of size 4194432 failed"),
        OSError("Out of Memory Error: ArrowBuffer: failed to allocate 524288 bytes"),
        ImportError("numpy.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        pa.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_memory_that_runs_short_is_said_in_whatever_words_it_comes(error):
    said = memory.wanting(error)

    assert (said.exit_code, str(said).partition(":")[0]) == (4, "memory ran short")


def test_an_engine_that_finds_no_room_to_sort_in_says_so():
    error = OSError('IO Error: Could not write file "engine/duckdb_temp_storage_S32K-0.tmp": No space left on device')
    said = memory.wanting(error)

    assert (said.exit_code, str(said).partition(";")[0]) == (5, "the temporary folder is full")


def test_other_failures_are_no_want_of_memory():
    assert memory.wanting(ValueError("day is out of range for month")) is None


def test_under_a_limit_of_address_space_a_command_says_so_and_ends_with_4(logs):
    limited = f"ulimit -v 300000; exec {sys.executable} -m loganalyzer report {logs[0]}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, check=False)

    assert b"memory ran short: this process may take 293 MiB (ulimit -v)" in done.stderr
    assert b"Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (4, b"")


def test_the_default_is_told_by_help():
    done = subprocess.run([sys.executable, "-m", "loganalyzer", "report", "--help"], capture_output=True, check=True)

    assert f"here {memory.shown(memory.quarter())}" in " ".join(done.stdout.decode().split())


def test_requests_are_handed_on_as_they_are_read_and_never_held(logs):
    log, first, taken = logs[0], [], []

    def take(table):
        first.append(table)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        read([log], take=take)
    passed, held = read([log], take=taken.append), read([log])

    assert 0 < first[0].num_rows < held.requests.num_rows == sum(table.num_rows for table in taken)
    assert [row for table in taken for row in table.to_pylist()] == held.requests.to_pylist()
    assert (passed.request_rows.num_rows, passed.inputs) == (0, held.inputs)


def test_of_what_may_be_a_copy_only_what_counts_is_handed_on(tmp_path):
    first, second = tmp_path / "access.log.1", tmp_path / "access.log"
    first.write_text("".join(lines(0, 500)))
    second.write_text("".join([*lines(0, 500), *lines(500, 20)]))
    taken = []

    log = read([first, second], take=taken.append, shelf=small())

    assert sum(table.num_rows for table in taken) == 520
    assert [item.requests for item in log.inputs] == [500, 20]


def test_a_format_that_does_not_fit_hands_nothing_on(tmp_path):
    log, taken = tmp_path / "access.log", []
    log.write_text("".join(lines(0, 500)) * 20 + "nothing that any format reads\n" * 1_000)

    with pytest.raises(UnknownFormatError):
        read([log], "common", take=taken.append)

    assert taken == []
