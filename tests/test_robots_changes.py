"""Cause and effect: what clients asked for before and after a robots.txt took the place of another."""

import numpy as np
import pyarrow as pa
import pytest

import loganalyzer as la
from loganalyzer.analysis.changes import outcome
from loganalyzer.robots import History, Policy, Version, parse
from loganalyzer.robots.changes import changes
from loganalyzer.robots.delays import Delays

HOUR = 3_600_000_000
OPEN = "User-agent: *\nDisallow: /gone/\n"
SHUT = "User-agent: *\nDisallow: /deep/\n"


def history(*versions):
    return History(Version(name, host, start, text, parse(text)) for name, host, start, text in versions)


def at(change):
    return (change.old, change.new, change.at_us // HOUR, change.window_us // HOUR, change.until_us // HOUR)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([("a", None, None, OPEN), ("b", None, 30 * HOUR, SHUT)], [(0, 1, 30, 20, 100)]),
        ([("a", None, None, OPEN), ("b", None, 90 * HOUR, SHUT)], [(0, 1, 90, 10, 100)]),
        # each change has its own windows, and none reaches over another change
        (
            [("a", None, None, OPEN), ("b", None, 40 * HOUR, SHUT), ("c", None, 46 * HOUR, OPEN)],
            [(0, 1, 40, 6, 46), (1, 2, 46, 6, 100)],
        ),
        ([("a", None, None, OPEN), ("b", None, 5 * HOUR, SHUT)], []),  # before the log
        ([("a", None, None, OPEN), ("b", None, 300 * HOUR, SHUT)], []),  # after it
        ([("a", None, None, OPEN), ("b", None, 50 * HOUR, OPEN)], []),  # the same again
        ([("a", "a.example", None, OPEN), ("b", "b.example", 50 * HOUR, SHUT)], []),  # another host's
    ],
)
def test_changes_and_their_windows(versions, expected):
    found = [at(change) for change in changes(history(*versions), 10 * HOUR, 100 * HOUR - 1)]

    assert found == expected


def line(hour, agent, target, status=200, size=100):
    day, hour = divmod(hour, 24)
    return (
        f"192.0.2.{len(agent)} - - [{1 + int(day):02}/Nov/2026:{int(hour):02}:{int(hour % 1 * 60):02}:00 +0000] "
        f'"GET {target} HTTP/1.1" {status} {size} "-" "{agent}/1.0 (+https://{agent}.example/bot)"'
    )


LOG = [
    line(0, "firstbot", "/"),
    *(line(hour, "heedbot", "/deep/a") for hour in (10, 20)),
    line(26, "heedbot", "/robots.txt"),
    *(line(hour, "heedbot", target) for hour, target in ((25, "/deep/b"), (30, "/top"), (60, "/top"))),
    *(line(hour, "deafbot", "/deep/c", size=1000) for hour in (12, 25, 50, 70)),
    *(line(hour, "goingbot", "/deep/d") for hour in (20, 25)),
    line(10, "shutbot", "/deep/e"),
    *(line(hour, "shutbot", target) for hour, target in ((25, "/deep/f"), (32, "/robots.txt"))),
    *(line(hour, "backbot", target) for hour, target in ((2, "/top"), (28, "/robots.txt"), (29, "/gone/x"))),
    *(line(hour, "shybot", target) for hour, target in ((3, "/gone/y"), (40, "/top"))),
    line(72, "lastbot", "/"),
]


@pytest.fixture
def changed(tmp_path):
    log, old, new = tmp_path / "access.log", tmp_path / "old.txt", tmp_path / "new.txt"
    log.write_text("".join(f"{text}\n" for text in LOG))
    old.write_text(OPEN)
    new.write_text(SHUT)
    robots = [str(old), f"{new}@2026-11-02T00:00Z"]
    (change,) = la.analyse(la.read([str(log)]), robots=robots).to_dict()["robots_changes"]
    return change


def test_a_change_says_what_changed_and_compares_equal_windows(changed):
    assert (changed["added"], changed["removed"]) == (
        ["User-agent: * / Disallow: /deep/"],
        ["User-agent: * / Disallow: /gone/"],
    )
    assert (changed["window_s"], changed["since"], changed["until"]) == (
        86_400.0,
        "2026-11-01T00:00:00Z",
        "2026-11-03T00:00:00Z",
    )
    assert changed["forbidden"] == [5, 1400, 4, 1300]  # what came at 50 h and 70 h is outside the window
    assert changed["allowed"] == [1, 100, 1, 100]


@pytest.mark.parametrize(
    ("client", "effect", "result", "lag_h", "read"),
    [
        ("heedbot", "forbidden", "stopped", 1, "2026-11-02T02:00:00Z"),
        ("deafbot", "forbidden", "went on", 46, None),
        ("shutbot", "forbidden", "stopped", 1, "2026-11-02T08:00:00Z"),  # all it still does is read
        ("goingbot", "forbidden", "left", 1, None),
        ("backbot", "allowed", "came", 5, "2026-11-02T04:00:00Z"),
        ("shybot", "allowed", "did not come", None, None),
    ],
)
def test_each_client_has_its_lag_and_its_outcome(changed, client, effect, result, lag_h, read):
    (told,) = [told for told in changed["clients"] if told["client"] == client]

    assert (told["effect"], told["outcome"], told["read"]) == (effect, result, read)
    assert told["lag_s"] == (None if lag_h is None else lag_h * 3600)


def test_who_never_noticed_is_named_with_the_line_that_says_so(changed):
    assert changed["never_noticed"] == ["deafbot"]
    (deaf,) = [told for told in changed["clients"] if told["client"] == "deafbot"]
    assert (deaf["before"], deaf["after"], deaf["since"], deaf["late"]) == (1, 1, 3, 2)
    assert deaf["evidence"].endswith(f":{LOG.index(line(70, 'deafbot', '/deep/c', size=1000)) + 1}")


def test_what_nobody_can_have_noticed_yet_is_not_held_against_anybody():
    row = {"effect": "forbidden", "since": 3, "late": 0, "last_us": 9, "seen_us": 12}

    assert (outcome(row, enough=False), outcome(row, enough=True)) == ("too early to say", "stopped")


SLOW = "User-agent: *\nCrawl-delay: 10\n"
SLOWER = "User-agent: *\nCrawl-delay: 30\n"


@pytest.mark.parametrize(
    ("versions", "hosts", "asked", "short", "gaps"),
    [
        ([("a", None, None, SLOW)], [0, 0, 0], 10.0, 0, 2),
        ([("a", None, None, SLOWER)], [0, 0, 0], 30.0, 2, 2),
        ([("a", None, None, SLOW), ("b", None, 200 * HOUR, SLOWER)], [0, 0, 0], 10.0, 0, 2),  # not yet in force
        ([("a", None, None, SLOW), ("b", None, 99 * HOUR, SLOWER)], [0, 0, 0], 10.0, 0, 2),  # it may hold the old one
        ([("a", None, None, SLOW), ("b", None, 9 * HOUR, SLOWER)], [0, 0, 0], 30.0, 2, 2),
        ([("a", "a.example", None, SLOWER), ("b", "b.example", None, OPEN)], [0, 1, 0], 30.0, 1, 1),  # 24 s apart at a
        ([("a", "a.example", None, OPEN), ("b", "b.example", None, SLOWER)], [0, 0, 0], None, None, None),
    ],
)
def test_crawl_delay_is_that_of_the_version_and_host_in_force(versions, hosts, asked, short, gaps):
    delays = Delays([Policy("ant", "crawler", ("ant",))], history(*versions), ["a.example", "b.example"])
    t = 100 * HOUR + np.array([0, 12, 24]) * 1_000_000
    table = pa.table({"client": pa.array([0] * 3, pa.int32()), "t": t, "host": pa.array(hosts, pa.int32())})

    rows = [(row["delay_s"], row["violations"], row["gaps"]) for row in delays(table).to_pylist()]
    assert rows == ([] if asked is None else [(asked, short, gaps)])
