"""Directives with all their modifiers: what is logged apart is read together, what is unknown is read over."""

import pytest

import loganalyzer as la
from loganalyzer.errors import UsageError

T = 1_793_528_100_000_000  # 2026-11-01T10:15:00Z


def apache(time):
    return f'LogFormat "%h {time} \\"%r\\" %>s" custom'


@pytest.fixture
def first(tmp_path):
    """The first request of a line, read by a directive."""

    def row(directive, line):
        (tmp_path / "access.log").write_text(f"{line}\n" * 3, encoding="utf-8")
        log = la.read([tmp_path / "access.log"], log_format=directive)
        assert (log.requests.num_rows, log.rejects.num_rows) == (3, 0)
        return log.requests.to_pylist()[0]

    return row


@pytest.mark.parametrize(
    ("directive", "logged", "t"),
    [
        ("%t", "[01/Nov/2026:11:15:00 +0100]", T),
        ("%{sec}t", "1793528100", T),
        ("%{msec}t", "1793528100250", T + 250_000),
        ("%{usec}t", "1793528100250001", T + 250_001),
        ("%{%s}t", "1793528100", T),
        ("%{begin:msec}t", "1793528100250", T + 250_000),
        ("%{sec}t.%{msec_frac}t", "1793528100.250", T + 250_000),
        ("%{sec}t%{usec_frac}t", "1793528100250001", T + 250_001),
        ("%{sec}t.%{usec_frac}t", "1793528100.250001", T + 250_001),
        ("%{%d.%m.%Y %T}t", "01.11.2026 10:15:00", T),
        ("[%{%d.%m.%Y %T %z}t]", "[01.11.2026 11:15:00 +0100]", T),
        ("%{%D %T}t", "11/01/26 10:15:00", T),
        ("%{%c}t", "Sun Nov  1 10:15:00 2026", T),
        ("%{%a, %d %b %Y %T %Z}t", "Sun, 01 Nov 2026 10:15:00 GMT", T),
        ("%{%Y%m%d%H%M%S}t", "20261101101500", T),
        ("%{%e %B %Y %l:%M:%S %p}t", " 1 November 2026 10:15:00 AM", T),
        ("%{%F}t %{%T}t", "2026-11-01 10:15:00", T),
        ("%{%T}t;%{%d.%m.%y}t.%{msec_frac}t", "10:15:00;01.11.26.250", T + 250_000),
        ("[%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t]", "[01/Nov/2026:11:15:00.250 +0100]", T + 250_000),
        ("%{%FT%T}t.%{usec_frac}t%{%z}t", "2026-11-01T11:15:00.250001+0100", T + 250_001),
        ("%{%Y-%m-%d %H:%M:%S %z}t", "2026-11-01 11:15:00 +0100", T),
        ("%{[%d/%b/%Y:%H:%M:%S %z]}t", "[01/Nov/2026:11:15:00 +0100]", T),
    ],
)
def test_every_form_of_an_instant_of_apache_is_read(first, directive, logged, t):
    row = first(apache(directive), f'192.0.2.7 {logged} "GET /a HTTP/1.1" 200')

    assert (row["t"], row["client_ip"], row["target"], row["status"]) == (t, "192.0.2.7", "/a", 200)


@pytest.mark.parametrize(
    "directive", ["%{%F}t", "%{msec_frac}t", "%{%z}t", "%{%A, %B}t", "%{%F %Q %T}t", "%{%F %H}t", '%{%F}t" "%{%T}t']
)
def test_a_part_of_an_instant_is_none(first, directive):
    with pytest.raises(UsageError, match="no time is logged"):
        first(apache(directive), "")


@pytest.mark.parametrize(("directive", "taken"), [("%{end:msec}t", 500_000), ("%{begin:msec}t", 0), ("%{msec}t", 0)])
def test_the_end_of_a_request_is_known_for_what_it_is(first, directive, taken):
    row = first(apache(directive).replace("%>s", "%>s %{ms}T"), '192.0.2.7 1793528100500 "GET /a HTTP/1.1" 200 500')

    assert (row["t"], row["request_time_s"]) == (T + 500_000 - taken, 0.5)


@pytest.mark.parametrize(
    ("directive", "logged", "column", "value"),
    [
        ("%!200,304{Referer}i", "https://a.example/", "referer", "https://a.example/"),
        ("%{Referer}!200,304i", "-", "referer", None),
        ("%400,501{User-Agent}i", "x", "user_agent", "x"),
        ("%<s", "301", "status", 200),
        ("%D", "250000", "request_time_s", 0.25),
        ("%T", "3", "request_time_s", 3.0),
        ("%{us}T", "250000", "request_time_s", 0.25),
        ("%{ms}T", "250", "request_time_s", 0.25),
        ("%{s}T", "2", "request_time_s", 2.0),
        ("%{c}a", "10.0.0.1", "client_ip", "192.0.2.7"),
        ("%{c}h", "proxy.example", "client_ip", "192.0.2.7"),
        ("%>{Retry-After}o", "30", "retry_after", "30"),
        ("%{VARIABLE}e", "x", "status", 200),
        ("%^ti", "x", "status", 200),
        ("%%", "%", "status", 200),
    ],
)
def test_every_modifier_of_apache_is_read(first, directive, logged, column, value):
    row = first(
        f'LogFormat "%h %t \\"%r\\" %>s {directive}" custom',
        f'192.0.2.7 [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 {logged}',
    )

    assert (row[column], row["t"]) == (value, T)


@pytest.mark.parametrize(
    ("logged", "line", "row"),
    [
        ("$uri$is_args$args", "/a?b=1", {"target": "/a?b=1"}),
        ("$uri$is_args$args", "/", {"target": "/"}),
        ('"$uri?$query_string"', '"/a b?c"', {"target": "/a b?c"}),
        ("$scheme://$host$request_uri", "https://shop.example/a", {"target": "/a", "host": "shop.example"}),
        ('"$scheme://$http_host$request_uri"', '"https://shop.example:8443/a /b"', {"target": "/a /b"}),
        ("$request_uri $proxy_protocol_addr", "/a 10.0.0.1", {"target": "/a", "client_ip": "192.0.2.7"}),
        ("$request_uri $upstream_http_retry_after", "/a 30", {"retry_after": "30"}),
        ("$request_uri $unknown ${brand_new}", "/a x y", {"target": "/a"}),
        ("$request_uri $ssl_protocol|$ssl_cipher", "/a TLSv1.3|-", {"target": "/a"}),
    ],
)
def test_variables_of_nginx_that_stand_together_are_read_apart(first, logged, line, row):
    found = first(
        f"log_format x '$remote_addr $msec $request_method {logged} $status';",
        f"192.0.2.7 1793528100.000 GET {line} 200",
    )

    assert (found["status"], found["t"]) == (200, T)
    assert {name: found[name] for name in row} == row


@pytest.mark.parametrize("scale", [1, 10**3, 10**6, 10**9])
def test_an_epoch_is_in_the_unit_of_its_magnitude(tmp_path, scale):
    lines = "".join(f'{{"ts":{1_793_528_100 * scale},"status":200,"uri":"/{number}"}}\n' for number in range(3))
    (tmp_path / "access.log").write_text(lines, encoding="utf-8")
    log = la.read([tmp_path / "access.log"])

    assert log.requests["t"].to_pylist() == [T] * 3


def test_an_epoch_in_another_unit_than_the_others_is_refused_and_named(tmp_path):
    times = [1_793_528_100, 1_793_528_100_000, 1_793_528_101]
    lines = "".join(f'{{"ts":{time},"status":200,"uri":"/a"}}\n' for time in times)
    (tmp_path / "access.log").write_text(lines, encoding="utf-8")
    log = la.read([tmp_path / "access.log"])

    assert log.requests["line"].to_pylist() == [1, 3]
    assert log.rejects.select(["line", "field"]).to_pylist() == [{"line": 2, "field": "time"}]
