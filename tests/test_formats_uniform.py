"""JSON lines that stand alike are read as one by one, whatever a line holds."""

import json
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loganalyzer.formats import jsontext, times, uniform
from loganalyzer.formats.declarations import FORMATS
from loganalyzer.formats.jsonlines import Json
from loganalyzer.formats.lines import cut
from loganalyzer.formats.wrappers import WRAPPERS, Wrapper

FORMS = {"flat": "json", "nested": "caddy"}
GRAMMARS = {name: next(form.grammar for form in FORMATS if form.name == known) for name, known in FORMS.items()}
LINES = {
    "flat": (
        b'{"time":"2026-11-01T10:15:00+00:00","remote_addr":"192.0.2.7","request":"GET /a HTTP/1.1","status":200,'
        b'"body_bytes_sent": 5, "http_user_agent":"Bot \\"1\\" \\\\ \\u00e9","request_time":0.250}'
    ),
    "nested": (
        b'{"ts":1793528100.25,"request":{"remote_ip":"192.0.2.7","method":"GET","host":"a.example","uri":"/a?b=c",'
        b'"headers":{"User-Agent":["Bot/1"],"Accept":["a","b"]},"tls":{"resumed":false}},"status":200,"size":null}'
    ),
}
WHOLE = 70  # lines that give the shape
PIECES = [b'"', b"\\", b'\\"', b"\\\\", b"\\n", b"\\u00e9", b"\\ud800", b"\\x41", b"\\q", b"\t", b"\xff", b"\r", b"\0"]
PIECES += [
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b" ",
    b"null",
    b"1e5",
    b"01",
    b"NaN",
    b'"status":404,',
    b'"request":7,',
    b"",
]
EDIT = st.tuples(st.integers(0, 300), st.sampled_from(PIECES), st.integers(0, 6))


def rows(name, lines):
    """Raw values of each line that is read, and the others with why."""
    block = cut(memoryview(b"\n".join(lines) + b"\n"))
    split = GRAMMARS[name].split(block, np.flatnonzero(block.ends > block.starts))
    columns = {name: values.to_pylist() for name, values in split.columns.items()}
    read = [
        {column: values[k] for column, values in columns.items() if values[k] is not None} for k in range(len(split.at))
    ]
    reasons = GRAMMARS[name].reasons(block.array(split.refused))
    return dict(zip(split.at.tolist(), read, strict=True)), dict(zip(split.refused.tolist(), reasons, strict=True))


def one_by_one(name, lines):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniform, "parts", lambda *_: [])
        patch.setattr(Json, "_fast", lambda *_: None)
        return rows(name, lines)


@pytest.mark.parametrize("name", LINES)
@settings(deadline=None, max_examples=150)
@given(edits=st.lists(st.lists(EDIT, min_size=1, max_size=3), min_size=1, max_size=6))
@example(edits=[[(0, b"", 300)], [(0, b"\xef\xbb\xbf", 0)], [(0, b"\0", 0)], [(0, b" ", 0)]])
@example(edits=[[(60, b"\\", 1)], [(61, b'\\"', 0)], [(62, b"\\\\", 0)]])
def test_lines_that_stand_alike_are_read_as_one_by_one(name, edits):
    def mutated(changes):
        text = LINES[name]
        for at, piece, drop in changes:
            text = text[:at] + piece + text[at + drop :]
        return text

    lines = [LINES[name]] * (WHOLE // 2) + [mutated(changes) for changes in edits] + [LINES[name]] * (WHOLE // 2)

    assert rows(name, lines) == one_by_one(name, lines)


@pytest.mark.parametrize("name", LINES)
def test_lines_that_stand_alike_are_not_read_one_by_one(name, monkeypatch):
    monkeypatch.setattr(Json, "_slow", lambda *_: pytest.fail("a line was read by itself"))
    monkeypatch.setattr(Json, "_fast", lambda *_: pytest.fail("a line was read by its keys"))

    read, refused = rows(name, [LINES[name]] * WHOLE)

    assert len(read) == WHOLE
    assert not refused


def test_each_shape_of_a_block_is_found():
    block = cut(memoryview(b"\n".join(LINES[name] for name in LINES for _ in range(WHOLE)) + b"\n"))
    paths = {("status",): True, ("http_user_agent",): True}

    found = [len(read) for read, _ in uniform.parts(block, np.arange(2 * WHOLE), paths)]

    assert found == [WHOLE, WHOLE]


@pytest.mark.parametrize(
    "hostile",
    [
        lambda n: b'{"a":[' + b'"",' * n + b'""]}',
        lambda n: b"{" + b",".join(b'"%d":%d' % (k, k) for k in range(n)) + b"}",
        lambda n: b'{"a":' + b" " * n + b"x" + b" " * n + b"y}",
        lambda n: b'{"a"' + b" " * n + b'"b":1}',
        lambda n: b'{"a":"' + b"\\\\" * n + b'"}',
    ],
    ids=["texts", "keys", "blanks", "blanks before no colon", "backslashes"],
)
def test_the_shape_of_a_line_takes_time_by_its_length(hostile):
    def seconds(n):
        line = hostile(n)

        def once():
            began = time.process_time()
            uniform.shape(line, [("time",)])
            return time.process_time() - began

        return min(once() for _ in range(3))

    assert seconds(64_000) <= 16 * seconds(8_000) + 0.01  # by its square it would be 64 times


@given(st.lists(st.text(), max_size=20))
def test_escapes_are_undone_as_the_standard_library_does(texts):
    for ascii_only in True, False:
        escaped = [json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogatepass") for text in texts]

        assert jsontext.unescaped(pa.array(escaped, pa.binary())).to_pylist() == [
            jsontext.encoded(json.loads(f'"{text.decode("utf-8", "surrogateescape")}"')) for text in escaped
        ]


@pytest.mark.parametrize("escape", [rb"\q", rb"\x41", rb"\u12", rb"\u12G4"])
def test_an_escape_that_json_has_not_makes_no_text(escape):
    assert jsontext.unescaped(pa.array([b"a\\nb", escape], pa.binary())).to_pylist() == [b"a\nb", None]


@pytest.mark.parametrize(
    "odd",
    [
        b'{"log":"GET /b\\n\\n","stream":"stdout"}',
        b'{"log":"GET /b\\nGET /c\\n","stream":"stdout"}',
        b'{"log":"GET /b\\r\\n","stream":"stdout"}',
        b'{"log":"GET /b","stream":"stdout"}',
        b'{"log":"","stream":"stdout"}',
        b'{"log":7,"stream":"stdout"}',
        b'{"log":["GET /b"],"stream":"stdout"}',
        b'{"stream":"stdout","log":"GET /b\\n"}',
        b'{"log":"GET /b","log":"GET /c","stream":"stdout"}',
        b"GET /b",
        b'{"log":"GET \\"/b\\" \\\\x22 \\u003c\\n","stream":"stdout"}',
    ],
)
def test_wrapped_lines_that_stand_alike_are_peeled_as_one_by_one(odd):
    docker = next(wrapper for wrapper in WRAPPERS if wrapper.name == "docker")
    lines = [b'{"log":"GET \\"/a\\"\\n","stream":"stdout"}'] * WHOLE + [odd] * WHOLE

    peeled = docker.peel(pa.array(lines, pa.binary())).to_pylist()

    assert peeled == [Wrapper._value(docker, line) for line in lines]


@pytest.mark.parametrize("first", range(4))
def test_times_of_any_spelling_are_read_each_in_its_own_place(first):
    """Whichever the first line has: what one spelling does not read is left to the others."""
    texts = [b"2026-11-01T00:00:00Z", b"1793491200", b"01/Nov/2026:00:00:00 +0000", b"-"]
    values = texts[first:] + texts[:first] + [None]
    micros, valid = times.instants("any", pa.array(values, pa.binary()))
    assert valid.tolist() == [value not in (b"-", None) for value in values]
    assert set(micros[valid].tolist()) == {1_793_491_200_000_000}
