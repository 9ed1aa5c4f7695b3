"""What a report measures after 429 is what the definitions give for what happened, whenever the server logs it.

Apache logs when a request began, nginx when its answer was sent; the truth below is known before either writes a line.
"""

import tempfile
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loganalyzer as la
from loganalyzer import backoff

BEGIN = 1_793_527_200  # 2026-11-01T10:00:00Z
APACHE = r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D \"%{Retry-After}o\"" timed'
NGINX = (
    r"log_format timed '$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent "
    r"\"$http_referer\" \"$http_user_agent\" $request_time \"$sent_http_retry_after\"';"
).replace(r"\"", '"')


def stamp(second):
    return datetime.fromtimestamp(second, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")


def line(server, start, took, status, target, address, agent, asked):
    """One line; `asked` is the Retry-After as sent, or nothing."""
    at = stamp(BEGIN + start + (took if server == "nginx" else 0))
    head = f'192.0.2.{address} - - [{at}] "GET /{target} HTTP/1.1" {status} 10 "-" "{agent}/1.0"'
    spent = took * 1_000_000 if server == "apache" else f"{took}.000"
    return f'{head} {spent} "{asked or "-"}"\n'


def stated(wait, sent):
    """Retry-After as one of its two forms, or one that says nothing; negative stands for none at all."""
    if wait is None:
        return None
    return formatdate(BEGIN + sent + wait, usegmt=True) if wait % 2 else str(wait) if wait % 10 else "soon"


ROWS = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.sampled_from([0, 0, 1, 3, 20]),
        st.sampled_from([200, 200, 200, 429, 503, 302]),
        st.sampled_from(["a", "b", "robots.txt"]),
        st.integers(1, 2),
        st.sampled_from(["AntBot", "BeeBot"]),
        st.one_of(st.none(), st.integers(1, 99)),
    ),
    min_size=1,
    max_size=40,
)


def truth(rows):
    """Rows of the kernel's columns, from what happened."""
    names = sorted({row[5] for row in rows})
    for number, (start, took, status, target, address, agent, wait) in enumerate(rows):
        text = stated(wait, start + took)
        refusal = status == 429 or (status == 503 and text is not None)
        asked = None if text in (None, "soon") else wait
        yield {
            "id": number,
            "client": names.index(agent),
            "address": address,
            "t": (BEGIN + start) * 1_000_000,
            "end_us": (BEGIN + start + took) * 1_000_000,
            "asked_us": asked * 1_000_000 if refusal and asked is not None else None,
            "refusal": refusal,
            "target": "ab".find(target[0]),
            "robots": target == "robots.txt",
        }


NUMBERS = ("refusals", "early", "in_flight", "robots_in_wait", "waits", "kept", "pace_before", "asked_s", "verdict")


def told(episodes):
    rows = [tuple(row[name] for name in ("t0", "client", "address", *NUMBERS)) for row in episodes.to_pylist()]
    return sorted((row[0], *row[3:]) for row in rows)


@pytest.mark.parametrize("server", ["apache", "nginx"])
@settings(deadline=None, max_examples=20)
@given(rows=ROWS)
def test_a_report_measures_what_happened_whenever_the_server_logs(server, rows):
    rows = sorted(rows, key=lambda row: (row[5], row[0]))
    table = backoff_table(list(truth(rows)))
    lines = [line(server, *row[:6], stated(row[6], row[0] + row[1])) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "access.log"
        path.write_text("".join(lines))
        log = la.read([str(path)], APACHE if server == "apache" else NGINX)
        measured = la.analyse(log).measures.episodes
        alone = backoff.episodes(log.requests)
    start, end = min(table["t"].to_pylist()), max(table["end_us"].to_pylist())
    expected = told(backoff.kernel(table, "address", start, end))

    assert told(measured) == expected
    assert told(alone) == expected


def backoff_table(rows):
    types = {"client": pa.int32(), "address": pa.int32(), "target": pa.int32(), "asked_us": pa.int64()}
    return pa.table({name: pa.array([row[name] for row in rows], types.get(name)) for name in rows[0]})
