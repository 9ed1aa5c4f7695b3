"""`loganalyzer identify`: strings, stdin, whole logs; and how each name was found."""

import json

import pytest
from click.testing import CliRunner

from loganalyzer.cli import cli
from loganalyzer.clients.evidence import WEIGHTS
from loganalyzer.errors import UsageError

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def run(*arguments, stdin=None):
    result = CliRunner().invoke(cli, ["identify", *arguments], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout.splitlines()


FOUND = [
    ("GPTBot", "the whole header is a name of the registry"),
    ("TidyBot/1.0", "the name with most evidence"),
    ("Mozilla/5.0 (compatible; Quarry/1.0; +https://crawl.example/)", "the only name that the contact stands behind"),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; bingbot/2.0)", "names of several operators"),
    (f"{FIREFOX}", "begins as a browser"),
    ("", "no letter and no digit"),
    ("${jndi:ldap://x}", "text that attacks a parser"),
]


@pytest.mark.parametrize(("user_agent", "rule"), FOUND, ids=[rule for _, rule in FOUND])
def test_why_tells_the_rule(user_agent, rule):
    (line,) = run("--json", "--why", "--", user_agent)

    assert json.loads(line)["found_by"].startswith(rule)
    assert any(rule in line for line in run("--why", "--", user_agent))


def test_why_tells_what_spoke_for_each_name():
    (line,) = run("--json", "--why", "Mozilla/5.0 (compatible; TidyBot/2.4; +https://crawl.example/) python-requests/2")
    tidy, library = json.loads(line)["candidates"]

    assert (tidy["name"], library["name"]) == ("TidyBot", "python-requests")
    assert 'after "compatible"' in tidy["marks"]
    assert library["registry"] == "python-requests"
    for one in (tidy, library):
        assert one["weight"] == round(sum(WEIGHTS[mark] for mark in one["marks"]), 1)
    assert tidy["weight"] > library["weight"]


def test_stdin_holds_one_user_agent_a_line():
    lines = run("-", "--json", stdin="TidyBot/1.0\n\ncurl/8\n")

    assert [json.loads(line)["client"] for line in lines] == ["TidyBot", "undeclared", "curl"]


@pytest.fixture
def log(tmp_path):
    agents = ["TidyBot/1.0", FIREFOX, FIREFOX, "-", "curl/8.1", "curl/8.1", "curl/8.1"]
    path = tmp_path / "access.log"
    path.write_text(
        "".join(
            f'192.0.2.1 - - [02/Nov/2026:10:00:{second:02} +0000] "GET / HTTP/1.1" 200 9 "-" "{agent}"\n'
            for second, agent in enumerate(agents)
        )
    )
    return str(path)


def test_a_log_gives_each_user_agent_once_with_its_requests(log):
    rows = [json.loads(line) for line in run("--log", log, "--json")]

    assert [(row["requests"], row["client"]) for row in rows] == [
        *((3, "curl"), (2, "browser"), (1, "undeclared"), (1, "TidyBot")),
    ]


def test_a_log_is_a_table_by_default(log):
    head, *rows = run("--log", log)

    assert head.split() == ["requests", "client", "kind", "operator", "user", "agent"]
    assert [row.split()[:2] for row in rows] == [
        *(["3", "curl"], ["2", "browser"], ["1", "undeclared"], ["1", "TidyBot"]),
    ]


@pytest.mark.parametrize("arguments", [(), ("TidyBot/1.0", "--log", "x.log")])
def test_one_thing_is_asked_at_a_time(arguments):
    with pytest.raises(UsageError, match="user agent"):
        run(*arguments)
