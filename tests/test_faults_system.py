"""Each system call fails once, one after the other, as SQLite is tested: what is there after is old or new, whole.

Needs a C compiler for the shim that makes them fail.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from loganalyzer.store import ingest, read

HERE = Path(__file__).parent / "faulty"
LINE = '192.0.2.{} - - [01/Nov/2026:10:{:02}:{:02} +0000] "GET /{} HTTP/1.1" 200 5 "-" "ExampleBot/1.0"\n'
LINES = [LINE.format(n % 99, n // 60, n % 60, n) for n in range(650)]
OLD = b"what was there before"


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """The compiled shim."""
    if shutil.which("cc") is None or sys.platform != "linux":
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "shim.c", "-ldl"], check=True)
    return library


@pytest.fixture
def prepared(tmp_path):
    """What stands in the folder before each run."""
    folder = tmp_path / "prepared"
    folder.mkdir()
    (folder / "a.log").write_text("".join(LINES[:400]) + "no request\n")
    (folder / "b.log.gz").write_bytes(gzip.compress("".join(LINES[400:600]).encode()))
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /1\n")
    return folder


def runs(shim, tmp_path, stays, *command):
    """Every run, the last of them with no failure."""
    start = [sys.executable, HERE / "driver.py", shim, str(int(stays)), tmp_path / "f", tmp_path / "prepared"]
    done = subprocess.run(
        [*map(str, start), *command],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert not found[-1]["fired"]
    assert all(run["fired"] for run in found[:-1])
    return found


WHOLE = {
    "html": lambda path: path.read_bytes().rstrip().endswith(b"</html>"),
    "rejects": lambda path: all("reason" in json.loads(line) for line in path.read_text().splitlines()),
    "csv": lambda path: path.read_text().endswith("\n"),
    "parquet": lambda path: pq.read_table(path).num_rows > 0,
}


@pytest.mark.parametrize(
    ("kind", "stays", "command"),
    [
        ("html", False, ["report", "{}/a.log", "{}/b.log.gz", "--robots", "{}/robots.txt"]),
        ("html", True, ["report", "{}/a.log", "{}/b.log.gz", "--robots", "{}/robots.txt"]),
        ("rejects", False, ["parse", "{}/a.log"]),
        ("csv", False, ["parse", "{}/a.log", "{}/b.log.gz"]),
        ("csv", True, ["parse", "{}/a.log", "{}/b.log.gz"]),
        ("parquet", False, ["parse", "{}/a.log"]),
    ],
)
def test_48_whatever_call_fails_the_output_is_the_old_or_the_new(shim, tmp_path, prepared, kind, stays, command):
    (prepared / "output").write_bytes(OLD)
    found = runs(shim, tmp_path, stays, *command, f"--{kind}", "{}/output")
    new = (Path(found[-1]["folder"]) / "output").read_bytes()

    assert len(found) > 10
    assert found[-1]["status"] == 0
    assert 5 in {run["status"] for run in found}
    for run in found[:-1]:
        output = Path(run["folder"]) / "output"
        assert run["status"] in (2, 3, 4, 5), run
        assert not any(word in run["said"] for word in ("Traceback", "a bug", "stdout")), run
        assert run["said"].startswith("loganalyzer: "), run
        left = output.read_bytes()
        if run["status"] == 3:  # a log could not be read to its end
            assert WHOLE[kind](output), run
        else:
            assert left == (new if "may not have it" in run["said"] else OLD), run
        assert stays or not list(Path(run["folder"]).glob(".*.part")), run


@pytest.mark.parametrize("stays", [False, True], ids=["once", "from then on"])
def test_49_whatever_call_fails_a_store_holds_what_it_held_or_all(shim, tmp_path, prepared, stays):
    list(ingest([prepared / "a.log"], prepared / "store"))
    with (prepared / "a.log").open("a") as log:
        log.write("".join(LINES[600:]))
    command = ["ingest", "{}/a.log", "{}/b.log.gz", "--store", "{}/store"]
    found = runs(shim, tmp_path, stays, *command)

    assert found[-1]["status"] == 0
    for run in found:
        folder = Path(run["folder"])
        assert run["status"] in (0, 2, 3, 4, 5), run
        assert not any(word in run["said"] for word in ("Traceback", "a bug", "stdout")), run
        targets = read(folder / "store").requests["target"].to_pylist()
        assert len(set(targets)) == len(targets)
        assert len(targets) in ((400, 450, 600, 650) if run["status"] else (650,)), run
        list(ingest([folder / "a.log", folder / "b.log.gz"], folder / "store"))
        assert read(folder / "store").requests.num_rows == 650
