"""Faults that an operator's logs have, by the sentence that says what happens then; what is read, of what is kept."""

import os

import pytest

from loganalyzer.backoff.refusals import asked_wait
from loganalyzer.formats import read
from loganalyzer.sources import BLOCK, LONGEST, Reading, expand, original

LINE = b'192.0.2.%d - - [01/Nov/2026:10:%02d:%02d +0000] "GET /%d HTTP/1.1" 200 5 "-" "Bot/1.0"\n'
LINES = [LINE % (n % 250, n // 60 % 60, n % 60, n) for n in range(2000)]
JSON = b'{"time":"%s","remote_addr":"192.0.2.1","request":"GET / HTTP/1.1","status":"200"}\n'


def log(tmp_path, data, name="access.log", **options):
    (tmp_path / name).write_bytes(data)
    return read([tmp_path / name], **options)


def accounted(entry):
    return entry.lines == entry.requests + entry.rejects + entry.blank + entry.comments


# --- instants


@pytest.mark.parametrize("stamp", [b"01/Jan/0001:00:00:00 +0100", b"31/Dec/9999:23:59:59 -0100"])
def test_an_instant_that_its_offset_takes_out_of_the_calendar_is_rejected_by_field(tmp_path, stamp):
    odd = LINES[0].replace(b"01/Nov/2026:10:00:00 +0000", stamp)
    found = log(tmp_path, b"".join(LINES[:5]) + odd + b"".join(LINES[5:9]))

    assert found.rejects.select(["line", "reason", "field"]).to_pylist() == [
        {"line": 6, "reason": "no such instant", "field": "time"}
    ]
    assert found.requests.num_rows == 9


@pytest.mark.parametrize("stamp", [b"0001-01-01T00:00:00+01:00", b"9999-12-31T23:59:59-01:00"])
def test_the_same_in_json(tmp_path, stamp):
    good = JSON % b"2026-11-01T10:00:00+00:00"
    found = log(tmp_path, good * 3 + JSON % stamp + good)

    assert found.rejects["field"].to_pylist() == ["time"]
    assert found.requests.num_rows == 4


@pytest.mark.parametrize("stamp", [b"01/Jan/0001:00:00:00 +0000", b"31/Dec/9999:23:59:59 +0000"])
def test_the_ends_of_the_calendar_are_instants(tmp_path, stamp):
    found = log(tmp_path, LINES[0].replace(b"01/Nov/2026:10:00:00 +0000", stamp))

    assert found.requests["time"][0].as_py().year in (1, 9999)


FORMAT = "log_format x '$remote_addr [$time_local] \"$request\" $status $request_time';"


@pytest.mark.parametrize("duration", [b"0.1, 0.2", b"-", b"1e99", b"999999999999999"])
def test_a_request_time_that_is_no_duration_is_null(tmp_path, duration):
    line = b'192.0.2.1 [01/Jan/0001:00:00:01 +0000] "GET / HTTP/1.1" 200 %s\n'
    found = log(tmp_path, line % b"0.1" + line % duration, log_format=FORMAT)

    assert found.requests["request_time_s"].to_pylist() == [0.1, None]
    assert found.rejects.num_rows == 0


def test_a_start_before_the_calendar_is_its_first_instant(tmp_path):
    found = log(tmp_path, b'192.0.2.1 [01/Jan/0001:00:00:01 +0000] "GET / HTTP/1.1" 200 60\n', log_format=FORMAT)

    assert found.requests["t"][0].as_py() == found.requests["time"][0].value - 1_000_000


@pytest.mark.parametrize(
    ("value", "seconds"), [("9" * 400, 10**9), ("0" * 400, 0), ("0" * 80 + "7", 7), ("9" * 5000, 10**9)]
)
def test_retry_after_of_any_length_is_a_number(value, seconds):
    import numpy as np
    import pyarrow as pa

    assert asked_wait(pa.array([value]), np.zeros(1, np.int64)).to_pylist() == [seconds * 1_000_000]


# --- zero bytes, long lines, cut lines


@pytest.mark.parametrize("count", [1, 512, LONGEST - 5, LONGEST + 5, BLOCK - 9, BLOCK + 9, 2 * BLOCK + LONGEST + 7])
def test_a_run_of_zero_bytes_takes_no_record_with_it(tmp_path, count):
    data = b"".join(LINES[:7]) + b"\0" * count + b"".join(LINES[7:])
    found = log(tmp_path, data)

    assert found.requests["target"].to_pylist() == [f"/{n}" for n in range(2000)]
    assert found.requests["offset"].to_pylist()[6:9] == [
        data.index(LINES[6]),
        data.index(LINES[6]) + len(LINES[6]),
        data.index(LINES[8]),
    ]
    assert (found.inputs[0].bytes, found.inputs[0].lines) == (len(data), 2000)
    assert next(original(str(tmp_path / "access.log"), [8]))[1].lstrip(b"\0") == LINES[7].rstrip()


@pytest.mark.parametrize("count", [5, LONGEST + 5, 2 * BLOCK])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_zero_bytes_alone_are_one_reject(tmp_path, count, end):
    found = log(tmp_path, LINES[0] + b"\0" * count + end)

    assert found.rejects["reason"].to_pylist() == ["NUL block"]
    assert found.inputs[0].bytes == len(LINES[0]) + count + len(end)


def test_a_line_too_long_behind_zero_bytes_is_still_too_long(tmp_path):
    found = log(tmp_path, LINES[0] + b"\0" * (2 * LONGEST) + b"x" * (2 * LONGEST) + b"\n" + LINES[1])

    (reason,) = found.rejects["reason"].to_pylist()
    assert reason == f"line too long ({4 * LONGEST + 1:,} bytes)"
    assert found.requests.num_rows == 2


def test_zero_bytes_that_may_be_followed_wait(tmp_path):
    (tmp_path / "x").write_bytes(LINES[0] + b"\0" * (3 * LONGEST))
    with Reading(*expand([tmp_path / "x"]), whole=True) as reading:
        blocks = [bytes(block.data) for block in reading.blocks()]

    assert (blocks, reading.end, reading.pending) == ([LINES[0]], len(LINES[0]), 3 * LONGEST)


def test_lines_cut_by_a_rotation_are_named_and_not_held_against_the_log(tmp_path):
    found = log(tmp_path, LINES[0][31:] + b"".join(LINES[1:9]) + LINES[9][:50])

    assert found.rejects.select(["line", "reason"]).to_pylist() == [
        {"line": 1, "reason": "cut line"},
        {"line": 10, "reason": "cut line"},
    ]
    assert (found.unread, found.inputs[0].rejects) == (0, 2)


def test_a_first_line_that_is_no_piece_of_a_request_counts(tmp_path):
    found = log(tmp_path, b"# what is this\n" + b"".join(LINES[1:9]))

    assert found.rejects["reason"].to_pylist() != ["cut line"]
    assert found.unread == 1


# --- files


def test_a_file_that_may_not_be_read_is_named_with_owner_mode_and_remedy(tmp_path, monkeypatch):
    path = tmp_path / "access.log"
    path.write_bytes(LINES[0])
    path.chmod(0o640)

    def refuse(self, *_):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with Reading(*expand([path])) as reading:
        assert list(reading.blocks()) == []

    for words in ("Permission denied", f"{path.owner()}:{path.group()}", "mode 640", f"sudo -u {path.owner()}"):
        assert words in reading.problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_entered_is_named(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)

    assert "mode 000" in expand([tmp_path / "closed"])[0].problem
    assert "mode 000" in expand([tmp_path / "closed" / "access.log"])[0].problem
