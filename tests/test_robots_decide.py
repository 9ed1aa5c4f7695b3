"""Who is bound by what. `rfc_` rows are the law (RFC 9309), `google_` rows the house rule of google/robotstxt."""

import itertools
import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.robots import Decision, parse

ORCHARD = """\
User-agent: *
Disallow: /shed/

User-agent: pickbot
Allow: /shed/ladders
Disallow: /shed
Disallow: /cellar/

User-agent: mowbot
Disallow:

User-agent: PickBot
Disallow: /attic
"""


@pytest.mark.parametrize(
    ("tokens", "target", "expected"),
    [
        pytest.param("anybot", "/shed/x", Decision(False, 2, "Disallow: /shed/", "*"), id="rfc_2_2_1_star"),
        pytest.param("anybot", "/house", Decision(True, None, None, "*"), id="rfc_2_2_2_no_match_is_allowed"),
        pytest.param(
            "PICKBOT", "/cellar/", Decision(False, 7, "Disallow: /cellar/", "pickbot"), id="rfc_2_2_1_no_case"
        ),
        pytest.param("pickbot", "/attic/1", Decision(False, 13, "Disallow: /attic", "PickBot"), id="rfc_2_2_1_merged"),
        pytest.param(
            "pickbot", "/shed/ladders/3", Decision(True, 5, "Allow: /shed/ladders", "pickbot"), id="rfc_longest"
        ),
        pytest.param("mowbot", "/shed/x", Decision(True, None, None, "mowbot"), id="rfc_2_2_1_own_empty_group_frees"),
        pytest.param("pickbot-image", "/attic", Decision(True, None, None, "*"), id="rfc_2_2_1_whole_name_no_prefix"),
        pytest.param("bot", "/attic", Decision(True, None, None, "*"), id="rfc_2_2_1_whole_name_no_substring"),
        pytest.param(
            ["seedbot", "pickbot"], "/attic", Decision(False, 13, "Disallow: /attic", "PickBot"), id="fallback"
        ),
        pytest.param(["mowbot", "pickbot"], "/attic", Decision(True, None, None, "mowbot"), id="fallback_stops_at_own"),
        pytest.param([], "/shed/x", Decision(False, 2, "Disallow: /shed/", "*"), id="no_token_is_everybody"),
    ],
)
def test_rfc_binding(tokens, target, expected):
    assert parse(ORCHARD).decide(tokens, target) == expected


def test_rfc_2_2_1_without_any_group_everything_is_allowed():
    assert parse("User-agent: ant\nDisallow: /\n").decide("bee", "/") == Decision(True, None, None, None)


def test_a_decision_is_cited_by_its_line():
    robots = parse(ORCHARD)

    for tokens, target in (("pickbot", "/attic"), ("anybot", "/shed/x"), ("mowbot", "/"), ("anybot", "/house")):
        decision = robots.decide(tokens, target)
        assert robots.cite(tokens, decision.line) == decision


@pytest.mark.parametrize(
    ("written", "asked", "bound"),
    [
        ("Hopper/2.1", "hopper", True),
        ("Hopper 2.1", "Hopper/9", True),
        ("Hopper*", "hopper", True),
        ("Hopper, Skipper", "hopper", True),
        ("Hopper; x", "hopper", True),
        ("Hopper(x)", "hopper", True),
        ("K9hopper", "k9hopper", True),
        ("hop.per", "hop.per", True),
        ("hop.per", "hop", False),
        ("K9hopper", "K", False),
        ("* everybody", "hopper", True),
        ("*hopper", "hopper", False),
        ("**", "hopper", False),
        ("", "", False),
        ("9", "", False),
    ],
)
def test_names_are_read_to_their_first_word_and_compared_whole(written, asked, bound):
    assert parse(f"User-agent: {written}\nDisallow: /\n").decide(asked, "/x").allowed is not bound


@pytest.mark.parametrize(
    ("written", "asked", "bound"),
    [("K9hopper", "K", True), ("hop.per", "hop", True), ("hop_per-x/1", "HOP_PER-X", True), ("9", "8", True)],
)
def test_google_cuts_names_at_the_first_character_outside_the_grammar(written, asked, bound):
    assert parse(f"User-agent: {written}\nDisallow: /\n", profile="google").decide(asked, "/x").allowed is not bound


@pytest.mark.parametrize(
    ("rule", "target", "matched"),
    [
        pytest.param("/fig", "/figs", True, id="rfc_2_2_2_prefix"),
        pytest.param("/fig", "/Fig", False, id="rfc_2_2_2_case_counts"),
        pytest.param("/fig/", "/fig", False, id="rfc_2_2_2_folder_is_not_its_bare_name"),
        pytest.param("/fig?", "/fig?", True, id="rfc_2_2_2_empty_query_counts"),
        pytest.param("/", "", True, id="empty_target_is_root"),
        pytest.param("/?x", "?x=1", True, id="target_of_a_query_alone"),
        pytest.param("", "/", False, id="rfc_2_2_2_empty_pattern_matches_nothing"),
        pytest.param("fig", "/fig", False, id="rfc_2_2_no_slash_is_added"),
        pytest.param("*.fig", "/a.fig", True, id="star_first"),
        pytest.param("/a*z", "/a/b?c=z", True, id="rfc_2_2_3_star_crosses_slash_and_query"),
        pytest.param("/a*z", "/az", True, id="rfc_2_2_3_star_of_nothing"),
        pytest.param("/a*z*q", "/aqz", False, id="rfc_2_2_3_pieces_in_order"),
        pytest.param("/*.fig$", "/x.fig", True, id="rfc_2_2_3_anchor"),
        pytest.param("/*.fig$", "/x.fig?", False, id="rfc_2_2_3_anchor_counts_the_query"),
        pytest.param("/*ab$", "/abab", True, id="anchor_takes_the_last_place"),
        pytest.param("/*aba*ba$", "/aba", False, id="pieces_do_not_overlap"),
        pytest.param("/fig$", "/fig", True, id="rfc_2_2_3_exact"),
        pytest.param("/fig$", "/figs", False, id="rfc_2_2_3_exact_no_longer"),
        pytest.param("/f$g", "/f$g/1", True, id="rfc_2_2_3_dollar_inside_is_literal"),
        pytest.param("/f$$", "/f$", True, id="only_the_last_dollar_anchors"),
        pytest.param("/x*$", "/xyz", True, id="star_then_anchor"),
        pytest.param("/(a|b)+", "/a", False, id="no_regular_expressions"),
        pytest.param("/f%2Ag", "/f*g", True, id="rfc_2_2_3_literal_star"),
        pytest.param("/f%2Ag", "/fxg", False, id="rfc_2_2_3_literal_star_is_no_wildcard"),
        pytest.param("/f%24", "/f$", True, id="rfc_2_2_3_literal_dollar"),
        pytest.param("/dattel%C3%A9", "/dattelé", True, id="rfc_2_2_2_non_ascii_target_encoded"),
        pytest.param("/dattelé", "/dattel%c3%a9", True, id="rfc_2_2_2_non_ascii_rule_encoded"),
        pytest.param("/%66%69g", "/fig", True, id="rfc_2_2_2_unreserved_decoded_in_rule"),
        pytest.param("/fig", "/f%69g", True, id="rfc_2_2_2_unreserved_decoded_in_target"),
        pytest.param("/a%2Fb", "/a/b", False, id="rfc_2_2_2_reserved_stay"),
        pytest.param("/a%2fb", "/a%2Fb", True, id="rfc_3986_6_2_2_1_hex_case"),
        pytest.param("/a%zz", "/a%zz", True, id="invalid_escape_stays"),
        pytest.param("/a b", "/a%20b", True, id="raw_blank_encoded"),
        pytest.param("/fig", "//fig", False, id="slashes_do_not_collapse"),
        pytest.param("/fig", "/./fig", False, id="dot_segments_stay"),
        pytest.param("/fig", "https://orchard.example/fig", True, id="absolute_form"),
        pytest.param("/https:", "/https://x.example/", True, id="url_inside_a_path_is_path"),
        pytest.param("/fig#", "/fi", False, id="rfc_2_2_3_comment"),
        pytest.param("/fig$", "/fig#top", True, id="no_fragment"),
        pytest.param("/dattel%E9", "/dattel\\xe9", True, id="octet_that_was_no_utf8"),
        pytest.param("/dattel%E9", b"/dattel\xe9", True, id="octets"),
    ],
)
def test_rfc_pattern(rule, target, matched):
    robots = parse(f"User-agent: *\nDisallow: {rule}\n")

    assert robots.decide("ant", target).allowed is not matched


@pytest.mark.parametrize(
    ("rules", "target", "line"),
    [
        pytest.param(["Allow: /fig", "Disallow: /fig"], "/fig", 2, id="rfc_2_2_2_allow_wins_ties"),
        pytest.param(["Disallow: /fig", "Allow: /fig"], "/fig", 3, id="rfc_2_2_2_whatever_the_order"),
        pytest.param(["Disallow: /fig/a", "Allow: /fig"], "/fig/ab", 2, id="rfc_2_2_2_most_octets"),
        pytest.param(["Allow: /page", "Disallow: /*.htm"], "/page.htm", 3, id="length_of_the_pattern_not_of_the_match"),
        pytest.param(["Allow: /%66ig", "Disallow: /fig"], "/fig", 2, id="length_of_the_canonical_pattern"),
        pytest.param(["Allow: /aaaa", "Disallow: /é"], "/é", 3, id="non_ascii_counts_encoded"),
        pytest.param(["Disallow: /fig", "Disallow: /fig"], "/fig", 2, id="upper_line_of_equals"),
    ],
)
def test_rfc_precedence(rules, target, line):
    robots = parse("\n".join(["User-agent: *", *rules]))

    assert robots.decide("ant", target).line == line


@pytest.mark.parametrize(
    ("target", "rfc", "google"),
    [
        ("/robots.txt", True, False),
        ("/robots.txt?v=2", True, False),
        ("/robots.txt/", False, False),
        ("/Robots.txt", False, False),
        ("/x/robots.txt", False, False),
    ],
)
def test_rfc_2_2_2_robots_txt_itself_is_always_allowed(target, rfc, google):
    text = "User-agent: *\nDisallow: /\n"

    assert parse(text).decide("ant", target).allowed is rfc
    assert parse(text, profile="google").decide("ant", target).allowed is google


@pytest.mark.parametrize(
    ("rule", "target", "matched"),
    [
        pytest.param("/%66ig", "/fig", False, id="google_decodes_nothing"),
        pytest.param("/a%2fb", "/a%2Fb", True, id="google_upper_cases_the_rule"),
        pytest.param("/a%2fb", "/a%2fb", False, id="google_leaves_the_target_alone"),
        pytest.param("/é", "/%C3%A9", True, id="google_encodes_the_rule"),
        pytest.param("/f$g", "/f$g", True, id="google_dollar_inside_is_literal"),
    ],
)
def test_google_pattern(rule, target, matched):
    assert parse(f"User-agent: *\nDisallow: {rule}\n", profile="google").decide("ant", target).allowed is not matched


def test_google_allowing_the_index_page_allows_its_folder():
    text = "User-agent: *\nDisallow: /\nAllow: /d/index.html\n"

    assert parse(text, profile="google").decide("ant", "/d/") == Decision(True, 3, "Allow: /d/index.html", "*")
    assert not parse(text, profile="google").decide("ant", "/d/x").allowed
    assert not parse(text).decide("ant", "/d/").allowed


# Few characters, so that rules and targets meet.
PATHS = st.text("/ab*$%2aF6é?.", max_size=9).map("/{}".format)
FILES = st.lists(
    st.one_of(
        st.builds("{}: {}".format, st.sampled_from(["Allow", "Disallow"]), PATHS),
        st.sampled_from(["User-agent: *", "User-agent: ant", "User-agent: bee", "Crawl-delay: 1", "Disallow: *a", ""]),
    ),
    max_size=12,
).map("\n".join)
PROFILES = st.sampled_from(["rfc", "google"])
TARGETS = st.lists(st.one_of(PATHS, st.text(max_size=8), st.just("/robots.txt?a"), st.none()), max_size=8)


@settings(deadline=None)
@given(FILES, PROFILES, TARGETS)
def test_deciding_many_is_deciding_each(text, profile, targets):
    robots = parse(f"User-agent: *\n{text}", profile=profile)
    table = robots.decide_many("ant", pa.array(targets, pa.string()))

    each = [(None, None) if target is None else robots.decide("ant", target) for target in targets]
    expected = [each_ if isinstance(each_, tuple) else (each_.allowed, each_.line) for each_ in each]
    assert list(zip(*table.to_pydict().values(), strict=True)) == expected


@settings(deadline=None)
@given(FILES, PATHS, PATHS)
def test_one_more_allow_rule_never_blocks_more(text, pattern, target):
    before = parse(f"User-agent: *\nDisallow: /\n{text}")
    # Put beside each rule of the file, so that it joins every group and begins none.
    lines = [f"{line}\nAllow: {pattern}" if line.startswith("Disallow") else line for line in text.split("\n")]
    after = parse("\n".join(["User-agent: *", "Disallow: /", f"Allow: {pattern}", *lines]))

    assert after.decide("ant", target).allowed >= before.decide("ant", target).allowed


@settings(deadline=None)
@given(st.one_of(st.binary(), st.text()), PROFILES, st.one_of(st.binary(), st.text()))
def test_anything_is_read_and_decided_without_error(data, profile, target):
    robots = parse(data, profile=profile)

    assert robots.decide(["ant", ""], target).allowed in (True, False)


def test_dictionary_chunked_and_large_targets():
    robots = parse("User-agent: *\nDisallow: /a\n")
    plain = ["/a", "/b", None, "/a"]

    kinds = [
        pa.array(plain).dictionary_encode(),
        pa.chunked_array([plain[:1], plain[1:]]),
        pa.array(plain, pa.large_string()),
    ]
    for targets in kinds:
        assert robots.decide_many("ant", targets).to_pydict() == {
            "allowed": [False, True, None, False],
            "line": [2, None, None, 2],
        }


def test_blocks_of_many_targets_keep_their_order():
    targets = [f"/{number % 7}/{number}" for number in range(150_000)]
    table = parse("User-agent: *\nDisallow: /3/\nDisallow: /*99$\n").decide_many("ant", pa.array(targets))

    assert table["line"].to_pylist() == [
        3 if target.endswith("99") else 2 if target.startswith("/3/") else None for target in targets
    ]


def test_small_blocks_and_elaborate_patterns_decide_alike(monkeypatch):
    rules = ["/*ba*ab", "/*a*b*a*b*c$", "/*bab", "/b*", "*abba$", "/*a*$"]
    robots = parse("\n".join(["User-agent: *", *(f"Disallow: {rule}" for rule in rules)]))
    targets = pa.array(["/" + "".join(letters) for letters in itertools.product("abc", repeat=5)])
    each = [robots.decide("ant", target.as_py()).line for target in targets]

    assert robots.decide_many("ant", targets)["line"].to_pylist() == each
    for name in ("LONG_PIECE", "MANY_PIECES", "BLOCK_ROWS", "BLOCK_OCTETS"):
        monkeypatch.setattr(f"loganalyzer.robots.targets.{name}", 2)
        assert robots.decide_many("ant", targets)["line"].to_pylist() == each


@pytest.mark.parametrize("profile", ["rfc", "google"])
def test_many_decided_like_each_on_real_files(shared, profile):
    for path in sorted((shared / "data" / "robots").glob("*.txt"))[::4]:
        robots = parse(path.read_bytes(), profile=profile)
        paths = [rule.text.partition(":")[2].strip() for group in robots.groups for rule in group.rules][:150]
        targets = [path.replace("*", fill).rstrip("$") for path in paths for fill in ("", "x/y")]
        each = [robots.decide("Googlebot", target).line for target in targets]

        assert robots.decide_many("Googlebot", pa.array(targets, pa.string()))["line"].to_pylist() == each


@pytest.mark.parametrize(
    "pattern",
    ["/" + "*a" * 200 + "*b$", "/" + "a*" * 200 + "b", "/*" + "a" * 40 + "b", "/*" + "a" * 20 + "b$", "/*" * 200 + "$"],
)
def test_work_on_a_hostile_pattern_grows_with_the_target(pattern):
    robots = parse(f"User-agent: *\nDisallow: {pattern}\n")

    def spent(length):
        targets = pa.array(["/" + "a" * length])
        times = []
        for _ in range(5):
            start = time.process_time()  # of this process alone: others may hold the machine
            robots.decide("ant", targets[0].as_py())
            robots.decide_many("ant", targets)
            times.append(time.process_time() - start)
        return min(times)

    assert spent(256_000) <= 20 * spent(32_000)  # 8 where linear, 64 where quadratic
