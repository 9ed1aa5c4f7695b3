"""The checks that are no tests of behaviour, so that one command is all of them: format, lint, types, sizes."""

import ast
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


MODULE_LINES, TEST_LINES, FUNCTION_LINES = 400, 500, 60
SOURCES = sorted(
    path
    for folder in ("loganalyzer", "tests", "sample_logs", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
)
# What was longer before it was counted, and may only become shorter.
LONG_MODULES = {"tests/documents.py": 666, "tests/test_backoff.py": 763}
LONG_FUNCTIONS = {  # a whole document as one literal, twice; the definition of a verdict, beside the text of the design
    "tests/documents.py:client": 92,
    "tests/documents.py:site": 153,
    "tests/test_backoff.py:verdict_by_definition": 75,
}


def name(path):
    return path.relative_to(ROOT).as_posix()


def functions(path):
    """The functions of a module and how many lines each has."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name(path)}:{node.name}", node.end_lineno - node.lineno + 1


def most_lines(path):
    return LONG_MODULES.get(path, TEST_LINES if path.startswith("tests/") else MODULE_LINES)


def test_no_module_is_long():
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}

    assert len(lines) > 400
    assert {path: n for path, n in lines.items() if n > most_lines(path)} == {}
    assert {path for path in LONG_MODULES if lines.get(path, 0) <= TEST_LINES} == set()


def test_no_function_is_long():
    lines = dict(found for path in SOURCES for found in functions(path))

    assert len(lines) > 3_000
    assert {name: n for name, n in lines.items() if n > LONG_FUNCTIONS.get(name, FUNCTION_LINES)} == {}
    assert {name for name in LONG_FUNCTIONS if lines.get(name, 0) <= FUNCTION_LINES} == set()
