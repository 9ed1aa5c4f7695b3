"""Time reading against GoAccess and DuckDB, in one run, and print a table in Markdown.

    python benchmarks/reading.py [--log LOG] [--rounds 5] [--memory]

Each reading runs in a process of its own, all in turn, so that a busy minute of the machine hits all alike. Given are
medians, and the ratio of each to the one that it is held against; `cpu / wall` says how many cores were at work.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import measure
import shapes

READERS = Path(__file__).resolve().with_name("readers.py")
PLAIN, GOACCESS, CSV, JSON = "combined", "goaccess, combined", "duckdb read_csv, combined", "duckdb read_json"
ENCODED = ", texts under dictionaries"


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of the table: what is read by which command, and the row that it is held against."""

    command: list[str]
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Took:
    """Wall and processor seconds of one reading."""

    wall_s: float
    cpu_s: float


def readings(log: Path, paths: dict[str, Path]) -> dict[str, Reading]:
    """All rows, by title."""

    def ours(path: Path, directive: str | None = None) -> list[str]:
        return [sys.executable, str(READERS), "loganalyzer", str(path), *([directive] if directive else [])]

    goaccess = ["goaccess", str(log), "--log-format=COMBINED", "--no-progress", "--no-global-config", "-o", "/dev/null"]
    rows = {
        PLAIN: Reading(ours(log), GOACCESS),
        GOACCESS: Reading(goaccess),
    }
    for title, words, against in (
        (CSV, ["duckdb-csv", str(log)], PLAIN),
        (JSON, ["duckdb-json", str(paths["json"])], None),
    ):
        rows[title] = Reading([sys.executable, str(READERS), *words], against)
        rows[title + ENCODED] = Reading([sys.executable, str(READERS), *words, "encoded"], against)
    for name, title in {
        "gzip": "combined, gzip",
        "members": "combined, gzip of many members",
        "zstd": "combined, zstd",
    }.items():
        rows[title] = Reading(ours(paths[name]), PLAIN)
    for name, shape in shapes.SHAPES.items():
        rows[shape.title] = Reading(ours(paths[name], shape.directive), JSON if name == "json" else PLAIN)
    return rows


def take(command: list[str]) -> Took:
    """One reading; of a program that is not ours, the whole process."""
    run = measure.run(command)
    if command[0] != sys.executable:
        return Took(run.wall_s, run.user_s + run.system_s)
    said = json.loads(run.output)
    return Took(said["wall_s"], said["cpu_s"])


def table(rows: dict[str, Reading], taken: dict[str, list[Took]], lines: int) -> str:
    """Markdown; a ratio above 1 is so many times as fast as what the row is held against."""
    wall = {title: statistics.median(took.wall_s for took in all_of) for title, all_of in taken.items()}
    cpu = {title: statistics.median(took.cpu_s for took in all_of) for title, all_of in taken.items()}
    out = [
        "| read to Arrow | wall s | lines/s | cpu s | cpu / wall | against | times as fast, by wall | by cpu |",
        "| --- | --: | --: | --: | --: | --- | --: | --: |",
    ]
    for title, row in rows.items():
        cells = [
            f"{wall[title]:.2f}",
            f"{lines / wall[title]:,.0f}",
            f"{cpu[title]:.2f}",
            f"{cpu[title] / wall[title]:.1f}",
        ]
        ratios = ["", "", ""]
        if row.against:
            ratios = [row.against, *(f"{of[row.against] / of[title]:.2f}" for of in (wall, cpu))]
        out.append("| " + " | ".join([title, *cells, *ratios]) + " |")
    return "\n".join(out)


def memory(log: Path, times: int = 10) -> str:
    """Peak memory of what reads in pieces, for the log and for one so many times as long, as Markdown."""
    out = ["| peak MiB | 1 log | 10 logs | ratio |", "| --- | --: | --: | --: |"]
    with tempfile.TemporaryDirectory() as folder:
        longer = Path(folder) / "longer.log"
        with longer.open("wb") as file:
            for seed in range(times):
                part = measure.made(Path(folder) / f"{seed}.log", "--seed", str(seed))
                file.write(part.read_bytes())
                part.unlink()
        for title, words in {"parse --parquet": ["parse", "--parquet"], "ingest": ["ingest", "--store"]}.items():
            peaks = [
                measure.run(
                    [
                        sys.executable,
                        "-m",
                        "loganalyzer",
                        words[0],
                        "-q",
                        words[1],
                        f"{folder}/{path.stem}-{words[0]}",
                        str(path),
                    ]
                ).peak_mib
                for path in (log, longer)
            ]
            out.append(f"| {title} | {peaks[0]:,.0f} | {peaks[1]:,.0f} | {peaks[1] / peaks[0]:.2f} |")
    return "\n".join(out)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=Path, default=measure.usual_log())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="also the peak for ten times as many lines")
    args = parser.parse_args()
    version = measure.goaccess_version()
    if version is None:
        parser.error("goaccess is not installed (Debian: apt-get install goaccess)")
    lines = measure.count_lines(measure.made(args.log))
    rows = readings(args.log, shapes.write(args.log, args.log.parent))
    taken: dict[str, list[Took]] = {title: [] for title in rows}
    for _ in range(args.rounds):
        for title, row in rows.items():
            taken[title].append(take(row.command))
    print(f"{lines:,} lines, {args.log.stat().st_size / 1e6:,.0f} MB, {os.cpu_count()} cores, {version}\n")
    print(table(rows, taken, lines))
    if args.memory:
        print("\n" + memory(args.log))


if __name__ == "__main__":
    main()
