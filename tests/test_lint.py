"""`loganalyzer lint`: each check by its own samples, the report, and files written to be slow."""

import json
import re
import time
from collections import Counter

import pytest
from click.testing import CliRunner
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.cli import cli
from loganalyzer.robots.lint import CHECKS, LEVELS, Observed, Source, lint, standings
from loganalyzer.robots.lint.keys import meant
from loganalyzer.robots.lint.names import shape
from loganalyzer.robots.lint.names_known import alike


def run(*arguments, stdin=None):
    return CliRunner().invoke(cli, ["lint", *arguments], input=stdin, catch_exceptions=False, standalone_mode=False)


def codes(text, **more):
    data = text if isinstance(text, bytes) else text.encode()
    return [finding.code for finding in lint(Source(data, **more))]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_a_check_finds_its_bad_sample_and_passes_its_good_one(check):
    found = list(check.findings(check.sample(bad=True)))

    assert found
    assert list(check.findings(check.sample(bad=False))) == []
    for finding in found:
        assert "{" not in finding.says
        assert finding.line >= 1
        assert finding.column <= len(finding.text) + 1


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_what_is_to_be_pasted_mends_the_bad_sample(check):
    if check.number in {18, 44}:
        pytest.skip("what is pasted depends on what is meant")
    source = check.sample(bad=True)
    for finding in list(check.findings(source))[:1]:
        if finding.instead is None:
            continue
        lines = [line.text for line in source.lines]
        lines[finding.line - 1] = finding.instead
        mended = Source("\n".join(lines).encode(), observed=source.observed)

        assert finding.line not in {f.line for f in check.findings(mended)}


def test_numbers_and_codes_are_complete_and_unique():
    assert [check.number for check in CHECKS] == list(range(1, 71))
    assert len({check.code for check in CHECKS}) == 70
    assert {check.level for check in CHECKS} == set(LEVELS)
    assert all(check.source and check.title for check in CHECKS)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        pytest.param(
            "User-agent: rake\nDisallow: /tmp\n\nUser-agent: *\nDisallow: /\n", "own-group-escapes-star", id="let_in"
        ),
        pytest.param("User-agent: *\nDisallow:\n", "empty-disallow", id="usual_way_to_allow_all"),
        pytest.param("User-agent: rake\nUser-agent: *\nDisallow: /x\n", "group-not-closed", id="names_on_top"),
        pytest.param("User-agent: *\nAllow: /help/\nDisallow: /help/*/ask\n", "length-decides", id="narrower"),
        pytest.param("User-agent: *\nDisallow: /*.git$\n", "hides-nothing", id="clone_addresses"),
        pytest.param("User-agent: *\nDisallow: /a # why\n", "hash-in-path", id="comment"),
        pytest.param("User-agent: Yandex\nDisallow: /\n", "look-alike-token", id="fall_back_name"),
        pytest.param("User-agent: SemrushBot-XY\nDisallow: /\n", "look-alike-token", id="of_a_family"),
        pytest.param("User-agent: GPTBot\nDisallow: /\n", "look-alike-token", id="known"),
        pytest.param("User-agent: *\nDisallow: /a\nAllow: /*.x\nDisallow: /a/bc\n", "changes-nothing", id="needed"),
        pytest.param("<!doctype html>\n<p>Disallow /x\n", "missing-colon", id="a_web_page_is_told_once"),
        pytest.param("User-agent: *\n# Noindex: /x\nDisallow: /\n", "indexing-in-robots", id="in_a_comment"),
    ],
)  # fmt: skip
def test_no_false_alarm(text, absent):
    assert absent not in codes(text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("*", None),
        ("rake_Bot-X", None),
        ("Mozilla/5.0 (a; b)", "header"),
        ("Rake (a, b)", "space"),
        ("rake,hoe", "several"),
        ("rake*", "wildcard"),
        ("rake/2", "version"),
        ("2rake", "digit-first"),
        ("rake.x2", "dot"),
        ("rak3", "digits"),
    ],
)
def test_one_name_is_one_finding(name, kind):
    assert shape(name) == kind


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("disalow", "disallow"),
        ("dsiallow", "disallow"),
        ("user agent", "user-agent"),
        ("user-agents", "user-agent"),
        ("site-map", "sitemap"),
        ("alow", "allow"),
        ("disallow", None),
        ("host", None),
        ("noindex", None),
    ],
)
def test_misspelt_keys(key, known):
    assert meant(key) == known


@pytest.mark.parametrize(
    ("name", "first"),
    [("Chat-GPT", "ChatGPT-User"), ("GPTBott", "GPTBot"), ("Open-AI", "GPTBot"), ("rakebot", None), ("gptbot", None)],
)
def test_names_that_look_like_known_ones(name, first):
    near = alike(name, Source(b"").registry)

    assert (near[0] if near else None) == first


ORCHARD = b"""\
User-agent: *
Disallow: /shed/
Disallow: /*?pick=

User-agent: rake
Disallow: /shed/

User-agent: hoe
Disallow: /
"""


def test_what_a_file_means_for_each_name():
    found = {one.name: one for one in standings(Source(ORCHARD), ["Applebot"])}

    assert [*found] == ["*", "rake", "hoe", "Applebot"]
    assert (found["rake"].may_fetch_root, found["rake"].escapes, found["rake"].of) == (True, 1, 2)
    assert (found["hoe"].may_fetch_root, found["hoe"].line, found["hoe"].escapes) == (False, 9, 0)
    assert found["Applebot"].group == "*"


def test_a_token_is_looked_up_with_its_fall_backs():
    data = b"User-agent: Googlebot\nDisallow: /\n"

    assert not next(one for one in standings(Source(data), ["Applebot"]) if one.name == "Applebot").may_fetch_root


def test_a_log_shows_what_a_file_cannot():
    answers = [("/robots.txt", 403), ("/robots.txt?x", 403), ("/Robots.txt", 200), ("/shed/1", 302), ("/house", 302)]
    found = {f.code: f for f in lint(Source(ORCHARD, observed=Observed.made_of(answers)))}

    assert "403 (requests: 2): that allows everything" in found["status"].says
    assert "/Robots.txt served" in found["wrong-place"].says
    assert (found["unseen-redirect"].line, "/shed/1" in found["unseen-redirect"].says) == (2, True)
    assert "/house" not in found["unseen-redirect"].says


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: shed\n")
    return str(path)


def test_the_text_has_a_caret_under_the_fault_and_a_line_to_paste(file):
    lines = run(file).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "[no-leading-slash]" in line)

    assert lines[at].startswith(f"{file}:2:11: error ")
    assert lines[at + 1 : at + 3] == ["     2 | Disallow: shed", "       |           ^^^^"]
    assert "RFC 9309 section 2.2" in lines[at + 4]
    assert lines[at + 5 : at + 7] == ["  Instead:", "    Disallow: /shed"]
    assert "\x1b" not in "".join(lines)
    assert lines[-1].endswith("not looked at without --log: status, wrong-place, unseen-redirect")


def test_colour_is_asked_for(file):
    assert "\x1b[" in run(file, "--color", "always").stdout


def test_the_caret_stands_under_the_fault_whatever_is_before_it(tmp_path):
    path = tmp_path / "r"
    path.write_text("User-agent: *\nDisallow:\t/日本 x\u202e/" + "y" * 300 + " z\n")
    text = run(str(path), "--all").stdout
    assert "\u202e" not in text
    assert "\t" not in text
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if "[space-in-path]" in line)
    shown, carets = lines[at + 1 : at + 3]
    assert "Disallow:\\x09/日本 x\\u202e" in shown
    assert carets.index("^") == shown.index(" x") + 2  # two letters of double width stand before it


def test_json_has_stable_codes_and_every_finding(file):
    document = json.loads(run(file, "--json", "--tokens", "GPTBot, rake").stdout)
    (one,) = document["files"]

    assert document["schema_version"] == 1
    assert [*one["counts"]] == ["error", "warning", "info"]
    assert sum(one["counts"].values()) == len(one["findings"])
    finding = next(f for f in one["findings"] if f["code"] == "no-leading-slash")
    assert (finding["line"], finding["column"], finding["length"], finding["number"]) == (2, 11, 4, 21)
    assert finding["instead"] == "Disallow: /shed"
    assert [name["name"] for name in one["names"]] == ["*", "GPTBot", "rake"]
    assert one["checks_without_log"] == ["status", "wrong-place", "unseen-redirect"]


@pytest.mark.parametrize(
    ("text", "level", "status"),
    [
        ("User-agent: *\nDisallow: shed\n", "error", 10),
        ("User-agent: *\nDisallow: /shed*\n", "error", 0),
        ("User-agent: *\nDisallow: /shed*\n", "warning", 10),
        ("User-agent: *\nDisallow:\n", "info", 0),
        ("", "info", 10),
    ],
)
def test_fail_on(tmp_path, text, level, status):
    (tmp_path / "robots.txt").write_text(text)

    assert run(str(tmp_path / "robots.txt"), "--fail-on", level).return_value == status
    assert run(str(tmp_path / "robots.txt")).return_value == 0


def test_stdin_is_a_file_too():
    assert "-:2:11: error" in run("-", stdin="User-agent: *\nDisallow: x\n").stdout


def test_one_missing_of_two_is_said_and_the_other_is_looked_at(file):
    done = run(file, f"{file}.missing")

    assert done.return_value == 3
    assert "no-leading-slash" in done.stdout
    assert f"{file}.missing: No such file" in done.stderr


def test_a_log_is_looked_at(file, tmp_path):
    log = tmp_path / "access.log"
    line = '192.0.2.1 - - [02/Nov/2026:10:00:00 +0000] "GET {} HTTP/1.1" {} 10 "-" "RakeBot/1.0"\n'
    log.write_text(line.format("/robots.txt", 503) + line.format("/a/robots.txt", 200))

    text = run(file, "--log", str(log)).stdout

    assert "/robots.txt answered 503 (requests: 1)" in text
    assert "/a/robots.txt served" in text
    assert "without --log" not in text


def test_many_of_a_kind_are_counted_and_all_are_there_for_the_asking(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\n" + "".join(f"Disallow: p{number}\n" for number in range(9)))

    assert Counter(run(str(path)).stdout.split())["[no-leading-slash]"] == 3
    assert "6 more of no-leading-slash, lines 5-10" in run(str(path)).stdout
    assert Counter(run(str(path), "--all").stdout.split())["[no-leading-slash]"] == 9


PIECES = st.sampled_from(
    [b"User-agent:", b"Disallow:", b"Allow: ", b"Sitemap:", b"*", b"/", b"/a", b"$", b"#", b" ", b"\t", b"\n", b"\n",
     b"\r", b"\0", b"\xff", "é".encode(), b"bot", b"2", b"%2f", b"%", b"{value}", b"//", b"..", b"?x=", b":",
     b"\xef\xbb\xbf"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_any_octets_are_looked_at_and_every_column_is_on_its_line(data):
    source = Source(data)

    for finding in lint(source):
        assert 1 <= finding.line <= len(source.lines)
        assert 1 <= finding.column <= len(finding.text) + 1
    standings(source)


def test_every_file_of_the_corpus_is_looked_at(shared):
    files = [path for path in sorted((shared / "data" / "robots").iterdir()) if path.suffix == ".txt"]
    found = Counter(finding.code for path in files for finding in lint(Source(path.read_bytes())))

    assert len(files) > 100
    assert len(found) > 45


HOSTILE = {
    "rules": lambda n: b"User-agent: *\n" + b"".join(b"Disallow: /a%d/b\n" % i for i in range(n // 20)),
    "blanks": lambda n: b"User-agent: *\nDisallow: /" + b" " * n + b"x\n",
    "stars": lambda n: b"User-agent: *\nDisallow: /" + b"*" * n + b"x\n",
    "brackets": lambda n: b"User-agent: *\nDisallow: /" + b"[-(" * (n // 3) + b"\n",
    "slashes": lambda n: b"User-agent: *\nDisallow: " + b"/." * (n // 2) + b"\n",
    "groups": lambda n: b"".join(b"User-agent: b%da\nDisallow: /%d\n" % (i, i) for i in range(n // 30)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_work_grows_with_the_file_and_no_faster(kind):
    def seconds(octets):
        data, taken = HOSTILE[kind](octets), []
        for _ in range(3):
            begin = time.process_time()
            lint(Source(data))
            taken.append(time.process_time() - begin)
        return min(taken)

    lint(Source(HOSTILE[kind](1000)))  # what is made once

    assert seconds(120_000) <= 24 * max(seconds(15_000), 0.002)  # 8 times the octets, with room for the machine


def test_the_page_lists_every_check():
    text = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
    rows = set()
    for check in CHECKS:
        number = f"{check.number}{'¹' if check.needs_log else ''}"
        rows.add(f"| {number} | `{check.code}` | {check.level} | {check.title} | {check.source} |")

    assert {line for line in text.splitlines() if re.match(r"\| \d+¹? \| `", line)} == rows
