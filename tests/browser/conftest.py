"""A real browser, Debian's Chromium, with everything that it does recorded."""

import os
import shutil
from pathlib import Path

import pytest
from dashboards import ADDRESS, LOGS, ROBOTS, serving

pytest.importorskip("streamlit")
playwright = pytest.importorskip("playwright.sync_api")

FOREIGN = "rebound.example"  # as a rebound name would, it leads to this machine
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
# Drawn: the script has ended, and nothing waits or is stale.
DRAWN = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState == 'notRunning'
  && (document.querySelector('h1') || document.querySelector('[data-testid=stAlert]'))
  && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')"""


@pytest.fixture(scope="module")
def chromium():
    program = shutil.which("chromium")
    if program is None:
        assert not os.environ.get("CI"), "CI must have chromium"
        pytest.skip("no chromium: apt-get install chromium")
    arguments = [*QUIET, f"--host-resolver-rules=MAP {FOREIGN} {ADDRESS}"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


class Visitor:
    """One person with a browser of their own: their page, and what it asked for, said and failed at."""

    def __init__(self, chromium, address, **options):
        self.address = address
        self.context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        self.asked, self.dialogs, self.errors = [], [], []
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._said)

    def _said(self, message):
        """Keep an error; Streamlit looks for its server below /client first, and is told 404."""
        if message.type == "error" and "404" not in message.text:
            self.errors.append(message.text)

    def _dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def open(self, path=""):
        self.page.goto(self.address + path)
        return self.drawn()

    def drawn(self):
        self.page.wait_for_timeout(50)  # a click reaches the server first
        self.page.wait_for_function(DRAWN)
        return self.page

    def go(self, title):
        """Open a page by its name in the sidebar."""
        self.page.get_by_test_id("stSidebarNav").get_by_text(title, exact=True).click()
        return self.arrived(title)

    def arrived(self, title):
        playwright.expect(self.page.locator("h1")).to_have_text(title, timeout=30_000)
        return self.drawn()

    def main(self):
        return self.page.get_by_test_id("stMain").inner_text()

    def outside(self):
        """Requests to anywhere else; what is in the page itself asks nobody."""
        here = (self.address, self.address.replace("http", "ws", 1), "data:", "blob:" + self.address)
        return [url for url in self.asked if not url.startswith(here)]


@pytest.fixture
def visit(chromium):
    """Let somebody open an address: whatever they do, nothing is asked of anybody else, fails or pops up."""
    visitors = []

    def come(port, path="", **options):
        visitors.append(Visitor(chromium, f"http://{ADDRESS}:{port}/", **options))
        visitors[-1].open(path)
        return visitors[-1]

    yield come
    for visitor in visitors:
        seen = visitor.outside(), visitor.dialogs, visitor.errors
        visitor.context.close()
        assert seen == ([], [], [])


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The port of a dashboard on the sample logs."""
    with serving(tmp_path_factory.mktemp("sample"), LOGS, ROBOTS) as port:
        yield port


def saved(visitor, name):
    """What a button of that name saves: file name and content."""
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name=name).first.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()
