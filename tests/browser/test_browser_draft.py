"""Writing a robots.txt in a real browser: told as it is typed, mended, saved, kept; hostile text stays text."""

import re
from pathlib import Path

import pytest

from browser.conftest import playwright, saved
from browser.test_browser_pages import CONTRAST

expect = playwright.expect
NOW = Path(__file__).parents[2] / "sample_logs" / "robots" / "20261102T1000Z.txt"
HOSTILE = 'User-agent: <img src=x onerror=alert(1)>\nAlow: /"><script>alert(1)</script>\n\u202e![x](y)\n'


@pytest.fixture
def visitor(visit, sample):
    visitor = visit(sample, "draft")
    expect(editor(visitor)).to_have_value(NOW.read_text(encoding="utf-8"))
    return visitor


def editor(visitor):
    return visitor.page.get_by_label("Draft of robots.txt")


def test_effect_and_mistakes_are_told_while_somebody_types(visitor):
    editor(visitor).press("Control+Home")
    editor(visitor).press_sequentially("User-agent: HastyBot\nDisallow: /\nAlow: /x\n\n", delay=5)

    expect(visitor.page.get_by_text("It newly forbids 395 requests")).to_be_visible()
    expect(visitor.page.get_by_text("error, line 3: a misspelt key")).to_be_visible()
    expect(editor(visitor)).to_be_focused()
    assert editor(visitor).input_value().startswith("User-agent: HastyBot\nDisallow: /\nAlow: /x\n\n# Since")


def test_line_is_mended_by_a_click_and_the_file_is_saved(visitor):
    editor(visitor).fill("User-agent: *\nAlow: /x\nDisallow: /\n")
    expect(visitor.page.get_by_text("error, line 2: a misspelt key")).to_be_visible()
    visitor.drawn()
    visitor.page.get_by_role("button", name="Put this in its place").last.click()

    expect(editor(visitor)).to_have_value("User-agent: *\nAllow: /x\nDisallow: /\n")
    visitor.drawn()
    name, text = saved(visitor, "Save robots.txt")
    assert (name, text) == ("robots.txt", b"User-agent: *\nAllow: /x\nDisallow: /\n")


def test_what_is_typed_last_counts_whatever_is_clicked_next(visitor):
    """The pause has not passed when the click comes: leaving the field tells it."""
    editor(visitor).press("Control+Home")
    editor(visitor).press_sequentially("# mine\n")
    visitor.page.get_by_test_id("stSidebarNav").get_by_text("Clients", exact=True).click()
    visitor.arrived("Clients")
    visitor.go("Draft")

    expect(editor(visitor)).to_have_value("# mine\n" + NOW.read_text(encoding="utf-8"))


def test_policy_of_a_shared_address_is_put_into_the_editor_and_taken_back(visit, sample):
    visitor = visit(sample, "draft?deny_names=HastyBot&keep_out=/products/")

    visitor.page.get_by_role("button", name="Put it into the editor").click()

    expect(editor(visitor)).to_have_value(re.compile("# loganalyzer draft: begin"))
    visitor.drawn()
    visitor.page.get_by_role("button", name="Back to the file in force").click()
    expect(editor(visitor)).to_have_value(NOW.read_text(encoding="utf-8"))


def test_drafts_of_two_people_are_their_own(visit, sample):
    one, other = visit(sample, "draft"), visit(sample, "draft")
    expect(editor(one)).to_have_value(NOW.read_text(encoding="utf-8"))

    editor(one).fill("User-agent: *\nDisallow: /secret-of-one\n")
    expect(one.page.get_by_text("It newly forbids").or_(one.page.get_by_text("It opens")).first).to_be_visible()
    other.page.reload()
    other.arrived("Draft")

    expect(editor(other)).to_have_value(NOW.read_text(encoding="utf-8"))
    assert "secret-of-one" not in other.main()


def test_hostile_text_in_the_editor_stays_text(visitor):
    editor(visitor).fill(HOSTILE)
    expect(visitor.page.get_by_text("a misspelt key").first).to_be_visible()
    visitor.drawn()

    made = visitor.page.evaluate(
        "[document, ...[...document.querySelectorAll('*')].map(e => e.shadowRoot).filter(Boolean)]"
        ".flatMap(r => [...r.querySelectorAll('img[src=x], script:not([src])')]).map(e => e.outerHTML.slice(0, 80))"
        ".filter(t => t.includes('alert'))"
    )
    assert made == []
    assert "\u202e" not in visitor.main()


def test_editor_is_left_by_the_tab_key(visitor):
    editor(visitor).press("Tab")

    expect(editor(visitor)).not_to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_the_draft_is_legible(visit, sample, scheme):
    visitor = visit(sample, "draft?deny=seo,ai-training", color_scheme=scheme)
    expect(editor(visitor)).to_have_value(NOW.read_text(encoding="utf-8"))
    editor(visitor).press("Control+Home")
    editor(visitor).press_sequentially("User-agent: HastyBot\nDisallow: /\n\n")
    expect(visitor.page.get_by_text("It newly forbids").first).to_be_visible()
    visitor.drawn()

    texts = visitor.page.locator("[data-testid=stMain] :is(h1, h2, h3, p, td, th, code span, .numbers, textarea)")
    seen = [one.evaluate(CONTRAST) for one in texts.all() if one.is_visible()]

    assert len(seen) > 30
    assert [text for text in seen if text and text[0] < 4.5] == []
