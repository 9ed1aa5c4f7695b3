"""Every command that reads logs, every form of its output: no full address and no value of a query of the log."""

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from loganalyzer.cli import cli
from loganalyzer.errors import UsageError

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
SITE = "https://crawl.example/?who=secret-{}"
HIDING = {
    "truncate": ("--anonymize=truncate", "--redact=query"),
    "hash": ("--anonymize=hash", "--redact=query"),
}


def line(address, second, target, agent, status=200, user="-", size=900):
    at = f"02/Nov/2026:{10 + second // 3600}:{second // 60 % 60:02}:{second % 60:02} +0000"
    referer = f"https://search.example/?q=secret-ref{second}&ip=198.51.100.{second % 200 + 20}"
    return f'{address} - {user} [{at}] "GET {target} HTTP/1.1" {status} {size} "{referer}" "{agent}"\n'


def visitors():
    """A crawler with violations, waits and two networks; one that comes back disguised; a suspect; a shared address."""
    for n in range(240):
        agent = f"TidyBot/2.{n % 3} (+{SITE.format('ua')}; 192.0.2.9{n % 3})"
        target = f"/private/{n}?session=secret-{n}" if n % 3 else f"/from/192.0.2.{n % 200 + 20}/?sid=secret-p{n}"
        status = 429 if n % 20 == 19 else 200
        yield line(f"203.0.113.{n % 7 + 11}" if n % 2 else "2001:db8:5:6::77", n * 2, target, agent, status)
    yield line("203.0.113.11", 1, "/robots.txt?v=secret-r", "TidyBot/2.0")
    for n in range(6):
        yield line("203.0.113.99", n, f"/shop/{n}?cart=secret-c{n}", "QuarryBot/1.0", 403 if n == 5 else 200)
        yield line("203.0.113.99", n + 60, f"/shop/{n}?cart=secret-c{n}", CHROME, user="anna-secret")
    for n in range(60):
        yield line("203.0.113.88", n * 10, f"/walk/{n}?s=secret-w{n}", CHROME.replace("140", "99")).replace(
            f'"https://search.example/?q=secret-ref{n * 10}&ip=198.51.100.{n * 10 % 200 + 20}"', '"-"'
        )
    for n in range(20):
        yield line(f"198.51.100.{n + 1}", n * 30, f"/shop/{n}?u=secret-h{n}", CHROME, user=f"user-secret{n}")
        yield line(f"198.51.100.{n + 1}", n * 30 + 1, f"/style.css?v=secret-h{n}", CHROME)
    for n, name in enumerate(("GPTBot/1.2", "bingbot/2.0", "AhrefsBot/7.0", "CCBot/2.0")):
        yield line("203.0.113.77", n, f"/old/{n}?x=secret-o{n}", f"Mozilla/5.0 (compatible; {name})", 301)
    yield "203.0.113.66 what is this ?session=secret-bad\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("".join(visitors()), encoding="utf-8")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /private/\nDisallow: /shop/\n")
    (tmp_path / "new.txt").write_text("User-agent: *\nDisallow: /\n")
    return path


BOT = ("--client", "TidyBot")
RULES = ("--robots", "robots.txt")
LOG = ("access.log", *RULES)
# Each way to have something written. A store is made first where one is named.
WAYS = {
    "report of all": ("report", *LOG, "--all", "--limit-key=token"),
    "report as JSON": ("report", *LOG, "--json"),
    "report as Markdown": ("report", *LOG, "--md", "--all"),
    "report in files": ("report", *LOG, "--html=out.html", "--csv=out-csv", "--parquet=out-parquet"),
    "report of a store": ("report", "--store=store", *RULES, "--json"),
    "parse": ("parse", "access.log", "--rejects=out.rejects"),
    "parse into files": ("parse", "access.log", "--csv=out.csv", "--parquet=out.parquet"),
    "parse into raw CSV": ("parse", "access.log", "--csv=out.csv", "--csv-raw"),
    "parse of a store": ("parse", "--store=store", "--rejects=out.rejects"),
    "lines": ("lines", *LOG, *BOT),
    "lines, raw": ("lines", *LOG, *BOT, "--raw"),
    "lines of violations": ("lines", *LOG, *BOT, "--violations"),
    "lines that came early": ("lines", *LOG, *BOT, "--early"),
    "lines of refusals": ("lines", *LOG, *BOT, "--refused"),
    "lines of robots.txt": ("lines", *LOG, *BOT, "--fetches"),
    "lines of browsers": ("lines", *LOG, "--client=browser"),
    "lines of a store": ("lines", "--store=store", *RULES, *BOT),
    "dossier": ("client", "TidyBot", *LOG),
    "dossier as JSON": ("client", "TidyBot", *LOG, "--json"),
    "dossier in Markdown and HTML": ("client", "TidyBot", *LOG, "--md", "--html=out.html"),
    "draft": ("draft", *LOG, "--draft=new.txt"),
    "draft as JSON": ("draft", *LOG, "--draft=new.txt", "--json"),
    "draft in Markdown and HTML": ("draft", *LOG, "--draft=new.txt", "--md", "--html=out.html"),
    "draft suggested": ("draft", *LOG, "--suggest"),
    "draft of a policy": ("draft", *LOG, "--policy", "--deny=TidyBot"),
    "limits": ("limits", *LOG),
    "limits tried": ("limits", *LOG, "--rate=10r/m", "--burst=5"),
    "limits as JSON": ("limits", *LOG, "--rate=10r/m", "--burst=5", "--json"),
    "lint": ("lint", "robots.txt", "--log=access.log", "--all"),
    "lint as JSON": ("lint", "robots.txt", "--log=access.log", "--json"),
    "check": ("check", "robots.txt", "--agent=TidyBot", "--log=access.log"),
    "check as JSON": ("check", "robots.txt", "--agent=TidyBot", "--log=access.log", "--json"),
    "identify": ("identify", "--log=access.log"),
    "identify as JSON": ("identify", "--log=access.log", "--json"),
    "identify with reasons": ("identify", "--log=access.log", "--why"),
    "collateral": ("collateral", "access.log", *BOT),
    "collateral as JSON": ("collateral", "access.log", *BOT, "--json"),
    "ingest": ("ingest", "access.log", "--store=out-store"),
}
# What holds neither addresses nor queries by itself, whatever is asked for.
BARE = {
    *("draft of a policy", "draft suggested", "limits", "limits tried", "limits as JSON", "ingest", "lint"),
    *("lint as JSON",),
}
ELSEWHERE = {"dashboard"}  # tests/test_privacy.py opens its pages


def written(way, folder, *options):
    """All that one way writes: stdout, stderr, files, the values of tables."""
    for old in folder.glob("out*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    result = CliRunner().invoke(cli, [*way, *options])
    assert result.exit_code in (0, 3, 10), (result.output, result.exception)
    parts = [result.output]
    for path in sorted(path for path in folder.rglob("*") if "out" in str(path.relative_to(folder)) and path.is_file()):
        if path.suffix == ".parquet":
            parts.append(repr(pq.read_table(path, partitioning=None).to_pylist()))
        else:
            parts.append(path.read_text("utf-8", "replace"))
    return "\n".join(parts)


def leaks(text):
    """Full addresses of the log, values of its queries and names of its users."""
    found = re.findall(
        r"(?:203\.0\.113|198\.51\.100|192\.0\.2)\.[1-9]\d*|2001:db8:5:6[:0-9a-f]*|\w*-?secret\w*-?\w*", text
    )
    return sorted(set(found))[:10]


@pytest.mark.parametrize("name", WAYS)
def test_nothing_that_is_hidden_is_written(log, monkeypatch, name):
    monkeypatch.chdir(log.parent)
    way = WAYS[name]
    if "--store=store" in way:
        CliRunner().invoke(cli, ["ingest", "access.log", "--store=store"])

    assert leaks(written(way, log.parent)) or name in BARE  # or nothing would be shown by what follows
    for hiding in HIDING.values():
        assert leaks(written(way, log.parent, *hiding)) == []


def test_no_command_that_can_hide_is_left_out():
    """And none that reads a log lacks the options."""
    takes = {name: {option.name for option in command.params} for name, command in cli.commands.items()}
    reading = {name for name, options in takes.items() if options & {"logs", "store"}}

    assert {name for name, options in takes.items() if {"anonymize", "redact"} <= options} == reading
    assert {way[0] for way in WAYS.values()} | ELSEWHERE == reading


@pytest.mark.parametrize("hiding", HIDING.values(), ids=HIDING)
def test_a_log_that_nothing_reads_is_shown_without_them(log, monkeypatch, hiding):
    monkeypatch.chdir(log.parent)
    log.write_text("203.0.113.66 ?session=secret-bad what is this\n" * 30)

    # Whatever its output, a command says so before it.
    for way in {way[0]: way for way in WAYS.values() if "--store=store" not in way}.values():
        result = CliRunner().invoke(cli, [*way, *hiding])
        assert leaks(f"{result.output}{result.exception}") == []
        assert result.exit_code or "no known format" in result.output, way


def test_a_hidden_store_holds_them_nowhere(log, monkeypatch):
    monkeypatch.chdir(log.parent)
    CliRunner().invoke(cli, ["ingest", "access.log", "--store=out-store", *HIDING["hash"]])

    octets = b"".join(path.read_bytes() for path in Path("out-store").rglob("*") if path.is_file())
    assert b"secret-" not in octets
    assert b"203.0.113.1" not in octets


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--range=203.0.113.0/25", "--anonymize"), "no more than /24"),
        (("--range=2001:db8:5:6::/64", "--anonymize"), "no more than /48"),
        (("--range=203.0.113.0/24", "--anonymize=hash"), "use --anonymize=truncate"),
    ],
)
def test_a_range_that_cannot_be_told_any_more_is_refused(log, given, told):
    """Else a block would seem to meet nobody."""
    with pytest.raises(UsageError, match=told):
        CliRunner().invoke(cli, ["collateral", str(log), *given], catch_exceptions=False)


@pytest.mark.parametrize("width", ["203.0.113.0/24", "203.0.0.0/16"])
def test_a_range_as_wide_as_what_stays_meets_the_same_requests(log, width):
    plain, hidden = (
        json.loads(CliRunner().invoke(cli, ["collateral", str(log), f"--range={width}", "--json", *how]).stdout)
        for how in ([], ["--anonymize"])
    )

    assert plain["collateral"][0]["others"]["requests"] == hidden["collateral"][0]["others"]["requests"] > 0


def test_lines_of_an_address_are_those_of_what_stays_of_it(log):
    out = CliRunner().invoke(
        cli, ["lines", str(log), "--client=QuarryBot", "--address=203.0.113.99", "--anonymize=truncate"]
    )

    assert len(out.stdout.splitlines()) == 6
