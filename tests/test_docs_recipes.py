"""The commands of docs/recipes.md run, on the sample, with stand-ins for the programs around them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loganalyzer.reports.alarms import NAMES
from loganalyzer.reports.exports import TABLES

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
SHELL = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
CRON = re.findall(r"^(?:[\d*]+ ){5}(loganalyzer .*)$", PAGE, flags=re.MULTILINE)
ROTATE = re.findall(r"^ {8}(loganalyzer .*)$", PAGE, flags=re.MULTILINE)
STAND_INS = {
    "loganalyzer": 'exec "$PYTHON" -m loganalyzer "$@"',
    "journalctl": 'case "$*" in *json*) cat "$HERE/journal.json" ;; *) cat "$HERE/var/log/nginx/access.log" ;; esac',
    "docker": 'cat "$HERE/var/log/nginx/access.log"; echo "an error" >&2',
    "aws": 'if [ "$2" = sync ]; then cp "$HERE"/var/log/nginx/* "$4"; else cat "$HERE/var/log/nginx/${3##*/}"; fi',
    "mail": 'cat > "$HERE/mailed"',
    "duckdb": 'exec "$PYTHON" -c "import duckdb, sys; print(duckdb.sql(sys.argv[1]))" "$2"',
}


@pytest.fixture
def machine(tmp_path):
    """Folders as on a server, with the sample in them."""
    for folder in ("bin", "var/log/nginx", "var/lib/docker/containers/1", "srv/www", "srv/reports", "srv/logs/web"):
        (tmp_path / folder).mkdir(parents=True)
    for name, script in STAND_INS.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    for log in (ROOT / "sample_logs").glob("access.log*"):
        shutil.copy(log, tmp_path / "var/log/nginx")
    versions = sorted((ROOT / "sample_logs/robots").glob("*.txt"))
    shutil.copy(versions[-1], tmp_path / "srv/www/robots.txt")
    lines = (tmp_path / "var/log/nginx/access.log").read_text().splitlines()
    journal = "".join(json.dumps({"_PID": "1", "MESSAGE": line}) + "\n" for line in lines)
    (tmp_path / "journal.json").write_text(journal)
    docker = (json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-11-03T00:00:00Z"}) for line in lines)
    (tmp_path / "var/lib/docker/containers/1/1-json.log").write_text("".join(f"{line}\n" for line in docker))
    return tmp_path


def run(machine, script):
    """Run it with the folders of the machine; a window of the last week is one of the sample's days."""
    script = re.sub(r"(?<![\w/:])/(?=(var|srv)/)", f"{machine}/", script).replace("--since 7d", "--since 2026-11-01")
    inherited = {"PATH": f"{machine}/bin:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HERE": str(machine)}
    environment = {**os.environ, **inherited, "PYTHON": sys.executable}
    command = ["bash", "-o", "pipefail", "-c", script]
    return subprocess.run(command, env=environment, cwd=machine, text=True, capture_output=True, check=False)


def test_cron_reports_what_it_ingested_and_tells_by_mail_and_exit_code(machine):
    ingested, reported = (run(machine, command) for command in CRON)
    script = run(machine, SHELL[0])

    assert (ingested.returncode, ingested.stderr) == (0, "")
    assert (reported.returncode, reported.stdout) == (10, "")
    assert re.fullmatch(r"loganalyzer: --fail-on: violations \(\d\), ignored-429 \(\d\)\n", reported.stderr)
    assert (machine / "srv/reports/bots.html").exists()
    assert (machine / "srv/reports/tables/manifest.json").exists()
    assert script.returncode == 0, script.stderr
    assert "HarvestBot" in (machine / "mailed").read_text()


@pytest.mark.parametrize("script", SHELL[1:], ids=lambda script: script.split()[0])
def test_a_recipe_runs(machine, script):
    done = run(machine, f"set -e\n{script}")

    assert done.returncode == 0, done.stderr
    assert "HarvestBot" in done.stdout or "ingest" in script


def test_logrotate_ingests_before_it_rotates(machine):
    done = run(machine, ROTATE[0].removesuffix(" || true"))

    assert (len(ROTATE), done.returncode, done.stderr) == (1, 0, "")


def test_every_alarm_and_every_table_is_told():
    rows = re.findall(r"^\| (`.*?`) \|", PAGE, flags=re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`([\w-]+)`", row)]

    assert sorted(told) == sorted([*NAMES, *(table.name for table in TABLES)])
    assert (len(CRON), len(SHELL)) == (2, 5)
