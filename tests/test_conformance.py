"""The shared conformance cases, where their folder stands beside the project: no kind may fall below its floor."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

# Per cent of cases right, by kind and part. Raise a floor when a kind improves; never lower one.
FLOORS = {
    "robots": {
        "robots_public rfc": 99.9,
        "robots_public google": 100.0,
        "robots_public line": 99.9,
        "robots_generated rfc": 99.9,
        "robots_generated google": 99.2,
        "robots_generated line": 99.1,
    },
    "agents": {
        "hand token": 100.0,
        "hand automated": 100.0,
        "hand contact": 100.0,
        "hand user_triggered": 100.0,
        "rule token": 97.8,
        "rule automated": 99.8,
        "rule contact": 99.8,
    },
    "lines": {"directive: ALL": 98.5, "detected: ALL": 97.0},
    "backoff": {"verdicts": 100.0, "numbers": 100.0},
    "rates": {"measures": 100.0},
}


@pytest.mark.parametrize("kind", FLOORS)
def test_no_kind_falls_below_its_floor(shared, kind):
    done = subprocess.run(
        [sys.executable, shared / "check" / "conformance.py", "--only", kind],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    scores = dict(re.findall(rf"^{kind} +(.*?) +\d+/\d+ +([\d.]+) %$", done.stdout, flags=re.MULTILINE))

    assert {part: scores[part] for part, floor in FLOORS[kind].items() if float(scores[part]) < floor} == {}
