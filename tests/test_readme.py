"""The two commands of the README do all that they say, in a fresh clone.

They install the whole project, so they run where CI is set (.ci/run sets it); a run within the second command does not
run that command again.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ *(python3 -m venv .*)$", README, flags=re.MULTILINE)


def run(command, folder, **environment):
    """Run a command as somebody would who pasted it: nothing of this process's Python in the way."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHON", "COV", "VIRTUAL_ENV"))}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=inherited | environment, text=True, capture_output=True, check=False
    )


@pytest.fixture
def clone(tmp_path):
    """A fresh clone of what is committed."""
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "loganalyzer"], check=True)
    return tmp_path / "loganalyzer"


def test_there_are_two_commands_before_anything_else():
    """One line each, the first thing to be read after the sentence that says what this is."""
    assert len(COMMANDS) == 2
    assert all(README.index(command) < README.index("\n## ") for command in COMMANDS)
    assert "loganalyzer report sample_logs/access.log* --robots sample_logs/robots" in COMMANDS[0]
    assert COMMANDS[1].endswith("pytest")


@pytest.mark.skipif("CI" not in os.environ, reason="installs the project: run by .ci/run, or with CI=true")
def test_the_first_command_installs_and_reports_on_the_sample(clone):
    done = run(COMMANDS[0], clone)

    assert done.returncode == 0, done.stderr
    assert [name for name in ("HarvestBot", "HastyBot", "MojeekBot") if name not in done.stdout] == []


@pytest.mark.skipif("CI" not in os.environ, reason="installs the project: run by .ci/run, or with CI=true")
@pytest.mark.skipif(os.environ.get("README_COMMAND") == "tests", reason="this is a run of that very command")
def test_the_second_command_installs_and_passes_the_tests(clone):
    done = run(COMMANDS[1], clone, README_COMMAND="tests")

    assert done.returncode == 0, done.stdout[-4000:]
    assert re.search(r"\d+ passed", done.stdout)
