"""Directives as people copy them, and lines that leave out what their directive asks for."""

import pytest

import loganalyzer as la
from loganalyzer.errors import UnknownFormatError, UsageError

T = 1_793_528_100_000_000  # 2026-11-01T10:15:00Z
AT = "[01/Nov/2026:10:15:00 +0000]"
REST = '"GET /a HTTP/1.1" 200 5 "-" "Bot/1"'


@pytest.fixture
def log(tmp_path):
    """Read one line, three times over, by a directive or by detection."""

    def read(line, directive=None):
        (tmp_path / "access.log").write_text(f"{line}\n" * 3, encoding="utf-8")
        return la.read([tmp_path / "access.log"], log_format=directive)

    return read


@pytest.mark.parametrize(
    ("directive", "line", "row"),
    [
        (
            "log_format v '$host $remote_addr - $remote_user [$time_local] ...';",
            f"shop.example 192.0.2.7 - al {AT} {REST}",
            {"host": "shop.example", "client_ip": "192.0.2.7", "user": "al", "user_agent": "Bot/1"},
        ),
        (
            "log_format x '$http_x_forwarded_for - $remote_user [$time_local] ...'",
            f"192.0.2.7, 10.0.0.6 - - {AT} {REST}",
            {"client_ip": "192.0.2.7, 10.0.0.6", "user": None, "user_agent": "Bot/1"},
        ),
        (
            r'LogFormat "... %>s %b %D \"%{Referer}i\" \"%{User-Agent}i\""',
            f'192.0.2.7 - - {AT} "GET /a HTTP/1.1" 200 5 250000 "-" "Bot/1"',
            {"client_ip": "192.0.2.7", "request_time_s": 0.25, "user_agent": "Bot/1"},
        ),
        (
            "log_format y '... $request_time \"$host\"'",
            f'192.0.2.7 - - {AT} {REST} 0.250 "shop.example"',
            {"client_ip": "192.0.2.7", "request_time_s": 0.25, "host": "shop.example"},
        ),
        (
            "log_format z '$remote_addr \N{HORIZONTAL ELLIPSIS} $status $request_time \N{HORIZONTAL ELLIPSIS}'",
            f'192.0.2.7 - al {AT} "GET /a HTTP/1.1" 200 0.250 5 "-" "Bot/1"',
            {"user": "al", "request_time_s": 0.25, "bytes": 5, "user_agent": "Bot/1"},
        ),
    ],
)
def test_dots_stand_for_what_combined_has_there(log, directive, line, row):
    got = log(line, directive)

    (found, *others) = got.requests.to_pylist()
    assert len(others) == 2
    assert {name: found[name] for name in row} == row
    assert (found["target"], found["status"]) == ("/a", 200)
    assert any("what combined has in that place" in note for note in got.inputs[0].notes)


@pytest.mark.parametrize(
    "directive",
    [
        "log_format json with the variables' own names",
        "log_format main;",
        "LogFormat combined",
        'LogFormat json: "@timestamp":"%{%FT%T}t", and so on',
    ],
)
def test_a_name_alone_is_detected_and_said_so(log, directive):
    got = log(f"192.0.2.7 - - {AT} {REST}", directive)

    assert (got.inputs[0].format, got.requests.num_rows) == ("combined", 3)
    assert any("the format was detected" in note for note in got.inputs[0].notes)


@pytest.mark.parametrize(
    ("directive", "why", "under"),
    [
        ('LogFormat "%h %t %>s"', "no request", '"'),
        ('LogFormat "%h %r %>s"', "no time", '"'),
        ('LogFormat "%h %t %r"', "no status", '"'),
        ("log_format x '$remote_addr [$time_local] \"$request\"';", "no status", ";"),
        ("log_format x '$remote_addr [$time_local", "a quote is opened here", "'"),
        ("LogFormat %h %t", "a format is given by", "L"),
    ],
)
def test_an_unsound_directive_stays_an_error_with_a_caret(log, directive, why, under):
    with pytest.raises(UsageError, match=why) as error:
        log("x", directive)

    _, shown, caret = str(error.value).split("\n")
    assert shown[caret.index("^")] == under


def test_an_unknown_variable_is_read_over_and_named(log):
    directive = "log_format x '$remote_addr [$time_local] $brand_new \"$request\" $status $server_port $upstream_addr';"
    got = log(f'192.0.2.7 {AT} thing "GET /a HTTP/1.1" 200 443 -', directive)

    assert got.requests["target"].to_pylist() == ["/a"] * 3
    assert [note for note in got.inputs[0].notes if "$" in note] == [
        "nothing is known of $brand_new: read over, and kept in no column"
    ]


@pytest.mark.parametrize(
    "head", ["192.0.2.7 - -", "192.0.2.7 - al", "192.0.2.7", "192.0.2.7  ", "192.0.2.7 -", "192.0.2.7 al"]
)
@pytest.mark.parametrize("directive", [None, "combined", "log_format c '... ';"])
def test_who_asked_may_be_left_out_in_part_or_altogether(log, head, directive):
    rows = log(f"{head} {AT} {REST}", directive).requests.to_pylist()

    wanted = ("192.0.2.7", "al" if "al" in head else None, "/a")
    assert [(row["client_ip"], row["user"], row["target"]) for row in rows] == [wanted] * 3


@pytest.mark.parametrize("host", ["shop.example:8443", "shop.example"])
@pytest.mark.parametrize(
    "directive",
    [
        r'LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined',
        "log_format v '$host:$server_port $remote_addr - $remote_user [$time_local] ...';",
        "log_format v '$host[:$server_port] $remote_addr - $remote_user [$time_local] ...';",
    ],
)
def test_the_port_behind_a_host_may_be_left_out(log, host, directive):
    rows = log(f"{host} 192.0.2.7 - - {AT} {REST}", directive).requests.to_pylist()

    assert [(row["host"], row["client_ip"]) for row in rows] == [("shop.example", "192.0.2.7")] * 3


@pytest.mark.parametrize("fraction", ["", ".500", ".999999"])
def test_a_leap_second_stays_in_its_minute(log, fraction):
    line = f'2016-12-31T23:59:60{fraction}Z 192.0.2.7 "GET /a HTTP/1.1" 200'
    got = log(line, "log_format i '$time_iso8601 $remote_addr \"$request\" $status';")

    assert set(got.requests["t"].to_pylist()) == {1_483_228_799_999_000}


def test_a_line_that_is_cut_in_the_user_agent_is_refused(log):
    """What is left of a name may be another client's name."""
    with pytest.raises(UnknownFormatError, match="is expected after the user agent"):
        log(f"192.0.2.7 - - {AT} {REST}".rstrip('"'), "combined")


def test_a_line_that_lost_its_client_is_refused(log):
    """The user is not the client, though servers that leave out the ident write the two in a row."""
    with pytest.raises(UnknownFormatError):
        log(f" - - {AT} {REST}", "combined")


@pytest.mark.parametrize("host", ["", "_ ", "shop.example ", "203.0.113.9 "])
def test_a_host_that_not_every_line_has_is_not_taken_for_the_client(log, host):
    """nginx writes an empty $host as nothing."""
    rows = log(f' {host}192.0.2.7 - - {AT} {REST} 443 "x"').requests.to_pylist()

    assert [(row["client_ip"], row["user"]) for row in rows] == [("192.0.2.7", None)] * 3


def test_control_bytes_are_no_client(log):
    rows = log(f"\x01\x02192.0.2.7 - - {AT} {REST}", "combined").requests.to_pylist()

    assert [(row["client_ip"], row["target"]) for row in rows] == [(None, "/a")] * 3
