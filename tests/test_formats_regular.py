"""The fast reading gives what the patterns give, whatever a line holds."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loganalyzer.formats.declarations import FORMATS, of_directive
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
    'log_format i \'$time_iso8601 "a=$http_accept" - $remote_addr "$request" $status\';': (
        b'2026-11-01T10:15:00+00:00 "a=*/*" - 192.0.2.7 "GET / HTTP/1.1" 200'
    ),
    "log_format m '$remote_addr [$time_local] $msec \"$request\" $status';": (
        b'192.0.2.7 [01/Nov/2026:10:15:00 +0000] 1793528100.000 "GET / HTTP/1.1" 200'
    ),
    "log_format p '$remote_addr|[$time_local]|$request|$status|$http_user_agent';": (
        b"192.0.2.7|[01/Nov/2026:10:15:00 +0000]|GET /a HTTP/1.1|200|Bot/1.0 (x y)"
    ),
    "log_format q '$time_iso8601 | $remote_addr | $request | $status';": (
        b"2026-11-01T10:15:00+00:00 | 192.0.2.7 | GET /a HTTP/1.1 | 200"
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


def grammars(name):
    named = {form.name: form for form in FORMATS}
    fast = (named[name] if name in named else of_directive(parse(name))).grammar
    assert isinstance(fast, Text)
    assert fast.words
    slow = Text(fast.layout, fast.given, fast.quotable)
    slow.__dict__["words"] = None
    return fast, slow


DECLARED = {
    "combined_and_more": b'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1.0" 443 "a b"',
    "combined_timed": b'192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1.0" 0.250 0.2 x',
    "vhost_common_and_more": b'a.example 192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET / HTTP/2" 201 42 40 144 x',
    "envoy": b'[2026-11-01T10:15:00.250Z] "GET / HTTP/1.1" 200 - 0 5 12 11 "192.0.2.7" "Bot/1.0" "i" "a.example" "-" x',
}

PIECE = st.sampled_from(
    [b'"', b"|", b"\\", b'\\"', b" ", b"\0", b"\r", b"\t", b"-", b"\xff", b'" "', b"x", b"[", b"]", b""]
)
EDIT = st.tuples(st.integers(0, 100), PIECE, st.integers(0, 3))


@pytest.mark.parametrize("directive", LAYOUTS | DECLARED, ids=[d[:12] for d in LAYOUTS | DECLARED])
@settings(deadline=None, max_examples=150)
@given(edits=st.lists(st.lists(EDIT, max_size=4), min_size=1, max_size=5), end=st.sampled_from([b"\n", b"\r\n"]))
@example(edits=[[(0, b'"', 0)], []], end=b"\n")
@example(edits=[[(45, b'\\"', 0)], []], end=b"\n")
def test_fast_and_slow_readings_agree(directive, edits, end):
    def mutated(changes):
        text = (LAYOUTS | DECLARED)[directive]
        for at, piece, drop in changes:
            text = text[:at] + piece + text[at + drop :]
        return text

    data = end.join([mutated(changes) for changes in edits]) + end
    fast, slow = grammars(directive)

    assert rows(fast, data) == rows(slow, data)


@pytest.mark.parametrize("name", LAYOUTS | DECLARED, ids=[d[:12] for d in LAYOUTS | DECLARED])
def test_regular_lines_take_the_fast_reading(name, monkeypatch):
    fast, _ = grammars(name)
    monkeypatch.setattr(Text, "_extract", lambda *_: pytest.fail("a pattern was used"))
    data = ((LAYOUTS | DECLARED)[name] + b"\n") * 3

    assert len(rows(fast, data)[0]) == 3


def test_dictionaries_hold_distinct_values_once():
    fast, _ = grammars(next(iter(LAYOUTS)))
    data = (LAYOUTS[next(iter(LAYOUTS))] + b"\n") * 100
    split = fast.split(cut(memoryview(data)), np.arange(100))

    assert pa.types.is_dictionary(split.columns["user_agent"].type)
    assert len(split.columns["user_agent"].dictionary) == 1


def test_what_clients_send_may_hold_the_character_that_stands_between_values():
    fast, slow = grammars(next(name for name in LAYOUTS if name.startswith("log_format p ")))
    data = b'192.0.2.7|[01/Nov/2026:10:15:00 +0000]|GET /a?b|c|"d HTTP/1.1|200|Bot/1.0 |x|\n'

    for grammar in fast, slow:
        good, refused = rows(grammar, data)
        assert not refused
        assert (good[0]["request"], good[0]["status"], good[0]["user_agent"]) == (
            b'GET /a?b|c|"d HTTP/1.1',
            b"200",
            b"Bot/1.0 |x|",
        )
