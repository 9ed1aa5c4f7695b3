"""Time `loganalyzer report` against GoAccess on the benchmark log, in one run, and print a table in Markdown.

    python benchmarks/report.py [--log LOG] [--rounds 5]

Each program runs in a process of its own, in turn, so that a busy minute of the machine hits all alike. Given are the
best round, which other work on the machine disturbed least, and the median; user seconds and peak memory come from the
kernel (`wait4`), of the best round.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROBOTS = HERE / "robots.txt"


@dataclass(frozen=True, order=True)
class Run:
    """One run of a program: wall and user seconds, peak resident memory in MiB."""

    wall_s: float
    user_s: float
    peak_mib: float


def commands(log: Path, page: Path) -> dict[str, list[str]]:
    """What is timed: the whole report with and without robots.txt, and GoAccess's whole page."""
    report = [sys.executable, "-m", "loganalyzer", "report", str(log)]
    goaccess = ["goaccess", str(log), "--log-format=COMBINED", "--no-progress", "--no-global-config"]
    return {
        "loganalyzer, robots.txt replayed": [*report, "--robots", str(ROBOTS)],
        "loganalyzer": report,
        "goaccess": [*goaccess, "-o", str(page)],
    }


def run(command: list[str]) -> Run:
    """Run a command to its end; raises CalledProcessError where it fails."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=complaint)
    return Run(wall, usage.ru_utime, usage.ru_maxrss / 1024)


def measure(log: Path, rounds: int) -> dict[str, list[Run]]:
    """The runs of each command, best first by wall time."""
    with tempfile.TemporaryDirectory() as folder:
        named = commands(log, Path(folder) / "report.html")
        runs = [{name: run(command) for name, command in named.items()} for _ in range(rounds)]
    return {name: sorted(each[name] for each in runs) for name in named}


def table(runs: dict[str, list[Run]], lines: int) -> str:
    """Markdown; the last column says how many times as fast as GoAccess, best round by best round."""
    rows = [
        "| program | wall s, best | median | user s | peak MiB | lines/s | times GoAccess |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    base = runs["goaccess"][0].wall_s
    for name, ordered in runs.items():
        best, median = ordered[0], ordered[len(ordered) // 2]
        wall = f"{best.wall_s:.2f} | {median.wall_s:.2f} | {best.user_s:.2f} | {best.peak_mib:,.0f}"
        rows.append(f"| {name} | {wall} | {lines / best.wall_s:,.0f} | {base / best.wall_s:.1f} |")
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=Path, default=Path(tempfile.gettempdir()) / "loganalyzer-benchmark.log")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if shutil.which("goaccess") is None:
        parser.error("goaccess is not installed (Debian: apt-get install goaccess)")
    if not args.log.exists():
        subprocess.run([sys.executable, HERE / "make_log.py", args.log], check=True)
    with args.log.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))
    version = subprocess.run(["goaccess", "--version"], capture_output=True, text=True, check=True).stdout
    size = args.log.stat().st_size / 1e6
    print(f"{lines:,} lines, {size:,.0f} MB, {os.cpu_count()} cores, {version.splitlines()[0]}\n")
    print(table(measure(args.log, args.rounds), lines))


if __name__ == "__main__":
    main()
