import re
from html.parser import HTMLParser

import pytest
from documents import HOSTILE, crowd, hostile, site

from loganalyzer.reports import RENDERERS

render = RENDERERS["html"]
SITES = pytest.mark.parametrize("document", [site(), hostile(), crowd()], ids=["site", "hostile", "crowd"])
VOID = {"meta", "br"}
RUNS = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "form",
    "base",
    "foreignobject",
    "image",
    "use",
    "animate",
}
REACHES = {"src", "style", "srcset", "action", "formaction", "poster", "background", "ping"}


class Page(HTMLParser):
    """What a browser makes of a page: its elements with their attributes, its text, and whether every tag is closed."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@SITES
def test_every_element_is_closed(document):
    assert Page(render(document)).open == []


@SITES
def test_page_holds_nothing_that_runs_or_reaches_out(document):
    page = Page(render(document))

    attributes = [(name, value) for _, attrs in page.elements for name, value in attrs.items()]
    links = {value for name, value in attributes if name.endswith("href")}
    assert {tag for tag, _ in page.elements} & RUNS == set()
    assert {name for name, _ in attributes if name.startswith("on") or name in REACHES} == set()
    assert {link for link in links if not re.fullmatch("#[a-z0-9-]+", link)} == set()


@SITES
def test_policy_allows_the_own_style_sheet_alone(document):
    page = Page(render(document))

    (policy,) = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert [tag for tag, _ in page.elements].count("style") == 1
    assert "url(" not in render(document)
    assert "@import" not in render(document)


def test_a_strangers_text_is_text():
    text = "".join(Page(render(hostile())).text)

    shown = [value for value in HOSTILE if value.isprintable() and "\n" not in value]
    assert [value for value in shown if value not in text] == []
    assert r"\x1b[31mred" in text
    assert r"gnp\u202eexe" in text


def test_print_is_light_whatever_the_screen_is():
    """A dark palette outside `@media screen` would reach the paper in part."""
    css = re.search(r"<style>(.*?)</style>", render(site()), flags=re.DOTALL)[1]

    assert re.findall(r"@media[^{]*prefers-color-scheme: dark[^{]*", css) == [
        "@media screen and (prefers-color-scheme: dark) "
    ]


def test_links_within_the_page_lead_somewhere():
    page = Page(render(crowd()))

    targets = {attrs["href"].removeprefix("#") for tag, attrs in page.elements if tag == "a"}
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert targets <= set(ids)
    assert len(ids) == len(set(ids))


def test_five_hundred_clients_stay_under_a_megabyte_and_none_is_missing():
    page = render(crowd(500))

    assert len(page.encode()) < 1_000_000
    assert "Crowd499Bot" in page


def test_page_shows_what_the_document_says():
    text = " ".join("".join(Page(render(site())).text).split())

    for words in (
        "1 of 7 broke robots.txt, 1 of 2 told to slow down ignored it (1 more too few times to say)",
        "Not whole: access.log.1.gz: cut short",
        "loganalyzer lines access.log access.log.1.gz --client GreedyBot --violations",
        "25,301 allowed, 4,812 violated",
        "kept 0 of 9 waits (95 % interval 0.0 % to 29.9 %), counted per address",
        "147 requests came early, 44 of them for the target that had been refused",
        "Lever: refuse the token",
        "line 7: a rule before the first User-agent line",
        "What the log cannot say: Retry-After is not logged",
        "no HTTP request line",
    ):
        assert words in text


def test_empty_states_say_what_is_missing():
    document = site() | {"robots_versions": [], "findings": [], "robots_answers": []}
    document["totals"] = document["totals"] | {"first": None, "last": None}

    text = " ".join("".join(Page(render(document)).text).split())

    assert "No robots.txt was given" in text
    assert "loganalyzer report access.log --robots robots.txt" in text
    assert "The log holds no time" in text
    assert "Nothing was found that acts against what it was told." in text


def test_text_to_copy_keeps_its_lines_and_loses_its_escapes():
    document = site()
    document["clients"][1]["lever"]["text"] = "first\nsecond \x1b[0m</pre><b>"

    assert "first\nsecond \\x1b[0m&lt;/pre&gt;&lt;b&gt;</pre>" in render(document)
