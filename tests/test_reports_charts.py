from xml.etree import ElementTree as ET

import pytest
from documents import HOSTILE, episode, site
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.reports import charts


def shapes(svg: str, name: str, kind: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(svg).iter(name) if kind in (element.get("class") or "").split()]


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("text")]


def test_bars_of_a_bucket_stack_to_its_total():
    purposes = {"a": [30, 0], "b": [10, 20]}

    svg = charts.requests_over_time(site()["series"] | {"purposes": purposes, "refusals": [0, 3]})

    a, b = shapes(svg, "rect", "s0"), shapes(svg, "rect", "s1")
    assert [len(a), len(b), len(shapes(svg, "rect", "tick"))] == [1, 2, 1]
    first_a, first_b = float(a[0].get("height")), float(b[0].get("height"))
    assert first_a == pytest.approx(3 * first_b)
    assert float(b[0].get("y")) + first_b == pytest.approx(float(a[0].get("y")))


@given(st.lists(st.integers(0, 1000), max_size=500))
def test_a_coarser_series_loses_no_request(counts):
    coarse, step = charts.coarser(counts)

    assert sum(coarse) == sum(counts)
    assert len(coarse) <= charts.MOST_BARS
    assert len(coarse) * step >= len(counts)


def test_many_purposes_are_added_up_and_browsers_stand_last():
    purposes = {f"p{n:02}": [n] for n in range(20)} | {"browser": [5], "undeclared": [1]}

    stacked = charts.stack(purposes)

    assert list(stacked) == ["p19", "p18", "p17", "p16", "other purposes", "undeclared", "browser"]
    assert sum(sum(counts) for counts in stacked.values()) == sum(sum(counts) for counts in purposes.values())


def test_a_chart_of_nothing_is_still_a_chart():
    empty = {"bucket_s": 60, "start": "2026-11-01T00:00:00Z", "purposes": {}, "refusals": []}

    assert ET.fromstring(charts.requests_over_time(empty)).get("role") == "img"
    assert ET.fromstring(charts.refusal_timeline([])).get("role") == "img"


def test_worst_episodes_come_first_and_their_number_is_bounded():
    many = [episode(), *[episode(verdict="ignored", early=3, kept=0)] * 20]

    rows = [text for text in words(charts.refusal_timeline(many)) if "early" in text]

    assert rows == ["ignored, 3 early"] * charts.MOST_EPISODES


def test_early_and_late_returns_differ_in_shape():
    svg = charts.refusal_timeline([episode(), episode(early=1, first_return_s=20.0)])

    assert [len(shapes(svg, "circle", "mark")), len(shapes(svg, "polygon", "mark"))] == [1, 1]


def test_the_band_is_as_long_as_the_asked_wait():
    svg = charts.refusal_timeline([episode(asked_s=120.0), episode(asked_s=60.0, asked_known=False)])

    known, assumed = shapes(svg, "rect", "band")
    assert float(known.get("width")) == pytest.approx(2 * float(assumed.get("width")))
    assert "assumed" in assumed.get("class")
    assert "asked 60 s ?" in words(svg)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_strangers_text_is_a_label_and_nothing_more(text):
    clean = {element.tag for element in ET.fromstring(charts.refusal_timeline([episode()])).iter()}

    svg = charts.refusal_timeline([episode(verdict=text)])

    assert {element.tag for element in ET.fromstring(svg).iter()} <= clean | {"polygon"}


@given(st.floats(0.001, 1e15))
def test_the_top_of_an_axis_is_above_its_values_and_near(value):
    assert value <= charts.ceiling(value) <= 2 * value * (1 + 1e-9)


@pytest.mark.parametrize(
    ("bucket_s", "buckets", "labels"),
    [(3600, 72, ["1 Nov 00:00", "1 Nov 12:00"]), (86_400, 30, ["1 Nov", "8 Nov"]), (1, 60, ["00:00:00", "00:00:10"])],
)
def test_times_on_the_axis_are_round(bucket_s, buckets, labels):
    document = site()["series"] | {"bucket_s": bucket_s, "purposes": {"a": [1] * buckets}, "refusals": [0] * buckets}

    shown = [text for text in words(charts.requests_over_time(document)) if "Nov" in text or ":" in text]
    assert shown[:2] == labels
