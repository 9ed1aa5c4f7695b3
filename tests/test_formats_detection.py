"""Detection looks for a format's own texts before it makes its patterns, and loses no line by that."""

import json
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loganalyzer as la
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.detection import detect

LINES = [
    (form, sample.line if isinstance(sample.line, bytes) else sample.line.encode())
    for form in FORMATS
    for sample in form.samples
    if sample.row is not None
]
PIECES = [
    b" ",
    b"  ",
    b"-",
    b'"',
    b'\\"',
    b"[",
    b"]",
    b":",
    b"\t",
    b"|",
    b",",
    b"=",
    b"{",
    b"- -",
    b"x",
    b"7",
    b"",
    b'" "',
]
EDITS = st.lists(st.tuples(st.integers(0, 300), st.sampled_from(PIECES), st.integers(0, 4)), max_size=3)


def edited(line, edits):
    for at, piece, dropped in edits:
        line = line[:at] + piece + line[at + dropped :]
    return line.replace(b"\n", b"")


@settings(max_examples=300)
@given(st.sampled_from(LINES), EDITS)
def test_a_line_that_a_format_reads_holds_its_texts(written, edits):
    form, line = written[0], edited(written[1], edits)

    if form.grammar.score(pa.array([line], pa.binary())):
        assert [mark for mark in form.grammar.marks if mark not in re.sub(rb" +", b" ", line)] == []


def test_most_formats_are_passed_over_where_a_line_is_none():
    line = b'2026/11/01 10:15:00 [error] 7#7: *1 open() failed, client: 192.0.2.7, request: "GET / HTTP/1.1"'
    looked = [form for form in FORMATS if all(mark in line for mark in form.grammar.marks)]

    assert len(looked) * 5 < len(FORMATS)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('{"log":{"time":"2026-11-01T10:15:00Z","remote_addr":"192.0.2.7","request":"GET /a HTTP/1.1","status":200},'
         '"kubernetes":{"pod_name":"web"}}', "json in docker"),
        ('{"insertId":"1","jsonPayload":{"time":"2026-11-01T10:15:00Z","remote_addr":"192.0.2.7",'
         '"request":"GET /a HTTP/1.1","status":"200"},"timestamp":"2026-11-01T10:15:01Z"}', "json in cloud_logging"),
        ('{"textPayload":"192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] \\"GET /a HTTP/1.1\\" 200 5 \\"-\\" \\"Bot/1\\""}',
         "combined in cloud_logging"),
        ('2026/11/01 10:15:00.250\tINFO\thttp.log.access.log0\thandled request\t{"request": {"remote_ip": "192.0.2.7", '
         '"proto": "HTTP/2.0", "method": "GET", "host": "a.example", "uri": "/a", "headers": {}}, "duration": 0.25, '
         '"size": 5, "status": 200, "resp_headers": {}}', "caddy in caddy_console"),
        ('shop-7d9c5b6f4-x2k9p nginx 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1"',
         "combined in stern"),
        ('[pod/web-1/nginx] 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1"',
         "combined in kubectl"),
        ('\x1b[36mweb-1  | \x1b[0m192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1"',
         "combined in compose"),
        ("time:2026-11-01T10:15:00Z\thost:192.0.2.7\treq:GET /a HTTP/1.1\tstatus:200", "ltsv"),
        ('ts=2026-11-01T10:15:00Z method=GET path=/a status=200 remote_addr=192.0.2.7 ua="Bot/1 (a b)"', "logfmt"),
    ],
)  # fmt: skip
def test_a_line_is_found_by_itself(tmp_path, line, name):
    (tmp_path / "access.log").write_text(line + "\n")
    log = la.read([tmp_path / "access.log"])
    (row,) = log.requests.to_pylist()

    assert log.inputs[0].format == name
    assert (row["client_ip"], row["target"], row["status"]) == ("192.0.2.7", "/a", 200)
    assert row["time"].isoformat().startswith("2026-11-01T10:15:00")


@pytest.mark.parametrize(
    "line",
    [
        'ts=2026-11-01T10:15:00Z level=info msg="listening on :80" status=200',
        "a:b\tc",
        "level=info ts=x method",
        json.dumps({"jsonPayload": {"message": "started"}, "timestamp": "2026-11-01T10:15:00Z"}),
        '2026/11/01 10:15:00.250\tERROR\thttp.log.error\tdial tcp\t{"request": {"uri": "/"}}',
        "time:2026-11-01T10:15:00Z\tlevel:info\tmessage:GET / was slow",
    ],
)
def test_a_line_of_a_program_is_none_of_a_request(line):
    assert detect(pa.array([line.encode()], pa.binary()), FORMATS) is None


def test_of_two_with_one_label_the_first_counts(tmp_path):
    (tmp_path / "a.log").write_text("time:2026-11-01T10:15:00Z\turi:/a\turi:/b\tmethod:GET\n")

    assert la.read([tmp_path / "a.log"]).requests["target"].to_pylist() == ["/a"]
