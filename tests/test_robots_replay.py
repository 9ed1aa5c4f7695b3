"""Every class and reason of the replay, by hand, and against a plain reading of the definition row by row."""

import pickle
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.errors import UsageError
from loganalyzer.robots import History, Policy, Version, kernel, parse
from loganalyzer.robots.answers import ANSWER
from loganalyzer.robots.grace import Grace
from loganalyzer.robots.grace import read as read_grace
from loganalyzer.schema import DECISION

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
CHANGE = 100 * HOUR  # when the second version comes into force
LATE = CHANGE + DAY  # from when no copy of the first version may serve

OPEN = "User-agent: *\nDisallow: /never\n"
SHUT = "User-agent: *\nDisallow: /never\nDisallow: /well\nUser-agent: namedbot\nDisallow: /\n"


class Line(NamedTuple):
    """A request in the tests' own notation."""

    t: int
    target: str | None = "/well"
    status: int | None = 200
    host: str | None = None
    client: str = "ant"


POLICIES = {
    "ant": Policy("ant", "crawler", ("ant",)),
    "bee": Policy("bee", "crawler", ("bee",)),
    "namedbot": Policy("namedbot", "crawler", ("namedbot",)),
    "curl": Policy("curl", "tool", ("curl",)),
    "adbot": Policy("adbot", "crawler", ("adbot",), star_binds=False),
    "adbot-named": Policy("adbot-named", "crawler", ("namedbot",), star_binds=False),
    "reader": Policy("reader", "feed-reader", ("reader",)),
    "reader-named": Policy("reader-named", "user-triggered", ("namedbot",)),
    "browser": Policy("browser", "browser", (), automated=False),
    "undeclared": Policy("undeclared", "undeclared", ()),
}
SCHEMES = (("s", "https://a.example", None, SHUT), ("p", "http://a.example", None, OPEN))
TWO = (("open", None, None, OPEN), ("shut", None, CHANGE, SHUT))


def history(*versions):
    return History(Version(name, host, start, "", parse(text)) for name, host, start, text in versions)


class World(NamedTuple):
    """Lines of a log with their codes, as the kernel takes them."""

    table: pa.Table
    order: list[int]  # row of the table -> line
    replay: object


def world(versions, lines, policies=None):
    clients = list(POLICIES)
    targets = list(dict.fromkeys(line.target for line in lines if line.target is not None))
    hosts = list(dict.fromkeys(line.host for line in lines if line.host is not None))
    order = sorted(range(len(lines)), key=lambda index: (clients.index(lines[index].client), lines[index].t, index))

    def code(values, value):
        return None if value is None else values.index(value)

    columns = {
        "id": pa.array(order, pa.int64()),
        "client": pa.array([clients.index(lines[index].client) for index in order], pa.int32()),
        "t": pa.array([lines[index].t for index in order], pa.int64()),
        "status": pa.array([lines[index].status for index in order], pa.int16()),
        "target": pa.array([code(targets, lines[index].target) for index in order], pa.int32()),
        "host": pa.array([code(hosts, lines[index].host) for index in order], pa.int32()),
    }
    fetches = sorted((line for line in lines if is_robots(line.target)), key=lambda line: line.t)
    rows = [(code(hosts, line.host), line.t, line.status, clients.index(line.client)) for line in fetches]
    answers = pa.Table.from_pylist([dict(zip(ANSWER.names, row, strict=True)) for row in rows], schema=ANSWER)
    table = pa.table(columns)
    return World(table, order, kernel(policies or list(POLICIES.values()), history(*versions), targets, hosts, answers))


def is_robots(target):
    return target is not None and target.partition("?")[0] == "/robots.txt"


def classes(versions, lines):
    """Class (with its reason) of each line."""
    made = world(versions, lines)
    table = made.replay(made.table)
    assert table.schema == DECISION
    rows = {row["id"]: row for row in table.to_pylist()}
    return [
        rows[index]["class"] + (f" {rows[index]['reason']}" if rows[index]["reason"] else "")
        for index in range(len(lines))
    ]


READ = "/robots.txt"
NO_ROBOTS = "unjudged no-robots"
BEE_READS = Line(LATE, READ, client="bee")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # 3: what the client last read
        ([Line(CHANGE + 1, READ), Line(CHANGE + 2)], "violation"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 2)], "grace"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 2, "/never")], "violation"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 2, "/else")], "allowed"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 1, READ, 304), Line(CHANGE + 2)], "violation"),
        ([Line(CHANGE - 1, "/robots.txt?v=1"), Line(CHANGE + 2)], "grace"),
        ([Line(CHANGE - 1, READ), Line(CHANGE - 1 + DAY)], "grace"),  # 24 h old: still good
        ([Line(CHANGE - 2, READ), Line(CHANGE - 1 + DAY)], "grace"),  # older, but V holds the first version as well
        ([Line(CHANGE - 1, READ), Line(LATE)], "violation"),  # older, and all of V forbid
        ([Line(CHANGE + 5, READ), Line(CHANGE + 5)], "violation"),  # the same instant: the order of lines counts
        ([Line(CHANGE - 1, READ), Line(CHANGE + 1, READ, None), Line(CHANGE + 2)], "grace"),  # a POST is no reading
        ([Line(CHANGE - 1, READ), Line(CHANGE + 1, READ, 301), Line(CHANGE + 2)], "grace"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 1, "/Robots.txt"), Line(CHANGE + 2)], "grace"),
        ([Line(CHANGE - 1, READ), Line(CHANGE + 1, READ, client="bee"), Line(CHANGE + 2)], "grace"),
        # 4: what it could have read
        ([Line(CHANGE - 1)], "allowed"),
        ([Line(CHANGE)], "grace"),
        ([Line(LATE - 1)], "grace"),
        ([Line(LATE)], "violation"),
        ([Line(CHANGE, "/never")], "violation"),
        # /robots.txt itself
        ([Line(LATE, READ, client="namedbot")], "allowed"),
        ([Line(LATE, "/robots.txt?x", client="undeclared")], "allowed"),
        ([Line(LATE, READ, 503)], "allowed"),
        # own groups, and clients that only `*` addresses
        ([Line(LATE, "/else", client="namedbot")], "violation"),
        ([Line(LATE, client="curl")], "violation"),
        # 1: exempt
        ([Line(LATE, client="reader")], "exempt kind:feed-reader"),
        ([Line(LATE, client="reader-named")], "exempt kind:user-triggered"),
        ([Line(LATE, client="browser")], "exempt kind:browser"),
        ([Line(LATE, client="adbot")], "exempt star-does-not-bind"),
        ([Line(CHANGE - DAY, "/never", client="adbot-named")], "exempt star-does-not-bind"),
        ([Line(CHANGE + 1, client="adbot-named")], "grace"),
        ([Line(LATE, client="adbot-named")], "violation"),
        # 2: unjudged
        ([Line(LATE, client="undeclared")], "unjudged no-token"),
        ([Line(LATE, None)], "unjudged no-path"),
        ([Line(LATE, "*")], "unjudged no-path"),
        ([Line(LATE, "mail.example:25")], "unjudged no-path"),
        ([Line(LATE, "http://else.example/well", host="our.example")], "unjudged scope"),
        ([Line(LATE, "http://our.example:80/well", host="our.example")], "violation"),
        ([Line(LATE, "http://else.example/well")], "unjudged scope"),
        # 2: the last answer to this client, or else to anybody
        ([Line(LATE, READ, 503), Line(LATE + 1)], "unjudged unreachable"),
        ([Line(LATE, READ, 429), Line(LATE + 1)], "unjudged unreachable"),
        ([Line(LATE, READ, 503), Line(LATE + DAY)], "unjudged unreachable"),
        ([Line(LATE, READ, 503), BEE_READS, Line(LATE + DAY + 1)], "violation"),
        ([Line(LATE, READ, 503, client="bee"), Line(CHANGE + 9 * DAY)], "unjudged unreachable"),
        ([Line(LATE, READ, 503, client="bee"), Line(LATE - 1)], "grace"),
        ([Line(CHANGE + 1, READ), Line(CHANGE + 2, READ, 503, client="bee"), Line(CHANGE + 3)], "violation"),
        ([Line(CHANGE + 1, READ), Line(CHANGE + 2, READ, 503), Line(CHANGE + 3)], "unjudged unreachable"),
        ([Line(CHANGE + 1, READ, 503), Line(CHANGE + 2, READ, 499), Line(CHANGE + 3)], "unjudged unreachable"),
        # 2: refused to this client, alone or like everybody
        ([BEE_READS, Line(LATE, READ, 403), Line(LATE + 1)], "unjudged refused"),
        ([Line(LATE, READ, 403), Line(LATE + 1)], "unjudged refused"),
        ([Line(LATE, READ, 410), Line(LATE + DAY)], "unjudged refused"),
        ([Line(LATE, READ, 404), Line(LATE, READ, 404, client="bee"), Line(LATE + 1)], "unjudged refused"),
        ([Line(LATE, READ, 404, client="bee"), Line(LATE + 1)], "violation"),  # never asked
        ([Line(LATE, READ, 403), Line(LATE + 9, READ, client="bee"), Line(LATE + 5)], "unjudged refused"),
        ([Line(LATE, READ, 403), Line(LATE + 3, READ, client="bee"), Line(LATE + 5)], "unjudged refused"),
        ([Line(LATE, READ, 403), Line(LATE + 3, READ), Line(LATE + 5)], "violation"),
        ([Line(CHANGE, READ, client="bee"), Line(LATE, READ, 403), Line(LATE + 1)], "unjudged refused"),
        ([Line(LATE, READ), Line(LATE, READ, 403), Line(LATE + 1)], "violation"),
        ([BEE_READS, Line(LATE + 1, READ), Line(LATE + 2, READ, 403), Line(LATE + 4)], "unjudged refused"),
        ([BEE_READS, Line(LATE, READ, 403), Line(LATE + DAY + 1)], "violation"),
    ],
)  # fmt: skip
def test_class_of_the_last_line(lines, expected):
    assert classes(TWO, lines)[-1] == expected


@pytest.mark.parametrize(
    ("versions", "line", "expected"),
    [
        ([], Line(0), "unjudged no-robots"),
        ([], Line(0, READ), "allowed"),
        ([], Line(0, client="adbot"), "unjudged no-robots"),
        ([], Line(0, client="reader"), "exempt kind:feed-reader"),
        ([("late", None, CHANGE, SHUT)], Line(CHANGE - 1), "unjudged no-robots"),
        ([("late", None, CHANGE, SHUT)], Line(CHANGE), "violation"),
        ([("a", "a.example", None, SHUT)], Line(0, host="b.example"), "unjudged no-robots"),
        (SCHEMES, Line(0, host="a.example:443"), "violation"),
        (SCHEMES, Line(0, host="a.example:80"), "allowed"),
        (SCHEMES, Line(0, host="a.example"), "unjudged scope"),
        (SCHEMES, Line(0, "https://a.example/well", host="a.example"), "violation"),  # the target says it
        (SCHEMES, Line(0, "http://a.example/well", host="a.example"), "allowed"),
        (SCHEMES, Line(0, "https://a.example:8443/well", host="a.example"), "unjudged no-robots"),
        (SCHEMES[:1], Line(0, host="a.example"), "violation"),  # the only one given
        (SCHEMES[:1], Line(0, host="a.example:80"), "unjudged no-robots"),
        ([("a", "a.example", None, SHUT)], Line(0, host="A.example:443"), "violation"),
        ([("a", "a.example", None, SHUT), ("all", None, None, OPEN)], Line(0, host="b.example"), "allowed"),
        ([("a", "a.example", None, SHUT), ("b", "b.example", None, OPEN)], Line(0), "unjudged scope"),
        (
            [("a", "a.example", None, SHUT), ("b", "b.example", None, OPEN)],
            Line(0, "http://a.example/well"),
            "violation",
        ),
        ([("a", "a.example", None, SHUT)], Line(0), "violation"),
        # RFC 9309 section 2.3: another port is another authority, the scheme's default port is none
        ([("a", "a.example", None, SHUT)], Line(0, host="a.example:8080"), "unjudged no-robots"),
        ([("a", "a.example:8080", None, SHUT)], Line(0, host="a.example:8080"), "violation"),
        ([("a", "a.example:8080", None, SHUT)], Line(0, host="a.example"), "unjudged no-robots"),
        # a load balancer logs the host without its port, but the target with it
        ([("a", "a.example", None, SHUT)], Line(0, "http://a.example:8080/well", host="a.example"), NO_ROBOTS),
        ([("a", "a.example:81", None, SHUT)], Line(0, "http://a.example:81/well", host="a.example"), "violation"),
    ],
)
def test_which_versions_hold_for_a_host(versions, line, expected):
    assert classes(versions, [line]) == [expected]


ONE_HOST = (("a", "a.example", None, SHUT),)


@pytest.mark.parametrize(
    ("versions", "logged", "expected"),
    [
        (ONE_HOST, ["a.example", "b.example"], "unjudged scope"),
        (ONE_HOST, ["b.example"], "unjudged scope"),
        (ONE_HOST, ["a.example", "a.example:8080"], "unjudged scope"),
        (ONE_HOST, ["a.example", "A.example:443"], "violation"),
        (ONE_HOST, ["a.example"], "violation"),
        (ONE_HOST, [], "violation"),
        ((*ONE_HOST, ("all", None, None, SHUT)), ["b.example", "c.example"], "unjudged scope"),
        ((("all", None, None, SHUT),), ["a.example", "b.example"], "violation"),  # the same for every host
        ((), ["a.example", "b.example"], "unjudged no-robots"),
    ],
)
def test_a_missing_host_may_be_any_of_the_log(versions, logged, expected):
    others = [Line(0, host=host) for host in logged]

    assert classes(versions, [*others, Line(1)])[-1] == expected


def test_a_copy_read_before_the_first_known_version_cannot_be_said_to_forbid():
    assert classes([("late", None, CHANGE, SHUT)], [Line(CHANGE - 1, READ), Line(CHANGE + 1)])[-1] == "grace"


def test_a_reading_counts_for_its_host_only():
    versions = [("a", "a.example", None, OPEN), ("a2", "a.example", CHANGE, SHUT), ("b", "b.example", None, SHUT)]
    lines = [
        Line(CHANGE - 1, READ, host="a.example"),
        Line(CHANGE + 1, READ, host="b.example"),
        Line(CHANGE + 2, host="a.example"),
    ]

    assert classes(versions, lines)[-1] == "grace"


def test_the_evidence_is_the_version_in_force_and_its_deciding_line():
    made = world(
        TWO,
        [
            Line(0),
            Line(LATE),
            Line(CHANGE, client="bee"),
            Line(CHANGE, client="reader"),
            Line(CHANGE, "/never"),
        ],
    )
    rows = {row["id"]: row for row in made.replay(made.table).to_pylist()}

    assert [(rows[index]["version"], rows[index]["rule_line"]) for index in range(5)] == [
        (0, None),
        (1, 3),
        (1, 3),
        (None, None),
        (1, 2),
    ]


def test_blocked_by_name_is_a_finding_about_exempt_clients():
    lines = [
        Line(LATE, client="reader-named"),
        Line(CHANGE, client="reader-named"),  # grace
        Line(LATE, client="reader"),  # only `*` forbids
        Line(LATE, client="namedbot"),  # judged, not exempt
        Line(LATE, READ, client="reader-named"),
    ]
    made = world(TWO, lines)

    assert made.replay.blocked_by_name(made.table).to_pylist() == [0]


def test_names_of_one_group_and_names_of_two_are_told_apart():
    text = "User-agent: ant\nUser-agent: bee\nDisallow: /well\nUser-agent: namedbot\nAllow: /well\n"
    text += "User-agent: *\nDisallow: /\n"
    lines = [Line(0, client=client) for client in ("ant", "bee", "namedbot", "curl")]
    made = world([("one", None, None, text)], lines)

    assert made.replay(made.table)["rule_line"].to_pylist() == [3, 3, 5, 7]


def test_copies_of_one_version_decide_alike():
    robots = parse(SHUT)
    copies = History(Version(str(start), None, start, "", robots) for start in (0, CHANGE))
    replay = kernel(list(POLICIES.values()), copies, ["/well"], [], ANSWER.empty_table())
    made = world([], [Line(LATE), Line(LATE, client="adbot-named")])

    assert replay(made.table)["class"].to_pylist() == ["violation", "violation"]
    assert replay(made.table)["version"].to_pylist() == [1, 1]
    assert replay(made.table)["rule_line"].to_pylist() == [3, 5]


def test_the_kernel_travels_to_other_processes():
    made = world(TWO, [Line(LATE), Line(CHANGE, host="a.example")])

    assert pickle.loads(pickle.dumps(made.replay))(made.table) == made.replay(made.table)


def test_no_requests():
    made = world(TWO, [])

    assert made.replay(made.table).num_rows == 0
    assert made.replay.blocked_by_name(made.table).to_pylist() == []


def plainly(versions, lines, index):
    """The definition, read off word by word for one line."""
    told, line = history(*versions), lines[index]
    policy = POLICIES[line.client]
    now = told.at(line.host, line.t)

    def forbids(version):
        robots = version.robots
        own = robots.own_group(policy.robots_tokens) is not None
        return (own or policy.star_binds) and not robots.decide(policy.robots_tokens, line.target).allowed

    def position(other):
        return lines[other].t, other

    fetches = [
        other for other in range(len(lines)) if is_robots(lines[other].target) and lines[other].host == line.host
    ]
    recent = [other for other in fetches if lines[other].client == line.client and position(other) < position(index)]
    recent = sorted((other for other in recent if line.t - lines[other].t <= DAY), key=position)
    anybody = sorted((other for other in fetches if lines[other].t <= line.t), key=position)
    if is_robots(line.target):
        return "allowed"
    if not policy.automated or policy.kind in ("user-triggered", "feed-reader"):
        return f"exempt kind:{policy.kind}"
    if now and not policy.star_binds and now.robots.own_group(policy.robots_tokens) is None:
        return "exempt star-does-not-bind"
    if policy.kind == "undeclared":
        return "unjudged no-token"
    if now is None:
        return "unjudged no-robots"
    last = recent or anybody
    if last and (lines[last[-1]].status >= 500 or lines[last[-1]].status == 429):
        return "unjudged unreachable"
    others = [other for other in anybody if lines[other].client != line.client and line.t - lines[other].t <= DAY]
    reads = [other for other in recent if lines[other].status in (200, 304)]
    served_others = any(lines[other].status in (200, 304) for other in others)
    if recent and lines[recent[-1]].status in (403, 404) and (served_others or not reads):
        return "unjudged refused"
    if not forbids(now):
        return "allowed"
    copies = [told.at(line.host, lines[reads[-1]].t)] if reads else told.between(line.host, line.t - DAY, line.t)
    return "violation" if all(copy is not None and forbids(copy) for copy in copies) else "grace"


LINES = st.lists(
    st.builds(
        Line,
        t=st.integers(0, 12).map(lambda step: CHANGE - DAY + step * 6 * HOUR),
        target=st.sampled_from([READ, READ, "/well", "/never", "/else"]),
        status=st.sampled_from([200, 304, 403, 404, 429, 503]),
        host=st.sampled_from(["a.example", "b.example", "c.example"]),
        client=st.sampled_from(list(POLICIES)),
    ),
    max_size=14,
)
VERSIONS = st.sampled_from(
    [
        TWO,
        (*TWO, ("open again", None, CHANGE + 10 * HOUR, OPEN), ("a", "a.example", CHANGE, SHUT)),
        (("a", "a.example", None, SHUT), ("b", "b.example", CHANGE - HOUR, OPEN), ("b2", "b.example", CHANGE, SHUT)),
    ]
)


@settings(deadline=None)
@given(VERSIONS, LINES)
def test_the_kernel_does_what_the_definition_says(versions, lines):
    assert classes(versions, lines) == [plainly(versions, lines, index) for index in range(len(lines))]


@settings(deadline=None)
@given(VERSIONS, LINES, st.lists(st.integers(1, 13), max_size=5), st.sampled_from([1, 24, 72]))
def test_a_stream_is_classed_like_the_whole_however_it_is_cut(versions, lines, cuts, hours):
    made = world(versions, lines, Grace({"*": hours}).apply(list(POLICIES.values())))
    edges = [0, *sorted(cut for cut in cuts if cut < len(lines)), len(lines)]
    pieces = [made.table.slice(start, end - start) for start, end in pairwise(edges) if end > start]
    classed = [row for table in made.replay.stream(pieces) for row in table.to_pylist()]

    assert classed == made.replay(made.table).to_pylist()

    summed: dict[int, list[int]] = {}
    for table in made.replay.stale_stream(pieces):
        for row in table.to_pylist():
            requests, oldest = summed.get(row["client"], [0, 0])
            summed[row["client"]] = [requests + row["requests"], max(oldest, row["oldest_us"])]
    whole = made.replay.stale(made.table).to_pylist()
    assert summed == {row["client"]: [row["requests"], row["oldest_us"]] for row in whole}


@pytest.mark.parametrize(
    ("hours", "lines", "expected"),
    [
        (24, [Line(LATE - 1)], "grace"),
        (24, [Line(LATE)], "violation"),
        (48, [Line(LATE)], "grace"),
        (48, [Line(LATE + DAY)], "violation"),
        (1, [Line(CHANGE + HOUR - 1)], "grace"),
        (1, [Line(CHANGE + HOUR)], "violation"),
        (0, [Line(CHANGE)], "violation"),
        (0, [Line(CHANGE - 1)], "allowed"),  # nobody breaks a version before it is in force
        (48, [Line(CHANGE - 1, READ), Line(LATE + HOUR)], "grace"),  # it may still hold what it read
        (1, [Line(CHANGE - 1, READ), Line(CHANGE + HOUR)], "violation"),
        (1, [Line(CHANGE - 1, READ, 503), Line(CHANGE + 2 * HOUR)], "unjudged unreachable"),  # our fault for a day
    ],
)
def test_grace_is_a_clients_own(hours, lines, expected):
    policies = Grace({"ant": hours}).apply(list(POLICIES.values()))
    made = world(TWO, lines, policies)

    assert made.replay(made.table)["class"].to_pylist()[-1] == expected.split()[0]


@pytest.mark.parametrize(
    ("specs", "notes"),
    [
        (["Ant=72"], ["--grace gives ant 72 h by an older copy of robots.txt, more than the 24 h of RFC 9309"]),
        (["*=0", "bee=24"], ["--grace gives everybody else 0 h by an older copy of robots.txt, less than the 24 h"]),
        (["nobody=72"], ["--grace nobody=72: no client of that name is in the log"]),
        ([], []),
    ],
)
def test_a_grace_other_than_the_rfcs_is_said(specs, notes):
    said = list(read_grace(specs).notes(list(POLICIES.values())))

    assert [begin in sentence for begin, sentence in zip(notes, said, strict=True)] == [True] * len(notes)


@pytest.mark.parametrize("spec", ["ant", "=72", "ant=", "ant=nan", "ant=-1", "ant=1e9", "ant=a day"])
def test_a_grace_that_is_none_is_refused(spec):
    with pytest.raises(UsageError, match="TOKEN=HOURS"):
        read_grace([spec])


@pytest.mark.parametrize(
    ("lines", "stale"),
    [
        ([Line(0, READ), Line(DAY), Line(DAY + 1), Line(2 * DAY)], [2, 2 * DAY]),
        ([Line(0, READ), Line(DAY, READ, 304), Line(2 * DAY)], None),
        ([Line(0, READ), Line(DAY, READ, 503), Line(2 * DAY)], [1, 2 * DAY]),  # what it got then is no copy
        ([Line(3 * DAY)], None),  # it never read: that is another finding
        ([Line(0, READ, host="a.example"), Line(2 * DAY, host="b.example")], None),  # a reading is of its host
        ([Line(0, READ, client="bee"), Line(2 * DAY)], None),
    ],
)
def test_requests_by_a_copy_older_than_a_day_are_counted(lines, stale):
    made = world(TWO, lines)

    found = [[row["requests"], row["oldest_us"]] for row in made.replay.stale(made.table).to_pylist()]
    assert found == ([] if stale is None else [stale])
