"""Time the dashboard in a real browser: what somebody waits for, from the click to the drawn page.

    python benchmarks/dashboard.py [--log LOG | --store DIR] [--rounds 3] [--settle 3]

Needs Debian's `chromium` and `pip install -e '.[test]'`. The server runs in a process of its own; the clock runs in the
browser's driver until the page is drawn and nothing in it is waiting. Processor seconds are the server's.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from measure import HERE, made, usual_log
from playwright.sync_api import Browser, Page, sync_playwright

from loganalyzer.dashboard import PAGES
from loganalyzer.dashboard.launch import ADDRESS, command

ROBOTS = str(HERE / "robots.txt")
PATIENCE_MS = 600_000
DRAWN = """([title, says, address]) => {
  const main = document.querySelector('[data-testid=stMain]');
  return document.querySelector('[data-testid=stApp]')?.dataset.testScriptState == 'notRunning'
    && document.querySelector('h1')?.innerText == title && main.innerText.includes(says)
    && location.search.includes(address)
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]') }"""
SAID = "text => document.querySelector('[data-testid=stMain]').innerText.includes(text)"
TICKS = os.sysconf("SC_CLK_TCK")


class Step(NamedTuple):
    """What somebody does on a page that is open, the heading that then stands there, and what the page then says."""

    name: str
    title: str
    do: Callable[[Page], object]
    says: str = ""
    address: str = ""  # holds this


def _typed(label: str, text: str) -> Callable[[Page], object]:
    def do(page: Page) -> None:
        page.get_by_label(label).fill(text)
        page.keyboard.press("Enter")

    return do


def _chosen(label: str, option: str) -> Callable[[Page], object]:
    def do(page: Page) -> None:
        page.get_by_label(label).last.click()
        page.get_by_role("option", name=option, exact=True).click()

    return do


def _opened(title: str) -> Callable[[Page], object]:
    return lambda page: page.get_by_test_id("stSidebarNav").get_by_text(title, exact=True).click()


COUNTED = "Counted in this period"  # said while the rest is being measured
RATE = "Rate, requests: 1r/s, 30r/m"
STEPS = (
    *(Step(f"open {title}", title, _opened(title)) for titles in PAGES.values() for title in titles.values()),
    Step("open Clients again", "Clients", _opened("Clients")),
    Step("clients by name", "Clients", _typed("Name contains", "bot"), address="name=bot"),
    Step("clients by another name", "Clients", _typed("Name contains", "google"), address="name=google"),
    Step("open Evidence again", "Evidence", _opened("Evidence")),
    Step("evidence of a client", "Evidence", _chosen("Client", "GPTBot"), "GPTBot:"),
    Step("of another", "Evidence", _chosen("Client", "bingbot"), "bingbot:"),
    Step("its refused requests", "Evidence", _chosen("Which lines", "refused"), "refused; page 1"),
    Step("all of them", "Evidence", _chosen("Which lines", "all"), "all; page 1"),
    Step("page 900", "Evidence", _typed("Page of 50 lines", "900"), "page 900 of"),
    Step("open Limits again", "Limits", _opened("Limits")),
    Step("another rate", "Limits", _typed(RATE, "2r/s"), "2r/s with burst"),
    Step("and another", "Limits", _typed(RATE, "3r/s"), "3r/s with burst"),
    Step("open Clients for a period", "Clients", _opened("Clients")),
    Step("a period of a day, counted", "Clients", _typed("From (UTC)", "2026-11-07"), COUNTED),
    Step("the same, measured", "Clients", lambda page: None, address="from=2026-11-07"),
    Step("another, counted", "Clients", _typed("From (UTC)", "2026-11-06"), COUNTED),
    Step("the same, measured too", "Clients", lambda page: None, address="from=2026-11-06"),
    Step("the first day again", "Clients", _typed("From (UTC)", "2026-11-07"), address="from=2026-11-07"),
)


@contextmanager
def server(arguments: list[str], settle_s: float) -> Iterator[subprocess.Popen[bytes]]:
    """A started server, which has read nothing yet."""
    with socket.socket() as free:
        free.bind((ADDRESS, 0))
        port = free.getsockname()[1]
    line = command([], [], None, port, arguments)
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.port = port  # type: ignore[attr-defined]
        try:
            _wait_for(port)
            time.sleep(settle_s)
            yield process
        finally:
            process.terminate()
            process.wait()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((ADDRESS, port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the dashboard did not start in time")


def processor_s(process: subprocess.Popen[bytes]) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(process: subprocess.Popen[bytes]) -> float:
    """Most memory that it ever held."""
    lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def once(browser: Browser, arguments: list[str], settle_s: float) -> tuple[dict[str, tuple[float, float]], float]:
    """Wall and processor seconds of each step on a server of its own, and the server's peak memory."""
    took = {}
    with server(arguments, settle_s) as process:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        address = f"http://{ADDRESS}:{process.port}/"  # type: ignore[attr-defined]
        for step in (Step("first page", "Overview", lambda page: page.goto(address)), *STEPS):
            began, used = time.perf_counter(), processor_s(process)
            step.do(page)
            if step.says == COUNTED:
                page.wait_for_function(SAID, arg=step.says)
            else:
                page.wait_for_function(DRAWN, arg=[step.title, step.says, step.address])
            took[step.name] = time.perf_counter() - began, processor_s(process) - used
            if step.says != COUNTED:
                page.wait_for_timeout(300)
        peak = peak_mib(process)
        page.context.close()
    return took, peak


def table(rounds: list[dict[str, tuple[float, float]]]) -> str:
    """Markdown: of each step the best and the median."""
    rows = ["| step | wall s, best | median | server cpu s |", "| --- | --: | --: | --: |"]
    for name in rounds[0]:
        walls = sorted(each[name][0] for each in rounds)
        cpu = min(each[name][1] for each in rounds)
        rows.append(f"| {name} | {walls[0]:.2f} | {statistics.median(walls):.2f} | {cpu:.2f} |")
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=Path)
    parser.add_argument("--store", type=Path, help="what `loganalyzer ingest` made, instead of a log")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settle", type=float, default=3.0, help="seconds from the server's first answer to the page")
    args = parser.parse_args()
    program = shutil.which("chromium")
    if program is None:
        sys.exit("no chromium: apt-get install chromium")
    what = [f"--store={args.store}"] if args.store else ["--", str(made(args.log or usual_log()))]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        runs = [once(browser, [f"--robots={ROBOTS}", *what], args.settle) for _ in range(args.rounds)]
        browser.close()
    print(table([took for took, _ in runs]))
    print(f"\npeak memory of the server: {max(peak for _, peak in runs):,.0f} MiB; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
