"""The command `draft`: its forms, its wrong uses, and policies and suggestions for one of several hosts."""

import json

import pytest
from click.testing import CliRunner
from test_drafts import BREAKER, KEEPER, NOW, PEOPLE, agent, line

from loganalyzer.cli import cli
from loganalyzer.drafts import EFFECT
from loganalyzer.errors import UsageError


def run(*arguments, code=0):
    result = CliRunner().invoke(cli, ["draft", *arguments], catch_exceptions=False, standalone_mode=False)
    assert (result.return_value or 0) == code, result.output
    return result


@pytest.fixture
def files(tmp_path):
    (tmp_path / "access.log").write_text("".join([*KEEPER, *BREAKER, *PEOPLE]), encoding="utf-8")
    (tmp_path / "now.txt").write_text(NOW, encoding="utf-8")
    (tmp_path / "new.txt").write_text("User-agent: *\nDisallow: /a\nDisalow: /x\n", encoding="utf-8")
    return tmp_path


def test_the_command_tells_the_effect_in_each_form(files):
    arguments = (
        str(files / "access.log"),
        "--robots",
        str(files / "now.txt"),
        "--draft",
        str(files / "new.txt"),
    )
    text = run(*arguments, "--html", str(files / "page.html")).stdout
    document = json.loads(run(*arguments, "--json").stdout)
    ticket = run(*arguments, "--md").stdout
    page = (files / "page.html").read_text(encoding="utf-8")

    assert document["totals"]["requests"]["forbidden"] == 13
    assert [row["client"] for row in document["clients"]] == ["KeeperBot", "BreakerBot"]
    assert set(document["clients"][0]) == set(EFFECT.names)
    assert document["unmoved"] == ["BreakerBot"]
    assert document["lint"][0]["counts"]["error"] or document["lint"][0]["counts"]["warning"]
    for shown in (text, ticket, page):
        assert "BreakerBot" in shown
        assert "Wilson" in shown
        assert "disalow" in shown
    assert max(map(len, text.splitlines())) <= 80
    assert run(*arguments).stdout == text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--draft FILE"),
        (["--draft", "{here}/none.txt"], "--draft {here}/none.txt"),
        (["--draft", "{here}/new.txt@2026-11-02"], "without an instant"),
        (["--draft", "{here}/new.txt", "--json", "--md"], "choose one"),
        (["--draft", "{here}/new.txt", "--policy"], "one of"),
        (["--draft", "{here}/new.txt", "--deny", "seo"], "add --policy"),
        (["--policy", "--deny", "evil bot"], "no name that may stand"),
        (
            ["--policy", "--robots", "a.example={here}/new.txt", "--robots", "{here}/now.txt"],
            "for 2 hosts ((all others), a.example)",
        ),
        (["--draft", "{here}/new.txt", "--host", "a.example"], "is --draft HOST=FILE"),
        (["--draft", "{here}/new.txt", "--html", "{here}/new.txt"], "is one of the inputs"),
    ],
)
def test_a_wrong_use_says_what_to_do(files, options, says):
    with pytest.raises(UsageError) as raised:
        run(str(files / "access.log"), *(option.format(here=files) for option in options))

    assert says.format(here=files) in str(raised.value)


def test_strangers_names_and_targets_stay_text(files):
    bad = line("<b>Evil*Bot*|[x](y)\\x1b[31m/1.0", "/a/<script>alert(1)</script>|`x`", 1)
    (files / "access.log").write_text("".join([*KEEPER, bad, bad, bad]), encoding="utf-8")
    arguments = (str(files / "access.log"), "--draft", str(files / "new.txt"), "--html", str(files / "page.html"))
    text = run(*arguments, "--md").stdout

    assert "an unknown part (0.0 % to" in text
    assert "\x1b" not in text
    assert "<script>alert" not in (files / "page.html").read_text(encoding="utf-8")
    assert all(row.count("|") == 8 for row in text.splitlines() if row.startswith("|"))


def test_the_command_writes_a_policy_and_again_the_same(files):
    said = ("--policy", "--deny", "BreakerBot", "--keep-out", "/b,/c")
    first = run(str(files / "access.log"), "--robots", str(files / "now.txt"), *said)
    (files / "written.txt").write_text(first.stdout, encoding="utf-8")
    again = run(str(files / "access.log"), "--robots", str(files / "written.txt"), *said)
    document = json.loads(run(str(files / "access.log"), "--robots", str(files / "now.txt"), *said, "--json").stdout)

    assert "User-agent: BreakerBot\nDisallow: /\n" in first.stdout
    assert first.stdout.startswith(NOW.splitlines()[0])
    assert again.stdout == first.stdout == document["robots_txt"]
    assert "newly forbids 5 requests" in " ".join(first.stderr.split())
    assert [row["client"] for row in document["clients"]] == ["BreakerBot"]
    page = run(str(files / "access.log"), *said, "--md", "--html", str(files / "page.html")).stdout
    assert "BreakerBot" in page
    assert "BreakerBot" in (files / "page.html").read_text(encoding="utf-8")


def test_a_policy_takes_the_newest_of_a_folder_as_the_present_file(files):
    folder = files / "versions"
    folder.mkdir()
    (folder / "20261101T0000Z.txt").write_text("User-agent: *\nDisallow: /old\n", encoding="utf-8")
    (folder / "20261102T0000Z.txt").write_text("User-agent: *\nDisallow: /new\n", encoding="utf-8")

    assert run(str(files / "access.log"), "--robots", str(folder), "--policy").stdout.endswith("Disallow: /new\n")


@pytest.fixture
def two_hosts(files):
    """One client that asks for as much of each of two hosts, with a file each."""
    rows = [
        f"{host} {line(agent('TwoBot'), f'/{n}?q={n}', n)}" for n in range(40) for host in ("a.example", "b.example")
    ]
    (files / "access.log").write_text("".join([*rows, f"b.example {line(agent('BeeBot'), '/1')}"]), encoding="utf-8")
    (files / "b.txt").write_text("User-agent: *\nDisallow: /b\n", encoding="utf-8")
    return files


def test_a_policy_for_one_of_several_hosts_counts_its_requests_alone(two_hosts):
    log, now, other = (str(two_hosts / name) for name in ("access.log", "now.txt", "b.txt"))
    both = ("--robots", f"a.example={now}", "--robots", f"b.example={other}")
    said = ("--policy", "--deny", "TwoBot", "--json")
    first, second = (json.loads(run(log, *both, "--host", host, *said).stdout) for host in ("a.example", "b.example"))

    assert "Disallow: /cart" in first["robots_txt"]
    assert "Disallow: /b" in second["robots_txt"]
    assert "of 40 requests for a.example and" in first["robots_txt"]
    assert "BeeBot" not in str(first)
    assert [one["totals"]["requests"]["forbidden"] for one in (first, second)] == [40, 40]
    assert [one["totals"]["requests"]["of"] for one in (first, second)] == [40, 41]
    # The only file that is given says for whom it is.
    alone = json.loads(run(log, "--robots", f"a.example={now}", *said).stdout)
    assert alone["robots_txt"] == first["robots_txt"]
    assert alone["totals"] == first["totals"]


def test_suggestions_for_one_of_several_hosts_count_its_requests_alone(two_hosts):
    log, now, other = (str(two_hosts / name) for name in ("access.log", "now.txt", "b.txt"))
    both = ("--robots", f"a.example={now}", "--robots", f"b.example={other}")
    found = json.loads(run(log, *both, "--suggest", "--host", "b.example", "--json").stdout)["suggestions"]

    assert {(one["kind"], one["requests"]) for one in found} == {("a parameter", 40)}
    with pytest.raises(UsageError, match=r"is for c.example; hosts of the log: a.example, b.example"):
        run(log, "--suggest", "--host", "c.example")
    assert "Only requests for b.example count" in run(log, *both, "--suggest", "--host", "B.example:443").stdout
