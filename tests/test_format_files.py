"""Formats from files: a server's configuration, a format of one's own; and times that name no zone."""

import datetime as dt
import re
from pathlib import Path

import pytest

import loganalyzer as la
from loganalyzer.errors import UsageError
from loganalyzer.formats.choice import given

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/own-format.md").read_text(encoding="utf-8")
CONFIGURATION = r"""
user www-data; # log_format commented '$time_local $request';
http {
    # log_format off '$msec $request';
    log_format  short escape=default
                '$msec $remote_addr "$request" $status;'  # a semicolon in quotes ends nothing
                " {$http_user_agent}";
    server { access_log /var/log/a.log short; log_not_found off; }
    log_format long '$remote_addr [$time_iso8601] "$request" $status $body_bytes_sent "$http_accept"';
    include conf.d/*.conf;
}
"""
SHORT = '1793528100.250 192.0.2.7 "GET /short HTTP/1.1" 200; {ExampleBot/1.2}\n'
LONG = '192.0.2.7 [2026-11-01T10:15:00+00:00] "GET /long HTTP/1.1" 200 5 "text/html"\n'


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return written


def test_each_input_is_read_as_the_format_of_the_configuration_that_fits_it(write):
    conf = write("nginx.conf", CONFIGURATION)
    short, long = write("short.log", SHORT * 3), write("long.log", LONG * 3)

    log = la.read([short, long], log_format=f"@{conf}")

    assert [(item.format, item.requests, item.rejects) for item in log.inputs] == [("short", 3, 0), ("long", 3, 0)]
    assert log.requests["target"].to_pylist() == ["/short"] * 3 + ["/long"] * 3
    assert log.requests["user_agent"].to_pylist()[0] == "ExampleBot/1.2"
    assert log.inputs[0].notes == [
        "read as short",
        f"{conf} holds short, long; included files were not looked into (include conf.d/*.conf)",
    ]


def test_the_one_format_of_a_configuration_is_taken(write):
    conf = write("site.conf", CONFIGURATION.partition("    server")[0])

    log = la.read([write("short.log", SHORT)], log_format=f"@{conf}")

    assert (log.inputs[0].format, log.inputs[0].notes) == ("short", [f"{conf} holds short"])


def test_what_is_no_format_of_requests_is_left_out_of_httpd_conf(write):
    conf = write(
        "httpd.conf",
        'LogFormat "%h %l %u %t \\"%r\\" %>s %b" common\n# LogFormat "%t %r" off\n'
        '  logformat "%{Referer}i -> %U" referer\nInclude conf/extra.conf\n',
    )

    forms, note = given(f"@{conf}")

    assert [form.name for form in forms] == ["common"]
    assert "holds common; left out: LogFormat" in note
    assert "no time is logged" in note
    assert "(conf/extra.conf)" in note


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http { access_log /var/log/a.log; }", "there is no log_format"),
        ("http { log_format bad '$status'; include more.conf; }", "no time is logged"),
        ("log_format main '$time_local", "there is no log_format"),
        (None, "No such file"),
    ],
    ids=["none", "faulty", "unfinished", "missing"],
)
def test_a_configuration_without_a_format_is_a_usage_error(write, tmp_path, text, why):
    conf = write("nginx.conf", text) if text else str(tmp_path / "nginx.conf")

    with pytest.raises(UsageError, match=why) as error:
        given(f"@{conf}")

    assert str(error.value).startswith(conf)


def documented():
    return re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("text", documented(), ids=["text", "json"])
def test_the_format_that_the_documentation_shows_is_read(write, text):
    (form,), _ = given(write("own.toml", text))
    lines = [sample.line for sample in form.samples]

    log = la.read([write("own.log", "".join(f"{line}\n" for line in lines))], log_format=write("own.toml", text))

    assert len(documented()) == 2
    assert (log.requests.num_rows, log.rejects.num_rows) == (
        sum(sample.row is not None for sample in form.samples),
        sum(sample.row is None for sample in form.samples),
    )


OWN = """
name = "shop"
directive = '''log_format shop '$time_local|$remote_addr|"$request"|$status|$request_time';'''
{}
[[samples]]
line = '02/Aug/2026:10:15:00|192.0.2.7|"GET /a HTTP/1.1"|200|250'
row = {{ target = "/a", status = {}{} }}
"""


@pytest.mark.parametrize(
    ("entries", "t"),
    [
        ('duration = "ms"\ntime_is = "start"', 1_785_665_700_000_000),
        ('duration = "ms"', 1_785_665_699_750_000),
        ('duration = "ms"\ntime_is = "start"\nzone = "Europe/Zurich"', 1_785_658_500_000_000),
    ],
    ids=["start", "end, as nginx has it", "in a zone"],
)
def test_unit_zone_and_meaning_of_the_time_are_the_formats_own(write, entries, t):
    (form,), _ = given(write("shop.toml", OWN.format(entries, 200, f", request_time_s = 0.25, t = {t}")))

    assert form.name == "shop"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OWN.format("", 404, ""), r"sample 1: status should be 404, and is 200"),
        (OWN.format("", 200, ', host = "a"'), r"sample 1: host should be 'a', and is not there"),
        (OWN.format("", 200, "").replace("10:15:00|", "10:15:00 "), r"(?s)sample 1 is not read.*\^ shop: "),
        (OWN.format("", 200, "") + "[[samples]]\nline = '" + SHORT.strip() + "'\nrow = {}\n", "sample 2 is not read"),
        (OWN.format("", 200, "").partition("row")[0], "only a format that has been tried"),
        (OWN.format("", 200, ", nonsense = 1"), "there is no column nonsense"),
        (OWN.format('duration = "min"', 200, ""), r'duration = "min": it is one of s, ms, us, ns'),
        (OWN.format('zone = "Mars/Olympus"', 200, ""), "there is no time zone Mars/Olympus"),
        (OWN.format("durations = 1", 200, ""), "there is no entry durations"),
        (OWN.format("name = 1", 200, ""), "Cannot overwrite"),
        ("[keys]\ntime = 'ts'\n", "time, and request or target, are needed"),
        ("[keys]\ntime = 'ts'\ntarget = 1\n", "a key or a list of keys"),
        ("name = 'x'", "give either directive"),
        ("name = ", r"own\.toml: Invalid value"),
    ],
)
def test_a_faulty_format_says_what_is_amiss(write, text, why):
    with pytest.raises(UsageError, match=why) as error:
        given(write("own.toml", text))

    assert "own.toml: " in str(error.value)


BARE = '192.0.2.7 - - [25/Oct/2026:{}] "GET / HTTP/1.1" 200 5\n'


@pytest.mark.parametrize(
    ("clock", "tz", "utc"),
    [
        ("01:59:59", "Europe/Zurich", "2026-10-24T23:59:59"),
        ("02:30:00", "Europe/Zurich", "2026-10-25T00:30:00"),  # shown twice that night: the first
        ("03:00:00", "Europe/Zurich", "2026-10-25T02:00:00"),
        ("03:00:00 +0900", "Europe/Zurich", "2026-10-24T18:00:00"),  # it names its zone
        ("03:00:00", "Asia/Kathmandu", "2026-10-24T21:15:00"),
        ("03:00:00", None, "2026-10-25T03:00:00"),
    ],
)
@pytest.mark.parametrize("quoted", [False, True], ids=["regular", "odd"])
def test_a_time_without_a_zone_is_read_in_the_zone_given(write, clock, tz, utc, quoted):
    line = BARE.format(clock).replace("GET / ", 'GET /\\" ' if quoted else "GET / ")

    log = la.read([write("access.log", line * 2)], log_format="common", tz=tz)

    assert log.requests["time"].to_pylist() == [dt.datetime.fromisoformat(f"{utc}+00:00")] * 2
    assert [note for note in log.inputs[0].notes if "zone" in note] == (
        []
        if "+" in clock
        else [f"its times name no zone and were read {f'in {tz}' if tz else 'as UTC; --tz ZONE reads them in another'}"]
    )


@pytest.mark.parametrize(("fields", "told"), [("date time", False), ("date-local time-local", True)])
def test_times_of_w3c_logs_are_utc_unless_they_are_called_local(write, fields, told):
    text = f"#Fields: {fields} c-ip cs-method cs-uri-stem sc-status\n2026-11-01 10:15:00 192.0.2.7 GET /a 200\n"

    log = la.read([write("ex.log", text)])
    local = la.read([write("ex.log", text)], tz="Etc/GMT-3")

    assert any("zone" in note for note in log.inputs[0].notes) == told
    assert log.requests["t"][0].as_py() - local.requests["t"][0].as_py() == 3 * 3600 * 1_000_000


def test_a_zone_that_does_not_exist_is_a_usage_error(write):
    with pytest.raises(UsageError, match="no time zone Nowhere"):
        la.read([write("access.log", BARE.format("03:00:00"))], tz="Nowhere")
