import html
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loganalyzer as la
from loganalyzer.analysis import redacted
from loganalyzer.analysis.dossier import ASKED, CORRECTION, KINDS, MOST_LINES, NOTHING, OUR_FAULT, asked, dossier
from loganalyzer.cli import cli
from loganalyzer.errors import NothingUsableError
from loganalyzer.etiquette import ROWS
from loganalyzer.reports import timeline
from loganalyzer.reports.dossiers import RENDERERS

ROVER = "RoverBot/2.0 (+https://rover.example/bot)"
OTHER = "NeighbourBot/1.0 (+https://neighbour.example/)"
ROBOTS = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n"
SECRETS = ("hunter2", "alice", "mail.example", "k3y9", "NeighbourBot", "letters.example")


def row(second, target, status=200, agent=ROVER, address="192.0.2.7", user="-", referer="-", retry="-"):
    at = f"{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    request = f'"GET {target} HTTP/1.1" {status} 500'
    return f'{address} - {user} [02/Nov/2026:{at} +0000] {request} "{referer}" "{agent}" "{retry}"'


LINES = [
    row(0, "/robots.txt"),
    row(5, "//private/?password=hunter2"),
    *(row(10 + 3 * n, f"/private/{n}?password=hunter2", referer="https://letters.example/inbox") for n in range(30)),
    row(120, "/account/bob@mail.example/", user="alice"),
    row(121, "/reset/0123456789abcdefk3y9x"),
    row(200, "/page", 429, retry="60"),
    row(210, "/page", 429, retry="60"),
    row(220, "/other", retry="-"),
    row(900, "/page"),
    row(905, "/page", agent=OTHER),
    row(906, "/page", agent="Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"),
]
FORMAT = (
    'log_format waits \'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent" "$sent_http_retry_after"\';'
)


@pytest.fixture
def log(tmp_path):
    (tmp_path / "access.log").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    (tmp_path / "robots.txt").write_text(ROBOTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def found(log):
    read = la.read([str(log / "access.log")], log_format=FORMAT)
    return la.analyse(read, robots=[str(log / "robots.txt")])


@pytest.mark.parametrize("how", RENDERERS)
def test_nobody_elses_data_and_no_folder_is_in_it(found, log, how):
    written = RENDERERS[how](dossier(found, "RoverBot"))

    assert [secret for secret in (*SECRETS, str(log)) if secret in written] == []
    assert "192.0.2.7" in written
    assert "/private/" in written


@pytest.mark.parametrize("how", RENDERERS)
def test_it_says_who_what_rule_which_reaction_and_whom_to_write_to(found, how):
    written = RENDERERS[how](dossier(found, "roverbot"))

    for part in ("https://rover.example/bot", "Disallow: /private/", "robots.txt", "2026-11-02", "429"):
        assert part in written


@pytest.mark.parametrize("how", RENDERERS)
def test_words_are_neutral(found, how):
    written = RENDERERS[how](dossier(found, "RoverBot")).casefold()

    assert re.findall(r"malicious|attack|abus|bad bot|illegal|offend", written) == []


def test_lines_are_of_every_kind_in_order_of_time_and_no_more_than_a_page(found):
    lines = dossier(found, "RoverBot")["lines"]
    times = [re.search(r"\[(.*?)\]", line["text"])[1] for line in lines]

    assert {line["why"] for line in lines} == {reason for _, reason in KINDS.values()}
    assert times == sorted(times)
    assert 10 <= len(lines) <= MOST_LINES
    assert lines[0]["place"] == "access.log:1"


@pytest.mark.parametrize("how", RENDERERS)
def test_it_says_what_it_is_what_words_mean_and_what_each_wish_rests_on(found, how):
    written = " ".join(html_text(RENDERERS[how](dossier(found, "RoverBot"))).split())

    assert ("This page is for whoever runs RoverBot" in written) is (how != "json")
    assert ("violation: forbidden by the version" in written) is (how != "json")
    assert (
        "Please leave out what robots.txt disallows; the rules that were met stand above. Measured: Made 30 of"
        in written
    )
    assert not re.search(r"\bis (fail|partly)\b", written.partition("Please")[2].replace('"', ""))


def test_a_page_about_software_is_not_to_be_sent(tmp_path):
    path = tmp_path / "access.log"
    rows = [row(n, "/", agent="python-requests/2.32.3", address=f"192.0.2.{n}") for n in (1, 2)]
    path.write_text("".join(line.rpartition(' "')[0] + "\n" for line in rows), encoding="utf-8")
    written = " ".join(RENDERERS["text"](dossier(la.analyse(la.read([str(path)])), "python-requests")).split())

    assert "This page is to keep, not to send: python-requests is software that anybody may run" in written


def html_text(page):
    return html.unescape(page).replace("`", "").replace("</dt><dd>", ": ")


def test_no_row_of_a_rule_is_cut_and_each_has_its_first_and_last(found):
    (row,) = (line for line in RENDERERS["text"](dossier(found, "RoverBot")).splitlines() if "Disallow" in line)

    assert "…" not in row.replace("/private/…", "").replace("…  ", "").partition("violation")[0]
    assert row.split()[-6:-2] == ["2026-11-02", "10:00:10", "2026-11-02", "10:01:37"] or "10:01:37" in row


def test_an_address_to_write_to_is_never_cut(tmp_path):
    contact = "https://bots.example/" + "a" * 120
    path = tmp_path / "access.log"
    path.write_text(row(0, "/", agent=f"LongBot/1.0 (+{contact})").rpartition(' "')[0] + "\n", encoding="utf-8")

    assert f": {contact}" in re.sub(
        r":\n\s+", ": ", RENDERERS["text"](dossier(la.analyse(la.read([str(path)])), "LongBot"))
    )


def test_only_hosts_that_the_client_asked_for_are_named(tmp_path):
    path = tmp_path / "access.log"
    lines = [f"a.example {row(0, '/')}", f"b.example {row(1, '/', agent=OTHER)}"]
    path.write_text("".join(line.rpartition(' "')[0] + "\n" for line in lines), encoding="utf-8")

    assert dossier(la.analyse(la.read([str(path)])), "RoverBot")["hosts"] == ["a.example"]


def test_who_was_kept_from_robots_txt_is_told_whose_fault_it_was(log):
    refused = [line.replace('/robots.txt HTTP/1.1" 200', '/robots.txt HTTP/1.1" 403') for line in LINES]
    (log / "access.log").write_text("\n".join(refused) + "\n", encoding="utf-8")
    analysis = la.analyse(la.read([str(log / "access.log")], log_format=FORMAT), robots=[str(log / "robots.txt")])
    written = " ".join(RENDERERS["text"](dossier(analysis, "RoverBot")).split())

    assert "our server did not give it when it was asked for: that is ours to put right" in written
    assert "10:00:00 (403)" in written


def test_who_behaves_is_asked_for_nothing():
    passed = [{"row": "caches", "verdict": "pass", "sentence": ""}]

    assert asked(passed) == [NOTHING, CORRECTION]
    assert asked(passed, robots_kept_back=True) == [OUR_FAULT, CORRECTION]


def test_client_with_few_lines_shows_them_all(found):
    assert [line["why"] for line in dossier(found, "NeighbourBot")["lines"]] == ["one of its requests"]


def test_log_without_retry_after_says_so_with_the_directive(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("\n".join(line.rpartition(' "')[0] for line in LINES) + "\n", encoding="utf-8")

    written = RENDERERS["text"](dossier(la.analyse(la.read([str(path)])), "RoverBot"))

    assert "$sent_http_retry_after" in written
    assert "60 s ?" in written


def test_every_row_of_etiquette_has_something_to_ask_for():
    assert set(ASKED) == {row.id for row in ROWS}


@pytest.mark.parametrize(
    ("evidence", "wanted"),
    [
        ({"token": "Bot", "version": "1.0", "contact": None}, "a page or an address of who runs it"),
        ({"token": "Bot", "version": None, "contact": None}, "a version and a page or an address of who runs it"),
        ({"token": None}, "a name, a version and a page or an address of who runs it"),
    ],
)
def test_of_a_user_agent_only_what_it_lacks_is_asked_for(evidence, wanted):
    rows = [{"row": "names-itself", "verdict": "partly", "evidence": evidence, "sentence": "Names itself."}]

    assert asked(rows)[0] == f"Please send a user agent with {wanted}. Measured: Names itself."


@pytest.mark.parametrize("client", ["browser", "Rovrbot"])
def test_no_dossier_of_nobody_or_of_many(found, client):
    with pytest.raises(NothingUsableError, match=r"stands for many|did you mean RoverBot"):
        dossier(found, client)


def test_text_of_strangers_stays_text(tmp_path):
    agent = "Evil<script>alert(1)</script>Bot/1.0 (+https://evil.example/ [x](http://y.example))"
    path = tmp_path / "access.log"
    path.write_text(row(0, "/<b>|`", agent=agent).rpartition(' "')[0] + "\n", encoding="utf-8")
    analysis = la.analyse(la.read([str(path)]))
    page = dossier(analysis, analysis.columns.clients[0])

    assert "<script" not in RENDERERS["html"](page)
    assert "](http" not in re.sub(r"```.*?```|`[^`]*`", "", RENDERERS["markdown"](page), flags=re.DOTALL)


def test_command_writes_each_of_its_forms(log, capsys):
    given = ["client", "RoverBot", str(log / "access.log"), "--robots", str(log / "robots.txt"), "--log-format", FORMAT]
    page = log / "page.html"

    assert cli.main([*given, "--json", "--html", str(page)], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out)["client"]["client"] == "RoverBot"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert cli.main([*given, "--md"], standalone_mode=False) == 0
    assert capsys.readouterr().out.startswith("# RoverBot at a web site")


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("/a/b.html", "/a/b.html"),
        ("/a?x=1", "/a…"),
        ("/a;jsessionid=1?x", "/a…"),
        ("/a%3Fx=1", "/a…"),
        ("https://bob:pw@host.example/a?b", "https://…/a…"),
        ("/u/bob@mail.example/x", "/u/…/x"),
        ("/u/bob%40mail.example", "/u/…"),
        ("/reset/0123456789abcdefghij/", "/reset/…/"),
        ("/why-a-slug-of-many-words-in-2026-is-kept", "/why-a-slug-of-many-words-in-2026-is-kept"),
        ("/averyveryverylongwordwithoutdigits", "/averyveryverylongwordwithoutdigits"),
        ("*", "*"),
    ],
)
def test_target_is_cut(target, shown):
    assert redacted.target(target) == shown


@given(st.text("/ab.@%40", max_size=20), st.text(min_size=1, max_size=20))
def test_no_query_survives(path, query):
    assert redacted.target(f"{path}?{query}") == redacted.target(f"{path}?")


@pytest.mark.parametrize(
    ("course", "drawn"),
    [
        ("#.......o ", "█░░░░░░░o"),
        ("#.!.!.....", "█░!░!░░░░░"),
        ("#...o#...o", "█░░░o█░░░o"),
        ("##....#.!.oo.o      ", "█░░█!oo"),
        ("#!..................", "█░░░░░░░░░"),
    ],
)
def test_episode_in_one_line(course, drawn):
    assert timeline.bar({"course": course}, width=10) == drawn
