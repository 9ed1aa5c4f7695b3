"""What a robots.txt is read as. `rfc_` rows are the law (RFC 9309), `google_` rows google/robotstxt's house rule."""

import pytest

from loganalyzer.robots import parse


def groups(text, profile="rfc"):
    robots = parse(text, profile=profile)
    return [(list(group.names), [rule.text for rule in group.rules]) for group in robots.groups]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "User-agent: ant\nUser-agent: bee\nDisallow: /hive\n",
            [(["ant", "bee"], ["Disallow: /hive"])],
            id="rfc_2_1_consecutive_names_share_rules",
        ),
        pytest.param(
            "User-agent: ant\nDisallow: /a\nUser-agent: bee\nDisallow: /b\n",
            [(["ant"], ["Disallow: /a"]), (["bee"], ["Disallow: /b"])],
            id="rfc_2_1_a_name_after_a_rule_begins_a_group",
        ),
        pytest.param(
            "User-agent: ant\n\n# nothing\nCrawl-delay: 3\nSitemap: https://x.example/s\nuser-agent: bee\nAllow: /b\n",
            [(["ant", "bee"], ["Allow: /b"])],
            id="rfc_2_2_4_other_lines_end_no_group",
        ),
        pytest.param(
            "Disallow: /lost\nUser-agent: ant\nDisallow: /kept\n",
            [(["ant"], ["Disallow: /kept"])],
            id="rfc_2_2_2_a_rule_before_any_group_belongs_to_none",
        ),
        pytest.param(
            "User-agent: ant\r\nDisallow: /1\rDisallow: /2\nDisallow: /3\x0b/\u2028x\n",
            [(["ant"], ["Disallow: /1", "Disallow: /2", "Disallow: /3\x0b/\u2028x"])],
            id="rfc_2_2_only_cr_lf_crlf_end_a_line",
        ),
        pytest.param(
            "USER-AGENT \t:  ant # six legs\n  dIsAllow:/x#y\n",
            [(["ant"], ["dIsAllow:/x"])],
            id="rfc_2_2_keys_ignore_case_and_blanks_and_comments",
        ),
        pytest.param(
            "User-agent: ant\nDisallow /x\nDisalow: /y\nDisallow-all: /z\nnonsense\n: /q\nAllow: /ok\n",
            [(["ant"], ["Allow: /ok"])],
            id="rfc_2_3_1_5_unparseable_lines_are_skipped",
        ),
        pytest.param("", [], id="rfc_empty_file"),
    ],
)
def test_rfc_groups(text, expected):
    assert groups(text) == expected


@pytest.mark.parametrize(
    ("line", "blocked"),
    [
        ("Disalow: /x", True),
        ("dissallow: /x", True),
        ("Disallow /x", True),
        ("Disallow-all: /x", True),
        ("Disallow /x y", False),
        ("Dizallow: /x", False),
        ("No: Disallow: /x", False),
    ],
)
def test_google_forgives_some_spellings_that_the_rfc_does_not(line, blocked):
    text = f"User-agent: ant\n{line}\n"

    assert parse(text, profile="google").decide("ant", "/x").allowed is not blocked
    assert parse(text).decide("ant", "/x").allowed


@pytest.mark.parametrize("key", ["useragent", "user agent", "User-agents"])
def test_google_forgives_spellings_of_user_agent(key):
    assert parse(f"{key}: ant\nDisallow: /\n", profile="google").binds("ant") == "ant"
    assert parse(f"{key}: ant\nDisallow: /\n").binds("ant") is None


@pytest.mark.parametrize("profile", ["rfc", "google"])
def test_a_line_is_cut_after_16663_octets_and_that_is_said(profile):
    inside, outside = "/" + "a" * 16_652, "/" + "a" * 16_653  # with "Disallow: " 16,663 and 16,664 octets
    robots = parse(f"User-agent: *\nDisallow: {outside}\n", profile=profile)

    assert not robots.decide("ant", inside).allowed
    assert robots.decide("ant", inside[:-1]).allowed
    assert robots.warnings == ("line 2: has more than 16,663 octets and is cut there, as Google's reader does",)


@pytest.mark.parametrize("profile", ["rfc", "google"])
def test_a_line_ends_at_its_first_nul(profile):
    robots = parse(b"User-agent: *\nDisallow: /a\0b\nDisallow: /c\n", profile=profile)

    assert [robots.decide("ant", target).line for target in ("/a", "/ax", "/c")] == [2, 2, 3]


def test_line_numbers_count_every_line_end_once():
    robots = parse("User-agent: *\r\n\r\rDisallow: /x\n")

    assert robots.decide("ant", "/x").line == 4


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n", "line 1: begins with a UTF-8 byte order mark"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16"), "line 1: the file is UTF-16"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16-le"), "line 1: the file is UTF-16"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16-be"), "line 1: the file is UTF-16"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "line 1: the file looks like HTML"),
        (b"User-agent: *\nDisallow: /a\0b\n", "line 2: holds a NUL"),
        (b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /\xff\n", "line 2 and 1 more: is not UTF-8"),
        (b"#\nDisallow: /\nUser-agent: *\n", "line 2: stands before any User-agent line"),
        (b"User-agent: *\nDisalow: /x\n#\nHost: y\n", "line 2 and 1 more: has a key that RFC 9309 does not know"),
        (b"User-agent: *\n\nDisallow /x\n", "line 3: is no `key: value`"),
        (b"User-agent: *\nCrawl-delay: soon\n", "line 2: Crawl-delay is no number"),
    ],
)
def test_what_is_odd_becomes_a_warning(data, warning):
    assert any(said.startswith(warning) for said in parse(data).warnings)


def test_a_clean_file_has_no_warning():
    assert parse("User-agent: *\nDisallow: /a\nCrawl-delay: 2.5\n").warnings == ()


def test_over_500_kib_the_rest_is_not_read_and_no_rule_is_cut_in_two():
    line = b"Disallow: /archive/0123456789\n"
    whole, rest = divmod(500 * 1024 - len(b"User-agent: *\n"), len(line))
    robots = parse(b"User-agent: *\n" + line * (whole + 5) + b"Disallow: /late\n")

    assert rest  # the limit falls inside a line
    assert len(robots.groups[0].rules) == whole
    assert robots.decide("ant", "/late").allowed
    assert robots.decide("ant", "/archive/").allowed
    assert any(f"line {whole + 1}: the file has" in warning for warning in robots.warnings)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b""])
def test_a_line_that_ends_just_at_500_kib_counts(end):
    head = b"User-agent: *\n#".ljust(500 * 1024 - len(b"\nDisallow: /last"), b"#")
    robots = parse(head + b"\nDisallow: /last" + end + b"Disallow: /late\n")

    assert robots.decide("ant", "/last").allowed is (end == b"")
    assert robots.decide("ant", "/late").allowed


def test_utf16_gives_no_rules():
    assert parse("User-agent: *\nDisallow: /\n".encode("utf-16")).decide("ant", "/").allowed


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<html><head><title>404</title>", True),
        (b"\xef\xbb\xbf\n  <!-- cached --><!doctype HTML>", True),
        (b"# about <html>\nUser-agent: *\n", False),
        (b"User-agent: *\n<br />\nDisallow: /\n", False),
        (b"<center><h1>403 Forbidden</h1></center>\n<hr>", True),
        (b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', True),
        (b"<br>\rUser-agent: *\rDisallow: /\r", False),
    ],
)
def test_html_is_told_from_a_robots_txt_that_mentions_it(data, expected):
    assert parse(data).looks_like_html is expected


def test_sitemaps_are_global():
    text = "Sitemap: https://x.example/a.xml\nUser-agent: ant\nSITEMAP:https://x.example/b.xml\n"

    assert parse(text).sitemaps == ("https://x.example/a.xml", "https://x.example/b.xml")


@pytest.mark.parametrize(
    ("tokens", "delay"),
    [("ant", 2.5), ("bee", 10.0), ("wasp", None), (["hornet", "bee"], 10.0)],
)
def test_crawl_delay_is_that_of_the_binding_group(tokens, delay):
    text = "User-agent: ant\nCrawl-delay: 5\nCrawl-delay: 2.5\nAllow: /\nUser-agent: wasp\nDisallow: /\n"
    text += "User-agent: *\nCrawl-delay: 10\n"

    assert parse(text).crawl_delay(tokens) == delay


def test_every_file_of_the_corpus_is_read(shared):
    files = [path for path in sorted((shared / "data" / "robots").iterdir()) if path.is_file()]
    rules = sum(len(group.rules) for path in files for group in parse(path.read_bytes()).groups)

    assert len(files) > 50
    assert rules > 1000
