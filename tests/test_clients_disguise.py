"""Who came back under another name, and who merely shares an address."""

import pyarrow as pa
import pytest

from loganalyzer.clients import classify, disguise
from loganalyzer.schema import DISGUISE

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
BOT = "TidyBot/1.0 (+https://crawl.example/)"
NAMES = {
    "bot": BOT,
    "bot2": BOT.replace("1.0", "2.0"),
    "chrome": CHROME,
    "firefox": FIREFOX,
    "other": "QuarryBot/1.0 (+https://quarry.example/)",
    "google": "Googlebot/2.1 (+http://www.google.com/bot.html)",
    "google-image": "Googlebot-Image/1.0",
    "curl": "curl/8.10.1",
    "silent": None,
    "imessage": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 "
    "Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
    "whatsapp": "WhatsApp/2.23.20.0",
    "reader": "QuarryFeedReader/1.0",
    "application": "Quarry/31 CFNetwork/1496.0.7 Darwin/23.5.0",
}
MINUTE = 60
POPULAR = {"/", "/robots.txt"}


def evidence(*events):
    """Rows `(address, name, seconds, target, status)` through the kernel."""
    agents = classify(pa.array(NAMES.values(), pa.string()))
    clients = {name: code for code, name in enumerate(dict.fromkeys(agents["client"].to_pylist()))}
    addresses, targets = ({value: code for code, value in enumerate(dict.fromkeys(column))} for column in
                          ([e[0] for e in events], [e[3] for e in events]))  # fmt: skip
    events = sorted(enumerate(events), key=lambda e: (addresses[e[1][0]], e[1][2], e[0]))
    code = list(NAMES).index
    requests = pa.table(
        {
            "id": pa.array([number for number, _ in events], pa.int64()),
            "address": pa.array([addresses[e[0]] for _, e in events], pa.int32()),
            "client": pa.array([clients[agents["client"][code(e[1])].as_py()] for _, e in events], pa.int32()),
            "agent": pa.array([code(e[1]) for _, e in events], pa.int32()),
            "target": pa.array([targets[e[3]] for _, e in events], pa.int32()),
            "t": pa.array([int(e[2] * 1_000_000) for _, e in events], pa.int64()),
            "status": pa.array([e[4] for _, e in events], pa.int16()),
            "refusal": pa.array([e[4] == 429 for _, e in events], pa.bool_()),
            "popular": pa.array([e[3] in POPULAR for _, e in events], pa.bool_()),
        }
    )
    table = disguise.evidence(requests, agents)
    assert table.schema == DISGUISE
    names = list(clients)
    return [(names[row["client"]], row["reason"], row["count"], row["ids"]) for row in table.to_pylist()]


BROWSER, TOKEN = "browser-after-refusal", "other-token-after-refusal"

TOLD = {
    "refused target asked again as a browser": (
        [("a", "bot", 0, "/p", 429), ("a", "chrome", 5, "/p", 200)],
        [("TidyBot", BROWSER, 1, [1])],
    ),
    "403 is a refusal": (
        [("a", "bot", 0, "/p", 403), ("a", "chrome", 5, "/p", 200)],
        [("TidyBot", BROWSER, 1, [1])],
    ),
    "pages of the session count": (
        [
            ("a", "bot", 0, "/p", 200),
            ("a", "bot", 9, "/q", 429),
            ("a", "chrome", 20, "/p", 200),
            ("a", "chrome", 21, "/x", 200),
        ],
        [("TidyBot", BROWSER, 1, [2])],
    ),
    "every rotated browser counts": (
        [("a", "bot", 0, "/p", 429), ("a", "chrome", 5, "/p", 200), ("a", "firefox", 9, "/p", 200)],
        [("TidyBot", BROWSER, 2, [1, 2])],
    ),
    "another operator's token": (
        [("a", "bot", 0, "/p", 429), ("a", "other", 5, "/p", 200)],
        [("TidyBot", TOKEN, 1, [1])],
    ),
    "examples are the first three": (
        [("a", "bot", 0, "/p", 429), *(("a", "chrome", 5 + n, "/p", 200) for n in range(5))],
        [("TidyBot", BROWSER, 5, [1, 2, 3])],
    ),
    "each of two clients for its own pages": (
        [
            *(("a", "bot", 0, "/p", 429), ("a", "other", 1, "/q", 429)),
            *(("a", "chrome", 5, "/p", 200), ("a", "chrome", 6, "/q", 200)),
        ],
        [("TidyBot", BROWSER, 1, [2]), ("QuarryBot", BROWSER, 1, [3])],
    ),
    "each address for itself": (
        [(a, who, at, "/p", status) for a in "ab" for who, at, status in (("bot", 0, 429), ("chrome", 5, 200))],
        [("TidyBot", BROWSER, 1, [1]), ("TidyBot", BROWSER, 1, [3])],
    ),
}


@pytest.mark.parametrize(("events", "expected"), TOLD.values(), ids=TOLD)
def test_evidence_is_found(events, expected):
    assert evidence(*events) == expected


INNOCENT = {
    "nothing was refused": [("a", "bot", 0, "/p", 200), ("a", "chrome", 5, "/p", 200)],
    "the browser was there before": [
        *(("a", "chrome", 0, "/", 200), ("a", "bot", 5, "/p", 429)),
        ("a", "chrome", 9, "/p", 200),
    ],
    "another address": [("a", "bot", 0, "/p", 429), ("b", "chrome", 5, "/p", 200)],
    "too late": [("a", "bot", 0, "/p", 429), ("a", "chrome", 10 * MINUTE + 1, "/p", 200)],
    "at the very same instant": [("a", "bot", 0, "/p", 429), ("a", "chrome", 0, "/p", 200)],
    "another page": [("a", "bot", 0, "/p", 429), ("a", "chrome", 5, "/q", 200)],
    "a page everybody asks for": [("a", "bot", 0, "/", 429), ("a", "chrome", 5, "/", 200)],
    "a page of an older session": [
        *(("a", "bot", 0, "/p", 200), ("a", "bot", 31 * MINUTE, "/q", 429)),
        ("a", "chrome", 31 * MINUTE + 9, "/p", 200),
    ],
    "long after it first came": [
        *(("a", "bot", 0, "/p", 429), ("a", "chrome", 5, "/q", 200)),
        ("a", "chrome", 31 * MINUTE, "/p", 200),
    ],
    "404 and 500 refuse nobody": [
        *(("a", "bot", 0, "/p", 404), ("a", "bot", 1, "/p", 500)),
        ("a", "chrome", 5, "/p", 200),
    ],
    "another version of itself": [("a", "bot", 0, "/p", 429), ("a", "bot2", 5, "/p", 200)],
    "two tokens of one operator": [("a", "google", 0, "/p", 429), ("a", "google-image", 5, "/p", 200)],
    "a person who tried curl first": [("a", "curl", 0, "/p", 403), ("a", "chrome", 5, "/p", 200)],
    **{
        f"a person who follows the link that {name} could not show": [
            *(("a", name, 0, "/p", 403), ("a", "chrome", 5, "/p", 200)),
            ("a", "other", 9, "/p", 200),
        ]
        for name in ("imessage", "whatsapp", "reader", "application")
    },
    "a preview of what was refused to a bot": [("a", "bot", 0, "/p", 403), ("a", "imessage", 5, "/p", 200)],
    "a refused browser": [("a", "chrome", 0, "/p", 403), ("a", "firefox", 5, "/p", 200)],
    "no user agent": [("a", "silent", 0, "/p", 403), ("a", "chrome", 5, "/p", 200)],
    "no user agent after": [("a", "bot", 0, "/p", 403), ("a", "silent", 5, "/p", 200)],
    "an empty log": [],
}


@pytest.mark.parametrize("events", INNOCENT.values(), ids=INNOCENT)
def test_nobody_is_accused_for_sharing_an_address(events):
    assert evidence(*events) == []


def test_thousands_of_names_at_one_address_cost_as_many_rows():
    """A row is compared once, however many others there are: 40,000 user agents are no 40,000 times 40,000."""
    size = 40_000
    names = ["TidyBot/1.0", *(f"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/{n}.0" for n in range(3))]
    agents = classify(pa.array(names))
    agents = pa.concat_tables([agents, *[agents.slice(1)] * (size // 3)]).slice(0, size)
    number = pa.array(range(size), pa.int32())
    zeros = pa.array([0] * size, pa.int32())
    requests = pa.table(
        {
            "id": number.cast(pa.int64()),
            "address": zeros,
            "client": pa.array([0] + [1] * (size - 1), pa.int32()),
            "agent": number,
            "target": zeros,
            "t": number.cast(pa.int64()),
            "status": pa.array([429] + [200] * (size - 1), pa.int16()),
            "refusal": pa.array([True] + [False] * (size - 1)),
            "popular": pa.array([False] * size),
        }
    )

    (row,) = disguise.evidence(requests, agents).to_pylist()

    assert (row["count"], row["ids"]) == (size - 1, [1, 2, 3])
