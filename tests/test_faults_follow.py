"""A log that is followed while it grows, is rotated and is truncated; and whose request it is behind a proxy."""

import json
import signal
import subprocess
import sys

import pytest

from loganalyzer.errors import NothingUsableError, UsageError
from loganalyzer.formats import read
from loganalyzer.formats.follow import follow
from loganalyzer.formats.forwarded import rightmost

LINE = '192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /{} HTTP/1.1" 200 5 "-" "Bot/1.0"\n'


class DoneError(Exception):
    """Nothing more happens to the log."""


def followed(path, *steps, log_format=None):
    """Targets, line numbers and rejects, while one step after the other happens to the log."""
    waiting = iter(steps)

    def pause(_):
        try:
            next(waiting)()
        except StopIteration:
            raise DoneError from None

    rows, rejects = [], []
    try:
        for piece in follow(path, log_format, pause=pause):
            rows += zip(piece.requests["target"].to_pylist(), piece.requests["line"].to_pylist(), strict=True)
            rejects += piece.rejects["line"].to_pylist()
    except DoneError:
        return rows, rejects


def append(path, text):
    def step():
        with path.open("a") as file:
            file.write(text)

    return step


def nothing():
    pass


def lines(*numbers):
    return "".join(LINE.format(number) for number in numbers)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text(lines(1, 2))
    return path


def test_17_what_is_appended_is_read_on_with_its_line_numbers(log):
    steps = append(log, lines(3)), nothing, append(log, "no request\n" + lines(4, 5))

    assert followed(log, *steps) == ([("/1", 1), ("/2", 2), ("/3", 3), ("/4", 5), ("/5", 6)], [4])


def test_17_a_line_that_is_being_written_waits_for_its_end(log):
    half = len(LINE) // 2
    steps = append(log, LINE.format(3)[:half]), nothing, append(log, LINE.format(3)[half:])

    assert followed(log, *steps) == ([("/1", 1), ("/2", 2), ("/3", 3)], [])


def test_17_an_empty_log_is_waited_for(tmp_path):
    (tmp_path / "a.log").touch()

    assert followed(tmp_path / "a.log", nothing, append(tmp_path / "a.log", lines(1))) == ([("/1", 1)], [])


def test_19_a_rotated_log_is_read_to_its_end_and_then_the_new_one(log):
    def rotate():
        log.rename(f"{log}.1")

    def late():  # the server has not opened the new one yet
        append(log.with_name("access.log.1"), lines(3))()

    def anew():
        append(log.with_name("access.log.1"), lines(4).rstrip("\n"))()
        log.write_text(lines(5))

    steps = rotate, late, nothing, anew, append(log, lines(6))

    assert followed(log, *steps) == ([("/1", 1), ("/2", 2), ("/3", 3), ("/4", 4), ("/5", 1), ("/6", 2)], [])


@pytest.mark.parametrize("after", [(7,), (7, 8, 9)], ids=["shorter", "longer than before"])
def test_18_a_truncated_log_is_read_anew(log, after):
    def truncate():
        log.write_text(lines(*after).replace("10:00:00", "10:00:09"))

    expected = [(f"/{number}", place) for place, number in enumerate(after, 1)]
    assert followed(log, truncate, append(log, lines(10))) == (
        [("/1", 1), ("/2", 2), *expected, ("/10", len(after) + 1)],
        [],
    )


def test_what_cannot_be_followed_is_refused(tmp_path):
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0")
    for path, error in (("-", UsageError), (tmp_path / "gone", NothingUsableError), (tmp_path / "a.gz", UsageError)):
        with pytest.raises(error):
            followed(path)


def test_53_following_prints_as_it_comes_and_ends_when_interrupted(log):
    command = [sys.executable, "-m", "loganalyzer", "parse", "--follow", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for number in (1, 2, 3, 4):
            assert json.loads(process.stdout.readline())["target"] == f"/{number}"
            if number > 1:
                append(log, lines(number + 1))()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)

    assert process.returncode == 130, said


# --- X-Forwarded-For


@pytest.mark.parametrize(
    ("listed", "address"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7, 10.1.2.3, 127.0.0.1", "198.51.100.7"),
        ("198.51.100.7:4711,192.168.0.1", "198.51.100.7"),
        ("[2001:db8::7]:4711, fd00::1", "2001:db8::7"),
        ("2001:db8::7, ::1", "2001:db8::7"),
        ("10.1.2.3", None),
        ("198.51.100.7, unknown", None),
        ("198.51.100.7, ", None),
        ("", None),
    ],
)
def test_43_the_client_of_a_list_is_its_last_address_that_is_not_private(listed, address):
    assert rightmost(listed) == address


@pytest.mark.parametrize(
    ("rule", "clients"),
    [("as-logged", ["10.0.0.1"] * 3), ("rightmost-untrusted", ["198.51.100.7", "10.0.0.1", "10.0.0.1"])],
)
def test_43_a_list_is_kept_as_it_is_and_the_client_is_by_the_rule(tmp_path, rule, clients):
    lists = ["203.0.113.9, 198.51.100.7, 10.9.9.9", "10.9.9.9", "-"]
    form = 'log_format x \'$remote_addr [$time_iso8601] "$request" $status "$http_x_forwarded_for"\';'
    row = '10.0.0.1 [2026-11-01T10:00:00Z] "GET / HTTP/1.1" 200 "{}"\n'
    (tmp_path / "a.log").write_text("".join(map(row.format, lists)))
    found = read([tmp_path / "a.log"], form, xff=rule)
    requests = found.requests

    assert requests["client_ip"].to_pylist() == clients
    assert requests["forwarded_for"].to_pylist() == [*lists[:2], None]
    assert any("--xff" in note for note in found.inputs[0].notes) == (rule != "as-logged")


def test_43_a_rule_that_there_is_not_is_refused():
    with pytest.raises(UsageError, match="rules are as-logged, rightmost-untrusted"):
        read([], xff="leftmost")
