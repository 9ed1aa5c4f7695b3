"""`loganalyzer check`: agents and paths from arguments, stdin and logs."""

import json

import pytest
from click.testing import CliRunner

from loganalyzer.cli import cli
from loganalyzer.errors import UsageError

ROBOTS = """\
User-agent: *
Disallow: /shed/

User-agent: Googlebot
Disallow: /cellar
"""


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(ROBOTS)
    return str(path)


def run(*arguments, stdin=None):
    return CliRunner().invoke(cli, ["check", *arguments], input=stdin, catch_exceptions=False, standalone_mode=False)


def answers(done):
    return [
        (one["tokens"], one["path"], one["allowed"], one["line"]) for one in map(json.loads, done.stdout.splitlines())
    ]


def test_many_agents_and_paths_each_with_line_rule_and_group(robots):
    header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    done = run(robots, "--agent", "rake", "--agent", header, "/shed/1", "https://x.example/cellar?a", "--json")

    assert answers(done) == [
        (["rake"], "/shed/1", False, 2),
        (["rake"], "https://x.example/cellar?a", True, None),
        (["Googlebot"], "/shed/1", True, None),
        (["Googlebot"], "https://x.example/cellar?a", False, 5),
    ]
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["rule"], last["group"], last["profile"]) == ("Disallow: /cellar", "Googlebot", "rfc")


def test_a_documented_fall_back_is_followed(robots):
    assert "/cellar (group Googlebot)" in run(robots, "--agent", "Applebot", "/cellar").stdout


def test_a_header_that_names_nobody_is_bound_by_star(robots):
    assert answers(run(robots, "--agent", "Mozilla/5.0 (X11; Linux)", "/shed/", "--json")) == [([], "/shed/", False, 2)]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [(["--agent", "rake", "-"], "/shed/\n\n/x\r\n"), (["--agent", "-", "/shed/"], "rake\nhoe\n")],
)
def test_paths_or_agents_from_stdin(robots, arguments, stdin):
    assert len(run(robots, *arguments, stdin=stdin).stdout.splitlines()) == 2


def test_octets_that_are_no_utf8_are_compared_as_they_are(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /caf\xe9\n")

    assert "disallowed" in run(str(path), "--agent", "rake", "/caf%E9").stdout
    assert "disallowed" in run(str(path), "--agent", "rake", "/caf\udce9").stdout


@pytest.mark.parametrize(("profile", "word"), [("rfc", "allowed"), ("google", "disallowed")])
def test_the_profile_decides(tmp_path, profile, word):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\nDisalow: /x\n")

    assert run(str(path), "--agent", "rake", "/x", "--profile", profile).stdout.startswith(word)


def test_the_paths_of_a_log_with_their_requests(robots, tmp_path):
    log = tmp_path / "access.log"
    line = '192.0.2.1 - - [02/Nov/2026:10:00:00 +0000] "GET {} HTTP/1.1" 200 10 "-" "RakeBot/1.0"\n'
    log.write_text("".join(line.format(target) for target in ("/a", "/shed/1", "/a")))

    done = run(robots, "--agent", "RakeBot", "--log", str(log))

    assert [line.split() [:5] for line in done.stdout.splitlines()] == [
        ["allowed", "RakeBot", "/a", "2", "requests"],
        ["disallowed", "RakeBot", "/shed/1", "1", "request"],
    ]  # fmt: skip
    assert done.return_value == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "a"], "no path given"),
        (["--agent", "a", "/", "--log", "x"], "choose one"),
        (["--agent", "-", "-"], "cannot both come from stdin"),
    ],
)
def test_what_cannot_be_asked(robots, arguments, said):
    with pytest.raises(UsageError, match=said):
        run(robots, *arguments)
