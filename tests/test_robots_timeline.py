"""How /robots.txt was answered: to everybody, to one client alone, and when its size gives a new version away."""

import pyarrow as pa
import pytest

import loganalyzer as la
from loganalyzer.robots import History, Version, parse
from loganalyzer.robots.timeline import sizes, timeline

HOSTS = ["a.example", "b.example"]
CLIENTS = ["ant", "bee", "fly", "gnat"]
SECOND = 1_000_000


def table(rows):
    names = ("t", "client", "status", "host", "agent", "bytes")
    filled = [(*row, *(0, None, None)[len(row) - 3 :]) if len(row) < 6 else row for row in rows]
    columns = [pa.array(list(column), pa.int64()) for column in zip(*filled, strict=True)]
    return pa.table(dict(zip(names, columns, strict=True)))


def told(*rows):
    """Runs of the answers to (client, status), one a second."""
    answers = table([(second * SECOND, CLIENTS.index(name), status) for second, (name, status) in enumerate(rows)])
    return [
        (run["client"], run["status"], run["requests"], run["clients"]) for run in timeline(answers, HOSTS, CLIENTS)
    ]


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        ([("ant", 200), ("bee", 304), ("ant", 200)], [(None, 200, 3, 2)]),
        # a window of 5xx meets everybody
        (
            [("ant", 200), ("bee", 503), ("ant", 503), ("bee", 200)],
            [(None, 200, 1, 1), (None, 503, 2, 2), (None, 200, 1, 1)],
        ),
        # one bot is kept out: the timeline of the others stays whole
        (
            [("ant", 200), ("fly", 403), ("bee", 200), ("fly", 403), ("ant", 200)],
            [(None, 200, 3, 2), ("fly", 403, 2, 1)],
        ),
        # two are, and do not excuse each other
        (
            [("ant", 200), ("fly", 403), ("gnat", 403), ("fly", 403), ("ant", 200)],
            [(None, 200, 2, 1), ("fly", 403, 2, 1), ("gnat", 403, 1, 1)],
        ),
        # kept out from some time on, though served before
        (
            [("fly", 200), ("ant", 200), ("fly", 403), ("fly", 403), ("ant", 200)],
            [(None, 200, 3, 2), ("fly", 403, 2, 1)],
        ),
        # nobody is served: there is no file
        ([("ant", 404), ("bee", 404)], [(None, 404, 2, 2)]),
        ([("ant", 429), ("ant", 429)], [(None, 429, 2, 1)]),
        # the only one who asks says nothing of others
        ([("ant", 200), ("ant", 503), ("ant", 200)], [(None, 200, 1, 1), (None, 503, 1, 1), (None, 200, 1, 1)]),
    ],
)
def test_what_one_client_alone_got_stands_apart(rows, runs):
    assert told(*rows) == runs


def changes(*rows, starts=()):
    """Changes of size in answers of (agent, bytes), one a second."""
    answers = table([(second * SECOND, 0, 200, 0, agent, size) for second, (agent, size) in enumerate(rows)])
    given = History(Version(str(start), None, start * SECOND, str(start), parse("")) for start in starts)
    return [
        (
            change["old"],
            change["new"],
            change["last"][17:19],
            change["first"][17:19],
            change["user_agents"],
            change["given"],
        )
        for change in sizes(answers, HOSTS, given)
    ]


@pytest.mark.parametrize(
    ("rows", "starts", "found"),
    [
        ([(0, 310), (1, 310), (0, 420), (1, 420)], [], [(310, 420, "01", "02", 2, False)]),
        ([(0, 310), (1, 310), (0, 420), (1, 420)], [2], [(310, 420, "01", "02", 2, True)]),
        ([(0, 310), (1, 310), (0, 420), (1, 420)], [1, 3], [(310, 420, "01", "02", 2, False)]),
        # compressed for one: two sizes at a time, and both change
        (
            [(0, 310), (1, 180), (0, 310), (0, 420), (1, 220)],
            [],
            [
                (310, 420, "02", "03", 1, False),
            ],
        ),
        ([(0, 310), (1, 180), (0, 310), (1, 180)], [], []),
        # another size at the end, but from one who never got the old: perhaps compressed
        ([(0, 310), (0, 310), (1, 180)], [], []),
        # the old size comes back: not a new version, or not for good
        ([(0, 310), (0, 180), (0, 310)], [], []),
        ([(0, 310), (1, None), (0, 310)], [], []),  # HEAD, or no size logged
        ([], [], []),
    ],
)
def test_a_size_that_changes_for_good_is_a_sign_of_a_version(rows, starts, found):
    assert changes(*rows, starts=starts) == found if rows else True


def line(minute, agent, size, method="GET", status=200):
    request = f"{method} /robots.txt HTTP/1.1"
    return f'192.0.2.1 - - [02/Nov/2026:10:{minute:02}:00 +0000] "{request}" {status} {size} "-" "{agent}/1.0"'


def test_a_version_that_was_not_given_is_noted(tmp_path):
    log, robots = tmp_path / "access.log", tmp_path / "robots.txt"
    lines = [line(1, "AntBot", 310), line(5, "AntBot", 290, "HEAD"), line(9, "AntBot", 310), line(15, "AntBot", 1420)]
    log.write_text("".join(f"{text}\n" for text in lines))
    robots.write_text("User-agent: *\nDisallow: /x\n")

    notes = la.analyse(la.read([str(log)]), robots=[str(robots)]).to_dict()["notes"]

    (note,) = [note for note in notes if "the size of robots.txt" in note]
    assert "between 2026-11-02T10:09:00Z and 2026-11-02T10:15:00Z" in note
    assert "from 310 to 1,420 bytes (1 user agent got both)" in note
    assert "was not given: --robots FILE@2026-11-02T10:15:00Z" in note
