"""The checks that are no tests of behaviour, so that one command is all of them: format, lint, types."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {
    "format": ["ruff", "format", "--check", "--no-cache", "."],
    "lint": ["ruff", "check", "--no-cache", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize("check", CHECKS)
def test_house_rule(check):
    done = subprocess.run([sys.executable, "-m", *CHECKS[check]], cwd=ROOT, text=True, capture_output=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
