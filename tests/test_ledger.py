"""The ledger of one client: what it read, by which copy it went, and whose fault it is where it could not read."""

import pytest

import loganalyzer as la

ROBOTS = "User-agent: *\nDisallow: /private/\n"
ANT = "AntBot/1.0 (+https://ant.example/bot)"
LIBRARY = "Python-urllib/3.11"


def line(hour, target="/", agent=ANT, status=200, ip="192.0.2.1"):
    seconds = round(hour * 3600)
    day, clock = 1 + seconds // 86_400, seconds % 86_400
    when = f"{day:02}/Nov/2026:{clock // 3600:02}:{clock // 60 % 60:02}:{clock % 60:02} +0000"
    return f'{ip} - - [{when}] "GET {target} HTTP/1.1" {status} 100 "-" "{agent}"'


READ = "/robots.txt"
SECOND = 1 / 3600


@pytest.fixture
def report(tmp_path):
    def _report(*lines, grace=(), versions=("",)):
        log, file = tmp_path / "access.log", tmp_path / "robots.txt"
        log.write_text("".join(f"{text}\n" for text in lines))
        file.write_text(ROBOTS)
        return la.analyse(la.read([str(log)]), [f"{file}{since}" for since in versions], grace=grace).to_dict()

    return _report


def ant(document):
    return next(client for client in document["clients"] if client["client"] == "AntBot")["robots"]


def test_how_often_it_read_and_what_it_got_last(report):
    told = ant(report(*(line(hour, READ, status=code) for hour, code in ((0, 200), (6, 304), (20, 200), (30, 503)))))

    assert (told["fetches"], told["reading"], told["longest_gap_h"], told["median_gap_h"]) == (3, "read", 14.0, 10.0)
    assert told["last_read"] == "2026-11-01T20:00:00Z"
    assert told["last_version"].endswith("robots.txt")


def test_who_goes_on_by_an_old_copy_is_told(report):
    document = report(line(0, READ), line(20), line(30), line(50))

    assert (ant(document)["stale"], ant(document)["stale_h"]) == (2, 50.0)
    said = [finding for finding in document["findings"] if "after it last read robots.txt" in finding["sentence"]]
    assert [finding["severity"] for finding in said] == [1]
    assert "2 of its 4 requests more than 24 h after it last read robots.txt, up to 50 h after" in said[0]["sentence"]


@pytest.mark.parametrize(
    ("lines", "reading", "severity", "sentence"),
    [
        ([line(0, READ)], "read", 3, "against robots.txt, after reading it: Disallow: /private/"),
        ([], "never read", 3, "against robots.txt, never having read it: Disallow: /private/"),
        ([line(0, READ, agent=LIBRARY)], "probably read", 3, "which its address read at most 60 s before"),
        ([line(0, READ, status=403)], "not given", 2, "it could not read it, and that is our server's fault"),
        ([line(0, READ, status=404)], "not given", 2, "having asked for it 1 time and got 404: Disallow: /private/"),
        (
            [line(0, READ, status=301)],
            "asked",
            2,
            "and got 301: Disallow: /private/ (line 2 of robots.txt); the log does",
        ),
        (
            [line(0, READ, status=499)],
            "asked",
            2,
            "does not show that this gave it the file, nor that it was kept from it",
        ),
        ([line(0, READ, status=301), line(0, READ, agent=LIBRARY)], "probably read", 3, "at most 60 s before"),
    ],
)
def test_what_it_could_know_makes_another_finding(report, lines, reading, severity, sentence):
    later = [line(26 + 50 * SECOND, "/private/1")] if reading == "not given" else [line(50 * SECOND, "/private/1")]
    document = report(*lines, *later)

    assert ant(document)["reading"] == reading
    (found,) = [finding for finding in document["findings"] if "against robots.txt" in finding["sentence"]]
    assert found["severity"] == severity
    assert sentence in found["sentence"]


def test_404_before_there_was_a_file_is_nobodys_fault(report):
    """It asked in time and was told so; that it never came back to read what came later is its own doing."""
    document = report(line(0, READ, status=404), line(40, "/private/1"), versions=("@2026-11-01T12:00Z",))

    assert (ant(document)["reading"], ant(document)["violation"]) == ("asked", 1)
    assert "server's fault" not in str(document)


def test_a_file_without_a_rule_is_told(report, monkeypatch):
    """An error page saved as text would make everybody look as if it kept the rules."""
    monkeypatch.setattr("test_ledger.ROBOTS", "Not Found\n")

    assert "no rule can be read in it, so it forbids nobody anything; loganalyzer lint" in " ".join(
        report(line(0))["notes"]
    )
    monkeypatch.undo()
    assert "no rule can be read" not in " ".join(report(line(0))["notes"])


@pytest.mark.parametrize(
    ("lines", "reading"),
    [
        ([line(0, READ, agent=LIBRARY), line(60 * SECOND)], "probably read"),
        ([line(0, READ, agent=LIBRARY), line(61 * SECOND)], "never read"),
        ([line(0, READ, agent=LIBRARY, ip="192.0.2.2"), line(SECOND)], "never read"),  # another address
        ([line(0, READ, agent=LIBRARY, status=404), line(SECOND)], "never read"),
        ([line(SECOND), line(2 * SECOND, READ, agent=LIBRARY)], "never read"),  # after it
        ([line(0, READ, agent=LIBRARY), line(SECOND, READ)], "read"),  # its own reading says more
        ([line(0, READ, agent="OtherBot/1.0"), line(SECOND)], "never read"),  # a client that names itself
    ],
)
def test_probably_read_is_by_address_within_a_minute(report, lines, reading):
    assert ant(report(*lines))["reading"] == reading


def test_a_grace_of_ones_own_is_printed_with_what_it_did(report):
    lines = [line(0), line(10, "/private/1"), line(40, "/private/2")]

    day, longer = (report(*lines, versions=("@2026-11-01T05:00Z",), grace=grace) for grace in ((), ("antbot=72",)))

    assert (ant(day)["violation"], ant(day)["grace"], ant(day)["grace_h"]) == (2, 0, 24.0)  # the one version known
    assert ant(longer)["grace_h"] == 72.0
    assert [note for note in longer["notes"] if "--grace gives antbot 72 h" in note]
    assert not [note for note in day["notes"] if "--grace" in note]
    assert all("--grace-hours antbot=72" in finding["evidence"] for finding in longer["findings"])


def test_one_client_that_is_refused_the_file_is_our_fault_and_stands_apart(report):
    others = [line(hour, READ, agent="BeeBot/1.0", ip="192.0.2.2") for hour in (0, 2, 4)]
    document = report(*others, *(line(hour, READ, status=403) for hour in (1, 3)), line(3.5, "/private/1"))

    assert ant(document)["unjudged_reasons"] == {"refused": 1}
    runs = [(run["client"], run["status"], run["requests"]) for run in document["robots_answers"]]
    assert runs == [(None, 200, 3), ("AntBot", 403, 2)]


def test_nobody_is_judged_while_the_server_cannot_give_the_file(report):
    document = report(
        line(0, READ),
        line(1, "/private/1"),
        line(2, READ, agent="BeeBot/1.0", status=503),
        line(3, "/private/2"),
        line(4, READ, status=503),
        line(5, "/private/3"),
        line(6, READ),
        line(7, "/private/4"),
    )

    assert (ant(document)["violation"], ant(document)["unjudged_reasons"]) == (3, {"unreachable": 1})
