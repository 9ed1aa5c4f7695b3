"""Faults of single lines, and of files that change while they are read, by the row of behaviour that they show."""

import errno
import io
import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from loganalyzer.errors import UnknownFormatError, UsageError
from loganalyzer.formats import read
from loganalyzer.sources import BLOCK, Reading, Source

TEXT = '192.0.2.1 - - [{time}] "{request}" {status} {size} "-" "Bot/1.0"\n'
USUAL = {"time": "01/Nov/2026:10:00:00 +0000", "request": "GET / HTTP/1.1", "status": "200", "size": "5"}
CUSTOM = "log_format x '$remote_addr [$time_iso8601] \"$request\" $status $body_bytes_sent';"


def line(**changed):
    return TEXT.format(**USUAL | changed)


def log(tmp_path, *texts, **options):
    (tmp_path / "access.log").write_text("".join(texts))
    return read([tmp_path / "access.log"], **options)


@pytest.mark.parametrize(
    ("stamp", "instant"),
    [
        pytest.param("01/Nov/2026:10:00:00 +0200", datetime(2026, 11, 1, 8, tzinfo=UTC), id="36 offset"),
        pytest.param("01/Nov/2026:10:00:00 -0330", datetime(2026, 11, 1, 13, 30, tzinfo=UTC), id="36 half an hour"),
        pytest.param("25/Oct/2026:02:30:00 +0200", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), id="34 summer"),
        pytest.param("25/Oct/2026:02:30:00 +0100", datetime(2026, 10, 25, 1, 30, tzinfo=UTC), id="34 winter"),
        pytest.param(
            "31/Dec/2016:23:59:60 +0000", datetime(2016, 12, 31, 23, 59, 59, 999000, UTC), id="37 leap second"
        ),
        pytest.param("01/nov/2026:10:00:00 +0000", None, id="39 month in small letters"),
        pytest.param("01/Mai/2026:10:00:00 +0000", None, id="39 month of another language"),
        pytest.param("01/Nov/26:10:00:00 +0000", None, id="39 year of two digits"),
        pytest.param("30/Feb/2026:10:00:00 +0000", None, id="no such day"),
    ],
)
def test_the_time_of_a_line(tmp_path, stamp, instant):
    found = log(tmp_path, line(), line(time=stamp), line())

    assert found.requests["time"].to_pylist()[1:-1] == ([instant] if instant else [])
    assert found.rejects["field"].to_pylist() == ([] if instant else ["time"])


@pytest.mark.parametrize("spelled", ["1793527200", "1793527200.000", "1793527200000", "1793527200000000"])
def test_40_epochs_in_json_are_told_apart_by_magnitude(tmp_path, spelled):
    row = f'{{"time":{spelled},"remote_addr":"192.0.2.1","request":"GET / HTTP/1.1","status":200}}\n'

    assert log(tmp_path, row).requests["time"].to_pylist() == [datetime(2026, 11, 1, 10, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("status", "size", "expected"),
    [
        ("499", "0", (499, 0)),
        ("444", "-", (444, None)),
        ("000", "0", (0, 0)),
        ("99", "1", (99, 1)),
        ("600", "1", (600, 1)),
        ("-", "-", (None, None)),
    ],
)
def test_41_odd_numbers_are_kept_and_what_is_none_is_null(tmp_path, status, size, expected):
    found = log(tmp_path, line(), line(status=status, size=size))

    row = found.requests.to_pylist()[1]
    assert (row["status"], row["bytes"]) == expected
    assert found.rejects.num_rows == 0


def test_41_what_is_no_number_is_null_and_told_with_its_count_and_its_first_line(tmp_path):
    odd = [line(status="abc", size="-5"), line(size="-"), line(status="2000", size="1e3"), line(status="2xx")]
    found = log(tmp_path, line(), *odd)

    assert [(row["status"], row["bytes"] is None) for row in found.requests.to_pylist()[1:]] == [
        (None, True), (200, True), (None, True), (None, False)
    ]  # fmt: skip
    assert found.inputs[0].notes == [
        "status of 3 lines, from line 2 on, is no number: unknown there",
        "bytes of 2 lines, from line 2 on, is no number: unknown there",
    ]
    assert found.rejects.num_rows == 0


def test_41_one_line_alone_is_named(tmp_path):
    assert log(tmp_path, line(), line(size="12k")).inputs[0].notes == [
        "bytes of line 2 is no number: unknown there"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("request_line", "method", "target"),
    [
        ("", None, None),
        ("-", None, None),
        (r"\x16\x03\x01\x02", None, None),
        ("GET /old", "GET", "/old"),
        ("GET http://b.example/x HTTP/1.1", "GET", "http://b.example/x"),
        ("OPTIONS * HTTP/1.0", "OPTIONS", "*"),
        ("CONNECT b.example:443 HTTP/1.1", "CONNECT", "b.example:443"),
    ],
)
def test_42_a_request_line_that_is_odd_is_evidence_not_a_reject(tmp_path, request_line, method, target):
    found = log(tmp_path, line(), line(request=request_line), line(status="400"))

    assert found.rejects.num_rows == 0
    row = found.requests.to_pylist()[1]
    assert (row["method"], row["target"]) == (method, target)


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("2001:db8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("unix:", "unix:"),
        ("bot.example", "bot.example"),
        ("-", None),
    ],
)
def test_43_an_address_of_any_kind_is_read(tmp_path, address, client):
    found = log(tmp_path, line(), line().replace("192.0.2.1", address))

    assert (found.requests["client_ip"].to_pylist()[1], found.rejects.num_rows) == (client, 0)


GOOD = '{"time":"2026-11-01T10:00:00+00:00","remote_addr":"192.0.2.1","request":"GET /%d HTTP/1.1","status":"200"}\n'


@pytest.mark.parametrize(
    ("bad", "read_as"),
    [
        pytest.param('{"time":"2026-11-01T10:00:00+00:00","req', 0, id="cut in the middle"),
        pytest.param('{"a":' * 10_000 + "1" + "}" * 10_000, 0, id="ten thousand deep"),
        pytest.param("[" * 10_000, 0, id="lists without end"),
        pytest.param(GOOD.strip() % 1 + GOOD.strip() % 2, 0, id="two objects on a line"),
        pytest.param((GOOD % 5).replace('"200"', "NaN").strip(), 1, id="NaN"),
        pytest.param((GOOD % 5).replace('"200"', "9" * 400).strip(), 1, id="huge number"),
        pytest.param((GOOD % 5).replace('"200"', '"200","status":"404"').strip(), 1, id="key twice"),
    ],
)
def test_44_a_bad_json_line_takes_no_other_with_it(tmp_path, bad, read_as):
    found = log(tmp_path, GOOD % 0, bad + "\n", GOOD % 9)

    targets = found.requests["target"].to_pylist()
    assert (targets[0], targets[-1], len(targets)) == ("/0", "/9", 2 + read_as)
    assert found.rejects["line"].to_pylist() == ([] if read_as else [2])


def test_45_an_unknown_variable_is_read_over_and_noted(tmp_path):
    directive = CUSTOM.replace("$status", "$status $foo")
    (row,) = log(
        tmp_path, '192.0.2.1 [2026-11-01T10:00:00+00:00] "GET / HTTP/1.1" 200 bar 5\n', log_format=directive
    ).requests.to_pylist()

    assert (row["status"], row["bytes"]) == (200, 5)


@pytest.mark.parametrize(
    "directive",
    [CUSTOM.replace("';", ";"), CUSTOM.replace("[$time_iso8601] ", "")],
    ids=["quote not closed", "no time"],
)
def test_45_a_faulty_directive_is_refused_with_its_place(tmp_path, directive):
    with pytest.raises(UsageError, match=r"(?s)\^|time"):
        log(tmp_path, line(), log_format=directive)


def test_46_an_unknown_format_shows_the_line_and_where_the_nearest_stop(tmp_path):
    with pytest.raises(UnknownFormatError) as error:
        log(tmp_path, "2026-11-01 10:00:00 some other program said this\n" * 9)

    text = str(error.value)
    assert text.count("^") == 3
    assert "some other program" in text
    assert "--log-format" in text


def test_29_bytes_that_are_not_utf8_are_written_as_hex(tmp_path):
    (tmp_path / "a.log").write_bytes(line(request="GET /caf\xe9 HTTP/1.1").encode("latin-1"))
    command = [sys.executable, "-m", "loganalyzer", "parse", str(tmp_path / "a.log")]
    done = subprocess.run(command, capture_output=True, check=True)

    assert json.loads(done.stdout)["target"] == r"/caf\xe9"


class Failing(io.BytesIO):
    """A file on a disk that fails after its first block."""

    def readinto(self, view, /):
        if self.tell() >= BLOCK // 2:
            raise OSError(errno.EIO, "Input/output error")
        return super().readinto(memoryview(view)[: BLOCK // 2])


def test_67_a_disk_that_fails_in_mid_file_is_named_and_the_lines_before_it_are_kept():
    data = line().encode() * (BLOCK // len(line()))
    with Reading(Source("access.log"), file=Failing(data)) as reading:
        kept = b"".join(bytes(block.data) for block in reading.blocks())

    assert "Input/output error" in reading.problem
    assert data.startswith(kept)
    assert len(kept) >= BLOCK // 2


@pytest.mark.parametrize("whole", [False, True], ids=["report", "ingest"])
def test_18_a_file_truncated_while_it_is_read_says_so_and_keeps_what_was_read(tmp_path, whole):
    path = tmp_path / "access.log"
    path.write_text(line() * (3 * BLOCK // len(line())))
    with Reading(Source("access.log", path), whole=whole) as reading:
        blocks = reading.blocks()
        first = bytes(next(blocks).data)
        path.write_text(line())
        rest = b"".join(bytes(block.data) for block in blocks)

    assert first.startswith(line().encode())
    assert len(first) + len(rest) < 3 * BLOCK - len(line())
    said = reading.notes[0] if whole else reading.problem
    assert "truncated while it was read" in said
    assert "access.log.1" in said


@pytest.mark.parametrize("long", [False, True], ids=["short", "too long to keep"])
def test_17_what_is_appended_while_a_file_is_read_is_for_the_next_run(tmp_path, long):
    path = tmp_path / "access.log"
    unfinished = "x" * (3 << 20) if long else line()[:40]
    path.write_text(line() * 9 + unfinished)
    with Reading(Source("access.log", path)) as reading:
        blocks = reading.blocks()
        with path.open("a") as log:
            size = sum(len(next(blocks).data) for _ in range(1))
            log.write(line()[40:] + line() * 9)
            log.flush()
            size += sum(len(block.data) for block in blocks)

    assert size == 9 * len(line())
    assert reading.pending == len(unfinished)
    assert (reading.problem, reading.end) == (None, size)
    assert "still being written" in reading.notes[0]


def test_17_a_file_that_never_ends_is_read_to_where_it_ended(tmp_path):
    path = tmp_path / "access.log"
    path.write_text(line() * 9)
    with Reading(Source("access.log", path)) as reading, path.open("a") as log:
        reading.advance = lambda _: (log.write(line() * 9), log.flush())
        size = sum(len(block.data) for block in reading.blocks())

    assert size == 9 * len(line())


def test_19_a_file_renamed_while_it_is_read_is_read_to_its_end(tmp_path):
    path = tmp_path / "access.log"
    path.write_text(line() * (3 * BLOCK // len(line())))
    with Reading(Source("access.log", path)) as reading:
        blocks = reading.blocks()
        size = len(next(blocks).data)
        path.rename(tmp_path / "access.log.1")
        path.write_text(line())
        size += sum(len(block.data) for block in blocks)

    assert (size, reading.problem) == (3 * BLOCK // len(line()) * len(line()), None)
