"""The sample is what its maker makes, and what its README says."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parent.parent / "sample_logs"
TRUTH = json.loads((SAMPLE / "truth.json").read_text(encoding="utf-8"))
LOGS = ["access.log", "access.log.1", "access.log.2.gz", "api.json.log"]
MADE = [*LOGS, "loganalyzer.conf", "api.conf", "truth.json", "robots/20261001T0000Z.txt", "robots/20261102T1000Z.txt"]


def content(path):
    """Two zlibs may compress the same bytes differently: what counts is what comes out."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A second set, made under another hash seed."""
    into = tmp_path_factory.mktemp("sample")
    subprocess.run(
        [sys.executable, "-B", SAMPLE / "make_sample.py", "--into", into],
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    return into


def test_the_maker_makes_these_files_and_no_other(made):
    assert sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()) == sorted(MADE)


@pytest.mark.parametrize("name", MADE)
def test_the_maker_makes_the_same_bytes(made, name):
    assert content(made / name) == content(SAMPLE / name)


@pytest.mark.parametrize("name", LOGS)
def test_the_sample_holds_the_lines_that_it_says(name):
    account = (TRUTH["shop"]["inputs"] | TRUTH["api"]["inputs"])[name]
    lines = content(SAMPLE / name).splitlines(keepends=True)

    assert (len(lines), sum(map(len, lines)), lines.count(b"\n")) == (
        account["lines"],
        account["bytes"],
        account["blank"],
    )
    assert account["lines"] == account["requests"] + account["rejects"] + account["blank"]


@pytest.mark.parametrize("part", ["shop", "api"])
def test_clients_and_files_count_the_same_requests(part):
    of_clients = sum(client["requests"] for client in TRUTH[part]["clients"].values())

    assert of_clients == sum(account["requests"] for account in TRUTH[part]["inputs"].values())


@pytest.mark.parametrize("name", LOGS)
def test_lines_stand_in_the_order_in_which_nginx_writes_them(name):
    """By the end of the request: `$msec` where it is logged, else the second."""
    end = rb"\[01/Nov/2026:([\d:]+) " if name == "access.log.2.gz" else rb"\b(179\d{7}\.\d{3})\b"
    ends = re.findall(end, content(SAMPLE / name))

    assert ends == sorted(ends)
    assert len(ends) == (TRUTH["shop"]["inputs"] | TRUTH["api"]["inputs"])[name]["requests"]


def test_the_readme_names_every_client_and_counts_right():
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    clients = TRUTH["shop"]["clients"]
    said = [
        f"{sum(client['requests'] for client in clients.values()):,} requests of {len(clients)} clients",
        f"{clients['browser']['requests']:,} requests of them",
    ]

    assert [text for text in [*clients, *said] if text not in readme] == []
