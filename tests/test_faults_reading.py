"""Faults of what logs say: copies, clocks, a format that does not fit; and the laws that hold for any bytes."""

import bz2
import gzip
import lzma
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loganalyzer.errors import LogAnalyzerError, UnknownFormatError
from loganalyzer.formats import read
from loganalyzer.sources.overlap import RUN, Index, Sketch

START = datetime(2026, 11, 1, 10, tzinfo=UTC)


def line(n, at=None, host="a"):
    stamp = (at or START + timedelta(seconds=n)).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'192.0.2.{n % 250} - - [{stamp}] "GET /{host}/{n} HTTP/1.1" 200 {n % 77} "-" "Bot/1.0"\n'.encode()


def lines(start, end, host="a"):
    return b"".join(line(n, host=host) for n in range(start, end))


def logs(tmp_path, files, **options):
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return read([tmp_path / name for name in files], **options)


def targets(log):
    return sorted(int(target.rpartition("/")[2]) for target in log.requests["target"].to_pylist())


# --- copies


@pytest.mark.parametrize(
    ("files", "expected", "dropped"),
    [
        ({"access.log.1": lines(0, 900), "access.log.1.gz": gzip.compress(lines(0, 900))}, 900, 900),
        ({"a.log": lines(0, 900), "b.log": lines(0, 700)}, 900, 700),
        ({"a.log": lines(0, 700), "b.log": lines(0, 900)}, 900, 700),
        ({"a.log": lines(0, 600), "b.log": lines(400, 900)}, 900, 200),
        ({"a.log": lines(0, 300), "b.log": lines(300, 600), "c.log": lines(0, 600)}, 600, 600),
        ({"a.log": lines(0, 300), "b.log": lines(300, 600)}, 600, 0),
        ({"a.log": lines(0, 99), "b.log": lines(0, 99)}, 99, 0),
    ],
    ids=["compressed beside plain", "part", "grown", "overlapping", "joined", "sequel", "too short a run"],
)
def test_21_the_same_lines_in_two_files_count_once(tmp_path, files, expected, dropped):
    log = logs(tmp_path, files)

    assert sorted(set(targets(log))) == list(range(expected))
    assert log.requests.num_rows == (expected if dropped or expected != 99 else 198)
    assert sum(entry.lines for entry in log.inputs) == log.requests.num_rows + log.rejects.num_rows
    assert any("copies of lines in" in note for entry in log.inputs for note in entry.notes) == bool(dropped)
    everything = logs(tmp_path, files, keep_duplicates=True)
    assert everything.requests.num_rows == log.requests.num_rows + dropped


def test_21_a_reject_among_copied_lines_is_copied_too(tmp_path):
    data = b"rubbish 1\n" + lines(0, 200) + b"rubbish 2\n" + lines(200, 400) + b"rubbish 3\n"
    log = logs(tmp_path, {"a.log": data, "b.log": data.replace(b"rubbish 3", b"rubbish 4")})

    assert log.rejects["text"].to_pylist() == [b"rubbish 1", b"rubbish 2", b"rubbish 3", b"rubbish 4"]
    assert [(entry.lines, entry.requests, entry.rejects) for entry in log.inputs] == [(403, 400, 3), (1, 0, 1)]


def test_21_many_logs_of_one_day_are_compared_with_none_that_shares_nothing(tmp_path, monkeypatch):
    compared = []
    monkeypatch.setattr("loganalyzer.formats.duplicates.Index", lambda known: compared.append(known) or Index(known))
    files = {f"{n}.log": lines(0, 300, host=f"host{n}") for n in range(9)}
    assert logs(tmp_path, files).requests.num_rows == 2700
    assert compared == []

    assert logs(tmp_path, files | {"copy.log": files["3.log"][5000:]}).requests.num_rows == 2700
    assert len(compared) == 1


@given(st.lists(st.integers(0, 400), min_size=1, max_size=5), st.data())
def test_21_each_log_that_shares_a_run_is_compared(sizes, data):
    known = [np.arange(1, 1 + size, dtype=np.uint64) + np.uint64(n << 32) for n, size in enumerate(sizes)]
    sketch = Sketch()
    for sequence in known:
        sketch.add(sequence)
    n = data.draw(st.integers(0, len(known) - 1))
    start = data.draw(st.integers(0, sizes[n]))
    piece = known[n][start : start + data.draw(st.integers(0, 400))]
    other = np.arange(7 << 40, (7 << 40) + 120, dtype=np.uint64)
    near = sketch.near(np.concatenate([other, piece, other]))

    assert near == [n] if len(piece) >= RUN else near in ([], [n])


def test_22_two_servers_with_the_same_first_lines_are_not_copies(tmp_path):
    same = lines(0, 50)
    log = logs(tmp_path, {"a.log": same + lines(50, 900, "a"), "b.log": same + lines(50, 900, "b")})

    assert log.requests.num_rows == 1800
    assert [entry.notes for entry in log.inputs] == [[], []]


def test_22_the_same_moment_on_two_servers_is_no_copy(tmp_path):
    log = logs(tmp_path, {name: b"".join(line(n, START, name) for n in range(500)) for name in "ab"})

    assert log.requests.num_rows == 1000


# --- clocks


def moved(*steps):
    """Lines whose clock is moved by so many seconds at each tenth line."""
    return b"".join(line(n, START + timedelta(seconds=n + steps[n // 10])) for n in range(10 * len(steps)))


@pytest.mark.parametrize(
    ("steps", "note"),
    [
        ((0, -3600), "steps back once, by up to 3,599 s, first at line 11"),
        ((0, -3600, 0, -90), "steps back 2 times, by up to 3,599 s, first at line 11"),
        ((0, -50), None),
        ((0, 3600), None),
    ],
)
def test_33_a_clock_that_goes_back_is_noted_and_the_lines_are_kept(tmp_path, steps, note):
    log = logs(tmp_path, {"a.log": moved(*steps)})

    assert log.requests.num_rows == 10 * len(steps)
    assert [note for entry in log.inputs for note in entry.notes if "clock" in note] == (
        [f"the clock {note}; requests are taken in the order of their times"] if note else []
    )


def test_33_a_slow_answer_logged_by_its_start_is_no_step_of_the_clock(tmp_path):
    log = logs(tmp_path, {"a.log": lines(0, 20) + line(20, START - timedelta(seconds=900)) + lines(21, 40)})

    assert log.inputs[0].notes == []


def bare(*stamps):
    """Lines whose times name no zone."""
    return "".join(
        f'192.0.2.1 [{stamp.replace(" ", "T", 1)}] "GET /{n} HTTP/1.1" 200\n' for n, stamp in enumerate(stamps)
    ).encode()


BARE = "log_format x '$remote_addr [$time_iso8601] \"$request\" $status';"
AUTUMN = ["2026-10-25 01:50:00", "2026-10-25 02:05:00", "2026-10-25 02:55:00", "2026-10-25 02:56:00"]
WINTER = ["2026-10-25 02:01:00", "2026-10-25 02:30:00", "2026-10-25 02:59:00", "2026-10-25 03:00:00"]


@pytest.mark.parametrize(
    ("stamps", "hours", "note"),
    [
        (AUTUMN + WINTER, "23:50 00:05 00:55 00:56 01:01 01:30 01:59 02:00", "6 lines, from line 2 on: 3 and 3"),
        (AUTUMN + WINTER[-1:], "23:50 00:05 00:55 00:56 02:00", "3 lines, from line 2 on: 3 and 0"),
        (AUTUMN + WINTER[:1], "23:50 00:05 00:55 00:56 01:01", "4 lines, from line 2 on: 3 and 1"),
        # A slow answer that is logged by its start comes late, and alone.
        (AUTUMN + AUTUMN[1:2] + AUTUMN[2:4] + WINTER[-1:], "23:50 00:05 00:55 00:56 00:05 00:55 00:56 02:00", None),
        # The zone that a time names is the one it is in, whatever the clocks show.
        (
            [f"{AUTUMN[1]}+02:00", f"{AUTUMN[1]}+01:00", AUTUMN[2]],
            "00:05 01:05 00:55",
            "line 3 bears: 1 and 0",
        ),
    ],
    ids=["both", "first alone", "ends within", "a late line", "some with a zone"],
)
def test_34_an_hour_that_clocks_showed_twice_is_told_apart_by_the_order_of_lines(tmp_path, stamps, hours, note):
    log = logs(tmp_path, {"a.log": bare(*stamps)}, log_format=BARE, tz="Europe/Zurich")

    assert " ".join(f"{at:%H:%M}" for at in log.requests["time"].to_pylist()) == hours
    assert log.requests["t"].to_pylist() == log.requests["time"].cast("int64").to_pylist()
    notes = log.inputs[0].notes
    assert "its times name no zone and were read in Europe/Zurich" in notes
    if note:
        lines, first, second = re.fullmatch(r"(.*): (\d) and (\d)", note).groups()
        (said,) = [said for said in notes if "showed twice" in said]
        assert said.startswith(lines)
        assert f"{first} were read as before the change, {second} as after it" in said


@pytest.mark.parametrize("zone", ["Europe/Zurich", "Europe/London", "Australia/Lord_Howe"])
def test_35_a_time_that_clocks_skipped_is_kept_as_zoneinfo_reads_it_and_told(tmp_path, zone):
    day = {"Europe/Zurich": "2026-03-29 02:20", "Europe/London": "2026-03-29 01:20"}.get(zone, "2026-10-04 02:20")
    before, after = (f"{day[:11]}{int(day[11:13]) + by:02}:45:00" for by in (-1, 1))
    log = logs(tmp_path, {"a.log": bare(before, f"{day}:00", after)}, log_format=BARE, tz=zone)

    expected = [datetime.fromisoformat(stamp).replace(tzinfo=ZoneInfo(zone)) for stamp in (before, f"{day}:00", after)]
    assert [at.timestamp() for at in log.requests["time"].to_pylist()] == [at.timestamp() for at in expected]
    assert [note for note in log.inputs[0].notes if "skipped" in note] == [
        f"line 2 bears times that the clocks of {zone} skipped: they were read by the offset from before the change"
    ]


def test_34_lines_of_several_blocks_know_what_was_shown_before(tmp_path, monkeypatch):
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 200)
    monkeypatch.setattr("loganalyzer.formats.pieces._HELD", 1)
    stamps = [f"2026-10-25 02:{minute:02}:00" for minute in range(60)] * 2
    log = logs(tmp_path, {"a.log": bare(*stamps)}, log_format=BARE, tz="Europe/Zurich")

    times = log.requests["time"].cast("int64").to_pylist()
    assert [(after - before) // 60_000_000 for before, after in pairwise(times)] == [1] * 119
    assert "60 were read as before the change, 60 as after it" in log.inputs[0].notes[-1]


def test_34_without_a_zone_the_hour_is_one_of_utc(tmp_path):
    log = logs(tmp_path, {"a.log": bare(*AUTUMN)}, log_format=BARE)

    assert log.inputs[0].notes == ["its times name no zone and were read as UTC; --tz ZONE reads them in another"]


@pytest.mark.parametrize("year", [1970, 2099])
def test_38_lines_dated_decades_from_the_rest_are_kept_and_noted(tmp_path, year):
    log = logs(tmp_path, {"a.log": lines(0, 20) + line(20, START.replace(year=year)) + lines(21, 40)})

    assert log.requests.num_rows == 40
    assert log.inputs[0].notes == [
        f"1 line is dated more than ten years from the others ({year}; the first is line 21)"
    ]


# --- a format that does not fit

OWN = "log_format x '$remote_addr [$time_local] \"$request\" $status';"
OWN_LINE = b'192.0.2.1 [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200\n'


def test_47_a_given_format_that_does_not_fit_is_shown_with_a_caret(tmp_path):
    data = OWN_LINE * 9_800 + b'192.0.2.1 - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200\n' * 300
    with pytest.raises(UnknownFormatError) as error:
        logs(tmp_path, {"a.log": data}, log_format=OWN)

    text = str(error.value)
    assert "reads 9,800 of the first 10,100 lines; line 9,801 is" in text
    shown, caret = text.splitlines()[1:3]
    assert shown[caret.index("^") :].startswith(" - [")
    assert "--force" in text
    assert logs(tmp_path, {"a.log": data}, log_format=OWN, force=True).requests.num_rows == 9_800
    assert logs(tmp_path, {"a.log": data[: 9_990 * len(OWN_LINE)]}, log_format=OWN, force=True).rejects.num_rows > 0


def test_47_a_few_refused_lines_stop_nothing(tmp_path):
    log = logs(tmp_path, {"a.log": OWN_LINE * 9_950 + b"odd\n" * 99}, log_format=OWN)

    assert (log.requests.num_rows, log.rejects.num_rows) == (9_950, 99)


def test_47_ends_the_command_with_4(tmp_path):
    (tmp_path / "a.log").write_bytes(OWN_LINE * 5_000 + b"odd\n" * 5_001)
    command = [sys.executable, "-m", "loganalyzer", "report", str(tmp_path / "a.log"), "--log-format", OWN]

    assert subprocess.run(command, capture_output=True, check=False).returncode == 4
    assert subprocess.run([*command, "--force"], capture_output=True, check=False).returncode == 3


# --- progress


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_progress_goes_up_to_the_size_of_all_files(tmp_path, pack):
    seen = []
    files = {f"{n}.log": pack(lines(n * 1000, n * 1000 + 1000)) for n in range(3)}
    logs(tmp_path, files, progress=lambda done, total: seen.append((done, total)))

    size = sum(map(len, files.values()))
    assert seen == sorted(seen)
    assert seen[-1] == (size, size)


def test_progress_moves_with_every_few_bytes_read(tmp_path):
    seen = set()
    logs(tmp_path, {"a.log": lines(0, 1000) * 300}, progress=lambda done, _: seen.add(done))

    steps = sorted(seen)
    assert max(after - before for before, after in pairwise(steps)) <= 5 << 20


def test_a_terminal_shows_a_bar_and_takes_it_away(tmp_path):
    (tmp_path / "a.log").write_bytes(lines(0, 2000))
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "loganalyzer", "parse", str(tmp_path / "a.log")]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=follower, env={**os.environ, "TERM": "xterm"}
    ) as it:
        os.close(follower)
        shown = b""
        while chunk := _more(leader):
            shown += chunk
    os.close(leader)

    assert it.returncode == 0
    assert b"reading" in shown
    assert shown.rstrip().endswith(b"\x1b[2K")  # the last thing is to clear the line


def _more(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # EIO: the other end is closed
        return b""


@pytest.mark.parametrize("name", ["-", "fifo"])
def test_16_waiting_is_said(tmp_path, name):
    leader, follower = pty.openpty()
    os.mkfifo(tmp_path / "fifo")
    command = [sys.executable, "-m", "loganalyzer", "report", "-" if name == "-" else str(tmp_path / name)]
    with subprocess.Popen(command, stdin=follower, stderr=subprocess.PIPE) as process:
        ending = threading.Timer(20, process.kill)  # what says nothing must fail, not hang
        ending.start()
        said = process.stderr.readline().decode()
        ending.cancel()
        process.kill()
    for end in (leader, follower):
        os.close(end)

    assert ("Ctrl-D" if name == "-" else "fifo is a pipe: waiting") in said


# --- laws

PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
}
PIECES = st.one_of(
    st.binary(max_size=60),
    st.integers(0, 500).map(line),
    st.sampled_from(
        [b"\n", b"\r\n", b"\0" * 70, b"#Fields: date time c-ip cs-method cs-uri-stem sc-status\n", b"{}\n"]
    ),
)


def rows(log):
    return log.requests.drop_columns(["source"]).to_pylist(), log.rejects.drop_columns(["source"]).to_pylist()


@settings(max_examples=60)
@given(st.lists(PIECES, max_size=12).map(b"".join))
@example(b"\x1f\x8b")
@example(b"\x1f\x8b\x08\x1f\0\0\0\0\0\0")
@example(b"\xff\xfe" + b"a\0" * 40)
def test_any_bytes_at_all_keep_the_accounting(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.log")
        path.write_bytes(data)
        try:
            log = read([path])
        except LogAnalyzerError:
            return
        (entry,) = log.inputs
        assert entry.lines == entry.requests + entry.rejects + entry.blank + entry.comments
        assert (entry.requests, entry.rejects) == (log.requests.num_rows, log.rejects.num_rows)
        if entry.problem is None and entry.compression is None:
            assert entry.bytes == len(data)
            assert entry.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


@settings(max_examples=25)
@given(st.integers(0, len(lines(0, 40))))
def test_any_split_in_two_gives_the_same_requests_but_the_cut_one(at):
    data = lines(0, 40)
    with tempfile.TemporaryDirectory() as folder:
        whole = logs(Path(folder), {"whole": data}, log_format="combined")
        parts = logs(Path(folder), {"1": data[:at], "2": data[at:]}, log_format="combined")

    lost = set(targets(whole)) - set(targets(parts))
    assert len(lost) <= 1
    assert sum(entry.bytes for entry in parts.inputs) == len(data)
    assert len(parts.rejects) <= 2
    if data[at:].count(b"\n") > 1:  # a good line shows that the first has lost its beginning
        assert parts.unread == 0


@pytest.mark.parametrize("name", PACKERS)
@settings(max_examples=10)
@given(st.lists(PIECES, max_size=8).map(b"".join))
def test_every_compression_gives_the_same_rows(name, data):
    data = lines(0, 3) + data
    with tempfile.TemporaryDirectory() as folder:
        plain = logs(Path(folder), {"a": data})
        packed = logs(Path(folder), {"a": PACKERS[name](data)})

    assert rows(packed) == rows(plain)
    assert packed.inputs[0].lines == plain.inputs[0].lines
