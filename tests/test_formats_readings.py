"""Lines as operators have them, each read right or refused: never an address as a host, or a prefix as a client."""

import json

import pytest

from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats import read

COMBINED = '192.0.2.7 - al [01/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Bot/1.0"'
BEHIND_PROXY = COMBINED.replace("192.0.2.7", "{} 192.0.2.7")


@pytest.fixture
def rows(tmp_path):
    """Rows of these lines, read as one file; none where no format reads it."""

    def of(*lines):
        path = tmp_path / "access.log"
        path.write_text("".join(f"{line}\n" for line in lines))
        try:
            return read([path]).requests.to_pylist()
        except UnknownFormatError:
            return []

    return of


PREFIXES = {
    "a time": "2026-11-01T10:15:00.250000000Z ",
    "kubectl --prefix": "[pod/shop-6d5f-x2x/nginx] ",
    "stern": "shop-6d5f-x2x nginx ",
    "compose with a time": "web-1  | 2026-11-01T10:15:00.250000000Z ",
    "compose in colour": "\x1b[36mweb-1  | \x1b[0m",
    "grep of several files": "access.log.1:",
    "grep -n": "/var/log/nginx/access.log:12:",
    "a process": "nginx[77]: ",
    "Python's logging": "INFO:werkzeug:",
    "a quote": '"',
    "journalctl -o short-unix": "1793528100.250000 web nginx[77]: ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_what_a_program_puts_in_front_is_neither_the_host_nor_the_client(rows, prefix):
    [row] = rows(prefix + COMBINED)

    assert (row["host"], row["client_ip"], row["user"], row["user_agent"]) == (None, "192.0.2.7", "al", "Bot/1.0")


@pytest.mark.parametrize("prefix", ["2026-11-01T10:15:00: ", "[nginx] ", "app[web.1]: ", "(198.51.100.7) "])
def test_a_prefix_that_nothing_is_known_of_is_no_host(rows, prefix):
    assert [row["host"] for row in rows(prefix + COMBINED)] in ([], [None])


@pytest.mark.parametrize(
    ("forwarded_for", "want"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("198.51.100.7, 10.0.0.6", "198.51.100.7, 10.0.0.6"),
        ("198.51.100.7,10.0.0.6", "198.51.100.7,10.0.0.6"),
        ("-", None),
    ],
)
def test_an_address_in_front_is_of_x_forwarded_for_and_no_host(rows, forwarded_for, want):
    [row] = rows(BEHIND_PROXY.format(forwarded_for))

    assert (row["host"], row["forwarded_for"], row["client_ip"]) == (None, want, "192.0.2.7")


def test_that_holds_for_common_too(rows):
    [row] = rows(BEHIND_PROXY.format("198.51.100.7").partition(' "-"')[0])

    assert (row["host"], row["forwarded_for"], row["bytes"]) == (None, "198.51.100.7", 5)


def test_an_address_among_hosts_and_one_with_a_port_are_hosts(rows):
    fronts = ["shop.example", "203.0.113.9", "shop.example:443", "[2001:db8::9]:443"]

    assert [row["host"] for row in rows(*map(BEHIND_PROXY.format, fronts))] == [
        "shop.example",
        "203.0.113.9",
        "shop.example",
        "[2001:db8::9]",
    ]
    assert rows(BEHIND_PROXY.format("203.0.113.9:80"))[0]["host"] == "203.0.113.9"


@pytest.mark.parametrize(
    ("behind", "columns"),
    [
        ('"shop.example"', {"host": "shop.example", "forwarded_for": None, "request_time_s": None}),
        ('"0.250"', {"host": None, "forwarded_for": None, "request_time_s": 0.25}),
        ('"198.51.100.7"', {"host": None, "forwarded_for": "198.51.100.7", "request_time_s": None}),
        ('"unknown, 10.0.0.1"', {"host": None, "forwarded_for": "unknown, 10.0.0.1", "request_time_s": None}),
        ('"-"', {"host": None, "forwarded_for": None, "request_time_s": None}),
    ],
)
def test_what_stands_quoted_behind_the_user_agent_is_told_by_its_look(rows, behind, columns):
    [row] = rows(f"{COMBINED} {behind}")

    assert {name: row[name] for name in columns} == columns


def test_what_clients_forge_in_x_forwarded_for_changes_no_format(rows):
    lines = [f'{COMBINED} "{value}"' for value in ("198.51.100.7", "evil.example", "10.0.0.1", "' OR 1=1", "-", "-")]

    assert [row["forwarded_for"] for row in rows(*lines)][1:4] == ["evil.example", "10.0.0.1", "' OR 1=1"]


def test_most_lines_say_what_stands_quoted_behind(rows):
    forged, hosts = (
        [row["host"] for row in rows(*(f'{COMBINED} "{value}"' for value in values))]
        for values in (["-"] * 5 + ["evil.example"], ["shop.example"] * 5 + ["192.0.2.80:80", "-"])
    )

    assert forged == [None] * 6
    assert hosts == ["shop.example"] * 5 + ["192.0.2.80", None]


def test_a_quoted_value_in_the_place_of_the_client_is_refused_or_read_over(rows):
    assert [row["client_ip"] for row in rows(COMBINED.replace("192.0.2.7", '192.0.2.7 "198.51.100.7"'))] == []


REQUEST = {"time": "2026-11-01T10:15:00Z", "remote_addr": "192.0.2.7", "status": 200}


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ({"method": "GET", "uri": "/a", "args": "q=1"}, "/a?q=1"),
        ({"method": "GET", "path": "/a", "query_string": "q=1"}, "/a?q=1"),
        ({"method": "GET", "uri": "/a?q=1", "args": "q=1"}, "/a?q=1"),
        ({"method": "GET", "path": "/a", "query": {"q": "1"}}, "/a"),
        ({"request": "GET /a?q=1 HTTP/1.1", "uri": "/index.php", "args": "r=2"}, "/a?q=1"),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [1, 60])
def test_path_and_query_under_keys_of_their_own_are_one_target(rows, values, target, count):
    assert {row["target"] for row in rows(*[json.dumps(REQUEST | values)] * count)} == {target}


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ({"duration": 250}, None),
        ({"duration": 0.25}, 0.25),
        ({"duration": "250ms"}, 0.25),
        ({"request_time": 2}, 2.0),
        ({"request_time": 2, "duration": 250}, 2.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [1, 60])
def test_a_whole_number_is_a_duration_only_where_its_unit_is_known(rows, values, seconds, count):
    line = json.dumps(REQUEST | {"method": "GET", "url": "/a"} | values)

    assert {row["request_time_s"] for row in rows(*[line] * count)} == {seconds}


@pytest.mark.parametrize("code", [0, 17, "ENOENT", None])
def test_a_path_in_another_programs_message_is_no_request(rows, code):
    message = {
        "time": "2026-11-01T10:15:00Z",
        "level": "error",
        "msg": "cannot open",
        "path": "/etc/shop",
        "code": code,
    }

    assert rows(json.dumps(message)) == []
    assert [
        row["target"] for row in rows(json.dumps(REQUEST | {"method": "GET", "url": "/a"}), json.dumps(message))
    ] == ["/a"]


def test_an_integer_of_caddy_is_in_a_unit_of_its_configuration(rows):
    request = '"request":{{"client_ip":"192.0.2.7","method":"GET","uri":"/"}}'
    line = f'{{{{"ts":1793528100.0,{request},"status":200,"duration":{{}}}}}}'

    assert [rows(line.format(value))[0]["request_time_s"] for value in (250, 0.25, '"250ms"')] == [None, 0.25, 0.25]


def test_labelled_values_are_found_in_any_order_also_in_a_wrapper(rows):
    line = 'method=GET status=404 path="/a b" query="c=d e" ts=2026-11-01T10:15:00Z remote_addr=192.0.2.7 duration=1m2s'
    [row] = rows(f"web-1  | {line}")

    assert (row["target"], row["status"], row["client_ip"], row["request_time_s"]) == (
        "/a b?c=d e",
        404,
        "192.0.2.7",
        None,
    )


@pytest.mark.parametrize(
    "line",
    [
        'time="2026-11-01T10:15:00Z" level=info msg="GET /v1/_ping"',
        "a=b c=d",
        'a="b',
        "a:b\tc:d",
        "time:x\thost:192.0.2.7\treq:GET / HTTP/1.1",
        'time=2026-11-01T10:15:00Z method=GET path="/a" status=200 trailing "quote',
    ],
)
def test_labelled_values_that_are_no_request_are_refused(rows, line):
    assert rows(line) == []


def test_what_node_logs_of_a_request_besides_its_answer_is_no_other_request(rows):
    request = {"method": "GET", "url": "/a", "remoteAddress": "192.0.2.7"}
    came = {"time": 1793528100250, "req": request, "msg": "cart loaded"}
    answered = came | {"res": {"statusCode": 200}, "responseTime": 12}

    assert [row["status"] for row in rows(*[json.dumps(line) for line in (came, answered, came)])] == [200]
