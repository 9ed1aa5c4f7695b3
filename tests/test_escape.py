import csv
import io
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.escape import code, csv_cell, inline, json_text, markdown, terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 5 €, Zoë, 日本", "plain text, 5 €, Zoë, 日本"),
        ("two\nlines", "two\nlines"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]8;;http://a.example\x07link", r"\x1b]8;;http://a.example\x07link"),
        ("bell\x07 tab\t back\x08 return\r", r"bell\x07 tab\x09 back\x08 return\x0d"),
        ("nul\x00 del\x7f", r"nul\x00 del\x7f"),
        ("c1 \x9b31m", r"c1 \x9b31m"),
        ("ab\u202egnp.exe", r"ab\u202egnp.exe"),
        ("\u2066isolate\u2069", r"\u2066isolate\u2069"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("mark\u061c soft\xad", r"mark\u061c soft\xad"),
        ("lone \ud800", r"lone \ud800"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("line\u2028separator", r"line\u2028separator"),
    ],
)
def test_what_steers_or_hides_is_written_out(text, shown):
    assert terminal(text) == shown


def test_inline_text_stays_on_its_line():
    assert inline("a\nb\x1b") == r"a\x0ab\x1b"


@given(st.text(st.characters()))
def test_terminal_text_has_no_control_or_direction_left(text):
    shown = terminal(text)

    assert {unicodedata.category(mark) for mark in shown.replace("\n", "")} & {"Cc", "Cs", "Zl", "Zp"} == set()
    assert not {"\u202e", "\u2066", "\u200f", "\ufeff"} & set(shown)
    assert inline(text) == shown.replace("\n", r"\x0a")
    shown.encode()


@given(st.text(st.characters()))
def test_escaping_twice_changes_nothing(text):
    assert terminal(terminal(text)) == terminal(text)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("GPTBot", "GPTBot"),
        ("a=b", "a=b"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", r"'\x09=1"),
        ("\rx", r"'\x0dx"),
        ("＝1+1", "'＝1+1"),
        ("－1", "'－1"),
        ('"=1+1', "'\"=1+1"),
        ("  =1+1", "'  =1+1"),
        (" plain", " plain"),
        ("'quoted'", "'quoted'"),
        ("a\nb", r"a\x0ab"),
    ],
)
def test_a_cell_is_never_a_formula(text, cell):
    assert csv_cell(text) == cell


@given(st.text())
def test_a_cell_survives_a_csv_file_as_one_cell(text):
    file = io.StringIO()
    csv.writer(file).writerow([csv_cell(text), "next"])

    (row,) = csv.reader(io.StringIO(file.getvalue()))

    assert row == [csv_cell(text), "next"]
    assert row[0][:1] not in set("=+-@＝＋－＠\t\r\n") - {""}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("kept 12 of 12 waits, 5 % early.", "kept 12 of 12 waits, 5 % early."),
        ("a user-triggered fetcher (2 of 3)", "a user-triggered fetcher (2 of 3)"),
        ("![x](http://a.example/b.png)", "`![x](http://a.example/b.png)`"),
        ("see http://a.example now", "see `http://a.example` now"),
        ("www.a.example", "`www.a.example`"),
        ("me@a.example", "`me@a.example`"),
        ("<b>bold</b>", "`<b>bold</b>`"),
        ("a|b", r"`a\x7cb`"),
        ("`tick`", r"`\x60tick\x60`"),
        ("*bold* _it_ $x$ :red[x] #1 &amp;", "`*bold*` `_it_` `$x$` `:red[x]` `#1` `&amp`;"),
        ("- item", "`-` item"),
        ("1. item", "`1.` item"),
        ("in 2026. Then", "in 2026. Then"),
        ("20.4/min, 9/9", "20.4/min, 9/9"),
        ("as (see a.example) and f(x.y) say", "as (see `a.example`) and `f(x.y)` say"),
        ("(at a.example).", "(at `a.example`)."),
        ("kept robots.txt, mostly", "kept robots.txt, mostly"),
        ("kept access.log, mostly", "kept `access.log`, mostly"),
        ("... !", "`...` `!`"),
        ("two\n\n# lines", r"`two\x0a\x0a#` lines"),
    ],
)
def test_prose_is_inert_in_markdown(text, written):
    assert markdown(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Bot/1.0 (+http://a.example)", "`Bot/1.0 (+http://a.example)`"),
        ("a | `b`", r"`a \x7c \x60b\x60`"),
        ("", "` `"),
        ("line\nbreak", r"`line\x0abreak`"),
    ],
)
def test_a_value_is_one_code_span(text, written):
    assert code(text) == written


@given(st.text(st.characters()))
def test_every_mark_of_markdown_stands_in_a_code_span(text):
    outside = "".join(markdown(text).split("`")[::2])

    assert markdown(text).count("`") % 2 == 0
    assert not set("[]<>*_&$#|\\@~\n") & set(outside)


def fastest(call, text, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        call(text)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize("escaped", [terminal, inline, csv_cell, code, markdown, json_text])
@pytest.mark.parametrize("unit", ["a", "a-", "\x1b", " =", "1.", "`", "a b", "(", "'\""])
def test_time_grows_with_the_text_and_not_with_its_square(escaped, unit):
    small, large = (f"{unit * (size // len(unit))}_" for size in (1 << 13, 1 << 17))

    assert fastest(escaped, large) <= 100 * fastest(escaped, small)  # 16 times the text; its square would be 256 times
