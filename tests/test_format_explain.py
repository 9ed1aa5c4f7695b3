"""`loganalyzer formats`: the table is the declarations', and a caret stands where a line leaves a format."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loganalyzer as la
from loganalyzer.errors import UnknownFormatError
from loganalyzer.escape import terminal
from loganalyzer.formats import FORMATS
from loganalyzer.formats.explain import caret, trials
from loganalyzer.reports import formats as texts
from loganalyzer.schema import REQUEST

GOOD = '192.0.2.7 - - [01/Nov/2026:10:15:00 +0000] "GET /page HTTP/1.1" 200 512 "-" "ExampleBot/1.2"'


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_format_fills_what_it_says_it_fills(form):
    filled = {
        name
        for sample in form.samples
        if sample.row is not None
        for trial in trials(sample.line.encode(), [form])
        for name in trial.row
    }

    assert filled <= set(form.fills)
    assert {"target"} <= set(form.fills) <= set(REQUEST.names)
    assert {"time", "t"} <= set(form.fills) or form.name.endswith("undated")


def test_the_table_holds_every_format_and_its_columns():
    rows = json.loads(texts.table(as_json=True))

    assert [row["format"] for row in rows] == [form.name for form in FORMATS]
    assert "retry_after" in next(row for row in rows if row["format"] == "loganalyzer")["fills"]
    written = texts.table(as_json=False)
    assert all(f"{form.name}: {form.title}" in written for form in FORMATS)


@pytest.mark.parametrize(
    ("name", "zone", "said"),
    [
        ("haproxy", "UTC unless --tz", "the start of a request, in UTC unless --tz says otherwise\n"),
        ("combined", "logged", "the start of a request\n"),
        ("undated", None, "not logged\n"),
    ],
)
def test_the_table_says_in_which_zone_times_are_read(name, zone, said):
    (item,) = [item for item in json.loads(texts.table(as_json=True)) if item["format"] == name]
    (line,) = [line for line in texts.table(as_json=False).splitlines(keepends=True) if line.startswith(f"{name}: ")]

    assert item["zone"] == zone
    assert line.endswith(f"its time is {said}")


@pytest.mark.parametrize(
    ("broken", "rest", "name", "reason"),
    [
        (GOOD.replace("[01", "01"), "01/Nov", "combined", "' [' is expected after the user"),
        (GOOD.replace("0000]", "0000"), "", "combined", """'] "' is expected after the time"""),
        (GOOD.replace("01/Nov", "31/Nov"), "31/Nov", "combined", "the time is no such instant"),
        (GOOD[:-1].replace('"-"', '"-'), '- "Example', "combined", "is expected after the referer"),
        (GOOD[: GOOD.index(' "-"')] + " x", "x", "common_numbered", "where a number is expected"),
        (GOOD[: GOOD.index(' "-"')] + " 7 8", " 7 8", "common", "the end of the line is expected"),
        ('{"time_iso8601":"2026-11-01T10:15:00Z","request":', "", "json", "not a JSON object"),
        ('{"time_iso8601":"2026-11-01T10:15:00Z","level":"info"}', "", "json", "no request in it"),
    ],
    ids=[
        "no bracket",
        "no closing bracket",
        "no such day",
        "open quote",
        "no number",
        "more",
        "broken JSON",
        "another program's JSON",
    ],
)
def test_a_caret_stands_where_the_nearest_formats_stop(broken, rest, name, reason):
    found = trials(broken.encode(), FORMATS)

    (near,) = [trial for trial in found if trial.format == name]
    assert near.row is None
    assert reason in near.reason
    assert broken[near.at :].startswith(rest)
    assert (rest != "") or near.at == len(broken)
    shown, below = caret(broken.encode(), near).split("\n")
    assert shown[below.index("^") :] == broken[near.at :][:40]


def test_a_line_that_is_read_shows_what_it_says_and_who_else_reads_it():
    shown = texts.explanation(GOOD.encode(), FORMATS, as_json=False)

    assert shown.startswith("combined reads this line:\n")
    assert "user_agent        ExampleBot/1.2" in shown
    assert json.loads(texts.explanation(GOOD.encode(), FORMATS, as_json=True))[0]["row"]["status"] == 200


def test_a_file_that_no_format_reads_is_explained_alike(tmp_path):
    (tmp_path / "access.log").write_text(GOOD.replace("[01", "01") + "\n")

    with pytest.raises(UnknownFormatError, match=r"\^ combined: reading stops here, where ' \[' is expected"):
        la.read([tmp_path / "access.log"])


@settings(max_examples=15)
@given(st.binary(max_size=300).filter(lambda data: b"\n" not in data))
def test_any_bytes_at_all_are_explained(line):
    for trial in trials(line, FORMATS):
        assert 0 <= trial.at <= len(line)
        assert (trial.reason is None) == (trial.row is not None)
    shown = texts.explanation(line, FORMATS, as_json=False)
    assert shown == terminal(shown)
