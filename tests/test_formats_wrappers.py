"""Wrappers of collectors around the lines of a log."""

import json

import pyarrow as pa
import pytest

from loganalyzer.formats import read
from loganalyzer.formats.wrappers import WRAPPERS

PLAIN = '192.0.2.7 - al [01/Nov/2026:10:15:00 +0000] "GET /{} HTTP/1.1" 200 5 "-" "Bot/1.0"'
AROUND = {
    "docker": lambda line: json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-11-01T10:15:00Z"}),
    "journald": lambda line: json.dumps({"MESSAGE": line, "PRIORITY": "6"}),
    "cri": lambda line: f"2026-11-01T10:15:01.2500+01:00 stdout F {line}",
    "compose": lambda line: f"web-1    | {line}",
    "syslog": lambda line: f"<190>Nov  1 10:15:01 web nginx: {line}",
    "syslog_5424": lambda line: f"<190>1 2026-11-01T10:15:01Z web nginx 7 - - {line}",
}


@pytest.mark.parametrize(
    ("wrapper", "line", "want"), [(wrapper, *sample) for wrapper in WRAPPERS for sample in wrapper.samples], ids=str
)
def test_sample_of_a_wrapper(wrapper, line, want):
    assert wrapper.peel(pa.array([line.encode()], pa.binary())).to_pylist() == [want.encode()]


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda wrapper: wrapper.name)
@pytest.mark.parametrize("line", ["", "{", "[]", "GET /", PLAIN, '{"log":["a"]}', '{"log":"a\\nb"}', "\x00"])
def test_what_is_not_wrapped_is_not_peeled(wrapper, line):
    assert wrapper.peel(pa.array([line.encode()], pa.binary())).to_pylist() == [None]


@pytest.mark.parametrize("name", AROUND)
def test_lines_in_a_wrapper_are_read_as_the_lines_alone_and_others_are_rejected(tmp_path, name):
    lines = [PLAIN.format("a"), "a message of another program", PLAIN.format("b c"), PLAIN.format(r"\x22")]
    wrapped = [AROUND[name](line) for line in lines]
    files = {"plain": "\n".join(lines) + "\n", "wrapped": "\n".join([*wrapped, "not wrapped"]) + "\n"}
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    plain, got = (read([tmp_path / file]) for file in files)

    assert got.inputs[0].format == f"combined in {name}"
    assert got.requests.drop_columns(["source", "offset"]).equals(plain.requests.drop_columns(["source", "offset"]))
    assert got.rejects["line"].to_pylist() == [2, 5]
    assert got.rejects["text"].to_pylist() == [wrapped[1].encode(), b"not wrapped"]
    assert got.requests["offset"].to_pylist() == [0, *(sum(len(w) + 1 for w in wrapped[:n]) for n in (2, 3))]
