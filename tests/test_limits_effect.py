"""Cause and effect of a limit: what came before and after the first refusal, in the document and in every report."""

import pytest
from documents import site

import loganalyzer as la
from loganalyzer.reports import RENDERERS, refusal_effects, text

AGENT = "SampleBot/1.0 (+https://sample.example/bot)"


def line(second, status=200, size=100, agent=AGENT):
    at = f"02/Nov/2026:{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} +0000"
    return f'192.0.2.1 - - [{at}] "GET /a HTTP/1.1" {status} {size} "-" "{agent}"\n'


def analysed(tmp_path, lines):
    (tmp_path / "access.log").write_text("".join(lines), encoding="utf-8")
    return {row["client"]: row for row in la.analyse(la.read([tmp_path / "access.log"])).to_dict()["clients"]}


def test_both_sides_of_the_first_refusal_are_as_long_as_the_log_has_both(tmp_path):
    """Refused at 600 s of 1,800: the windows are 600 s, what comes in the last 600 s stands in neither."""
    before = [line(second) for second in range(0, 600, 10)]
    after = [line(600, 429, 7), *(line(second) for second in range(620, 1200, 20)), line(1100, 429, 7), line(1500)]
    end = [line(1800, agent="OtherBot/1.0")]

    found = analysed(tmp_path, sorted([*before, *after, *end], key=lambda text: text.split(":")[1:4]))

    assert found["SampleBot"]["refusal_effect"] == {
        "first_refusal": "2026-11-02T00:10:00Z",
        "before": {"requests": 60, "bytes": 6000, "refusals": 0},
        "after": {"requests": 32, "bytes": 3014, "refusals": 2},
        "window_s": 600.0,
        "window_before": {"requests": 60, "bytes": 6000, "refusals": 0},
        "window_after": {"requests": 31, "bytes": 2914, "refusals": 2},
    }
    assert found["OtherBot"]["refusal_effect"] is None
    assert refusal_effects.sentence(found["OtherBot"]) == ""
    assert refusal_effects.sentence(found["SampleBot"]).startswith(
        "In the 10 min before its first refusal (2026-11-02 00:10:00) it sent 60 requests and was sent 6.0 kB; in as "
        "long a time from then on 31 requests, 2 of them refused, and 2.9 kB."
    )


def test_a_refusal_at_an_end_of_the_log_is_not_compared(tmp_path):
    found = analysed(tmp_path, [line(0, 429), *(line(second) for second in range(1, 100))])["SampleBot"]

    assert found["refusal_effect"]["window_s"] == 0
    assert found["refusal_effect"]["after"] == {"requests": 100, "bytes": 10_000, "refusals": 1}
    assert "too near an end of the log" in refusal_effects.sentence(found)
    assert list(refusal_effects.rows({"clients": [found]})) == []


@pytest.mark.parametrize(
    ("render", "said"),
    [
        (lambda found: text.render(found, width=80, colour=False, full=True), "Before and after the first refusal"),
        (RENDERERS["markdown"], "## Before and after the first refusal"),
        (RENDERERS["html"], "before its first refusal"),
    ],
    ids=["text", "markdown", "html"],
)
def test_every_report_tells_it(render, said):
    found = render(site())

    assert said in found
    assert "17,004" in found
    never = [{**row, "refusal_effect": None} for row in site()["clients"]]
    assert said not in render({**site(), "clients": never})
