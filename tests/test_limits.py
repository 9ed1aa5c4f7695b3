"""Limits against recorded requests: what would be refused, to whom; what is proposed, and for whom nothing."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loganalyzer as la
from loganalyzer.analysis.limits import Limits
from loganalyzer.cli import main
from loganalyzer.cli.limits import SERVERS as NAMED
from loganalyzer.drafts.limits import SERVERS, Limit, Traffic, norm
from loganalyzer.errors import UsageError
from loganalyzer.groups import Groups
from loganalyzer.rates import nginx_limit_req, thousandths
from loganalyzer.reports.limits import as_text

# (client, address, time in ms)
requests = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9_000)), min_size=1, max_size=60)
keys = st.sampled_from(["token", "address", "network"])
some_limits = st.builds(Limit, st.sampled_from(["30r/m", "1r/s", "3r/s"]), st.sampled_from([0, 1, 4]), key=keys)


def traffic(rows):
    columns = list(zip(*rows, strict=True))
    table = pa.table(
        {
            "client": pa.array(columns[0], pa.int32()),
            "agent": pa.array(columns[0], pa.int32()),
            "address": pa.array(columns[1], pa.int32()),
            "t": pa.array([ms * 1000 for ms in columns[2]], pa.int64()),
            "bytes": pa.array([100] * len(rows), pa.int64()),
            "robots": pa.array([False] * len(rows)),
        }
    )
    return Traffic(table, pa.array([0, 0, 1, 1], pa.int32()))


BUCKET = {"token": lambda row: row[0], "address": lambda row: row[1], "network": lambda row: row[1] // 2}


def plainly(rows, limit, at_once=None):
    """nginx's bucket, one request after the other: which pass, and how long each is held back, in the order of rows."""
    rate, states, passed, held = thousandths(limit.rate), {}, [], []
    for row in rows:
        bucket = BUCKET[limit.key](row)
        excess, last = states.get(bucket, (None, row[2]))
        new = 0 if excess is None else max(0, excess - rate * (row[2] - last) // 1000 + 1000)
        passed.append(new <= limit.burst * 1000)
        if passed[-1]:
            states[bucket] = new, row[2]
        above = new - 1000 * (limit.burst if at_once is None else at_once)
        held.append(above * 1000 // rate if passed[-1] and above > 0 else 0)
    return passed, held


@given(requests, some_limits)
def test_each_bucket_is_replayed_by_itself(rows, limit):
    rows = sorted(rows, key=lambda row: row[2])
    passed, _ = plainly(rows, limit)
    expected = {
        client: sum(not ok for row, ok in zip(rows, passed, strict=True) if row[0] == client)
        for client in {row[0] for row in rows}
    }

    # Who of two clients at one instant in one bucket comes first is not in the log: here, the order of rows.
    found = traffic(rows).refused(limit)

    assert dict(zip(found["client"].to_pylist(), found["refused"].to_pylist(), strict=True)) == expected
    assert found["refused_bytes"].to_pylist() == [100 * n for n in found["refused"].to_pylist()]


@given(requests, some_limits, st.integers(0, 4))
def test_what_passes_is_held_back_as_nginx_does(rows, limit, at_once):
    rows = sorted(rows, key=lambda row: row[2])
    at_once = min(at_once, limit.burst)
    _, held = plainly(rows, limit, at_once)

    found = traffic(rows).refused(Limit(limit.rate, limit.burst, at_once, limit.key))

    assert sum(found["delayed"].to_pylist()) == sum(delay > 0 for delay in held)
    assert max(found["longest_delay_ms"].to_pylist()) == max(held)


@given(requests, some_limits)
def test_addresses_add_up_to_clients(rows, limit):
    rows = traffic(sorted(rows, key=lambda row: row[2]))
    whole, parts = rows.refused(limit), rows.refused(limit, by_address=True)

    for row in whole.to_pylist():
        own = [part for part in parts.to_pylist() if part["client"] == row["client"]]
        assert row["refused"] == sum(part["refused"] for part in own)
        assert row["addresses"] == sum(part["refused"] > 0 for part in own)
        assert row["first_refused_us"] == min(
            (part["first_refused_us"] for part in own if part["refused"]), default=None
        )


def test_one_token_has_one_bucket_whoever_sends_it():
    rows = traffic([(0, 0, 0), (1, 1, 1)])
    limit = Limit("1r/m")

    assert rows.refused(limit)["refused"].to_pylist() == [0, 0]
    assert rows.refused(limit, one_token=True).select(["client", "refused"]).to_pylist() == [
        {"client": 1, "refused": 1},
        {"client": 0, "refused": 0},
    ]


def test_robots_txt_and_requests_without_a_time_are_under_no_limit():
    table = pa.table(
        {
            "client": pa.array([0, 0, 0], pa.int32()),
            "agent": pa.array([0, 0, 0], pa.int32()),
            "address": pa.array([0, 0, 0], pa.int32()),
            "t": pa.array([0, 0, None], pa.int64()),
            "bytes": pa.array([None, 1, 1], pa.int64()),
            "robots": pa.array([False, True, False]),
        }
    )
    found = Traffic(table, pa.array([0], pa.int32())).refused(Limit("1r/m", key="address"))

    assert found.select(["client", "requests", "refused", "addresses"]).to_pylist() == [
        {"client": 0, "requests": 1, "refused": 0, "addresses": 0}
    ]


@given(st.lists(st.lists(st.integers(0, 3_000), min_size=10, max_size=25), min_size=1, max_size=6))
def test_norm_refuses_nothing_of_nine_in_ten(gaps):
    starts = [np.cumsum(group) for group in gaps]
    groups = Groups.of(np.repeat(np.arange(len(gaps)), [len(group) for group in gaps]))

    found = norm(np.concatenate(starts), groups, Limit("30r/m", 5))

    if found is not None:
        whole = sum(nginx_limit_req(t, found.rate, found.burst).all() for t in starts)
        assert Fraction(whole, len(starts)) >= Fraction(9, 10)
        assert (thousandths(found.rate), found.burst) >= (500, 5)


def test_one_that_rushed_once_does_not_set_the_pace_of_all():
    steady, rushed = [np.arange(20) * 4_000 for _ in range(9)], np.zeros(300, dtype=np.int64)
    t_ms = np.concatenate([*steady, rushed])
    groups = Groups.of(np.repeat(np.arange(10), [*[20] * 9, 300]))

    assert norm(t_ms, groups, Limit("30r/m", 5)) == Limit("30r/m", 5)


def test_who_made_few_requests_names_no_pace():
    t_ms = np.arange(5)

    assert norm(t_ms, Groups.one(5), Limit("30r/m", 5)) is None
    assert norm(t_ms[:0], Groups(t_ms[:0], t_ms[:0]), Limit("30r/m", 5)) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("1 r/s",), "not a rate that nginx reads"),
        (("1r/h",), "not a rate"),
        (("99999r/s",), "beyond"),
        (("1r/s", -1), "from 0 to"),
        (("1r/s", 2, 3), "between 0 and the burst"),
        (("1r/s", 2, None, "host"), "'host' is none"),
    ],
)
def test_what_is_no_limit_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        Limit(*arguments)


# --- a log


BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
HASTY = "Mozilla/5.0 (compatible; HastyBot/1.0; +https://hasty.example/bot)"
CALM = "CalmBot/2.0 (+https://calm.example/)"


def line(second, agent, address, path="/a", size=1000):
    at = f"02/Nov/2026:{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} +0000"
    return f'{address} - - [{at}] "GET {path} HTTP/1.1" 200 {size} "-" "{agent}"\n'


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """HastyBot costs most, against robots.txt; CalmBot comes every 10 s; two people, one behind HastyBot's address."""
    lines = [line(n // 4, HASTY, f"192.0.2.{n % 2 + 1}", f"/private/{n}", 200_000) for n in range(2000)]
    lines += [line(10 * n, CALM, "198.51.100.1", "/a?b", 100) for n in range(300)]
    lines += [line(10 * n + 3, BROWSER, "192.0.2.1", "/c", 100) for n in range(40)]
    lines += [line(30 * n + 3, BROWSER, "203.0.113.9", "/c", 100) for n in range(40)]
    lines += [line(40 * n, "-", "203.0.113.8", "/c", 100) for n in range(12)]
    folder = tmp_path_factory.mktemp("limits")
    lines.sort(key=lambda text: text[text.index("[") :].split()[0])
    (folder / "access.log").write_text("".join(lines), encoding="utf-8")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def limits(log):
    robots = [str(log / "robots.txt")]
    return Limits(la.analyse(la.read([log / "access.log"]), robots=robots))


def run(capsys, log, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["limits", str(log / "access.log"), "--robots", str(log / "robots.txt"), *arguments])
    return end.value.code, *capsys.readouterr()


def test_a_limit_by_token_meets_no_people(limits):
    effect = limits.effect(Limit("1r/s", 5))

    assert {row["client"]: row["refused"] for row in effect["clients"]} == {"HastyBot": 1495, "CalmBot": 0}
    assert effect["people"] == {"requests": 0, "refused": 0, "addresses": 0, "refused_addresses": 0}


def test_a_limit_by_address_says_how_many_people_it_meets(limits):
    effect = limits.effect(Limit("1r/s", 5, key="address"))
    browser = next(row for row in effect["clients"] if row["client"] == "browser")

    assert effect["people"]["addresses"] == 2
    assert effect["people"]["refused_addresses"] == browser["addresses"] == 1
    assert effect["people"]["refused"] == browser["refused"] > 0
    assert effect["refused"] == sum(row["refused"] for row in effect["clients"])


def test_a_network_shares_one_bucket(limits):
    by_address, by_network = (limits.effect(Limit("1r/s", 5, key=key))["refused"] for key in ("address", "network"))

    assert by_network > by_address


def test_a_limit_is_proposed_for_whom_it_is_the_lever_and_spares_the_others(limits):
    document = limits.document()
    found = {row["client"]: row for row in document["clients"]}
    hasty, calm = found["HastyBot"], found["CalmBot"]

    assert (document["norm"]["rate"], document["norm"]["burst"]) == ("30r/m", 5)
    assert (hasty["lever"], hasty["who"], hasty["token"], hasty["named"]) == ("429", "token", "HastyBot", 2000)
    assert hasty["refused"] == 2000 - int(nginx_limit_req(np.arange(2000) // 4 * 1000, "30r/m", 5).sum())
    assert hasty["others"] == []
    assert (calm["limit"], calm["lever"]) == (None, "leave-alone")
    assert "Costs little" in calm["why"]
    assert calm["smallest"]["5"] == "6r/m"
    assert [rule.token for rule in limits.rules()] == ["HastyBot"]


def test_rules_of_a_limit_are_for_those_that_it_refuses(limits):
    assert [rule.token for rule in limits.rules(Limit("1r/s", 5))] == ["HastyBot"]
    assert [rule.token for rule in limits.rules(Limit("1r/s", 5), ["calmbot"])] == ["CalmBot"]
    assert [rule.who for rule in limits.rules(Limit("1r/s", 5, key="address"))] == ["everybody"]
    with pytest.raises(UsageError, match="no name"):
        limits.rules(Limit("1r/s", 5), ["browser"])
    with pytest.raises(UsageError, match="no client"):
        limits.effect(Limit("1r/s", 5), ["NoBot"])


def test_the_command_proposes_and_gives_reasons(capsys, log):
    status, out, _ = run(capsys, log)

    assert status == 0
    assert "HastyBot: 30r/m with burst 5, by token. It would have refused 1,7" in " ".join(out.split())
    assert "go against what they were told (each with its numbers by --json): CalmBot, undeclared." in " ".join(
        out.split()
    )
    assert max(map(len, out.splitlines())) <= 80


def test_the_command_tells_of_one_limit(capsys, log):
    status, out, _ = run(capsys, log, "--rate", "1r/s", "--burst", "5", "--key", "address")
    said = " ".join(out.split())

    assert status == 0
    assert "1r/s with burst 5, by address, would have refused" in said
    assert "from 1 of 2 addresses of browsers" in said
    assert "whole seconds" in said


def test_json_has_every_client(capsys, log):
    status, out, _ = run(capsys, log, "--rate", "1r/s", "--json")
    document = json.loads(out)

    assert status == 0
    assert [row["client"] for row in document["clients"]] == ["HastyBot", "CalmBot", "undeclared"]
    assert document["effect"]["limit"] == {
        "rate": "1r/s", "burst": 5, "at_once": None, "key": "token", "retry_after_s": 6,
    }  # fmt: skip


def test_a_snippet_is_all_that_is_printed(capsys, log):
    status, out, err = run(capsys, log, "--server", "nginx")

    assert (status, err) == (0, "")
    assert out.startswith("# HastyBot: 30r/m with burst 5 (nodelay), counted by token: of 2,000 requests")
    assert "HastyBot([^A-Za-z0-9_-]|$)" in out


def test_what_json_cannot_say_is_said_on_stderr(capsys, log):
    status, out, err = run(capsys, log, "--server", "cloudflare")

    assert status == 0
    assert json.loads(out)["rules"][0]["ratelimit"]["period"] == 60
    assert "not tried" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--burst", "3"), "name its --rate"),
        (("--rate", "1r/s", "--nodelay", "--delay", "2"), "choose one"),
        (("--rate", "fast"), "not a rate that nginx reads"),
        (("--json", "--server", "nginx"), "both want stdout"),
        (("--client", "CalmBot", "--server", "nginx"), "nothing to paste"),
        (("--rate", "1r/s", "--key", "network", "--server", "caddy"), "does not count by network"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(capsys, log, arguments, said):
    status, out, err = run(capsys, log, *arguments)

    assert (status, out) == (2, "")
    assert said in err


def test_a_hostile_name_is_in_no_snippet(tmp_path, capsys):
    agent = "evil{;}$x/1.0 (+https://evil.example/bot)"
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n", encoding="utf-8")
    lines = [line(n // 4, agent, "192.0.2.1", f"/private/{n}", 200_000) for n in range(2000)]
    (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")

    for arguments in ((), ("--rate", "1r/s"), ("--rate", "1r/s", "--key", "address")):
        _, out, _ = run(capsys, tmp_path, *arguments, "--server", "nginx")
        assert "evil" not in out


def test_requests_without_an_address_share_no_bucket():
    table = pa.table(
        {
            "client": pa.array([0, 0, 0], pa.int32()),
            "agent": pa.array([0, 0, 0], pa.int32()),
            "address": pa.array([None, None, 0], pa.int32()),
            "t": pa.array([0, 0, 0], pa.int64()),
            "bytes": pa.array([1, 1, 1], pa.int64()),
            "robots": pa.array([False, False, False]),
        }
    )
    rows = Traffic(table, pa.array([0], pa.int32()))

    assert {key: rows.refused(Limit("1r/m", key=key))["refused"].to_pylist() for key in ("token", "address")} == {
        "token": [2],
        "address": [0],
    }


@pytest.mark.parametrize(
    ("hiding", "key", "status"),
    [("truncate", "address", 2), ("truncate", "network", 0), ("hash", "network", 2), ("hash", "token", 0)],
)
def test_what_anonymizing_took_away_is_not_counted_by(capsys, log, hiding, key, status):
    found, _, err = run(capsys, log, "--rate", "1r/s", "--key", key, f"--anonymize={hiding}")

    assert found == status
    assert ("no longer says what comes from one" in err) == (status == 2)


def test_every_server_can_be_asked_for():
    assert set(NAMED) == set(SERVERS)


@pytest.mark.parametrize("arguments", [(), ("--rate", "1r/m", "--burst", "0", "--key", "address"), ("--json",)])
def test_a_hostile_name_is_only_text(tmp_path, capsys, arguments):
    agents = ["\\x1b[31mredBot/1.0", "[/b]Bot/1.0", "<script>Bot/1.0", "\\xe2\\x80\\xaeBot/1.0", "=cmd|Bot/2"]
    lines = [line(n, agent, "192.0.2.1") for n, agent in enumerate(agents * 3)]
    (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "robots.txt").write_text("", encoding="utf-8")

    _, out, _ = run(capsys, tmp_path, *arguments)

    assert "Bot" in out
    assert not any((ord(sign) < 32 and sign != "\n") or sign in "\x7f\x9b\u202e" for sign in out)


def test_clients_that_the_report_leaves_out_are_counted(log, monkeypatch):
    monkeypatch.setattr("loganalyzer.analysis.describe.MOST_CLIENTS", 1)
    robots = [str(log / "robots.txt")]
    document = Limits(la.analyse(la.read([log / "access.log"]), robots=robots)).document()

    assert [row["client"] for row in document["clients"]] == ["HastyBot"]
    assert document["left_out"] == 2
    assert "Not looked at: 2 smaller clients." in as_text(document, 80)


def test_a_log_of_people_alone_gets_no_limit(tmp_path):
    (tmp_path / "access.log").write_text(line(0, BROWSER, "192.0.2.1"), encoding="utf-8")
    document = Limits(la.analyse(la.read([tmp_path / "access.log"]))).document()

    assert (document["clients"], document["norm"]) == ([], None)
    assert as_text(document, 80).startswith("No automated client came")
