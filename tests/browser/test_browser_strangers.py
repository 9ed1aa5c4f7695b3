"""What strangers can do: a hostile log, a rebound name, somebody else's upload, a file that goes."""

import shutil
import urllib.parse

import pytest
from dashboards import ADDRESS, LOGS, SAMPLE, serving

from browser.conftest import FOREIGN, playwright
from loganalyzer.dashboard import PAGES

TITLES = [title for names in PAGES.values() for title in names.values()]
# Whatever a stranger can send: markup, Markdown, terminal escapes, formulas, marks that turn the direction of a text.
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "'><svg onload=alert(3)>",
    "![x](http://127.0.0.1:9/b.png)",
    "[click](javascript:alert(4))",
    ":red[x] $x$ **b** `c`",
    "%3Cimg%20src=x%20onerror=alert(5)%3E",
    "%253Cscript%253Ealert(6)%253C/script%253E",
    "=HYPERLINK(%22http://127.0.0.1:9%22)",
    "{{constructor.constructor('alert(7)')()}}",
    "datum.x;alert(8)",
    r"\x1b[31mred\x9b0m",
    "\u202egnp.exe\u2066",
    "[/b][link=http://127.0.0.1:9]x[/link]",
    "__proto__",
]
# An element or an attribute that only log text could have made.
MADE = """() => [...document.querySelectorAll('*')].filter((e) =>
  (e.tagName == 'IMG' && !/^(data|blob):/.test(e.src)) || e.tagName == 'IFRAME'
  || (e.tagName == 'SCRIPT' && /alert/.test(e.text)) || [...e.attributes].some((a) => /^on/.test(a.name))
  || /^javascript:/i.test(e.getAttribute('href') || '') || /127\\.0\\.0\\.1:9\\b/.test(e.getAttribute('href') || '')
).map((e) => e.outerHTML.slice(0, 200))"""


def request(number, text, status):
    """One line in which a stranger's text is everything that a stranger chooses."""
    path = text.replace(" ", "%20")
    who = f"Mozilla/5.0 (compatible; {text}Bot{number}/1.0; +http://example.org/{path})".replace('"', r"\x22")
    head = f"192.0.2.{number} - {path} [02/Nov/2026:10:{number:02}:00 +0000]"
    return f'{head} "GET /private/{path}?q={path} HTTP/1.1" {status} 512 "http://a.example/{path}" "{who}" 0.001 "30"\n'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    log, robots = folder / "<img src=x onerror=alert(9)>.log", folder / "robots.txt"
    lines = [request(n, text, status) for n, text in enumerate(HOSTILE, 1) for status in (200, 429, 429, 200)]
    lines += [f"{text} is no request\n" for text in HOSTILE]
    log.write_text("".join(lines), encoding="utf-8")
    robots.write_text("User-agent: *\nDisallow: /private/<img src=x onerror=alert(10)>\nDisallow: /private\n")
    with serving(folder, [str(log)], [str(robots)]) as port:
        yield port


def untouched(visitor):
    """Nothing that log text made is in the page; requests, dialogs and errors are looked at in the end."""
    visitor.page.wait_for_timeout(200)
    return visitor.page.get_by_test_id("stException").count() == 0 and visitor.page.evaluate(MADE) == []


def test_hostile_text_is_shown_and_does_nothing_on_any_page(visit, hostile):
    visitor, shown = visit(hostile), ""

    for title in TITLES:
        visitor.go(title)
        for summary in visitor.page.locator("summary").all():
            summary.click()
        visitor.drawn()
        assert untouched(visitor), title
        shown += visitor.main()

    assert [mark for mark in ("\x1b", "\u202e", "\u2066") if mark in shown] == []
    assert "__proto__Bot" in shown


def test_hostile_lines_are_shown_as_the_log_has_them(visit, hostile):
    visitor = visit(hostile, "evidence?client=Bot1&lines=all")

    shown = visitor.page.get_by_test_id("stCode").last.inner_text()

    assert untouched(visitor)
    assert request(1, HOSTILE[0], 200).strip() in shown


def test_hostile_text_in_an_address_is_no_markup(visit, hostile):
    visitor = visit(hostile, "inputs")

    for page, *names in (
        ("evidence", "client", "lines", "other", "page"),
        ("limits", "rate", "key"),
        ("robots", "from"),
        ("draft", "host", "deny", "deny_names", "allow_names", "keep_out", "pause", "suggest"),
        ("clients", "purpose", "name"),
        ("client", "client", "tab", "lines"),
    ):
        visitor.open(f"{page}?{urllib.parse.urlencode(dict(zip(names, HOSTILE, strict=False)))}")
        assert untouched(visitor), page


def test_a_rebound_name_gets_nothing(chromium, hostile):
    context = chromium.new_context()
    try:
        page = context.new_page()
        answer = page.goto(f"http://{FOREIGN}:{hostile}/")
        assert answer.status == 400
        assert page.locator("script, [data-testid]").count() == 0
    finally:
        context.close()


def test_a_foreign_page_can_neither_read_nor_frame_it(chromium, hostile):
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.route(
            "http://elsewhere.example/", lambda route: route.fulfill(body="<p>here</p>", content_type="text/html")
        )
        page.goto("http://elsewhere.example/")
        there = f"http://{ADDRESS}:{hostile}"
        fetched = page.evaluate("(url) => fetch(url).then(() => 'read', () => 'refused')", there + "/_stcore/health")
        opened = page.evaluate(
            """(url) => new Promise((done) => { const socket = new WebSocket(url);
              socket.onopen = () => done('open'); socket.onclose = () => done('refused'); })""",
            f"ws://{ADDRESS}:{hostile}/_stcore/stream",
        )
        page.evaluate(
            "(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }", there
        )
        page.wait_for_timeout(1500)
        framed = [frame for frame in page.frames if frame.url.startswith(there)]
        assert (fetched, opened, framed) == ("refused", "refused", [])
    finally:
        context.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """The port of a dashboard that was started without a log."""
    with serving(tmp_path_factory.mktemp("empty")) as port:
        yield port


def upload(visitor, name, content):
    visitor.page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    visitor.page.get_by_role("button", name=f"Remove {name}").wait_for()
    visitor.drawn()


def test_two_people_do_not_see_each_others_uploads(visit, empty):
    one, other = visit(empty), visit(empty)
    upload(one, "one.log", (SAMPLE / "access.log").read_bytes())
    upload(other, "other.log", (SAMPLE / "access.log.1").read_bytes())
    late = visit(empty)

    seen = {visitor: visitor.page.get_by_test_id("stSidebar").inner_text() for visitor in (one, other, late)}
    for visitor in (one, other):
        visitor.go("Evidence")

    assert "requests" in seen[one]
    assert "requests" in seen[other]
    assert seen[one] != seen[other]
    assert "Choose a log file" in late.main()
    assert "requests" not in seen[late]
    assert "one.log:" in one.main()
    assert "other.log" not in one.main()
    assert "other.log:" in other.main()
    assert "one.log:" not in other.main().replace("other.log:", "")


def test_an_upload_that_is_no_log_is_refused_in_words(visit, empty):
    visitor = visit(empty)

    upload(visitor, "access.log", b"PK\x03\x04" * 99)

    playwright.expect(visitor.page.get_by_test_id("stAlert").first).to_contain_text("archives are not read")


def test_a_file_that_is_deleted_gives_a_message(visit, tmp_path):
    log = tmp_path / "access.log"
    shutil.copy(LOGS[-1], log)
    with serving(tmp_path, [str(log)]) as port:
        visitor = visit(port, "evidence")
        log.unlink()
        visitor.page.get_by_label("Page of 50 lines").fill("2")
        visitor.page.keyboard.press("Enter")
        playwright.expect(visitor.page.get_by_test_id("stAlert").first).to_contain_text("access.log")
        again = visit(port, "inputs")

        assert "access.log" in again.main()
        for each in (visitor, again):
            assert "Traceback" not in each.page.content()
            assert str(tmp_path) not in each.main().replace(str(log), "")
