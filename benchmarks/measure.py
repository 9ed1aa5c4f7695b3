"""Run a program in a process of its own and say what it took, by the kernel's own count (`wait4`)."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, order=True)
class Run:
    """One run of a program: wall, user and system seconds, peak resident memory in MiB, and what it printed."""

    wall_s: float
    user_s: float
    system_s: float
    peak_mib: float
    output: bytes = b""


def run(command: list[str]) -> Run:
    """Run a command to its end; raises CalledProcessError where it fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaint:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=complaint)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in output, complaint:
            file.seek(0)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, stderr=complaint.read())
        return Run(wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024, output.read(1 << 20))


def goaccess_version() -> str | None:
    """First line of what GoAccess says of itself; null where it is not installed."""
    if shutil.which("goaccess") is None:
        return None
    said = subprocess.run(["goaccess", "--version"], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0]


def usual_log() -> Path:
    """Where the benchmark log is kept between runs."""
    return Path(tempfile.gettempdir()) / "loganalyzer-benchmark.log"


def made(log: Path, *arguments: str) -> Path:
    """The benchmark log, made if there is none yet."""
    if not log.exists():
        subprocess.run([sys.executable, HERE / "make_log.py", log, *arguments], check=True)
    return log


def count_lines(log: Path) -> int:
    """Lines of a log."""
    with log.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))
