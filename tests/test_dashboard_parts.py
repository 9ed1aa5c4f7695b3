import csv
import gzip
import io
import json
import lzma

import pyarrow.parquet as pq
import pytest
from documents import HOSTILE, course, episode, hostile, refused, site

from loganalyzer.dashboard import frames, uploads
from loganalyzer.dashboard.choice import Choice, choice
from loganalyzer.errors import UsageError

charts = pytest.importorskip("loganalyzer.dashboard.charts", reason="the charts need altair")


def values(spec: dict, layer: int) -> list[dict]:
    part = spec["layer"][layer]
    name = part.get("data", spec.get("data", {})).get("name")
    return spec["datasets"][name] if name else part.get("data", spec.get("data"))["values"]


def test_stacked_bars_add_up_to_the_series():
    series = site()["series"]

    rows = values(charts.over_time(series).to_dict(), 0)

    assert sum(row["requests"] for row in rows) == sum(map(sum, series["purposes"].values()))
    assert all(row["above"] - row["below"] == row["requests"] for row in rows)


def test_refusals_are_marked_where_they_were():
    marks = values(charts.over_time(site()["series"]).to_dict(), 1)

    assert [(mark["when"], mark["refusals"]) for mark in marks] == [
        ("2026-11-02 10:00:00", 310),
        ("2026-11-03 17:00:00", 7),
        ("2026-11-03 18:00:00", 7),
    ]


def test_timeline_shows_the_worst_first_and_early_by_shape():
    spec = charts.timeline([episode(), episode(verdict="ignored", early=3, first_return_s=2.0)]).to_dict()

    assert [(row["verdict"], row["came"]) for row in values(spec, 0)] == [
        ("ignored", "early"),
        ("honoured", "after the wait"),
    ]


def test_a_return_much_later_is_set_at_the_edge_and_keeps_its_number():
    (row,) = values(charts.timeline([episode(asked_s=60.0, first_return_s=90_000.0)]).to_dict(), 0)

    assert (row["shown"], row["return"]) == (180.0, 90_000.0)


@pytest.mark.parametrize("draw", [lambda d: charts.over_time(d["series"]), lambda d: charts.timeline([])])
def test_charts_of_hostile_or_no_data_are_drawn(draw):
    assert draw(hostile()).to_dict()["layer"]


def test_history_strip_has_each_version_and_each_run_of_answers():
    document = site()

    rows = values(charts.strip(document).to_dict(), 0)

    names = [version["name"].rpartition("/")[2] for version in document["robots_versions"]]
    assert [row["words"] for row in rows if row["kind"] == "in force"] == names
    told = [answer for answer in document["robots_answers"] if answer["client"] is None]
    assert [(row["start"], row["requests"]) for row in rows if row["kind"] != "in force"] == [
        (answer["first"], answer["requests"]) for answer in told
    ]
    assert {row["kind"] for row in rows} <= set(charts.KINDS)


def test_history_strip_ends_each_version_where_the_next_of_its_host_begins():
    document = site()
    rows = [row for row in values(charts.strip(document).to_dict(), 0) if row["kind"] == "in force"]

    assert [row["end"] for row in rows] == [
        *(version["in_force_from"] for version in document["robots_versions"][1:]),
        document["totals"]["last"],
    ]


def test_gaps_are_named_by_the_longest_that_each_bar_counts():
    rows = next(iter(charts.gaps(course()["gaps"]).to_dict()["datasets"].values()))

    assert [(row["gap"], row["gaps"]) for row in rows] == [("0 s", 0), ("to 1 s", 2), ("to 2 s", 0), ("over 2 s", 1)]


@pytest.mark.parametrize(
    "chart",
    [
        lambda: charts.over_time(hostile()["series"]),
        lambda: charts.strip(hostile()),
        lambda: charts.course(HOSTILE[0], course()),
    ],
    ids=["over time", "strip", "course"],
)
def test_log_text_is_a_value_never_a_field_or_an_expression(chart):
    spec = chart().to_dict()

    fields = [
        channel["field"]
        for layer in spec["layer"]
        for channels in layer["encoding"].values()
        for channel in (channels if isinstance(channels, list) else [channels])
        if "field" in channel
    ]
    assert set(fields) <= {"start", "end", "middle", "below", "above", "purpose", "when", "requests", "refusals"} | {
        *("row", "words", "shown", "kind", "shade", "from", "to"),
    }
    transforms = [layer.pop("transform") for layer in spec["layer"] if "transform" in layer]
    assert transforms in ([], [[{"calculate": charts.FITTING, "as": "shown"}]])  # the same, whatever the text
    assert "transform" not in str(spec["layer"])
    assert "expr" not in str(spec["layer"])


FRAMES = [frames.costs, frames.levers, frames.findings, frames.versions, frames.answers, frames.inputs, frames.rejects]
FRAMES += [frames.accounting, frames.formats, frames.remarks, frames.rejected]
OF_CLIENTS = [frames.clients, frames.rules, frames.refused]


@pytest.mark.parametrize(
    "make", [*FRAMES, *OF_CLIENTS, frames.etiquette, frames.limited], ids=lambda make: make.__name__
)
def test_no_cell_of_a_grid_is_a_formula(make):
    document = hostile()
    limited = [refused(name, 9, 4) for name in HOSTILE]
    of = {frames.etiquette: document["clients"][0], frames.limited: limited} | dict.fromkeys(
        OF_CLIENTS, document["clients"]
    )

    table = make(of.get(make, document))

    cells = [value for column in table.columns for value in column.to_pylist() if isinstance(value, str)]
    assert table.num_rows > 0
    assert [cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))] == []
    assert [cell for cell in cells if "\x1b" in cell or "\u202e" in cell or "\n" in cell] == []


def test_a_table_is_saved_whole_and_read_back():
    table = frames.clients(hostile()["clients"])

    rows = list(csv.DictReader(io.StringIO(frames.to_csv(table).decode(), newline="")))

    assert [row["client"] for row in rows] == table["client"].to_pylist()
    assert [int(row["requests"]) for row in rows] == table["requests"].to_pylist()


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ([], Choice()),
        (["a.log", "b.log"], Choice(("a.log", "b.log"))),
        (["--ranges", "lists", "--mmdb=a", "--mmdb=b", "a"], Choice(("a",), ranges="lists", mmdb=("a", "b"))),
        (["--robots", "r.txt", "--robots=h=s.txt", "a.log"], Choice(("a.log",), ("r.txt", "h=s.txt"))),
        (["--log-format", "x", "--limit-key=token", "--", "-a.log"], Choice(("-a.log",), (), "x", "token")),
    ],
)
def test_arguments_are_those_of_the_report(arguments, chosen):
    assert choice(arguments) == chosen


def test_standard_input_cannot_be_looked_at_twice():
    with pytest.raises(UsageError, match="save the log to a file"):
        choice(["access.log", "-"])


@pytest.mark.parametrize("arguments", [["--nothing"], ["--limit-key", "colour"], ["--robots"], ["--help"]])
def test_wrong_arguments_are_an_error_not_an_end(arguments):
    with pytest.raises(UsageError, match="usage"):
        choice(arguments)


LINE = b'192.0.2.7 - - [01/Nov/2026:07:28:29 +0000] "GET / HTTP/1.1" 200 1 "-" "ExampleBot/1.0"\n'


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (LINE, "text"),
        ("häßlich 日本\n".encode(), "text"),
        (b"\x1b[31m coloured\n" * 9, "text"),
        (gzip.compress(LINE), "gzip"),
        (lzma.compress(LINE), "xz"),
        (b"BZh91AY", "bzip2"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd"),
    ],
)
def test_an_upload_is_known_by_its_content(head, kind):
    assert uploads.kind(head) == kind


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"", "empty"),
        (b"PK\x03\x04\x14\x00", "archives are not read"),
        (b"a" * 257 + b"ustar\x00", "archives are not read"),
        (b"MZ\x90\x00\x03\x00\x00\x00\x04\x00", "no text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "no text"),
        (bytes(range(256)) * 9, "no text"),
    ],
)
def test_what_is_no_log_is_refused_with_the_reason(head, why):
    with pytest.raises(UsageError, match=why):
        uploads.kind(head)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("access.log", "access.log"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\x.log", "x.log"),
        ("-rf", "rf"),
        ("$(touch x).log", "__touch_x_.log"),
        ("<img src=x>", "_img_src_x_"),
        ("...", "upload.log"),
        ("a" * 300 + ".log.gz", "a" * 93 + ".log.gz"),
    ],
)
def test_the_name_of_an_upload_is_no_path(name, kept):
    upload = uploads.Upload(name, io.BytesIO(LINE))

    assert upload.path.name == kept
    assert str(upload.path).startswith(upload.folder)


def test_an_upload_goes_with_its_session():
    upload = uploads.Upload("access.log", io.BytesIO(LINE))
    path = upload.path

    del upload

    assert not path.exists()


def test_a_bomb_is_stopped_and_a_log_is_not(monkeypatch):
    monkeypatch.setattr(uploads, "SUSPECT", 1 << 20)
    bomb = uploads.Upload("bomb.gz", io.BytesIO(gzip.compress(b"a\n" * (8 << 20))))
    lines = b"".join(LINE.replace(b"GET /", b"GET /%d" % (n * 7919 % 100_003)) for n in range(20_000))
    log = uploads.Upload("log.gz", io.BytesIO(gzip.compress(lines)))

    with pytest.raises(UsageError, match="as no log does"):
        uploads.check(bomb)
    uploads.check(log)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_is_neutral_whatever_the_text(text):
    (cell,) = frames.frame(("a",), [(text,)])["a"].to_pylist()

    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n")


@pytest.mark.parametrize("document", [site(), hostile()], ids=["site", "hostile"])
def test_a_table_is_saved_alike_as_csv_json_and_parquet(document):
    table = frames.clients(document["clients"])

    rows = json.loads(frames.to_json(table))
    assert rows == table.to_pylist()
    assert pq.read_table(io.BytesIO(frames.to_parquet(table))).to_pylist() == rows
    assert [row["client"] for row in csv.DictReader(io.StringIO(frames.to_csv(table).decode(), newline=""))] == [
        row["client"] for row in rows
    ]
    assert frames.to_json(table).decode().replace("\n", "").isprintable()
