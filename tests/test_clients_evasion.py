"""Who reads robots.txt under a name and comes as a browser for what it closes; and who merely shares an address."""

import pytest

from loganalyzer.analysis import analyse
from loganalyzer.formats import read

BOT = "TidyBot/1.0 (+https://crawl.example/)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ROBOTS = "User-agent: TidyBot\nDisallow: /closed/\n\nUser-agent: *\nDisallow: /other/\n"
READ = (0, "a", BOT, "/robots.txt")
CLOSED = [f"/closed/{n}" for n in range(4)]


def browser(start, targets=CLOSED, address="a", agent=FIREFOX):
    return [(start + n, address, agent, target) for n, target in enumerate(targets)]


@pytest.fixture
def row(tmp_path):
    def judged(*rows, robots=ROBOTS):
        log, rules = tmp_path / "access.log", tmp_path / "robots.txt"
        rules.write_text(robots)
        log.write_text(
            "".join(
                f"{address} - - [02/Nov/2026:{10 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02} +0000] "
                f'"GET {target} HTTP/1.1" 200 9 "-" "{agent}"\n'
                for at, address, agent, target in sorted(rows)
            )
        )
        analysis = analyse(read([log]), robots=[str(rules)])
        (client,) = (client for client in analysis.to_dict()["clients"] if client["client"] == "TidyBot")
        (found,) = (row for row in client["etiquette"] if row["row"] == "no-disguise")
        return found

    return judged


def test_a_browser_for_what_is_closed_is_told_with_its_measure(row):
    found = row(READ, (1, "a", BOT, "/open"), *browser(40))

    assert found["verdict"] == "fail"
    assert (found["evidence"]["evading_requests"], found["evidence"]["evading_addresses"]) == (4, 1)
    assert "measured, not proven" in found["sentence"]


INNOCENT = {
    "pages that are open to it": [READ, *browser(40, [f"/open/{n}" for n in range(9)])],
    "what is closed to others": [READ, *browser(40, [f"/other/{n}" for n in range(9)])],
    "a browser that takes assets": [READ, *browser(40, [*CLOSED, "/static/a.css"])],
    "a browser that was there before": [(0, "a", FIREFOX, "/"), (1, "a", BOT, "/robots.txt"), *browser(40)],
    "another address": [READ, *browser(40, address="b")],
    "too late": [READ, *browser(601)],
    "too few pages": [READ, *browser(40, CLOSED[:2])],
    "one page again and again": [READ, *browser(40, CLOSED[:1] * 9)],
    "who never read robots.txt": [(0, "a", BOT, "/open"), *browser(40)],
    "who read it elsewhere": [(0, "b", BOT, "/robots.txt"), (1, "a", BOT, "/open"), *browser(40)],
    "what many ask for": [READ, *browser(40), *(r for n in range(5) for r in browser(900, address=f"c{n}"))],
    "another client of its operator": [READ, *browser(40, agent="QuarryBot/1.0")],
}


@pytest.mark.parametrize("rows", INNOCENT.values(), ids=INNOCENT)
def test_nobody_is_told_of_for_less(row, rows):
    assert row(*rows)["evidence"]["evading_requests"] == 0


def test_without_a_robots_txt_for_it_nothing_is_closed(row):
    assert row(READ, *browser(40), robots="")["evidence"]["evading_requests"] == 0
