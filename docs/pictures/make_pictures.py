"""Make the pictures of the documentation: the HTML report and each page of the dashboard, on the sample.

    python docs/pictures/make_pictures.py [NAME...] [--to FOLDER]

Needs Debian's `chromium` and `pip install -e '.[dashboard]'`. Everything runs on the loopback address: the dashboard is
started on a free port, the browser is driven by the Chrome DevTools Protocol over the WebSocket client that Streamlit
brings along.
"""

import argparse
import base64
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

import loganalyzer as la
from loganalyzer.dashboard.launch import ADDRESS, command
from loganalyzer.reports import RENDERERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LOGS = ["sample_logs/access.log.2.gz", "sample_logs/access.log.1", "sample_logs/access.log"]
ROBOTS = ["sample_logs/robots"]
WIDTH, HEIGHT = 1280, 900
PATIENCE_S = 60
QUIET = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
# A page of the dashboard is drawn when its script has ended and nothing in it is waiting or stale.
DRAWN = """document.readyState == 'complete' && (!document.querySelector('noscript, #root') || (
  document.querySelector('[data-testid=stApp]')?.dataset.testScriptState == 'notRunning'
  && document.querySelector('h1') && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')))"""
# What scrolls: the page itself, or the main part of a page of Streamlit.
LENGTH = "(document.querySelector('[data-testid=stMain]') || document.documentElement).scrollHeight"


class Picture(NamedTuple):
    """A picture: its file's name, the page of the dashboard (none: the HTML report), and how much of it is shown."""

    name: str
    page: str | None
    height: int = HEIGHT
    typed: str = ""  # into the editor of the page


DRAFT = "User-agent: HarvestBot\nUser-agent: HastyBot\nDisallow: /\n\nUser-agent: bingbot\nAlow: /products/\n\n"
# The cursor goes to the beginning of the editor, which stands in a tree of its own.
AT_THE_EDITOR = """[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('textarea')).filter(Boolean)
  .forEach(e => { e.focus(); e.setSelectionRange(0, 0) })"""
PICTURES = (
    Picture("report", None, 1000),
    Picture("overview", "", 1200),
    Picture("clients", "clients", 1150),
    Picture("client", "client?client=HastyBot&tab=Etiquette", 1350),
    Picture("robots", "robots", 1250),
    Picture("refusals", "refusals", 1000),
    Picture("draft", "draft?deny=ai-training", 1200, DRAFT),
)


class Browser:
    """A headless Chromium with one page, spoken to in the DevTools protocol."""

    def __init__(self, page: ClientConnection) -> None:
        self._page, self._calls = page, 0
        self.call("Emulation.setScrollbarsHidden", hidden=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call one method of the protocol and wait for what it returns."""
        self._calls += 1
        self._page.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while (answer := json.loads(self._page.recv(PATIENCE_S))).get("id") != self._calls:
            pass  # events, which nobody asked for
        result: dict[str, Any] = answer["result"]
        return result

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of JavaScript is worth in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def picture(self, url: str, width: int = WIDTH, height: int = HEIGHT, dark: bool = False, typed: str = "") -> bytes:
        """Return a page as PNG, after something was typed into its editor; a height of 0 shows all of it."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self._size(width, height or HEIGHT)
        self.call("Page.navigate", url=url)
        self._settle()
        if typed:
            self.evaluate(AT_THE_EDITOR)
            self.call("Input.insertText", text=typed)
            sleep(1)  # for what is typed to be told
            self._settle()
        if not height:
            self._size(width, int(self.evaluate(LENGTH)))
            self._settle()
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _settle(self) -> None:
        """Wait until the page is drawn, and stays so for a moment: charts and grids draw after the script."""
        end, since = monotonic() + PATIENCE_S, monotonic()
        while monotonic() - since < 1.0:
            if monotonic() > end:
                raise TimeoutError("the page was not drawn in time")
            sleep(0.1)
            if not self.evaluate(DRAWN):
                since = monotonic()


@contextmanager
def browser(program: str) -> Iterator[Browser]:
    """Run a headless browser with an empty profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [program, *QUIET, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            told = next(found for line in process.stderr or () if (found := re.search(r"ws://([\d.:]+)/", line)))
            with urlopen(f"http://{told[1]}/json/list") as answer:
                page = next(target for target in json.load(answer) if target["type"] == "page")
            with connect(page["webSocketDebuggerUrl"], max_size=None) as connection:
                yield Browser(connection)
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def dashboard(logs: list[str], robots: list[str]) -> Iterator[str]:
    """Run the dashboard on a free port and yield its address."""
    with socket.socket() as free:
        free.bind((ADDRESS, 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(command(logs, robots, None, port), cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://{ADDRESS}:{port}/"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    end = monotonic() + PATIENCE_S
    while monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex((ADDRESS, port)) == 0:
                return
        sleep(0.1)
    raise TimeoutError("the dashboard did not start in time")


def report(folder: Path) -> str:
    """Write the HTML report on the sample and return its address."""
    with chdir(ROOT):  # names in the report are those that were given
        document = la.analyse(la.read(LOGS), robots=ROBOTS).to_dict()
    (folder / "report.html").write_text(RENDERERS["html"](document), encoding="utf-8")
    return (folder / "report.html").as_uri()


def make(pictures: list[Picture], program: str, to: Path) -> None:
    """Make pictures and write them as PNG."""
    with tempfile.TemporaryDirectory() as folder, browser(program) as page, dashboard(LOGS, ROBOTS) as address:
        for picture in pictures:
            url = report(Path(folder)) if picture.page is None else address + picture.page
            (to / f"{picture.name}.png").write_bytes(page.picture(url, height=picture.height, typed=picture.typed))


def main() -> None:
    """Make the pictures named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(picture.name for picture in PICTURES))
    parser.add_argument("--to", type=Path, default=HERE, metavar="FOLDER")
    given = parser.parse_args()
    if not (program := shutil.which("chromium")):
        sys.exit("no chromium: apt-get install chromium")
    make([picture for picture in PICTURES if picture.name in (given.names or picture.name)], program, given.to)


if __name__ == "__main__":
    main()
