"""The page of one client in a real browser: each mark of its charts leads to the lines behind it."""

import re

import pyarrow.parquet as pq
import pytest

from browser.conftest import playwright, saved

expect = playwright.expect


@pytest.mark.parametrize(
    ("path", "mark", "lines"),
    [
        ("client?client=HastyBot", ".mark-rect path", "all"),
        ("client?client=HastyBot", ".mark-symbol path", "refused"),
        ("client?client=HastyBot&tab=After+429", ".mark-symbol path", "early"),
    ],
)
def test_mark_of_a_chart_leads_to_its_lines(visit, sample, path, mark, lines):
    visitor = visit(sample, path)
    charts = visitor.page.get_by_test_id("stVegaLiteChart").filter(visible=True)

    charts.last.locator(mark).filter(visible=True).first.click(force=True)
    page = visitor.arrived("Evidence")

    expect(page).to_have_url(re.compile(rf"/evidence\?client=HastyBot&lines={lines}&page=\d+"))
    assert "HastyBot" in page.get_by_test_id("stCode").last.inner_text()


@pytest.mark.parametrize(
    ("mark", "address"), [(".mark-rect path", r"of=\w"), (".mark-symbol path", "of=everybody&lines=refused")]
)
def test_mark_of_the_overview_leads_to_its_lines(visit, sample, mark, address):
    visitor = visit(sample)
    chart = visitor.page.get_by_test_id("stVegaLiteChart").first

    chart.locator(mark).filter(visible=True).first.click(force=True)
    page = visitor.arrived("Evidence")

    expect(page).to_have_url(re.compile(rf"/evidence\?{address}.*&page=\d+"))
    assert "access.log" in page.get_by_test_id("stCode").last.inner_text()


def test_part_that_is_open_stands_in_the_address(visit, sample):
    visitor = visit(sample, "client?client=HastyBot")

    visitor.page.get_by_role("tab", name="Pace").click()
    expect(visitor.page).to_have_url(re.compile("tab=Pace"))
    visitor.page.reload()
    visitor.arrived("One client")

    expect(visitor.page.get_by_role("tab", name="Pace")).to_have_attribute("aria-selected", "true")
    assert "the median is" in visitor.main()


def test_file_that_is_saved_is_named_after_what_was_chosen(visit, sample):
    visitor = visit(sample, "client?client=HastyBot&from=2026-11-02T10:00")

    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Parquet", exact=True).first.click()

    assert download.value.suggested_filename == "agents-HastyBot-from-2026-11-02T10-00.parquet"
    assert pq.read_table(download.value.path())["requests"].to_pylist() == [398]
    assert saved(visitor, "Save the whole table as CSV")[0] == "agents-HastyBot-from-2026-11-02T10-00.csv"
