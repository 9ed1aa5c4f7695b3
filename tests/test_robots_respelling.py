"""Spellings that escape a rule: listed apart, with what the server would have to do, and never as violations."""

import pyarrow as pa
import pytest

import loganalyzer as la
from loganalyzer.robots import History, Policy, Version, parse
from loganalyzer.robots.respelling import TREATMENTS, Respelling

WAYS = {treatment.name: treatment for treatment in TREATMENTS}
SAMPLES = [(treatment, sent, read) for treatment in TREATMENTS for sent, read in treatment.samples]


@pytest.mark.parametrize(("treatment", "sent", "read"), SAMPLES, ids=lambda part: getattr(part, "name", part))
def test_a_treatment_reads_its_samples_as_it_says(treatment, sent, read):
    assert treatment.respell(sent) == read


def escapes(text, target, way):
    """Line of the rule that would forbid one target."""
    told = History([Version("one", None, None, "", parse(text))])
    respelling = Respelling(WAYS[way], told, [Policy("ant", "crawler", ("ant",))], pa.array(["/else", target]))
    zero = pa.array([0]).to_numpy()
    (line,) = respelling.lines(zero, zero, zero + 1)
    assert line == 0 or 1 in respelling.suspects
    return line


SHUT = "User-agent: *\nDisallow: /admin\nAllow: /admin/open\n"


@pytest.mark.parametrize(
    ("text", "target", "way", "line"),
    [
        (SHUT, "//admin", "slashes", 2),
        (SHUT, "/x//y?z=//admin", "slashes", 0),  # a query is no path
        (SHUT, "//admin//open", "slashes", 0),  # and would be allowed
        (SHUT, "/./admin?x", "dots", 2),
        (SHUT, "/a/../admin/", "dots", 2),
        (SHUT, "/admin/../open", "dots", 0),
        (SHUT, "/a%2F..%2Fadmin", "dots", 0),
        ("User-agent: *\nDisallow: /a/b\n", "/a%2fb", "escapes", 2),
        (SHUT, "/%2561dmin", "escapes", 2),
        (SHUT, "/Admin", "case", 2),
        (SHUT, "/ADMIN/Open", "case", 0),
        ("User-agent: *\nDisallow: /Admin*.PHP$\n", "/admin/x.php", "case", 2),
        ("User-agent: *\nDisallow: /a%2Fb\n", "/A%2fb", "case", 2),
        (SHUT, "/public", "case", 0),
    ],
)
def test_the_rule_that_would_forbid(text, target, way, line):
    assert escapes(text, target, way) == line


def line(second, target, agent="SlyBot/1.0 (+https://sly.example/bot)"):
    return f'192.0.2.1 - - [02/Nov/2026:10:00:{second:02} +0000] "GET {target} HTTP/1.1" 200 100 "-" "{agent}"'


def test_escapes_are_listed_apart_and_are_no_violations(tmp_path):
    log, robots = tmp_path / "access.log", tmp_path / "robots.txt"
    lines = [line(1, "//admin"), line(2, "//admin/2"), line(3, "/admin"), line(4, "/Admin"), line(5, "/")]
    log.write_text("".join(f"{text}\n" for text in [*lines, line(6, "//admin", "Mozilla/5.0 Firefox/140.0")]))
    robots.write_text(SHUT)

    document = la.analyse(la.read([str(log)]), robots=[str(robots)]).to_dict()

    client = next(client for client in document["clients"] if client["client"] == "SlyBot")
    told = [(one["way"], one["rule"], one["requests"], one["bytes"]) for one in client["robots"]["respelt"]]
    assert told == [("slashes", "Disallow: /admin", 2, 200), ("case", "Disallow: /admin", 1, 100)]
    assert client["robots"]["respelt"][0]["examples"] == ["//admin", "//admin/2"]
    assert client["robots"]["respelt"][0]["evidence"] == [f"{log}:1", f"{log}:2"]
    assert (client["robots"]["violation"], client["robots"]["allowed"]) == (1, 4)
    said = [finding["sentence"] for finding in document["findings"] if "if the server" in finding["sentence"]]
    assert len(said) == 1
    assert "2 requests, such as //admin, that would be forbidden if the server reads several slashes as one" in said[0]
    assert said[0].endswith("as sent they are no violations")


@pytest.mark.parametrize(
    ("host", "robots", "said"),
    [
        (None, ["{0}"], "is taken to be for one host, scheme and port, whose robots.txt was given"),
        (None, ["shop.example={0}"], "is taken to be for shop.example, whose robots.txt was given"),
        (None, ["shop.example={0}", "b.example={0}"], "cannot be matched to requests"),
        ("shop.example", ["https://shop.example={0}"], "so its requests are held against the only one given"),
        ("shop.example", ["https://shop.example={0}", "http://shop.example={0}"], "so its requests cannot be judged"),
        ("shop.example", ["shop.example={0}"], None),
    ],
)
def test_what_is_assumed_of_host_and_scheme_is_said(tmp_path, host, robots, said):
    log, file = tmp_path / "access.log", tmp_path / "robots.txt"
    log.write_text((f"{host} " if host else "") + line(1, "/admin") + "\n")
    file.write_text(SHUT)

    given = [spec.format(file) for spec in robots]
    notes = la.analyse(la.read([str(log)], "vhost_combined" if host else None), robots=given).to_dict()["notes"]

    found = [note for note in notes if "host is not logged" in note or "by scheme" in note]
    assert [said in note for note in found] == ([True] if said else [])
