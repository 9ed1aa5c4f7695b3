"""Imports point one way; every module has a place in LAYERS, lowest first."""

import ast
from pathlib import Path

import pytest

import loganalyzer

PACKAGE = Path(loganalyzer.__file__).parent
LAYERS = [
    {"errors", "schema", "document", "escape", "epoch", "wellknown"},
    {"asjson", "atomic", "scratch"},
    {"held"},
    {"engine", "groups", "sources"},
    {"codes", "formats"},
    {"privacy"},
    {"store"},
    {"clients"},
    {"verification"},
    {"robots", "rates", "backoff"},
    {"etiquette", "suspects"},
    {"drafts"},
    {"levers"},
    {"analysis"},
    {"reports"},
    {"dashboard"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def area(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    imported = {
        node.module.split(".")[1]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("loganalyzer.")
    }

    assert {name for name in imported - {area(path)} if RANK[name] >= RANK[area(path)]} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_own_modules_are_imported_from_never_whole(path):
    """`import loganalyzer.x` would escape the test above."""
    whole = [
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.startswith("loganalyzer.")
    ]

    assert whole == []
