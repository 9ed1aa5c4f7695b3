"""Files that mix formats: what the main format refuses is read by the others, and told by format."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.analysis import analyse
from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats import read
from loganalyzer.formats.choice import Chooser
from loganalyzer.formats.lines import REDETECT
from loganalyzer.formats.pieces import stream
from loganalyzer.reports import wording
from loganalyzer.sources import Reading, Source
from loganalyzer.store import ingest
from loganalyzer.store import read as read_store

STAMP = "01/Nov/2026:10:%02d:%02d +0000"
LINES = {  # by format: one line for each number
    "combined": '192.0.2.7 - - [{stamp}] "GET /{n} HTTP/1.1" 200 5 "-" "Bot/1.0"',
    "main": '192.0.2.7 - - [{stamp}] "GET /{n} HTTP/1.1" 200 5 "-" "Bot/1.0" "198.51.100.4"',
    "vhost_combined": 'shop.example:443 192.0.2.7 - - [{stamp}] "GET /{n} HTTP/1.1" 200 5 "-" "Bot/1.0"',
    "standard": '[{stamp}] 404 - GET https shop.example "/{n}" [Client 192.0.2.7] [Length 5] [Gzip -] "Bot/1.0" "-"',
    "json": '{{"time":"2026-11-01T10:00:00+00:00","remote_addr":"192.0.2.1","request":"GET /{n} HTTP/1.1"}}',
    "squid": "1793528100.250    120 192.0.2.7 TCP_MISS/200 512 GET http://a.example/{n} - HIER_DIRECT/10.0.0.6 -",
}
LENIENT = '192.0.2.7 - a b user [{stamp}] "GET /{n} HTTP/1.1" 200 5 "-" "Bot/1.0"'  # blanks in the user's name
ERROR = '2026/11/01 10:15:00 [error] 12#12: *7 open() "/srv/a" failed (2: No such file or directory)'


def lines(text, count, start=0):
    stamps = (STAMP % (n // 60 % 60, n % 60) for n in range(start, start + count))
    return [text.format(n=n, stamp=stamp).encode() + b"\n" for n, stamp in enumerate(stamps, start)]


def log(folder, data, name="access.log", **options):
    (Path(folder) / name).write_bytes(b"".join(data))
    return read([Path(folder) / name], **options)


def rows(found):
    """Requests without their place, in any order."""
    return sorted(str(row) for row in found.requests.drop_columns(["source", "line", "offset"]).to_pylist())


def accounted(entry):
    return entry.lines == entry.requests + entry.rejects + entry.blank + entry.comments


@st.composite
def mixtures(draw):
    """Lines of two or three formats and an order for all of them."""
    names = draw(
        st.lists(st.sampled_from([name for name in LINES if name != "squid"]), min_size=2, max_size=3, unique=True)
    )
    logs = {name: lines(LINES[name], draw(st.integers(1, 40)), 100 * place) for place, name in enumerate(names)}
    order = [name for name in names for _ in logs[name]]
    return logs, draw(st.one_of(st.just(order), st.permutations(order)))


@settings(max_examples=40)
@given(mixtures())
def test_lines_of_several_formats_are_read_as_apart_in_whatever_order_they_stand(mixture):
    logs, order = mixture
    left = {name: iter(texts) for name, texts in logs.items()}
    with TemporaryDirectory() as folder:
        apart = [log(folder, texts, name) for name, texts in logs.items()]
        mixed = log(folder, [next(left[name]) for name in order])

    assert rows(mixed) == sorted(row for found in apart for row in rows(found))
    assert mixed.requests["line"].to_pylist() == list(range(1, len(order) + 1))
    assert mixed.inputs[0].formats == tuple((name, len(logs[name])) for name in dict.fromkeys(order))


@pytest.mark.parametrize("name", [name for name in LINES if name != "combined"])
def test_a_change_in_mid_file_is_told_with_its_line(tmp_path, name):
    (entry,) = log(tmp_path, lines(LINES["combined"], 30) + lines(LINES[name], 25, 30)).inputs

    assert (entry.format, entry.formats) == (f"combined, {name}", (("combined", 30), (name, 25)))
    assert entry.notes == [f"format changed at line 31: combined before, {name} from there on"]
    assert (entry.rejects, accounted(entry)) == (0, True)


def test_formats_that_alternate_are_told_with_their_lines(tmp_path):
    pairs = zip(lines(LINES["main"], 40), lines(LINES["json"], 40, 40), strict=True)
    (entry,) = log(tmp_path, [text for pair in pairs for text in pair] + lines(LINES["main"], 1)).inputs

    assert entry.notes == ["2 formats alternate: main (41 lines), json (40 lines)"]


def test_one_format_has_no_note(tmp_path):
    (entry,) = log(tmp_path, lines(LINES["combined"], 9)).inputs

    assert (entry.format, entry.formats, entry.notes) == ("combined", (("combined", 9),), [])


# --- what is not believed


@pytest.mark.parametrize(("count", "kept"), [(REDETECT - 1, 0), (REDETECT, REDETECT)])
def test_lines_that_fit_somehow_are_believed_where_many_stand_in_a_row(tmp_path, count, kept):
    found = log(tmp_path, lines(LINES["json"], 50) + lines(LENIENT, count, 50) + lines(LINES["json"], 5))

    assert (found.requests.num_rows, found.rejects.num_rows) == (55 + kept, count - kept)


def test_a_format_that_has_read_many_to_the_letter_is_believed_on_a_line_that_bends(tmp_path):
    odd = lines(LENIENT, 1, 90)
    found = log(tmp_path, lines(LINES["json"], 50) + lines(LINES["combined"], 30) + lines(LINES["json"], 1) + odd)

    assert found.rejects.num_rows == 0


def test_a_line_cut_off_is_not_taken_for_a_line_of_a_shorter_format(tmp_path):
    """The first half of a combined line is a whole line of `common`."""
    whole, half = lines(LINES["combined"], 9), lines(LINES["combined"], 1, 9)[0]
    found = log(tmp_path, [*whole, half[: half.index(b' "-"')]])

    assert found.rejects["reason"].to_pylist() == ["cut line"]


def test_lines_of_an_error_log_stay_rejected(tmp_path):
    found = log(tmp_path, lines(LINES["combined"], 30) + [ERROR.encode() + b"\n"] * 30 + lines(LINES["json"], 30))

    assert found.requests.num_rows == 60
    assert set(found.rejects["reason"].to_pylist()) == {"a line of nginx's error log"}


# --- what it costs


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 3_000)


def detections(folder, data):
    """How often formats were looked for among refused lines."""
    path = Path(folder) / "access.log"
    path.write_bytes(b"".join(data))
    chooser = Chooser("access.log")
    with ThreadPoolExecutor(2) as pool, Reading(Source("access.log", path)) as reading:
        pieces = list(stream(reading, chooser, pool))
    return chooser.mixture.detections, sum(piece.requests.num_rows for piece in pieces)


@pytest.mark.usefixtures("small_blocks")
def test_lines_of_one_format_ask_for_no_other(tmp_path):
    assert detections(tmp_path, lines(LINES["combined"], 1000)) == (0, 1000)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("after", [200, 2000])
def test_a_change_is_looked_for_once_however_much_follows(tmp_path, after):
    asked, requests = detections(tmp_path, lines(LINES["combined"], 200) + lines(LINES["json"], after))

    assert (asked, requests) == (1, 200 + after)


@pytest.mark.usefixtures("small_blocks")
def test_the_format_after_a_change_becomes_the_main_one(tmp_path):
    path = tmp_path / "access.log"
    path.write_bytes(b"".join(lines(LINES["combined"], 200) + lines(LINES["json"], 800)))
    chooser = Chooser("access.log")
    with ThreadPoolExecutor(2) as pool, Reading(Source("access.log", path)) as reading:
        list(stream(reading, chooser, pool))

    assert chooser.progress().format == "json"


@pytest.mark.usefixtures("small_blocks")
def test_rubbish_is_offered_a_fixed_number_of_times_in_a_block(tmp_path):
    rubbish = [b"no log at all, line %d\n" % n for n in range(2000)]
    asked, requests = detections(tmp_path, lines(LINES["combined"], 100) + rubbish)

    assert (asked <= 2 * len(b"".join(rubbish)) / 3_000, requests) == (True, 100)


# --- with a given format

OWN = "log_format own '$remote_addr [$time_local] \"$request\" $status';"
OWN_LINE = '192.0.2.7 [{stamp}] "GET /{n} HTTP/1.1" 200'


def test_lines_of_another_format_are_read_beside_the_given_one(tmp_path):
    found = log(tmp_path, lines(OWN_LINE, 30) + lines(LINES["json"], 3, 30), log_format=OWN)

    assert found.inputs[0].formats == (("own", 30), ("json", 3))
    assert found.inputs[0].notes == ["format changed at line 31: own before, json from there on"]


def test_a_known_format_of_the_same_name_is_told_apart(tmp_path):
    given_name = OWN.replace("own", "combined")
    found = log(tmp_path, lines(OWN_LINE, 3) + lines(LINES["combined"], 2, 3), log_format=given_name)

    assert found.inputs[0].formats == (("combined", 3), ("known combined", 2))


@pytest.mark.parametrize("other", ["combined", "json"])
def test_a_given_format_that_reads_nothing_is_refused_with_a_caret(tmp_path, other):
    data = lines(LINES[other], 50)
    with pytest.raises(UnknownFormatError, match=r"(?s)reads 0 of the first 50 lines; .* line 1 is.*\^ own: .*--force"):
        log(tmp_path, data, log_format=OWN)

    assert log(tmp_path, data, log_format=OWN, force=True).inputs[0].formats == ((other, 50),)


def test_a_given_format_that_reads_nothing_ends_the_command_with_4(tmp_path):
    (tmp_path / "a.log").write_bytes(b"".join(lines(LINES["json"], 5)))
    command = [sys.executable, "-m", "loganalyzer", "report", str(tmp_path / "a.log"), "--log-format", OWN]

    assert subprocess.run(command, capture_output=True, check=False).returncode == 4


def test_lines_that_another_format_reads_count_against_the_given_one(tmp_path):
    data = lines(OWN_LINE, 9_500) + lines(LINES["json"], 600, 9_500)
    with pytest.raises(UnknownFormatError, match=r"reads 9,500 of the first 10,100 lines; json reads 600 of them"):
        log(tmp_path, data, log_format=OWN)


def test_a_short_input_that_the_given_format_does_not_read_is_kept_beside_one_that_it_reads(tmp_path):
    (tmp_path / "a.log").write_bytes(b"".join(lines(OWN_LINE, 9)))
    (tmp_path / "b.log").write_bytes(b"half of a line that a rotation cut\n")
    found = read([tmp_path / "a.log", tmp_path / "b.log"], log_format=OWN)

    assert [(entry.requests, entry.rejects) for entry in found.inputs] == [(9, 0), (0, 1)]
    assert found.inputs[1].notes == ["the given format reads none of its lines"]


def test_what_is_damaged_says_nothing_about_the_given_format(tmp_path):
    found = log(tmp_path, [b"\0" * 600 + b"\n", lines(OWN_LINE, 1)[0][:20]], log_format=OWN)

    assert found.rejects["reason"].to_pylist() == ["NUL block", "cut line"]


def test_the_given_format_is_judged_as_soon_as_ten_thousand_lines_are_read(tmp_path):
    told = []
    with pytest.raises(UnknownFormatError):
        log(
            tmp_path,
            lines(LINES["combined"], 400_000),
            log_format=OWN,
            progress=lambda read, of: told.append(read / of),
        )

    assert max(told[:-1], default=0) < 0.7


WRAPPED = {
    "docker": lambda line: json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-11-01T10:15:00Z"}),
    "journald": lambda line: json.dumps({"MESSAGE": line, "PRIORITY": "6"}),
    "cri": lambda line: f"2026-11-01T10:15:01.2500+01:00 stdout F {line}",
    "compose": lambda line: f"web-1    | {line}",
    "syslog": lambda line: f"<190>Nov  1 10:15:01 web nginx: {line}",
    "syslog_5424": lambda line: f"<190>1 2026-11-01T10:15:01Z web nginx 7 - - {line}",
}


@pytest.mark.parametrize("wrapper", WRAPPED)
@pytest.mark.parametrize(
    ("log_format", "text"), [(OWN, OWN_LINE), ("combined", LINES["combined"])], ids=["own", "name"]
)
def test_a_given_format_is_read_behind_a_wrapper(tmp_path, wrapper, log_format, text):
    bare = lines(text, 30)
    wrapped = [WRAPPED[wrapper](line.decode().rstrip("\n")).encode() + b"\n" for line in bare]
    found = log(tmp_path, wrapped, log_format=log_format)

    assert found.inputs[0].format.endswith(f" in {wrapper}")
    assert rows(found) == rows(log(tmp_path, bare, log_format=log_format))


# --- where the counts go


def test_a_store_that_goes_on_in_mid_file_counts_as_reading_at_once(tmp_path):
    path, store = tmp_path / "access.log", tmp_path / "store"
    data = (
        lines(LINES["combined"], 30)
        + lines(LINES["json"], 30, 30)
        + lines(LENIENT, 1, 60)
        + lines(LINES["json"], 2, 61)
    )
    for end in (10, 40, 60, len(data)):
        path.write_bytes(b"".join(data[:end]))
        list(ingest([path], store))
    stored, direct = read_store(store), read([path])

    assert stored.inputs[0].formats == direct.inputs[0].formats == (("combined", 31), ("json", 32))
    assert rows(stored) == rows(direct)


def test_the_report_tells_the_lines_of_each_format(tmp_path):
    document = analyse(log(tmp_path, lines(LINES["combined"], 30) + lines(LINES["json"], 2, 30))).to_dict()

    assert document["inputs"][0]["formats"] == [["combined", 30], ["json", 2]]
    assert wording.formats(document["inputs"][0]) == "combined (30), json (2)"


def test_a_log_that_goes_on_as_w3c_is_read_by_its_fields_line(tmp_path):
    before = '192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "Bot/1.0"\n' * 30
    header = "#Software: IIS\n#Version: 1.0\n#Date: 2026-11-01 11:00:00\n"
    header += "#Fields: time c-ip cs-method cs-uri-stem sc-status\n"
    path = tmp_path / "access.log"
    path.write_text(before + header + "11:00:00 192.0.2.8 GET /b 404\n" * 30)

    log = read([path])

    (entry,) = log.inputs
    assert (entry.requests, entry.rejects, entry.comments) == (60, 0, 4)
    assert entry.formats == (("combined", 30), ("w3c", 30))
    last = log.requests.to_pylist()[-1]
    assert (last["time"].isoformat(), last["client_ip"], last["target"]) == (
        "2026-11-01T11:00:00+00:00",
        "192.0.2.8",
        "/b",
    )


def test_two_words_of_a_users_name_are_no_host_without_a_client(tmp_path):
    path = tmp_path / "access.log"
    path.write_text('192.0.2.7 - John Doe [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "Bot/1.0"\n' * 3)

    row = read([path]).requests.to_pylist()[0]

    assert (row["client_ip"], row["user"], row["host"]) == ("192.0.2.7", "John Doe", None)


@pytest.mark.parametrize("client", ["2001:db8::7", "::1", "fd00::7"])
@pytest.mark.parametrize(
    "wrap", ['{{"MESSAGE":{0}}}', '{{"message":{0}}}', "Nov  1 10:15:00 web nginx: {1}", "web-1  | {1}"]
)
def test_no_wrapper_takes_the_beginning_of_an_address_for_the_name_of_a_program(tmp_path, client, wrap):
    line = f'{client} - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "Bot/1.0"'
    path = tmp_path / "access.log"
    path.write_text((wrap.format(json.dumps(line), line) + "\n") * 3)

    assert read([path]).requests["client_ip"].to_pylist() == [client] * 3
