"""A policy in words becomes a robots.txt: what it decides, against a plain reading of the policy; what stays."""

import re
from itertools import takewhile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.clients.registry import shipped
from loganalyzer.drafts.policy import edit, words, write
from loganalyzer.drafts.traffic import ARRIVAL, PAIR, PEOPLE, RECORD, Traffic
from loganalyzer.errors import UsageError
from loganalyzer.robots import Policy, parse

REGISTRY = shipped()
BEGIN, END = edit.BEGIN.decode(), edit.END.decode()
# name, purpose, names looked up, whether `*` binds, requests
CLIENTS = [
    ("GPTBot", "ai-training", ("GPTBot",), True, 70),
    ("Googlebot", "search", ("Googlebot",), True, 50),
    ("Googlebot-Image", "search", ("Googlebot-Image", "Googlebot"), True, 20),
    ("AdsBot-Google", "ads", ("AdsBot-Google",), False, 10),
    ("SampleBot", None, ("SampleBot",), True, 5),
    ("360Spider", "search", ("360Spider",), True, 4),
    ("Bad Bot: *#", "seo", ("Bad Bot: *#",), True, 3),
]
TARGETS = ["/", "/cart", "/cart/1", "/search?q=a", "/a", "/a/b", "/a/b.css", "/x", "/robots.txt", "/%C3%A9", "/*"]


def traffic(clients=CLIENTS, targets=TARGETS):
    count = len(clients) * len(targets)
    pairs = {
        "client": [code for code in range(len(clients)) for _ in targets],
        "host": [None] * count,
        "target": list(range(len(targets))) * len(clients),
        "requests": [1] * count,
        "bytes": [1000] * count,
        **{name: [0] * count for name in ("redirects", "errors", "repeats")},
    }
    record = [
        {"requests": requests, "bytes": requests * 1000, "reads": 1, "judged": 9, "violations": 0}
        for *_, requests in clients
    ]
    return Traffic(
        pairs=pa.table(pairs, schema=PAIR),
        policies=tuple(Policy(name, "crawler", tokens, star) for name, _, tokens, star, _ in clients),
        purposes=tuple(purpose for _, purpose, *_ in clients),
        record=pa.Table.from_pylist(record, schema=RECORD),
        hosts=[],
        targets=pa.array(targets),
        kinds=pa.array(["page"] * len(targets)),
        arrivals=ARRIVAL.empty_table(),
        people=PEOPLE.empty_table(),
        requests=1000,
        bytes=1_000_000,
        period=("2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z"),
    )


LOG = traffic()
PRESENT = """# our rules
User-agent: *
Disallow: /a/   # drafts
Allow: /a/b.css

# the old contract
User-agent: Googlebot
User-agent: GPTBot
Disallow: /x
Crawl-delay: 3

Sitemap: https://shop.example/sitemap.xml
"""


def drafted(present=PRESENT, log=LOG, **said):
    return write(words(REGISTRY, **said), present.encode(), log, REGISTRY)


def shut(written, name, tokens=None, star=True):
    """Targets that a file forbids to a client."""
    robots = parse(written.data)
    if robots.own_group(tokens or name) is None and not star:
        return []
    return [target for target in TARGETS if not robots.decide(tokens or name, target).allowed]


EVERYTHING = [target for target in TARGETS if target != "/robots.txt"]


def test_who_is_denied_may_fetch_nothing_and_the_others_what_they_might_before():
    written = drafted(deny=["ai-training"])

    assert shut(written, "GPTBot") == EVERYTHING
    assert shut(written, "Googlebot") == ["/x"]
    assert shut(written, "SampleBot") == ["/a/b"]


def test_who_is_allowed_loses_its_own_group_and_keeps_the_rules_of_all():
    written = drafted(allow=["search"], keep_out=["/cart"])

    assert shut(written, "Googlebot") == ["/cart", "/cart/1", "/a/b"]
    assert shut(written, "GPTBot") == ["/cart", "/cart/1", "/x"]


def test_allowing_opens_a_site_that_is_closed_to_all():
    written = drafted("User-agent: *\nDisallow: /\n", allow=["search"], keep_out=["/cart"])

    assert shut(written, "Googlebot") == ["/cart", "/cart/1"]
    assert shut(written, "SampleBot") == EVERYTHING


def test_a_name_says_more_than_a_purpose():
    written = drafted(deny=["search"], allow=["Googlebot-Image"])

    assert shut(written, "Googlebot") == EVERYTHING
    assert shut(written, "Googlebot-Image", ("Googlebot-Image", "Googlebot")) == ["/a/b"]


def test_who_falls_back_on_a_denied_name_keeps_its_rules_by_a_group_of_its_own():
    written = drafted(deny=["Googlebot"])

    assert shut(written, "Googlebot-Image", ("Googlebot-Image", "Googlebot")) == ["/x"]
    assert "User-agent: Googlebot-Image\n" in written.data.decode()


def test_who_is_not_bound_by_all_is_kept_out_by_name():
    assert shut(drafted(keep_out=["/cart"]), "AdsBot-Google", star=False) == ["/cart", "/cart/1"]
    assert "AdsBot-Google" not in drafted(deny=["ai-training"]).data.decode()


def test_what_the_operator_wrote_stays_and_figures_say_why():
    text = drafted(deny=["ai-training"], keep_out=["/cart"]).data.decode()

    for line in ("# our rules", "Disallow: /a/   # drafts", "# the old contract", "User-agent: Googlebot"):
        assert line in text.splitlines()
    assert "Sitemap: https://shop.example/sitemap.xml" in text
    assert "# GPTBot: 70 requests (7.0%), 0.1 MB (7.0%)" in text
    assert "# kept out of /cart: 14 requests (1.4%)" in text
    assert "GPTBot" not in "\n".join(takewhile(lambda line: "begin" not in line, text.splitlines()))


def test_only_names_of_the_log_unless_all_known_are_asked_for():
    assert "CCBot" not in drafted(deny=["ai-training"]).data.decode()
    everybody = drafted(deny=["ai-training"], all_known=True)
    assert shut(everybody, "CCBot") == EVERYTHING
    assert shut(everybody, "Google-Extended") == EVERYTHING


def test_a_name_that_the_operator_gives_is_named_though_it_was_not_seen():
    assert shut(drafted(deny=["ccbot"]), "CCBot") == EVERYTHING


def test_a_strangers_name_that_may_not_stand_is_told_and_not_written():
    written = drafted(deny=["seo", "search"])

    assert written.unnamed == ("360Spider", "Bad Bot: *#")
    assert "Bad Bot" not in written.data.decode()
    assert "360" not in written.data.decode()
    assert all(any(repr(name) in note and "403" in note for note in written.notes) for name in written.unnamed)


def test_a_group_without_rules_at_the_end_does_not_take_in_the_next():
    written = drafted("User-agent: SampleBot\n", deny=["ai-training"])

    assert shut(written, "SampleBot") == []
    assert shut(written, "GPTBot") == EVERYTHING


def test_a_pause_is_asked_of_everybody_who_may_fetch():
    robots = parse(drafted(deny=["ai-training"], crawl_delay_s=7.5).data)

    assert [robots.crawl_delay(name) for name in ("SampleBot", "Googlebot", "GPTBot")] == [7.5, 7.5, None]


def test_a_pause_above_the_names_that_stay_goes_with_them():
    present = "User-agent: *\nDisallow: /b\nUser-agent: GPTBot\nCrawl-delay: 30\nUser-agent: SampleBot\nDisallow: /x\n"
    robots = parse(drafted(present, deny=["ai-training"]).data)

    assert [robots.crawl_delay(name) for name in ("*", "SampleBot", "GPTBot")] == [None, 30, None]


def test_a_longer_exception_stays_and_one_of_the_same_path_gives_way():
    written = drafted("User-agent: *\nAllow: /cart/1\nAllow: /x\n", keep_out=["/cart", "/x"])

    assert shut(written, "SampleBot") == ["/cart", "/x"]


def test_a_later_policy_keeps_what_an_earlier_one_wrote():
    first = drafted(deny=["ai-training"])
    second = write(words(REGISTRY, keep_out=["/cart"]), first.data, LOG, REGISTRY)

    assert shut(second, "GPTBot") == EVERYTHING
    assert shut(second, "SampleBot") == ["/cart", "/cart/1", "/a/b"]
    third = write(words(REGISTRY, allow=["GPTBot"]), second.data, LOG, REGISTRY)
    assert shut(third, "GPTBot") == ["/cart", "/cart/1", "/a/b"]


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"deny": ["ai-training"], "allow": ["ai-training"]}, "both denied and allowed"),
        ({"deny": ["gptbot"], "allow": ["GPTBot"]}, "both denied and allowed"),
        ({"deny": ["evil bot"]}, "no name that may stand"),
        ({"deny": ["*"]}, "no name that may stand"),
        ({"keep_out": ["cart"]}, "a path begins with /"),
        ({"keep_out": ["/a b"]}, "no blank"),
        ({"keep_out": ["/a\nUser-agent: x"]}, "no blank"),
        ({"keep_out": ["/a#b"]}, "no #"),
        ({"crawl_delay_s": float("nan")}, "--crawl-delay"),
    ],
)
def test_words_that_cannot_be_written_are_refused(said, says):
    with pytest.raises(UsageError, match=re.escape(says)):
        words(REGISTRY, **said)


@pytest.mark.parametrize("present", [b"<!doctype html><html>", "User-agent: *".encode("utf-16"), b"#" * 600_000])
def test_what_is_no_robots_txt_is_refused(present):
    with pytest.raises(UsageError):
        write(words(REGISTRY), present, LOG, REGISTRY)


def test_a_file_that_the_policy_would_make_too_long_is_refused():
    present = b"User-agent: *\nDisallow: /x\n" + b"#".ljust(99, b"c") * 5 + (b"#".ljust(98, b"c") + b"\n") * 5165

    with pytest.raises(UsageError, match="no crawler needs to read more than 512,000"):
        write(words(REGISTRY, ["ai-training"]), present, LOG, REGISTRY)


@pytest.mark.parametrize(
    "present",
    [
        f"{BEGIN}\nUser-agent: ant\nDisallow: /x\nSitemap: https://x.example/\n",
        f"User-agent: ant\nDisallow: /x\n{END}\n",
        f"{END}\n{BEGIN}\n",
        f"{BEGIN}\n{END}\n# mine\n{BEGIN}\n{END}\n",
    ],
)
def test_a_block_whose_end_cannot_be_told_is_refused_and_nothing_is_lost(present):
    with pytest.raises(UsageError, match="the block is not whole: have just one line"):
        write(words(REGISTRY), present.encode(), LOG, REGISTRY)


def test_a_mark_that_an_editor_put_before_the_block_is_no_second_block():
    first = drafted(present="", deny=["ai-training"]).data
    again = write(words(REGISTRY, deny=["ai-training"]), b"\xef\xbb\xbf" + first, LOG, REGISTRY).data

    assert again == first


NAMES = ["*", "GPTBot", "gptbot/1.1", "Googlebot", "Googlebot-Image", "SampleBot", "360Spider", "CCBot", "* x", "!"]
PATHS = ["/", "/a", "/a/", "/a/b", "/cart", "/x$", "/*.css", "*", "", "/a*b", "/é", "/cart/1"]
LINES = st.one_of(
    st.sampled_from(NAMES).map("User-agent: {}".format),
    st.sampled_from(NAMES).map("user-agent:{} # who".format),
    st.sampled_from(PATHS).map("Disallow: {}".format),
    st.sampled_from(PATHS).map("Allow: {} # why".format),
    st.sampled_from(["", "# a comment", "Sitemap: https://x.example/", "Crawl-delay: 4", "Host: x", "nonsense"]),
)
PURPOSES_HERE = ["ai-training", "search", "ads", "seo", "GPTBot", "Googlebot", "SampleBot", "Googlebot-Image", "CCBot"]


def plain_match(pattern, target):
    body = pattern.removesuffix("$")
    glob = ".*".join(map(re.escape, body.split("*"))) + ("$" if pattern.endswith("$") else "")
    return re.match(glob, target, flags=re.DOTALL) is not None


def plain_reading(present, said, client, target):
    """Whether the policy lets a client fetch a target, read off the words and the lines of the present file."""
    name, purpose, tokens, star, _ = client
    if target == "/robots.txt":
        return True
    standing = said.standing(name, purpose)
    if standing == "denied":
        return False
    groups = plain_groups(present)
    keys = [plain_key(token) for token in tokens]
    found = next((key for key in keys if key in groups), "*" if star else None)
    if standing == "allowed":
        found = "*" if star else None
    rules = groups.get(found, [])
    if standing == "allowed":
        rules = [rule for rule in rules if rule[0] or (rule[1].strip("*") != "/" and set(rule[1]) != {"*"})]
    rules = [rule for rule in rules if rule[1] and not (rule[0] and rule[1] in said.keep_out)]
    if any(not allow and (path in ("/", "/*") or set(path) == {"*"}) for allow, path in rules) and not any(
        allow for allow, _ in rules
    ):
        return False
    rules += [(False, path) for path in said.keep_out]
    matching = [(len(path), allow) for allow, path in rules if plain_match(path, target)]
    return max(matching)[1] if matching else True


def plain_key(name):
    return "*" if name == "*" or name.startswith("* ") else re.split(r"[ \t/*,;(]", name)[0].lower()


def plain_groups(present):
    groups, names, naming = {}, [], False
    for line in present.split("\n"):
        key, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if key.lower() == "user-agent":
            names = names if naming else []
            names.append(plain_key(value))
            naming = True
            groups.setdefault(names[-1], [])
        elif key.lower() in ("allow", "disallow") and names:
            naming = False
            for name in dict.fromkeys(names):
                groups[name].append((key.lower() == "allow", value.replace("é", "%C3%A9")))
    groups.pop("", None)
    return groups


@settings(max_examples=150)
@given(
    lines=st.lists(LINES, max_size=14),
    deny=st.lists(st.sampled_from(PURPOSES_HERE), max_size=2),
    allow=st.lists(st.sampled_from(PURPOSES_HERE), max_size=2),
    keep_out=st.lists(st.sampled_from(["/cart", "/a", "/x", "/*.css", "/search", "/é"]), max_size=2),
    delay=st.sampled_from([None, 0, 2.5]),
    all_known=st.booleans(),
)
def test_a_draft_decides_as_the_policy_says_and_says_so_again(lines, deny, allow, keep_out, delay, all_known):
    allow = [name for name in allow if name not in deny]
    said = words(REGISTRY, deny, allow, keep_out, delay, all_known)
    present = "\n".join(lines)
    written = write(said, present.encode(), LOG, REGISTRY)
    robots = parse(written.data)
    for client in CLIENTS:
        name, _, tokens, star, _ = client
        if name in written.unnamed:
            continue
        bound = star or robots.own_group(tokens) is not None
        for target in TARGETS:
            decided = not bound or robots.decide(tokens, target.replace("*", "%2A")).allowed
            assert decided == plain_reading(present, said, client, target.replace("*", "%2A")), (name, target)
    assert write(said, written.data, LOG, REGISTRY).data == written.data
    kept = [line for line in lines if line.startswith(("#", "Sitemap", "Host"))]
    assert [line for line in written.data.decode().split("\n") if line in kept][: len(kept)] == kept


# What a file may hold all the same: odd octets and line ends, and a block of an earlier draft that was edited.
ODD = [
    "Disallow: /a\0b",
    "Disallow: /" + "y" * 17_000,
    "\ufeff",
    "Disallow /x",
    "Useragent: GPTBot",
    "Allow:",
    "\x0b",
    " ",
]
ANY_LINE = st.tuples(LINES | LINES | st.sampled_from(ODD), st.sampled_from(["\n"] * 6 + ["\r\n", "\r", "\n\r", ""]))
ANY_TEXT = st.lists(ANY_LINE.map("".join), max_size=8).map("".join)
ANY_FILE = ANY_TEXT | st.tuples(ANY_TEXT, ANY_TEXT, ANY_TEXT).map(
    lambda parts: f"{parts[0]}\n{BEGIN}\n{parts[1]}\n{END}\n{parts[2]}"
)


@settings(max_examples=120, deadline=None)
@given(
    present=st.tuples(st.sampled_from(["", "\ufeff"]), ANY_FILE).map("".join),
    encoding=st.sampled_from(["utf-8", "latin-1"]),
    deny=st.lists(st.sampled_from(PURPOSES_HERE), max_size=2),
    allow=st.lists(st.sampled_from(PURPOSES_HERE), max_size=2),
    keep_out=st.lists(st.sampled_from(["/cart", "/", "*", "/a$", "/a*$", "/%61", "/%zz", "/a$b", "//"]), max_size=2),
)
def test_any_file_takes_any_policy_and_the_same_again(present, encoding, deny, allow, keep_out):
    """`write` proves both and fails where it cannot; here nothing makes it fail, and what is denied or kept is so."""
    said = words(REGISTRY, deny, [name for name in allow if name not in deny], keep_out)
    data = present.encode(encoding, "replace")
    written = write(said, data, LOG, REGISTRY)
    before, after = parse(data), parse(written.data)

    for name, purpose, tokens, star, _ in CLIENTS:
        standing = said.standing(name, purpose)
        bound = star or after.own_group(tokens) is not None
        if name in written.unnamed or (standing != "denied" and (standing == "allowed" or keep_out)):
            continue
        was_bound = star or before.own_group(tokens) is not None
        for target in EVERYTHING:
            allowed = standing == "kept" and (not was_bound or before.decide(tokens, target).allowed)
            assert (not bound or after.decide(tokens, target).allowed) == allowed, (name, target)
