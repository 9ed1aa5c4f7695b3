"""Faults of outputs, and of the processes that write them, each through a real process."""

import os
import signal
import subprocess
import sys
import time

import pytest
from commands import run

from loganalyzer.atomic import replace

LINE = b'192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /%d HTTP/1.1" 200 5 "-" "Bot/1.0"\n'
LOG = b"".join(LINE % n for n in range(3000))
OUTPUTS = [("report", "--html"), ("parse", "--parquet"), ("parse", "--csv"), ("parse", "--rejects")]
PYTHON = [sys.executable, "-m", "loganalyzer"]
WRITERS = [
    ["--help"],
    ["report", "a.log"],
    ["report", "a.log", "--json"],
    ["report", "a.log", "--md"],
    ["parse", "a.log"],
    ["lines", "a.log", "--client", "Bot"],
    ["lines", "a.log", "--client", "Bot", "--raw"],
    ["formats"],
    ["formats", "--recommend", "nginx"],
    ["identify", "Bot/1.0"],
    ["check", "robots.txt", "--agent", "Bot", "/"],
]


@pytest.fixture
def folder(tmp_path):
    """A folder with a log and a robots.txt."""
    (tmp_path / "a.log").write_bytes(LOG)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /1\n")
    return tmp_path


@pytest.mark.parametrize("arguments", WRITERS, ids=" ".join)
def test_48_a_full_disk_behind_stdout_is_said(folder, arguments):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - no file
        done = subprocess.run([*PYTHON, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, cwd=folder)

    said = done.stderr.decode().splitlines()
    assert done.returncode == 5
    assert said[-1] == "loganalyzer: stdout: not written to its end: No space left on device"
    assert not any("Traceback" in line for line in said)


@pytest.mark.parametrize("arguments", WRITERS, ids=" ".join)
def test_66_a_reader_of_stdout_that_went_away_ends_any_command_in_silence(folder, arguments):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        done = subprocess.run([*PYTHON, *arguments], stdout=nobody, stderr=subprocess.PIPE, check=False, cwd=folder)

    assert (done.returncode, done.stderr) == (141, b"")


def test_66_head_closes_the_pipe(folder):
    shell = f'{" ".join(PYTHON)} parse a.log | head -n 1; echo "${{PIPESTATUS[0]}}"'
    # Unbuffered, Python 3.11 drops the rest of a partial write in silence, and never meets the closed pipe.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=True, env=environment, cwd=folder)

    assert done.stdout.splitlines()[-1] == b"141"
    assert done.stderr == b""


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("missing/output", "there is no folder missing; make it first"),
        ("/proc/output", "the folder /proc is not writable"),  # not even by root
        ("/dev/full", "is no regular file"),
        ("sub", "is no regular file"),
    ],
)
def test_50_an_output_that_cannot_be_written_is_said_before_the_logs_are_read(folder, command, option, output, words):
    (folder / "sub").mkdir()
    os.mkfifo(folder / "never.log")  # reading it would wait for ever
    done = run(command, "never.log", option, output, cwd=folder)

    assert (done.returncode, done.stdout) == (5, b"")
    assert words in done.stderr.decode()


def test_50_a_store_that_cannot_be_written_is_said_before_the_logs_are_read(folder):
    os.mkfifo(folder / "never.log")
    done = run("ingest", "never.log", "--store", "/proc/store", cwd=folder)

    assert done.returncode == 5
    assert "the store cannot be written" in done.stderr.decode()


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
@pytest.mark.parametrize("log", ["a.log", "./a.log", "*.log", "hard.log", "link.log"])
def test_51_an_output_that_is_an_input_is_refused_and_left_alone(folder, command, option, log):
    os.link(folder / "a.log", folder / "hard.log")
    (folder / "link.log").symlink_to("a.log")
    done = run(command, log, option, "a.log", cwd=folder)

    assert done.returncode == 2
    assert "is one of the inputs" in done.stderr.decode()
    assert (folder / "a.log").read_bytes() == LOG


@pytest.mark.parametrize("robots", ["robots.txt", "robots.txt@2026-11-01T00:00Z", "www.example.com=robots.txt"])
def test_51_a_robots_txt_is_an_input_too(folder, robots):
    done = run("report", "a.log", "--robots", robots, "--html", "robots.txt", cwd=folder)

    assert done.returncode == 2
    assert "is one of the inputs" in done.stderr.decode()


def test_51_two_outputs_of_one_name_are_refused(folder):
    done = run("parse", "a.log", "--csv", "out", "--rejects", "./out", cwd=folder)

    assert done.returncode == 2
    assert "is named for two outputs" in done.stderr.decode()
    assert not (folder / "out").exists()


@pytest.mark.parametrize("home", [None, "/proc/nowhere"])
def test_52_no_home_is_no_matter(folder, home):
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    done = run("report", "a.log", cwd=folder, env=environment | ({"HOME": home} if home else {}))

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_53_a_signal_in_the_middle_leaves_nothing_behind(tmp_path, number, code):
    os.mkfifo(tmp_path / "a.fifo")
    command = [*PYTHON, "report", str(tmp_path / "a.fifo"), "--html", str(tmp_path / "r.html")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with (tmp_path / "a.fifo").open("wb") as writer:
        writer.write(LOG * 60)
        writer.flush()
        time.sleep(0.2)
        process.send_signal(number)
        process.communicate(timeout=30)

    assert process.returncode == code
    assert [path.name for path in tmp_path.iterdir()] == ["a.fifo"]


def test_53_a_second_signal_does_not_wait_for_the_cleaning():
    code = (
        "import time, click, loganalyzer.cli as c\n"
        "@c.cli.command()\n"
        "def clean():\n"
        "    try:\n        print('working', flush=True); time.sleep(600)\n"
        "    except KeyboardInterrupt:\n        print('cleaning', flush=True); time.sleep(600)\n"
        "c.main(['clean'])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for word in (b"working\n", b"cleaning\n"):
            assert process.stdout.readline() == word
            process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)

    assert process.returncode == -signal.SIGINT  # a shell says 130
    assert said == (b"", b"")


def test_54_what_a_killed_run_left_is_removed_after_a_day_and_the_old_output_is_whole(tmp_path):
    output = tmp_path / "report.html"
    output.write_text("old")
    code = (
        "import os, signal, loganalyzer.atomic as a\n"
        "def fill(path): path.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)\n"
        f"a.replace({str(output)!r}, fill)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.glob(".report.html.*.part")
    others = [tmp_path / ".report.html.mine.part", tmp_path / f".x{left.name}", tmp_path / "report.html.abcdefgh.part"]
    for path in others:
        path.write_text("not ours")
        os.utime(path, (0, 0))
    assert output.read_text() == "old"

    replace(str(output), lambda path: path.write_text("new"))
    assert left.exists()  # it may be another run's that is still at work

    os.utime(left, (0, 0))
    replace(str(output), lambda path: path.write_text("newer"))
    assert sorted(tmp_path.iterdir()) == sorted([output, *others])
    assert output.read_text() == "newer"
