"""The fast reading gives what the patterns give, whatever a line holds."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loganalyzer.formats.declarations import of_directive
from loganalyzer.formats.directives import parse
from loganalyzer.formats.lines import cut
from loganalyzer.formats.text import Text

LAYOUTS = {
    r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" combined': (
        b'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1.0"'
    ),
    "log_format v '$host:$server_port \"$http_referer\" [Client $remote_addr] '"
    "'[$time_local] $status \"$request\" $pipe';": (
        b'a.example:80 "-" [Client 192.0.2.7] [01/Nov/2026:10:15:00 +0000] 200 "GET /a HTTP/1.1" .'
    ),
    'log_format i \'$time_iso8601 "a=$http_accept" - $remote_addr "$request"\';': (
        b'2026-11-01T10:15:00+00:00 "a=*/*" - 192.0.2.7 "GET / HTTP/1.1"'
    ),
    "log_format m '$remote_addr [$time_local] $msec \"$request\" $status';": (
        b'192.0.2.7 [01/Nov/2026:10:15:00 +0000] 1793528100.000 "GET / HTTP/1.1" 200'
    ),
    "#Fields: date time c-ip cs-method cs-uri-stem sc-status": b"2026-11-01 10:15:00 192.0.2.7 GET /a 200",
}


def rows(grammar, data):
    """Raw values by line."""
    lines = cut(memoryview(data))
    split = grammar.split(lines, np.flatnonzero(lines.ends > lines.starts))
    columns = {name: values.to_pylist() for name, values in split.columns.items()}
    return {
        at: {name: values[k] for name, values in columns.items()} for k, at in enumerate(split.at.tolist())
    }, split.refused.tolist()


def grammars(directive):
    fast = of_directive(parse(directive)).grammar
    assert isinstance(fast, Text)
    assert fast.words
    slow = Text(fast.layout, fast.given, fast.quotable)
    slow.__dict__["words"] = None
    return fast, slow


PIECE = st.sampled_from([b'"', b"\\", b'\\"', b" ", b"\0", b"\r", b"\t", b"-", b"\xff", b'" "', b"x", b"[", b"]", b""])
EDIT = st.tuples(st.integers(0, 100), PIECE, st.integers(0, 3))


@pytest.mark.parametrize("directive", LAYOUTS, ids=[d[:12] for d in LAYOUTS])
@settings(deadline=None, max_examples=150)
@given(edits=st.lists(st.lists(EDIT, max_size=4), min_size=1, max_size=5), end=st.sampled_from([b"\n", b"\r\n"]))
@example(edits=[[(0, b'"', 0)], []], end=b"\n")
@example(edits=[[(45, b'\\"', 0)], []], end=b"\n")
def test_fast_and_slow_readings_agree(directive, edits, end):
    def mutated(changes):
        text = LAYOUTS[directive]
        for at, piece, drop in changes:
            text = text[:at] + piece + text[at + drop :]
        return text

    data = end.join([mutated(changes) for changes in edits]) + end
    fast, slow = grammars(directive)

    assert rows(fast, data) == rows(slow, data)


def test_regular_lines_take_the_fast_reading(monkeypatch):
    fast, _ = grammars(next(iter(LAYOUTS)))
    monkeypatch.setattr(Text, "_extract", lambda *_: pytest.fail("a pattern was used"))
    data = (LAYOUTS[next(iter(LAYOUTS))] + b"\n") * 3

    assert len(rows(fast, data)[0]) == 3


def test_dictionaries_hold_distinct_values_once():
    fast, _ = grammars(next(iter(LAYOUTS)))
    data = (LAYOUTS[next(iter(LAYOUTS))] + b"\n") * 100
    split = fast.split(cut(memoryview(data)), np.arange(100))

    assert pa.types.is_dictionary(split.columns["user_agent"].type)
    assert len(split.columns["user_agent"].dictionary) == 1
