"""Arguments in, exit codes and streams out. Each run is a real process."""

import csv
import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import commands
import pyarrow as pa
import pytest

import loganalyzer as la

LINE = '192.0.2.1 - - [02/Nov/2026:10:00:{:02} +0000] "GET {} HTTP/1.1" {} 10 "-" "{}"\n'
BOT = "RudeBot/2.1 (+https://rude.example/bot)"


def run(*arguments, stdin=b"", **environment):
    return commands.run(*arguments, input=stdin, env={**os.environ, "COLUMNS": "80", **environment})


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    targets = ("/robots.txt", "/a", "/private/1", "/b", "/private/2")
    path.write_text("".join(LINE.format(n, target, 200, BOT) for n, target in enumerate(targets)))
    return str(path)


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\nDisallow: /private/\n")
    return str(path)


def test_report_writes_text_on_stdout_and_nothing_else(log, robots):
    done = run("report", log, "--robots", robots)

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"RudeBot" in done.stdout
    assert b"violated 2" in done.stdout


def test_json_is_one_document_and_the_same_bytes_each_time(log, robots):
    first, second = (run("report", log, "--robots", robots, "--json").stdout for _ in range(2))

    assert first == second
    assert json.loads(first)["clients"][0]["robots"]["violation"] == 2


def test_html_is_written_beside_the_text(log, tmp_path):
    page = tmp_path / "report.html"

    done = run("report", log, "--html", str(page))

    assert done.returncode == 0
    assert page.read_text().startswith("<!doctype html>") or page.read_text().startswith("<!DOCTYPE html>")
    assert b"RudeBot" in done.stdout
    assert [path.name for path in tmp_path.iterdir()].count("report.html") == len(list(tmp_path.glob("*report.html*")))


def test_lines_prints_the_evidence_with_file_and_line(log, robots):
    done = run("lines", log, "--robots", robots, "--client", "rudebot", "--violations")

    assert done.stdout.decode().splitlines() == [
        f"{log}:{number}: {LINE.format(number - 1, target, 200, BOT).rstrip()}"
        for number, target in ((3, "/private/1"), (5, "/private/2"))
    ]


def test_lines_escapes_what_steers_a_terminal_unless_raw(tmp_path):
    path = tmp_path / "access.log"
    hostile = LINE.format(1, "/", 200, "EvilBot/1.0 (+https://e.example) \x1b[2J").encode() + b"\n"
    path.write_bytes(hostile)

    assert b"\x1b" not in run("lines", str(path), "--client", "EvilBot").stdout
    assert rb"\x1b[2J" in run("lines", str(path), "--client", "EvilBot").stdout
    assert run("lines", str(path), "--client", "EvilBot", "--raw").stdout == hostile.rstrip(b"\n") + b"\n"


def test_parse_prints_each_request_as_json_and_keeps_the_rejects(log, tmp_path):
    with Path(log).open("a") as file:
        file.write("no log line \xff at all\n")
    rejects = tmp_path / "rejects.jsonl"

    done = run("parse", log, "--rejects", str(rejects), "--max-rejects", "50")

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["line"], row["target"], row["time"]) for row in rows][1] == (2, "/a", "2026-11-02T10:00:01.000000Z")
    (reject,) = map(json.loads, rejects.read_text().splitlines())
    assert (reject["line"], reject["source"]) == (6, log)
    assert done.returncode == 0


def test_parse_writes_parquet_of_the_schema(log, tmp_path):
    import pyarrow.parquet as pq

    from loganalyzer.schema import REQUEST

    path = tmp_path / "requests.parquet"

    assert run("parse", log, "--parquet", str(path)).returncode == 0
    assert pq.read_table(path).schema.names == REQUEST.names


FORMULA = """=cmd|' /C calc'!A0"""


@pytest.mark.parametrize(("options", "agent"), [([], f"'{FORMULA}"), (["--csv-raw"], FORMULA)], ids=["safe", "raw"])
def test_parse_writes_csv_in_which_no_cell_is_a_formula(log, tmp_path, options, agent):
    with Path(log).open("a") as file:
        file.write(LINE.format(9, '/a,b?\\"', 404, FORMULA).replace('" 404 10 "-"', '" 404 - ""'))
    path = tmp_path / "requests.csv"

    done = run("parse", log, "--csv", str(path), *options)

    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert (done.returncode, done.stdout, len(rows)) == (0, b"", 6)
    assert rows[0]["time"] == "2026-11-02T10:00:00.000000Z"
    assert (rows[-1]["user_agent"], rows[-1]["target"]) == (agent, '/a,b?"')
    assert (rows[-1]["status"], rows[-1]["bytes"], rows[-1]["referer"]) == ("404", "", "")
    assert ',"",' in path.read_text(encoding="utf-8").splitlines()[-1]  # an empty referer is not one that is not logged


def test_formats_lists_explains_and_recommends():
    table = run("formats", "--json")
    line = b'192.0.2.1 - - [02/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 10 \xff\n'
    explained = run("formats", "--explain", "-", stdin=line)
    recommended = run("formats", "--recommend", "nginx")

    assert "combined" in [row["format"] for row in json.loads(table.stdout)]
    assert b"^ common: reading stops here, where the end of the line is expected" in explained.stdout
    assert b"log_format loganalyzer " in recommended.stdout
    assert {done.returncode for done in (table, explained, recommended)} == {0}


@pytest.mark.parametrize(
    "options",
    [["--explain", ""], ["--log-format", "combined"], ["--recommend", "nginx", "--json"], ["--recommend", "x"]],
)
def test_formats_refuses_what_makes_no_sense(options):
    assert run("formats", *options).returncode == 2


def test_a_zone_given_is_named_in_the_commands_of_the_report(log, robots):
    naive = log.replace("access", "naive")
    Path(naive).write_text(Path(log).read_text().replace(" +0000]", "]"))
    options = ["--robots", robots, "--tz", "Asia/Tokyo", "--log-format", "combined"]

    told = run("report", naive, *options, "--json")
    plain = run("report", naive, *options[:2], "--json")

    first = json.loads(told.stdout)["clients"][0]
    assert first["first"] == "2026-11-02T01:00:00Z"
    assert told.stderr.endswith(b"its times name no zone and were read in Asia/Tokyo\n")
    assert b"--log-format combined --tz Asia/Tokyo" in told.stdout
    assert b"no zone and were read as UTC" in plain.stderr


def test_identify_says_what_is_claimed():
    done = run("identify", "-", stdin=b"Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)\n-\n")

    first, second = done.stdout.decode().splitlines()
    assert first.startswith("GPTBot: crawler, ai-training; operator OpenAI; version 1.2")
    assert second.startswith("undeclared:")


def test_identify_says_that_a_kind_is_unknown_and_trims_the_name():
    done = run("identify", ". Quarry \n")

    assert done.stdout.decode().startswith("Quarry: kind unknown, purpose unknown;")


def test_identify_as_json_shows_a_terminal_nothing_hidden():
    done = run("identify", "--json", "\u202eEVILBot/1.0")

    assert done.stdout.isascii()
    assert json.loads(done.stdout)["client"] == "\u202eEVILBot"


def test_check_names_the_deciding_line(robots):
    done = run("check", robots, "--agent", "GPTBot", "/private/x", "/open")

    assert done.stdout.decode().splitlines() == [
        f"disallowed  GPTBot  /private/x  {robots}:2: Disallow: /private/ (group *)",
        "allowed     GPTBot  /open  no rule of group * matches",
    ]
    assert done.returncode == 0
    assert run("check", robots, "--agent", "GPTBot", "/private/x", "--fail-on", "disallowed").returncode == 10


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["report", "--nonsense"], 2, "No such option"),
        (["report", "{log}", "--json", "--md"], 2, "both want stdout"),
        (["report", "{log}", "--html", "{log}"], 2, "one of the inputs"),
        (["report", "{log}", "--html", "/nowhere/at/all.html"], 5, "there is no folder"),
        (["report", "{log}", "--robots", "{log}.missing"], 2, "{log}.missing"),
        (["report", "{log}", "--log-format", "combinde"], 2, "combined"),
        (["report", "{log}", "--log-format", "log_format x '$remote_addr [$time_local"], 2, "^"),
        (["report", "{log}", "{log}.missing"], 3, "{log}.missing"),
        (["report", "{log}.missing"], 4, "{log}.missing"),
        (["report", "/dev/null"], 4, ""),
        (["report", "{nonsense}"], 4, "no known format"),
        (["report", "{nonsense}", "--log-format", "combined"], 4, "{nonsense}: the given format reads 0 of"),
        (["report", "{log}", "--html", ""], 2, "needs a name"),
        (["report", "{log}", "--html", "/dev/null"], 5, "no regular file"),
        (["parse", "{log}", "--parquet", "{log}.out", "--rejects", "{log}.out"], 2, "two outputs"),
        (["report", "{log}", "--max-rejects", "nan"], 2, "--max-rejects"),
        (["lines", "{log}", "--client", "RudeBot", "--early", "--refused"], 2, "choose one"),
        (["lines", "{log}", "--client", "RudeBot", "--violations"], 2, "needs the robots.txt"),
        (["dashboard", "{log}.missing"], 2, "no such file"),
        (["dashboard", "{log}", "--log-format", "combinde"], 2, "combined"),
        (["lines", "{log}", "--client", "RudeBt"], 2, "did you mean RudeBot?"),
        (["check", "{page}", "--agent", "a", "/"], 2, "HTML"),
        (["identify"], 2, "no user agent"),
    ],
)
def test_a_failure_is_a_sentence_with_its_exit_code(arguments, code, message, log, tmp_path):
    (tmp_path / "nonsense").write_text("what is this\n" * 10)
    (tmp_path / "page").write_text("<!doctype html><title>404</title>")
    names = {"log": log, "nonsense": str(tmp_path / "nonsense"), "page": str(tmp_path / "page")}

    done = run(*(argument.format(**names) for argument in arguments))

    error = done.stderr.decode()
    assert done.returncode == code, error
    assert message.format(**names) in error
    assert "Traceback" not in error


def test_too_many_rejects_end_with_3_and_the_report(log):
    with Path(log).open("a") as file:
        file.write("what is this\n")

    done = run("report", log)

    assert done.returncode == 3
    assert b"RudeBot" in done.stdout
    assert f"1 of 6 lines could not be read as requests (over 1 %); the first is {log}:6".encode() in done.stderr
    assert run("report", log, "--max-rejects", "20").returncode == 0


def test_the_old_output_stays_when_the_new_one_cannot_be_written(log, tmp_path):
    done = run("report", log, "--html", "/dev/full/x.html")

    assert done.returncode == 5
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["parse"], ["report"], ["report", "--json"], ["lines", "--client", "RudeBot"]])
def test_a_reader_that_went_away_is_no_error_to_talk_about(log, arguments):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        command = [sys.executable, "-m", "loganalyzer", *arguments, log]
        done = subprocess.run(command, stdout=nobody, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_at_once_with_its_code(tmp_path, number, code):
    fifo = tmp_path / "fifo.log"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-m", "loganalyzer", "report", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with fifo.open("w") as writer:  # opens once the reader has: the process is in its work
        writer.write(LINE.format(1, "/", 200, BOT))
        writer.flush()
        time.sleep(0.3)
        process.send_signal(number)
        out, error = process.communicate(timeout=10)

    assert (process.returncode, out) == (code, b"")
    assert b"Traceback" not in error


def test_version_names_what_a_report_of_a_fault_should():
    first, second = run("--version").stdout.decode().splitlines()

    assert first == f"loganalyzer, version {la.__version__}"
    assert second.startswith(f"Python {platform.python_version()}, pyarrow {pa.__version__}, duckdb ")


@pytest.mark.parametrize(("shell", "place"), [("bash", "1"), ("zsh", "1"), ("fish", "rep")])
def test_commands_are_completed(shell, place):
    """As docs/getting-started.md says."""
    script = run(_LOGANALYZER_COMPLETE=f"{shell}_source").stdout.decode()
    asked = {"COMP_WORDS": "loganalyzer rep", "COMP_CWORD": place}
    found = run(_LOGANALYZER_COMPLETE=f"{shell}_complete", **asked).stdout.decode()

    assert "_LOGANALYZER_COMPLETE" in script
    assert "report" in found


@pytest.mark.parametrize("heavy", ["pyarrow", "duckdb", "numpy", "pandas", "streamlit", "rich"])
def test_help_imports_nothing_heavy(heavy):
    code = "import sys, loganalyzer.cli as c\ntry:\n c.main(['--help'])\nexcept SystemExit: pass\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}assert {heavy!r} not in sys.modules"], capture_output=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["report", "parse", "lines", "ingest", "identify", "check", "dashboard"])
def test_every_command_has_help(command):
    done = run(command, "--help")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 5


def test_colour_is_for_terminals_or_on_request(log):
    assert b"\x1b[" not in run("report", log).stdout
    assert b"\x1b[" in run("report", log, "--color", "always").stdout
