"""Lines that are no request are refused with what they are."""

import pytest

from loganalyzer.formats import read
from loganalyzer.formats.foreign import kind

GOOD = '192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1.0"'
LINES = {
    '2026/11/01 10:15:00 [error] 31#31: *3 open() "/a" failed, request: "GET /a HTTP/1.1"': "nginx's error log",
    "web-1  | 2026/11/01 10:15:00 [notice] 1#1: start worker process 27": "nginx's error log",
    "[Sun Nov 01 10:15:00.056610 2026] [ssl:info] [pid 12] AH02006: SSL handshake stopped": "Apache's error log",
    "[Sun Nov 01 10:15:00 2026] [notice] child 6726 in slot 8": "Apache's error log",
    "tls 2.0 2026-11-01T10:15:00 net/shop/c6e7 g3d4 192.0.2.7:51341 10.0.0.6:443 5 2": "a network load balancer",
    "192.0.2.7:4711 [01/Nov/2026:10:15:00.250] tcp-in db/s1 1/0/5007 212 -- 0/0/0/0/3 0/0": "TCP connection of HAProxy",
    "192.0.2.7:4711 [01/Nov/2026:10:15:00.250] web/1: SSL handshake failure": "HAProxy that came to no request",
    "Nov  1 10:15:00 10.0.0.9 haproxy[7]: 192.0.2.7:4711 [01/Nov/2026:10:15:00.250] web/1: SSL handshake failure": (
        "HAProxy that came to no request"
    ),
    "Nov  1 10:15:00 10.0.0.9 haproxy[7]: Proxy web started.": "a message of HAProxy",
    '2026-11-01T10:15:00.25Z shop 192.0.2.7:1 10.0.0.6:80 0.1 0.2 0.3 - - 82 305 "- - - " "-" - -': "a load balancer",
    "2026-11-01T10:15:00.25+00:00 heroku[web.1]: Error R14 (Memory quota exceeded)": "a process on Heroku",
}


@pytest.mark.parametrize(("line", "reason"), LINES.items(), ids=lambda text: text[:20])
def test_line_of_another_kind_is_rejected_as_what_it_is(tmp_path, line, reason):
    path = tmp_path / "access.log"
    path.write_text(f"{GOOD}\n{line}\n{GOOD}\n")
    log = read([path])

    assert log.requests["line"].to_pylist() == [1, 3]
    assert reason in log.rejects["reason"].to_pylist()[0]


@pytest.mark.parametrize("line", [GOOD, "rubbish", "", "[" * 1000, "1:1 [" + "a" * 1000, "9/" * 10_000])
def test_other_lines_are_not_named(line):
    assert kind(line.encode()) is None
