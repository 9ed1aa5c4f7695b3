"""The sample logs in a real browser: opening, filtering, from a finding to its lines, saving, sharing, dark mode."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from browser.conftest import playwright, saved
from loganalyzer.dashboard import PAGES

expect = playwright.expect
TITLES = {name: title for names in PAGES.values() for name, title in names.items()}

# Keeps what a page says for a moment only.
WATCH = """text => { const main = document.querySelector('[data-testid=stMain]'); window.said = null;
  new MutationObserver(() => { if (main.innerText.includes(text)) window.said = main.innerText })
    .observe(main, {childList: true, subtree: true, characterData: true}) }"""


def test_every_page_opens_from_the_sidebar(visit, sample):
    visitor = visit(sample)

    for title in TITLES.values():
        page = visitor.go(title)
        assert page.get_by_test_id("stException").count() == 0
        assert page.title()
        assert "all times in UTC" in page.get_by_test_id("stSidebar").inner_text()


def test_clients_are_filtered_by_name(visit, sample):
    visitor = visit(sample, "clients")
    rows = visitor.page.locator("table[role=grid] tbody tr")  # what a screen reader is told of the grid
    rows.nth(1).wait_for(state="attached")

    visitor.page.get_by_label("Name contains").fill("hasty")
    visitor.page.keyboard.press("Enter")

    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("HastyBot")


def test_a_violation_leads_to_its_lines_as_they_stand_in_the_file(visit, sample):
    visitor = visit(sample, "robots")

    grid = visitor.page.get_by_test_id("stDataFrame").nth(1)
    grid.locator(".dvn-scroller").click(position={"x": 16, "y": 52})
    page = visitor.arrived("One client")

    assert re.search(r"/client\?.*lines=(violations|grace)", page.url)
    places = page.get_by_test_id("stCode").last.inner_text().splitlines()
    found = [re.fullmatch(r"(.*?):(\d+): (.*)", place) for place in places]
    assert found[0]
    for match in found:
        path = Path(match[1])
        if path.suffix != ".gz":
            assert path.read_text(encoding="utf-8").split("\n")[int(match[2]) - 1] == match[3]


def test_a_finding_leads_to_its_lines(visit, sample):
    visitor = visit(sample)

    visitor.page.get_by_role("button", name="Lines", exact=True).first.click()
    page = visitor.arrived("One client")

    assert page.get_by_test_id("stCode").last.inner_text().strip()


def test_tables_and_reports_are_saved_whole(visit, sample):
    visitor = visit(sample, "clients")

    name, table = saved(visitor, "Save the whole table as CSV")
    assert name == "clients.csv"
    rows = list(csv.DictReader(io.StringIO(table.decode(), newline="")))
    name, report = saved(visitor, "Report as JSON")
    assert name == "report.json"
    assert [row["client"] for row in rows] == [client["client"] for client in json.loads(report)["clients"]]
    name, html = saved(visitor, "Report as HTML")
    assert name == "report.html"
    assert html.startswith(b"<!DOCTYPE html>")
    for kind in ("CSV", "Parquet"):
        name, archive = saved(visitor, f"All tables as {kind}")
        assert name == f"tables-{kind.lower()}.zip"
        assert f"clients.{kind.lower()}" in zipfile.ZipFile(io.BytesIO(archive)).namelist()


def test_a_shared_address_shows_somebody_else_the_same(visit, sample):
    visitor = visit(sample, "evidence")
    visitor.page.get_by_label("From (UTC)").fill("2026-11-02")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url(re.compile("from=2026-11-02"))
    visitor.drawn()  # the address is there before the page
    choose(visitor, "Client", "HastyBot")
    visitor.says("HastyBot:")
    choose(visitor, "Which lines", "early after 429")
    visitor.says("early after 429; page 1")
    visitor.page.get_by_label("Page of 50 lines").fill("2")
    visitor.page.keyboard.press("Enter")
    visitor.says("page 2 of")
    visitor.drawn()

    other = visit(sample, visitor.page.url.removeprefix(visitor.address))

    assert "page 2 of" in other.main()
    assert other.main() == visitor.main()
    assert "HastyBot" in other.main()
    assert other.page.get_by_label("From (UTC)").input_value() == "2026-11-02"
    assert facts(other) == facts(visitor)
    assert "from=2026-11-02" in visitor.page.url


def test_a_filter_of_clients_is_in_the_address(visit, sample):
    visitor = visit(sample, "clients?name=bot&purpose=search")
    rows = visitor.page.locator("table[role=grid] tbody tr")

    expect(rows).to_have_count(2)
    visitor.page.get_by_label("Name contains").fill("google")
    visitor.page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    assert "name=google" in visitor.page.url
    assert "purpose=search" in visitor.page.url


def test_a_period_stays_when_the_page_is_changed_or_loaded_anew(visit, sample):
    visitor = visit(sample, "clients?from=2026-11-03")
    whole = facts(visit(sample))
    short = facts(visitor)

    visitor.go("Inputs")
    visitor.page.reload()
    visitor.arrived("Inputs")

    assert short != whole
    assert facts(visitor) == short


def test_a_new_period_is_counted_before_it_is_measured(visit, sample):
    visitor = visit(sample, "clients")
    visitor.page.evaluate(WATCH, "Counted in this period")
    visitor.page.get_by_label("From (UTC)").fill("2026-11-02T07:13")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url(re.compile("from=2026-11-02T07"))
    visitor.drawn()

    said = visitor.page.evaluate("window.said")
    total = re.search(r"^([\d,]+) requests", facts(visitor), re.MULTILINE)
    assert said is not None
    assert total is not None, facts(visitor)
    assert f"Counted in this period: {total[1]} requests" in said
    assert "Verdicts are being measured" in said
    assert "Counted in this period" not in visitor.main()


def facts(visitor):
    return visitor.page.get_by_test_id("stSidebar").get_by_test_id("stText").inner_text()


def test_a_draft_shows_its_effect_and_its_mistakes_as_it_is_typed(visit, sample):
    visitor = visit(sample, "draft")
    editor = visitor.page.locator("textarea").first
    before = visitor.main()

    editor.press("Control+End")
    editor.type("\n\nUser-agent: Googlebot\nDissallow: /cart\nDisallow: /products/\n")
    main = visitor.page.get_by_test_id("stMain")

    expect(main).to_contain_text("newly forbids", timeout=20_000)
    expect(main).to_contain_text("misspelt")
    assert "newly forbids" not in before
    rows = visitor.page.locator("table[role=grid] tbody tr")
    expect(rows.filter(has_text="Googlebot").first).to_be_attached()


def choose(visitor, label, option):
    visitor.page.get_by_label(label, exact=False).last.click()
    visitor.page.get_by_role("option", name=option, exact=True).click()
    visitor.drawn()


# The contrast of a text to what lies behind it, by WCAG 2, with what is half transparent laid over what is below.
CONTRAST = """(element) => {
  const colour = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const bright = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((v, i) => v * alpha + below[i] * (1 - alpha));
  const behind = (e) => !e ? [255, 255, 255]
    : over(colour(getComputedStyle(e).backgroundColor), behind(e.parentElement));
  const opacity = (e) => e ? getComputedStyle(e).opacity * opacity(e.parentElement) : 1;
  const style = getComputedStyle(element), ground = behind(element);
  const [r, g, b, alpha = 1] = colour(element.tagName == 'text' ? style.fill : style.color);
  const text = over([r, g, b, alpha * opacity(element)], ground);
  const [low, high] = [bright(text), bright(ground)].sort((a, b) => a - b);
  return opacity(element) && [(high + 0.05) / (low + 0.05), element.textContent.slice(0, 60)];
}"""
TEXTS = "h1, h2, h3, p, label, a span, [data-testid=stText] div, pre code, td, th, svg text, button p"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_legible_in_light_and_dark(visit, sample, scheme):
    visitor = visit(sample, "robots", color_scheme=scheme)
    visitor.page.locator("svg text").first.wait_for(state="attached")

    ground = visitor.page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    contrasts = f"[...document.querySelectorAll({TEXTS!r})].map({CONTRAST})"
    seen = visitor.page.evaluate(contrasts)
    visitor.open("client?client=HastyBot")
    seen += visitor.page.evaluate(contrasts)

    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    seen = [text for text in seen if text and text[1]]  # what is wholly transparent is not shown
    assert len(seen) > 100
    assert [text for text in seen if text[0] < 4.5] == []


# How far the cells of each grid reach beyond what is seen of it.
BEYOND = "[...document.querySelectorAll('.dvn-scroller')].map(e => Math.max(0, e.scrollWidth - e.clientWidth))"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_the_clients_fit_on_a_laptop_with_their_lever(visit, sample):
    visitor = visit(sample, "clients")
    visitor.page.locator("table[role=grid] tbody tr").first.wait_for(state="attached")

    assert visitor.page.evaluate(BEYOND) == [0]
    assert visitor.page.evaluate(WIDER) == 0


def test_the_page_can_be_used_by_keyboard(visit, sample):
    visitor = visit(sample, "clients")
    seen = []
    for _ in range(40):
        visitor.page.keyboard.press("Tab")
        seen.append(visitor.page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText"))

    assert {"Name contains", "Overview", "From (UTC)"} <= {str(name).strip() for name in seen}
