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
        "robots_public rfc": 100.0,
        "robots_public google": 100.0,
        "robots_public line": 100.0,
        "robots_generated rfc": 100.0,
        # The others hold the verdict for a target that the caller has encoded first; as sent they are right too, but
        # for the raw verdict a public case wants of the very same input. See docs/robots-peers.md.
        "robots_generated google": 99.2,
        "robots_generated line": 99.1,
    },
    "agents": {
        "hand token": 100.0,
        "hand automated": 100.0,
        "hand contact": 100.0,
        "hand user_triggered": 100.0,
        "rule token": 98.3,
        "rule automated": 100.0,
        "rule contact": 99.8,
    },
    "lines": {"directive: ALL": 99.2, "detected: ALL": 97.3},
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
