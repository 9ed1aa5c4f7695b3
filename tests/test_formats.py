"""Formats by their samples, directives, times, escapes, accounting."""

import json
from dataclasses import fields
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.document import InputDocument
from loganalyzer.errors import NothingUsableError, UnknownFormatError, UsageError
from loganalyzer.formats import FORMATS, Input, read
from loganalyzer.formats import times as instants
from loganalyzer.schema import REJECT, REQUEST

COMBINED = r'LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" combined'
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
SAMPLES = [(form.name, sample) for form in FORMATS for sample in form.samples]


@pytest.fixture
def log(tmp_path):
    """Read these bytes as one file."""

    def read_bytes(data, log_format=None):
        path = tmp_path / "access.log"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read([path], log_format, force=True)  # the wrong format too

    return read_bytes


def line(request="GET /a HTTP/1.1", time="01/Nov/2026:10:15:00 +0000", status="200", size="5", agent="Bot/1.0"):
    return f'192.0.2.7 - - [{time}] "{request}" {status} {size} "-" "{agent}"\n'


def only_row(log):
    rows = log.requests.to_pylist()
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(SAMPLES)])
def test_sample_of_a_format(log, name, sample):
    text = sample.line if isinstance(sample.line, bytes) else sample.line.encode()
    got = log(text + b"\n", name)

    if sample.row is None:
        assert (got.requests.num_rows, got.rejects.num_rows) == (0, 1)
    else:
        row = only_row(got)
        assert {key: row[key] for key in sample.row} == sample.row


@pytest.mark.parametrize(("name", "sample"), [case for case in SAMPLES if case[1].row], ids=lambda case: str(case)[:30])
def test_sample_is_detected_as_its_format(log, name, sample):
    assert log(f"{sample.line}\n").inputs[0].format == name


def test_tables_have_the_schemas(log):
    got = log(line() + "rubbish\n")

    assert got.requests.schema.equals(REQUEST)
    assert got.rejects.schema.equals(REJECT)
    assert got.rejects.to_pylist() == [
        {
            "source": got.inputs[0].source,
            "line": 2,
            "offset": len(line()),
            "length": 7,
            "reason": "not in the format combined",
            "field": "client_ip",
            "text": b"rubbish",
        }
    ]


REQUEST_LINES = {
    "GET /a HTTP/1.1": ("GET", "/a", "HTTP/1.1", None),
    "GET /a b  c HTTP/1.1": ("GET", "/a b  c", "HTTP/1.1", None),
    "GET / HTTP/1.1 HTTP/1.0": ("GET", "/ HTTP/1.1", "HTTP/1.0", None),
    "GET /": ("GET", "/", None, None),
    "PRI * HTTP/2.0": ("PRI", "*", "HTTP/2.0", None),
    "GET /a HTTP/2": ("GET", "/a", "HTTP/2", None),
    "CONNECT a.example:443 HTTP/1.1": ("CONNECT", "a.example:443", "HTTP/1.1", None),
    "GET http://a.example/x HTTP/1.1": ("GET", "http://a.example/x", "HTTP/1.1", None),
    "": (None, None, None, ""),
    "-": (None, None, None, None),
    "HELP": (None, None, None, "HELP"),
    "GET ../proc HTTP": (None, None, None, "GET ../proc HTTP"),
    r"\x16\x03\x01": (None, None, None, "\x16\x03\x01"),
    r"SSH-2.0-Go\x0D": (None, None, None, "SSH-2.0-Go\r"),
    r"GET /\xE4 HTTP/1.1": ("GET", r"/\xe4", "HTTP/1.1", None),
    r"GET /\xC3\xA4 HTTP/1.1": ("GET", "/ä", "HTTP/1.1", None),
    r"GET /?\"\\\x5Cn HTTP/1.1": ("GET", '/?"\\\\n', "HTTP/1.1", None),
    r"GET /\q HTTP/1.1": ("GET", r"/\q", "HTTP/1.1", None),
    'GET /?q="raw" HTTP/1.1': ("GET", '/?q="raw"', "HTTP/1.1", None),
}


@pytest.mark.parametrize(("request_line", "want"), REQUEST_LINES.items())
def test_request_line(log, request_line, want):
    row = only_row(log(line(request_line), "combined"))

    assert (row["method"], row["target"], row["protocol"], row["request_raw"]) == want


@pytest.mark.parametrize(
    ("time", "want"),
    [
        ("01/Nov/2026:10:15:00 +0000", datetime(2026, 11, 1, 10, 15, tzinfo=UTC)),
        ("01/Nov/2026:10:15:00 +0530", datetime(2026, 11, 1, 4, 45, tzinfo=UTC)),
        ("01/Nov/2026:10:15:00 -0330", datetime(2026, 11, 1, 13, 45, tzinfo=UTC)),
        ("01/Nov/2026:10:15:00 +1400", datetime(2026, 10, 31, 20, 15, tzinfo=UTC)),
        ("29/Feb/2024:00:00:00 +0000", datetime(2024, 2, 29, tzinfo=UTC)),
        ("30/Jun/2015:23:59:60 +0000", datetime(2015, 6, 30, 23, 59, 59, 999_000, tzinfo=UTC)),
        ("31/Dec/1969:23:59:59 +0000", datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("01/Nov/2026:10:15:00", datetime(2026, 11, 1, 10, 15, tzinfo=UTC)),
        ("29/Feb/2023:10:15:00 +0000", None),
        ("29/Feb/1900:10:15:00 +0000", None),
        ("31/Apr/2026:10:15:00 +0000", None),
        ("00/Nov/2026:10:15:00 +0000", None),
        ("01/nov/2026:10:15:00 +0000", None),
        ("01/Okt/2026:10:15:00 +0000", None),
        ("01/Nov/2026:24:15:00 +0000", None),
        ("01/Nov/2026:10:15:61 +0000", None),
        ("01/Nov/2026:10:15:00 +1500", None),
        ("01/Nov/26:10:15:00 +0000", None),
    ],
)
def test_time_of_the_common_log_format(log, time, want):
    got = log(line(time=time), "combined")

    assert got.requests["time"].to_pylist() == ([want] if want else [])
    assert got.rejects["field"].to_pylist() == ([] if want else ["time"])


@settings(deadline=None)
@given(st.datetimes(datetime(1970, 1, 1), datetime(2262, 1, 1)), st.integers(-840, 840))
def test_instants_agree_with_the_standard_library(moment, offset):
    moment = moment.replace(microsecond=0)
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}{abs(offset) % 60:02}"
    month = MONTHS[3 * moment.month - 3 : 3 * moment.month]
    clf = f"{moment.day:02}/{month}/{moment.year}:{moment:%H:%M:%S} {zone}"
    iso = f"{moment.isoformat()}{zone}"
    want = round((moment.replace(tzinfo=UTC).timestamp() - offset * 60) * 1_000_000)

    for read_, text in (("clf", clf), ("iso", iso), ("any", clf), ("any", iso)):
        micros, valid = instants.instants(read_, pa.array([text.encode()], pa.binary()))
        assert (micros.tolist(), valid.tolist()) == ([want], [True])


@pytest.mark.parametrize(
    ("read_", "text", "want"),
    [
        ("iso", "2026-11-01T10:15:00.123456Z", 1_793_528_100_123_456),
        ("iso", "2026-11-01 10:15:00", 1_793_528_100_000_000),
        ("iso", "2026-11-01T10:15:00.5+01:00", 1_793_524_500_500_000),
        ("epoch", "1793528100.123", 1_793_528_100_123_000),
        ("epoch", "1793528100", 1_793_528_100_000_000),
        ("epoch", "1793528100123", 1_793_528_100_123_000),
        ("epoch", "1793528100123456", 1_793_528_100_123_456),
        ("epoch", "1793528100123456000", 1_793_528_100_123_456),
        ("any", "1793528100.5", 1_793_528_100_500_000),
    ],
)
def test_other_spellings_of_an_instant(read_, text, want):
    micros, valid = instants.instants(read_, pa.array([text.encode()], pa.binary()))

    assert (micros.tolist(), valid.tolist()) == ([want], [True])


@pytest.mark.parametrize(
    ("status", "want"),
    [("200", 200), ("000", 0), ("499", 499), ("999", 999), ("-", None), ("1000", None), ("abc", None)],
)
def test_status_is_a_number_or_unknown(log, status, want):
    assert only_row(log(line(status=status), "combined"))["status"] == want


@pytest.mark.parametrize(
    ("size", "want"), [("0", 0), ("-", None), ("99999999999999", 99_999_999_999_999), ("-5", None)]
)
def test_bytes_are_a_number_or_unknown(log, size, want):
    assert only_row(log(line(size=size), "combined"))["bytes"] == want


@pytest.mark.parametrize(
    ("data", "lines", "requests", "rejects", "blank"),
    [
        (line().encode(), 1, 1, 0, 0),
        (line().encode().rstrip(b"\n"), 1, 1, 0, 0),
        (line().encode().replace(b"\n", b"\r\n") * 2, 2, 2, 0, 0),
        (b"\xef\xbb\xbf" + line().encode(), 1, 1, 0, 0),
        (b"\0" * 64 + line().encode(), 1, 1, 0, 0),
        (b"\0" * 64 + b"\n" + line().encode(), 2, 1, 1, 0),
        (b"\n\n  \n" + line().encode() + b"\r\n", 5, 1, 0, 4),
        (line().encode() * 2 + line().encode()[:40], 3, 2, 1, 0),
        (line().encode().replace(b"\n", b" \n"), 1, 1, 0, 0),
        ((line().rstrip("\n") + line()).encode() + line().encode(), 2, 1, 1, 0),
        (line().encode().replace(b'Bot/1.0"', b"Bot/1.0") + line().encode(), 2, 1, 1, 0),
        (line(agent="x" * (2 << 20)).encode() + line().encode(), 2, 1, 1, 0),
        (line().encode() + b"x" * (20 << 20) + b"\n" + line().encode(), 3, 2, 1, 0),
    ],
    ids=[
        "one line",
        "no newline at the end",
        "CRLF",
        "byte order mark",
        "zero bytes before a line",
        "block of zero bytes",
        "blank lines",
        "cut last line",
        "blank at the end of the line",
        "two records without a newline between",
        "quote not closed",
        "long line inside a block",
        "long line over several blocks",
    ],
)
def test_every_line_is_counted_once(log, data, lines, requests, rejects, blank):
    entry = log(data, "combined").inputs[0]

    assert (entry.lines, entry.requests, entry.rejects, entry.blank) == (lines, requests, rejects, blank)
    assert entry.bytes == len(data)


def test_long_line_is_kept_by_its_head_and_named_by_its_length(log):
    data = line().encode() + b"x" * (20 << 20) + b"\n"
    (reject,) = log(data).rejects.to_pylist()

    assert reject["reason"] == f"line too long ({(20 << 20) + 1:,} bytes)"
    assert (reject["length"], len(reject["text"])) == (20 << 20, 64 << 10)


def test_nginx_logs_the_end_of_a_request_and_apache_its_start(log):
    nginx = """log_format t '$remote_addr [$time_local] "$request" $status $request_time';"""
    apache = r'LogFormat "%h %t \"%r\" %>s %D" t'
    row = '192.0.2.7 [01/Nov/2026:10:15:00 +0000] "GET / HTTP/1.1" 200 '
    end = 1_793_528_100_000_000

    assert only_row(log(row + "1.250\n", nginx))["t"] == end - 1_250_000
    assert only_row(log(row + "1250000\n", apache)) | {"t": end, "request_time_s": 1.25} == only_row(
        log(row + "1250000\n", apache)
    )


AT = "01/Nov/2026:10:15:00 +0000"
DIRECTIVES = [
    (
        r"""log_format full '$host:$server_port $remote_addr - $remote_user [$time_iso8601] "$request" '
                 '$status $bytes_sent "$http_user_agent" rt=$request_time "$sent_http_retry_after" '
                 'lim=$limit_req_status "$http_accept" "$http_if_none_match"';""",
        'a.example:443 192.0.2.7 - - [2026-11-01T10:15:00+00:00] "GET / HTTP/1.1" 429 7 "Bot" rt=0.500 "30" '
        'lim=REJECTED "*/*" "-"',
        {"host": "a.example", "retry_after": "30", "limit_status": "REJECTED", "request_time_s": 0.5, "accept": "*/*"},
    ),
    (
        "log_format parts '$msec|$remote_addr|$request_method|$request_uri|$server_protocol|$status';",
        "1793528100.250|192.0.2.7|GET|/a?b=c|HTTP/1.1|200",
        {"t": 1_793_528_100_250_000, "method": "GET", "target": "/a?b=c", "protocol": "HTTP/1.1", "status": 200},
    ),
    (
        r"""log_format j escape=json '{"when":"$time_iso8601","from":"$remote_addr","what":"$request",'
            '"code":$status,"took":$request_time,"agent":"$http_user_agent"}';""",
        '{"when":"2026-11-01T10:15:00+00:00","from":"192.0.2.7","what":"GET /\\"x\\" HTTP/1.1","code":200,"took":0.25,'
        '"agent":"Bot"}',
        {"client_ip": "192.0.2.7", "target": '/"x"', "status": 200, "request_time_s": 0.25, "user_agent": "Bot"},
    ),
    (
        r'LogFormat "%a %{%d/%b/%Y:%T %z}t %m %U%q %H %s %{ms}T \"%{Retry-After}o\" %{X-Forwarded-For}i" own',
        '192.0.2.7 01/Nov/2026:10:15:00 +0000 GET /a?b HTTP/1.1 503 250 "120" 198.51.100.1',
        {"target": "/a?b", "request_time_s": 0.25, "retry_after": "120", "forwarded_for": "198.51.100.1"},
    ),
    (
        "#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) time-taken",
        "2026-11-01 10:15:00.5 192.0.2.7 GET /a - 200 Bot/1.0+(x) 250",
        {"t": 1_793_528_100_500_000, "target": "/a", "user_agent": "Bot/1.0 (x)", "request_time_s": 0.25},
    ),
    (
        "#Fields: date time x-edge-location c-ip cs-method cs-uri-stem sc-status cs(User-Agent) cs-uri-query "
        "time-taken",
        "2026-11-01\t10:15:00\tFRA1\t192.0.2.7\tGET\t/a\t200\tBot%2520x\tq=1\t0.25",
        {"t": 1_793_528_099_750_000, "target": "/a?q=1", "user_agent": "Bot x", "request_time_s": 0.25},
    ),
    # The Host that a client sent keeps a port that is not the default: another authority. A virtual host's does not.
    (
        "log_format x '[$time_local] $uri $http_host $status';",
        f"[{AT}] /a a.example:8080 200",
        {"host": "a.example:8080"},
    ),
    ("log_format x '[$time_local] $uri $http_host $status';", f"[{AT}] /a a.example:443 200", {"host": "a.example"}),
    ('LogFormat "%t %U %{Host}i %s" x', f"[{AT}] /a a.example:8080 200", {"host": "a.example:8080"}),
    ('LogFormat "%v %t %U %s" x', f"a.example:8080 [{AT}] /a 200", {"host": "a.example"}),
]


@pytest.mark.parametrize(("directive", "text", "want"), DIRECTIVES, ids=[d[0][:20] for d in DIRECTIVES])
def test_directive_pasted_verbatim(log, directive, text, want):
    row = only_row(log(f"{text}\n", directive))

    assert {key: row[key] for key in want} == want


@pytest.mark.parametrize(
    ("directive", "under", "why"),
    [
        ('log_format m \'$remote_addr [$time_local] "$request"', "'", "not closed"),
        ("log_format m '$time_local $request' and;", "a", "is expected here"),
        ("log_format m escape=xml '$time_local $request';", "x", "escape is one of"),
        ("log_format m '$remote_addr $request';", ";", "no time is logged"),
        ("log_format m '$remote_addr $time_local';", ";", "no request is logged"),
        ('LogFormat "%h %t %r', '"', "not closed"),
        ('LogFormat "%h %t \\"%r\\" %*" x', "%", "no directive of Apache"),
        ("#Fields: one two", "o", "no field of an access log"),
        ("$remote_addr nothing", "$", "by its name"),
    ],
)
def test_faulty_directive_has_a_caret_under_the_place(log, directive, under, why):
    with pytest.raises(UsageError) as error:
        log(line(), directive)

    message, shown, caret = str(error.value).split("\n")
    assert why in message
    assert shown[caret.index("^")] == under


def test_unknown_name_suggests_the_near_one(log):
    with pytest.raises(UsageError, match="did you mean combined"):
        log(line(), "combind")


def test_unknown_format_shows_the_line_and_where_the_nearest_formats_stop(log):
    with pytest.raises(UnknownFormatError) as error:
        log("192.0.2.7 something else\n" * 3)

    text = str(error.value)
    assert "192.0.2.7 something else" in text
    assert text.count("^") == 3
    assert "--log-format" in text


def test_utf16_is_told_from_an_unknown_format(log):
    with pytest.raises(NothingUsableError, match="iconv"):
        log(line().encode("utf-16"))


def test_nothing_to_open_is_an_error_and_one_missing_file_among_good_ones_is_not(tmp_path):
    (tmp_path / "good.log").write_text(line())
    (tmp_path / "odd.log").write_text("no log at all\n")

    with pytest.raises(NothingUsableError, match=r"missing\.log"):
        read([tmp_path / "missing.log"])
    log = read([tmp_path / "good.log", tmp_path / "missing.log", tmp_path / "odd.log"])
    assert [bool(entry.problem) for entry in log.inputs] == [False, True, True]
    assert log.requests.num_rows == 1


@pytest.mark.parametrize(
    ("data", "blank", "comments"),
    [
        (b"", 0, 0),
        (b"\n  \n", 2, 0),
        (b"#Version: 1.0\n#Date: 2026-11-01\n\n", 1, 2),
        (b"#Version: 1.0\n#Fields: date time c-ip cs-method\n", 0, 2),
    ],
    ids=["empty", "blank", "header without fields", "header only"],
)
def test_input_without_a_record_is_counted_and_no_error(log, data, blank, comments):
    entry = log(data).inputs[0]

    assert (entry.blank, entry.comments, entry.requests, entry.problem) == (blank, comments, 0, None)


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("a.example 192.0.2.7 - - [01/Nov/2026", "user", "not in the format combined"),
        (line(time="31/Apr/2026:10:15:00 +0000"), "time", "no such instant"),
        (line().replace(" 200 ", " "), "bytes", "not in the format combined"),
        (line()[:55], "request", "not in the format combined"),
    ],
)
def test_reject_names_the_field_where_reading_stops(log, text, field, reason):
    (reject,) = log(text.rstrip() + "\n", "combined").rejects.to_pylist()

    assert (reject["field"], reject["reason"]) == (field, reason)


def test_fields_line_changes_the_columns_in_mid_file(log):
    data = (
        "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n"
        "2026-11-01 10:15:00 192.0.2.7 GET /a 200\n"
        "#Fields: time date cs-uri-stem cs-method c-ip sc-status time-taken\n"
        "10:15:01 2026-11-01 /b GET 192.0.2.8 404 15\n"
    )
    log = log(data)

    assert log.requests.select(["line", "client_ip", "target", "status"]).to_pylist() == [
        {"line": 3, "client_ip": "192.0.2.7", "target": "/a", "status": 200},
        {"line": 5, "client_ip": "192.0.2.8", "target": "/b", "status": 404},
    ]
    assert (log.inputs[0].comments, log.inputs[0].format) == (3, "w3c")


@pytest.mark.parametrize(
    "head",
    [
        "#Version: 1.0\n#Date: 2026-11-01 10:15:00\n#Fields: time c-ip cs-method cs-uri-stem sc-status\n",
        "#Fields: time c-ip cs-method cs-uri-stem sc-status\n#Date: 2026-11-01 10:15:00\n#Software: S\n",
    ],
)
def test_day_that_is_no_column_is_that_of_the_date_line(log, head):
    row = only_row(log(head + "10:15:00 192.0.2.7 GET /a 200\n"))

    assert (row["t"], row["target"]) == (1_793_528_100_000_000, "/a")


def test_accounting_has_the_fields_of_the_report():
    assert [field.name for field in fields(Input)] == list(InputDocument.__annotations__)


def caddy(**more):
    request = {"client_ip": "192.0.2.7", "method": "GET", "uri": "/", "headers": {"User-Agent": ["Bot"]}}
    return {"ts": 1793528100.25, "request": request, "status": 200, "size": 5, "resp_headers": {}} | more


@pytest.mark.parametrize(
    ("usual", "late", "column", "want"),
    [
        (caddy(), caddy(resp_headers={"Retry-After": ["30"]}), "retry_after", "30"),
        (caddy(), caddy(resp_headers={"Retry-After": []}), "retry_after", None),
        (caddy(), caddy(duration=0.5), "request_time_s", 0.5),
        (caddy(), caddy(status="429"), "status", 429),
        (
            {"time_iso8601": "2026-11-01T10:15:00Z", "request_uri": "/"},
            {"time_iso8601": "2026-11-01T10:15:00Z", "request_uri": "/", "sent_http_retry_after": "30"},
            "retry_after",
            "30",
        ),
    ],
)
def test_json_key_that_comes_late_is_read(log, usual, late, column, want):
    rows = log("".join(json.dumps(row) + "\n" for row in [usual] * 200 + [late])).requests[column].to_pylist()

    assert (len(rows), rows[-1]) == (201, want)


def test_json_lines_that_do_not_fit_the_first_ones_are_read_all_the_same(log):
    rows = [
        {"time_iso8601": "2026-11-01T10:15:00Z", "request_uri": "/1", "status": 200},
        {"time_iso8601": "2026-11-01T10:15:00Z", "request_uri": "/2", "status": "404"},
        {"time_iso8601": "2026-11-01T10:15:00Z", "status": 200},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows) + '{"time_iso8601":NaN}\n' + "[" * 5000 + "\n"
    log = log(text)

    assert log.requests.select(["target", "status"]).to_pylist() == [
        {"target": "/1", "status": 200},
        {"target": "/2", "status": 404},
    ]
    assert log.rejects["line"].to_pylist() == [3, 4, 5]


@settings(deadline=None, max_examples=60)
@given(data=st.binary(max_size=400), names=st.sampled_from([None, *(form.name for form in FORMATS)]))
def test_any_bytes_are_accounted_for(tmp_path_factory, data, names):
    path = tmp_path_factory.mktemp("any") / "x.log"
    path.write_bytes(data + b"\n" + line().encode())
    try:
        log = read([path], names)
    except (NothingUsableError, UnknownFormatError):  # bytes that begin a compressed stream, or hide the one good line
        return
    entry = log.inputs[0]

    numbers = log.requests["line"].to_pylist() + log.rejects["line"].to_pylist()
    assert len(set(numbers)) == len(numbers) == entry.requests + entry.rejects
    assert entry.lines == entry.requests + entry.rejects + entry.blank + entry.comments
    assert entry.problem is not None or entry.bytes == len(data) + 1 + len(line())


def test_every_log_beside_the_project_is_read_or_told_why_not(shared):
    for path in sorted((shared / "data" / "logs").iterdir()):
        try:
            log = read([path])
        except UnknownFormatError as error:
            assert path.name in str(error)  # noqa: PT017 - several files, one test
        else:
            assert log.inputs[0].requests + log.inputs[0].rejects > 0
