import json
import re
import shlex

import pytest
from documents import HOSTILE, backoff, crowd, hostile, site
from documents import client as client_of
from markdown_it import MarkdownIt
from rich.cells import cell_len

from loganalyzer.escape import inline
from loganalyzer.reports import RENDERERS, facts, wording
from loganalyzer.reports.blocks import command_lines
from loganalyzer.reports.definitions import REASONS
from loganalyzer.reports.layout import fit, pad, plain, wrap
from loganalyzer.reports.markdown import fenced
from loganalyzer.robots.replay import OUTCOMES

UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
SITES = pytest.mark.parametrize("document", [site(), hostile(), crowd()], ids=["site", "hostile", "crowd"])


def text(document, **options):
    return RENDERERS["text"](document, **options)


@SITES
@pytest.mark.parametrize("width", [40, 52, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(document, width):
    assert max(cell_len(line) for line in text(document, width=width, full=True).splitlines()) <= width


@SITES
def test_first_screen_fits_forty_lines(document):
    document = {**document, "inputs": document["inputs"] * 5}

    assert len(text(document).splitlines()) <= 40


def test_first_screen_answers_who_how_many_how_fast_who_broke_what_and_what_to_do():
    screen = text(site())

    assert "1-3 Nov 2026 UTC" in screen.replace("\n", " ")
    assert "Automated clients made 62 % of requests and 75 % of bytes; 1 of 7 broke" in screen
    assert re.search(r"^GreedyBot +ai-training +30,113 +25\.1 % +3 +violated 4,812 +ignored 9/9$", screen, re.MULTILINE)
    assert "refuse the token (saves 40.6 % of bytes)" in screen
    assert "cut short" in screen


def test_each_finding_carries_the_command_that_lists_its_lines():
    full = text(site(), full=True).replace(" \\\n ", "")

    assert all(found["evidence"] in full for found in site()["findings"])


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_command_pasted_from_the_screen_is_the_command(width):
    command = "loganalyzer lines 'my log' access.log.1.gz --robots 'host=it'\"'\"'s.txt' --client 'A B' --early"

    pasted = plain(command_lines(command, width))

    assert max(map(cell_len, pasted.splitlines())) <= width
    assert shlex.split(pasted.replace("\\\n", "")) == shlex.split(command)


def test_clients_with_the_worst_findings_get_their_lever_first():
    document = site()
    for client in document["clients"]:
        client["lever"] = {
            **client["lever"],
            "lever": "write",
            "saves_bytes": 0 if client["client"] == "GreedyBot" else 9,
        }

    assert [client["client"] for client in wording.levers_to_try(document, 1)] == ["GreedyBot"]


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("cut short", "a.log: cut short"),
        ("a.log: no known format reads this\n  ^ here", "a.log: no known format reads this"),
    ],
)
def test_a_problem_is_told_in_one_line_with_its_input(problem, told):
    assert wording.problem({**site()["inputs"][0], "source": "a.log", "problem": problem}) == told


def test_levers_stand_mildest_first():
    screen = text(site())

    assert screen.index("a robots.txt line") < screen.index("answer 429") < screen.index("refuse the token")


def test_clients_beyond_the_first_are_added_up():
    rest = [c for c in crowd()["clients"] if c["automated"]][8:]

    assert f"and {len(rest)} more with {wording.share(sum(c['request_share'] for c in rest))}" in text(crowd())


def test_a_log_without_robots_txt_or_refusals_is_not_said_to_be_kept():
    document = site() | {"robots_versions": []}
    for client in document["clients"]:
        client["backoff"]["refusals"] = 0

    assert "no robots.txt was given to judge them by, none was answered 429" in text(document).replace("\n", " ")


@SITES
@pytest.mark.parametrize("name", [name for name in RENDERERS if name != "json"])
def test_nothing_that_steers_or_hides_is_printed(document, name):
    assert UNSEEN.findall(RENDERERS[name](document)) == []


def test_colour_adds_only_colour_and_hostile_text_is_no_markup(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = text(hostile(), colour=True, full=True)

    codes = set(re.findall(r"\x1b[^m]*m", coloured))
    plain_again = "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines())
    assert codes <= {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m"}
    assert plain_again == text(hostile(), full=True).rstrip("\n")


def test_no_color_leaves_the_colours_out(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    assert "31" not in "".join(re.findall(r"\x1b\[[0-9;]*m", text(site(), colour=True)))


def test_markdown_holds_no_link_picture_or_html_of_a_stranger():
    parsed = MarkdownIt("commonmark").enable("table").parse(RENDERERS["markdown"](hostile()))

    kinds = {token.type for block in parsed for token in [block, *(block.children or [])]}
    assert kinds & {"link_open", "image", "html_inline", "html_block", "ordered_list_open", "hr"} == set()
    assert [block.tag for block in parsed if block.type == "heading_open"].count("h1") == 1


def test_markdown_tables_keep_their_columns():
    text = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", RENDERERS["markdown"](hostile()))  # text to copy is no table
    lines = text.splitlines()

    assert {line.count("|") for line in lines if line.startswith("|")} == {7, 8, 9, 10}


def test_text_to_copy_cannot_leave_its_code_block():
    assert list(fenced("a\n````\nb\x1b")) == ["`````text", "a\n````\nb\\x1b", "`````"]


@SITES
def test_json_gives_the_document_back(document):
    written = RENDERERS["json"](document)

    assert json.loads(written) == document
    assert UNSEEN.findall(written) == []
    assert written.endswith("}\n")
    assert written == RENDERERS["json"](json.loads(written))


@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_document_gives_the_same_bytes(name):
    assert RENDERERS[name](site()) == RENDERERS[name](site())


@pytest.mark.parametrize(
    ("long", "width", "cut"),
    [
        ("short", 10, "short"),
        ("abcdefghij", 10, "abcdefghij"),
        ("abcdefghijk", 10, "abcde…hijk"),
        ("日本語日本語", 7, "日…語"),
        ("é" * 9, 3, "é…é"),
    ],
)
def test_long_text_is_cut_in_the_middle(long, width, cut):
    assert fit(long, width) == cut


@pytest.mark.parametrize("value", [*HOSTILE, "", "a" * 70_000, "e\u0301" * 70_000, "👩‍👩‍👧‍👦" * 20])
@pytest.mark.parametrize("width", [1, 2, 7, 40])
def test_a_cell_has_its_width(value, width):
    assert cell_len(pad(inline(value), width)) == width


def test_text_is_cut_between_words():
    assert wrap("costs only 6.2 % of requests; it gives", 12, 2) == ["costs only", "6.2 % of …"]


@pytest.mark.parametrize("width", [40, 80, 140])
def test_an_option_is_never_parted_from_its_value(width):
    command = "loganalyzer lines access.log.2.gz access.log.1 --robots robots --client HarvestBot --violations"

    assert [
        line for line in plain(command_lines(command, width)).splitlines() if re.search(r"--(robots|client) \\$", line)
    ] == []


def test_every_reason_is_told_in_words():
    reasons = {reason for _, reason in OUTCOMES if reason} | {"no-time"}

    assert set(REASONS) == reasons


def test_wrapped_text_says_that_it_goes_on():
    assert wrap("one two three four five", 9, 2) == ["one two", "three …"]


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2026-11-01T00:00:00Z", "2026-11-03T10:00:00Z", "1-3 Nov 2026 UTC"),
        ("2026-11-01T08:00:00Z", "2026-11-01T10:30:00Z", "1 Nov 2026 08:00-10:30 UTC"),
        ("2026-10-30T08:00:00Z", "2026-11-01T10:30:00Z", "30 Oct - 1 Nov 2026 UTC"),
        ("2025-12-31T08:00:00Z", "2026-01-01T10:30:00Z", "31 Dec 2025 - 1 Jan 2026 UTC"),
        (None, None, "no time in the log"),
    ],
)
def test_period_in_words(first, last, words):
    assert wording.period(first, last) == words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (wording.share(0.169), "16.9 %"),
        (wording.share(0.00001), "<0.1 %"),
        (wording.share(0.0), "0.0 %"),
        (wording.percent(1, 0), "0 %"),
        (wording.size(999), "999 bytes"),
        (wording.size(2_600_000_000), "2.6 GB"),
        (wording.size(123_400_000), "123 MB"),
        (wording.seconds(0.25), "0.25 s"),
        (wording.seconds(90), "90 s"),
        (wording.seconds(720), "12 min"),
        (wording.seconds(86_400 * 3), "3 d"),
        (wording.pace(2.5), "2.5 requests/s"),
        (wording.pace(0.5), "30 requests/min"),
        (wording.pace(0.01), "36 requests/h"),
        (wording.pace(0.0), "0 requests/s"),
        (wording.pace(None), "unknown"),
        (wording.some(["a", "b", "c"], 2), "a, b and 1 more"),
    ],
)
def test_numbers_have_units(words, expected):
    assert words == expected


@pytest.mark.parametrize(
    ("name", "robots", "refusal"),
    [
        ("browser", "not bound", "no 429"),
        ("GreedyBot", "violated 4,812", "ignored 9/9"),
        ("ExampleBot", "kept", "honoured 12/12"),
        ("python-requests", "never read", "too few (2) ?"),
        ("CacheBot", "grace 300", "no 429"),
        ("Asker-User", "came anyway 12", "no 429"),
        ("undeclared", "not judged", "no 429"),
    ],
)
def test_verdict_of_each_client(name, robots, refusal):
    (client,) = (client for client in site()["clients"] if client["client"] == name)

    assert (wording.robots_verdict(client), wording.refusal_verdict(client)) == (robots, refusal)


@pytest.mark.parametrize(
    ("reactions", "words"),
    [
        ([], "none was answered 429"),
        ([("ignored", 1)], "1 was told to slow down, too few times to say how it takes it"),
        ([("ignored", 2), ("honoured", 1)], "2 were told to slow down, too few times to say how they take it"),
        ([("ignored", 3), ("honoured", 3)], "1 of 2 told to slow down ignored it"),
        ([("honoured", 3), ("ignored", 2)], "none of 1 told to slow down ignored it (1 more too few times to say)"),
    ],
)
def test_headline_says_nothing_of_fewer_than_three_waits(reactions, words):
    document = site()
    told = [
        client_of(
            f"Bot{number}",
            10,
            10,
            backoff=backoff(refusals=waits, worst=worst, waits=waits, kept_interval=[0, 1] if waits >= 3 else None),
        )
        for number, (worst, waits) in enumerate(reactions)
    ]
    ignoring = sum(worst == "ignored" and waits >= 3 for worst, waits in reactions)
    totals = document["totals"] | {"ignoring_clients": ignoring}

    assert wording.headline({**document, "clients": told, "totals": totals}).endswith(f", {words}.")


@pytest.mark.parametrize(
    ("robots", "words"),
    [
        ({"allowed": 1, "unjudged": 30}, "not judged"),  # it was refused robots.txt, and asked for it once
        ({"allowed": 1, "exempt": 30}, "not bound"),
        ({"allowed": 31, "reading": "probably read"}, "probably read"),
        ({"allowed": 31, "reading": "not given"}, "not given it"),
        ({"allowed": 31, "reading": "asked"}, "asked for it"),
        ({"allowed": 31, "reading": "never read"}, "never read"),
        ({"allowed": 2, "fetches": 2, "reading": "read"}, "only read it"),
        ({"allowed": 3, "fetches": 2, "reading": "read"}, "kept"),
        ({"allowed": 30, "grace": 1, "fetches": 1}, "grace 1"),
        ({"allowed": 29, "grace": 1, "violation": 1}, "violated 1"),
    ],
)
def test_verdict_is_of_what_was_asked_beside_robots_txt(robots, words):
    client = site()["clients"][1]
    nothing = dict.fromkeys(("allowed", "violation", "grace", "exempt", "unjudged", "blocked_by_name", "fetches"), 0)

    assert wording.robots_verdict({**client, "robots": client["robots"] | nothing | robots}) == words


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"allowed": 20}, "Read 3 times. Of 20 requests: 20 allowed."),
        ({"allowed": 18, "grace": 2, "fetches": 1}, "Read 1 time. Of 20 requests: 18 allowed, 2 in grace."),
        (
            {"exempt": 20, "exempt_reasons": {"kind:monitor": 20}, "fetches": 0},
            "Never read in this log. Of 20 requests: 20 not bound (of a monitor: its owner ordered the checks).",
        ),
        (
            {"unjudged": 20, "unjudged_reasons": {"no-path": 2, "scope": 18}, "fetches": 0},
            "Never read in this log. Of 20 requests: 20 not judged (2 without a path, 18 to a host, scheme or "
            "port that is not known).",
        ),
    ],
)
def test_what_became_of_requests_is_told_in_words_without_zeros(numbers, words):
    client = site()["clients"][0]
    nothing = dict.fromkeys(("allowed", "violation", "grace", "exempt", "unjudged"), 0)
    empty = {"longest_gap_h": None, "exempt_reasons": {}, "unjudged_reasons": {}, "fetches": 3}
    client.update(requests=20, robots={**client["robots"], **nothing, **empty, **numbers})

    assert facts.robots(client) == words
