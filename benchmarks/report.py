"""Time `loganalyzer report` against GoAccess on the benchmark log, in one run, and print a table in Markdown.

    python benchmarks/report.py [--log LOG] [--rounds 5]

Each program runs in a process of its own, in turn, so that a busy minute of the machine hits all alike. Given are the
best round, which other work on the machine disturbed least, and the median; user seconds and peak memory come from the
kernel (`wait4`), of the best round.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measure import HERE, Run, count_lines, goaccess_version, made, run, usual_log

ROBOTS = HERE / "robots.txt"


def commands(log: Path, page: Path) -> dict[str, list[str]]:
    """What is timed: the whole report with and without robots.txt, and GoAccess's whole page."""
    report = [sys.executable, "-m", "loganalyzer", "report", str(log)]
    goaccess = ["goaccess", str(log), "--log-format=COMBINED", "--no-progress", "--no-global-config"]
    return {
        "loganalyzer, robots.txt replayed": [*report, "--robots", str(ROBOTS)],
        "loganalyzer": report,
        "goaccess": [*goaccess, "-o", str(page)],
    }


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
    parser.add_argument("--log", type=Path, default=usual_log())
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    version = goaccess_version()
    if version is None:
        parser.error("goaccess is not installed (Debian: apt-get install goaccess)")
    lines = count_lines(made(args.log))
    print(f"{lines:,} lines, {args.log.stat().st_size / 1e6:,.0f} MB, {os.cpu_count()} cores, {version}\n")
    print(table(measure(args.log, args.rounds), lines))


if __name__ == "__main__":
    main()
