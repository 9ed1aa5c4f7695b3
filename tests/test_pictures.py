"""The pictures of the documentation are there, small enough and made by the script; no screen scrolls sideways."""

import importlib.util
import re
import shutil
import struct
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 200_000
CHROMIUM = shutil.which("chromium")

spec = importlib.util.spec_from_file_location("make_pictures", FOLDER / "make_pictures.py")
pictures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pictures)


def width_of(png):
    """The width that the header of a PNG states."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">I", png[16:20])[0]


def test_every_picture_is_one_that_the_script_makes():
    assert sorted(path.stem for path in FOLDER.glob("*.png")) == sorted(each.name for each in pictures.PICTURES)


@pytest.mark.parametrize("name", [each.name for each in pictures.PICTURES])
def test_a_picture_is_wide_enough_and_small_enough(name):
    png = (FOLDER / f"{name}.png").read_bytes()

    assert width_of(png) == pictures.WIDTH
    assert len(png) < MOST_BYTES


@pytest.mark.parametrize("page", ["README.md", "docs/reading-the-report.md"])
def test_every_picture_is_shown_or_linked(page):
    text = (ROOT / page).read_text(encoding="utf-8")

    assert set(re.findall(r"pictures/(\w+)\.png\)", text)) == {each.name for each in pictures.PICTURES}


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    with pictures.browser(CHROMIUM) as page:
        yield page


WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Text to read or to copy that would have to be scrolled; tables may, within themselves.
CUT = """[...(document.querySelector('[data-testid=stMain]') || document).querySelectorAll('pre, p, h1, h2, h3')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"""


def shown(browser, url, width):
    """Draw a page and return the width of its picture, by how much it is too wide, and which texts are cut."""
    png = browser.picture(url, width=width)
    return width_of(png), browser.evaluate(WIDER), browser.evaluate(CUT)


@pytest.mark.parametrize("width", [1280, 400])
def test_the_report_does_not_scroll_sideways(browser, tmp_path, width):
    assert shown(browser, pictures.report(tmp_path), width) == (width, 0, [])


# How far the cells of each grid reach beyond what is seen of it.
BEYOND = "[...document.querySelectorAll('.dvn-scroller')].map(e => Math.max(0, e.scrollWidth - e.clientWidth))"


def test_tables_with_many_columns_do_not_scroll_sideways(browser):
    pages = ("refusals", "inputs", "limits?key=address")
    with pictures.dashboard(pictures.LOGS, pictures.ROBOTS) as address:
        seen = {page: (shown(browser, address + page, 1280), browser.evaluate(BEYOND)) for page in pages}
        phone = {page: shown(browser, address + page, 400) for page in (*pages, "evidence")}

    assert {page: (sizes, sum(beyond)) for page, (sizes, beyond) in seen.items()} == dict.fromkeys(
        pages, ((1280, 0, []), 0)
    )
    assert [len(beyond) for _, beyond in seen.values()] == [1, 3, 1]
    assert set(map(str, phone.values())) == {str((400, 0, []))}


PAGES = {
    "client?client=HastyBot&lines=early&tab=Lines": "One client",
    "client?client=HastyBot&tab=Etiquette": "One client",
    "client?client=HastyBot&tab=Addresses": "One client",
    "robots": "robots.txt",
    "draft?deny=ai-training&suggest=yes": "Draft",
}


def test_pages_of_the_dashboard_do_not_scroll_sideways(browser):
    with pictures.dashboard(pictures.LOGS, pictures.ROBOTS) as address:
        for page, title in PAGES.items():
            sizes = [shown(browser, address + page, width) for width in (1280, 400)]

            assert sizes == [(1280, 0, []), (400, 0, [])], page
            assert browser.evaluate("document.querySelector('h1').innerText") == title


CHANGED = "document.querySelector('[data-testid=stMain]').innerText"


def test_what_is_typed_in_the_draft_is_told_while_it_is_typed(browser):
    """No key ends it and no click: the pause of a third of a second is enough."""
    with pictures.dashboard(pictures.LOGS, pictures.ROBOTS) as address:
        browser.picture(f"{address}draft")
        before = browser.evaluate(CHANGED)
        browser.picture(f"{address}draft", typed=pictures.DRAFT)
        after = browser.evaluate(CHANGED)
        focus = browser.evaluate("document.activeElement.shadowRoot?.activeElement?.tagName")
        marks = browser.evaluate(f"{EDITOR}.querySelectorAll('.under .error').length")

    assert "The draft is the file in force" in before
    assert "It newly forbids" in after
    assert "a misspelt key" in after
    assert (focus, marks) == ("TEXTAREA", 2)


EDITOR = "[...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('textarea'))"
