"""The SQL steps stay in the subset that DuckDB and Spark SQL read alike."""

import re
from pathlib import Path

import pytest

import loganalyzer

STEPS = sorted(Path(loganalyzer.__file__).parent.rglob("*.sql"))
FOREIGN = {  # what only one of the two understands, or both understand differently
    r"//|\bDIV\b": "integer division differs: subtract the remainder",
    r'"': "double-quoted identifiers are strings to Spark",
    r"\barg_max\b|\bapprox_quantile\b|\bquantile_cont\b": "DuckDB only",
    r"\bEXCLUDE\b|\bASOF\b|\bQUALIFY\b": "not in both, or not in all supported versions",
    r"\bcount_if\(": "a HUGEINT to DuckDB: write count(*) FILTER (WHERE ...)",
    r"\bLEFT SEMI\b": "write SEMI JOIN",
}


def code(path):
    return re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.name)
def test_a_step_says_what_it_is_in_its_first_line(path):
    assert path.read_text(encoding="utf-8").startswith("-- ")


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.name)
@pytest.mark.parametrize("pattern", FOREIGN, ids=FOREIGN.values())
def test_a_step_uses_the_common_subset(path, pattern):
    assert not re.search(pattern, code(path), re.IGNORECASE)


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.name)
def test_every_order_says_where_nulls_go(path):
    """DuckDB puts nulls last, Spark first."""
    for order in re.findall(r"ORDER BY([^)]*)", code(path), re.IGNORECASE):
        assert all("NULLS" in term for term in order.split(",")), order


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.name)
def test_every_sum_is_cast(path):
    """DuckDB's sum of BIGINT is a HUGEINT, Spark's a BIGINT."""
    text = code(path)

    assert len(re.findall(r"\bsum\(", text)) == len(re.findall(r"CAST\([^;]*?\bsum\(", text))
