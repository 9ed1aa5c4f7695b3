"""Request lines: cutting at blanks gives what the pattern gives."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.formats import requestline

WORD = st.sampled_from(
    [
        "GET",
        "geti",
        "M-SEARCH",
        "G(T",
        "/",
        "/a?b=c",
        "*",
        "HTTP/1.1",
        "HTTP/2",
        "HTTP/1.",
        "ä",
        "",
        "\n",
        "http://a.example/",
    ]
)
LINE = st.one_of(st.lists(WORD, max_size=5).map(" ".join), st.text(max_size=12), st.none())


@settings(deadline=None)
@given(st.lists(LINE, max_size=8), st.integers(0, 3))
def test_both_readings_agree(texts, offset):
    lines = pa.array(texts, pa.string()).slice(offset)
    fast = {name: values.to_pylist() for name, values in requestline.parts(lines).items()}
    slow = {name: values.to_pylist() for name, values in requestline._matched(lines).items()}

    assert {name: fast[name] for name in slow} == slow
    assert fast["request_raw"] == [
        text if slow["method"][k] is None else None for k, text in enumerate(lines.to_pylist())
    ]


def test_usual_lines_need_no_pattern(monkeypatch):
    monkeypatch.setattr(requestline, "_PATTERN", r"^(?P<a>x)(?P<b>x)(?P<c>x)(?P<d>x)(?P<e>x)$")
    parts = requestline.parts(pa.array(["GET /a HTTP/1.1", "POST / HTTP/2"]))

    assert parts["target"].to_pylist() == ["/a", "/"]


@pytest.mark.parametrize("count", [0, 1])
def test_no_line_and_an_unlogged_one(count):
    parts = requestline.parts(pa.nulls(count, pa.string()))

    assert {name: values.to_pylist() for name, values in parts.items()} == dict.fromkeys(
        ("method", "target", "protocol", "request_raw"), [None] * count
    )
