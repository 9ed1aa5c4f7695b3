"""Real Spark gives what DuckDB gives: each SQL step, each kernel, and the report made of them."""

import shutil
import subprocess
import sys
import warnings
from dataclasses import fields, is_dataclass
from pathlib import Path

import pyarrow as pa
import pytest
import test_engine
from test_engine import COUNT, count, requests  # noqa: F401 - a fixture

import loganalyzer as la
from loganalyzer.cli import main
from loganalyzer.engine import choice
from loganalyzer.errors import UsageError
from loganalyzer.held import Rows

SAMPLE = Path(__file__).parents[1] / "sample_logs"


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'loganalyzer[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime: apt install default-jre-headless")
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(test_engine)  # Spark's workers do not find the folder of the tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of pandas 3, which no step uses
        yield choice.backend("local[1]")


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_kernels_whole_groups_in_order(spark, requests):  # noqa: F811
    spark.register("requests", requests)

    got = pa.concat_tables(
        spark.by_key(spark.sql("SELECT * FROM requests"), ["client", "address"], ["t"], count, COUNT)
    )

    assert got.schema.equals(COUNT)
    assert got.num_rows == 5 * 4
    assert sum(got["n"].to_pylist()) == requests.num_rows
    assert all(got["sorted"].to_pylist())


@pytest.mark.filterwarnings("ignore")
def test_spark_measures_what_duckdb_measures(spark):
    log = la.read([SAMPLE / "access.log"])
    here, there = (la.analyse(log, [str(SAMPLE / "robots")], engine=engine) for engine in (None, "local[1]"))

    for field in fields(here.measures):
        ours, theirs = (getattr(analysis.measures, field.name) for analysis in (here, there))
        assert rows(ours) == rows(theirs), field.name
    assert there.to_dict() == here.to_dict()


def rows(value):
    """Rows in an order of their own, for SQL promises none; the parts of a measure; any other value as it is."""
    if is_dataclass(value):
        return {field.name: rows(getattr(value, field.name)) for field in fields(value)}
    value = value.table() if isinstance(value, Rows) else value
    return sorted(map(repr, value.to_pylist())) if isinstance(value, pa.Table) else value


@pytest.mark.parametrize("engine", ["duckdb", "local", "http://10.0.0.1:7077", "spark://", ""])
def test_what_is_no_spark_master_is_refused(engine):
    with pytest.raises(UsageError, match="give a Spark master"):
        choice.backend(engine)


def test_the_command_line_refuses_it_before_the_log_is_read(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["report", "nowhere.log", "--engine", "duckdb"])
    assert "give a Spark master" in capsys.readouterr().err


def test_a_report_of_spark_is_that_of_duckdb(spark):
    """In a process of its own, for the command line hides pandas from every other."""
    command = [sys.executable, "-m", "loganalyzer", "report", str(SAMPLE / "access.log.1"), "--json"]
    here, there = (
        subprocess.run([*command, *engine], capture_output=True, check=True)
        for engine in ([], ["--engine", "local[1]"])
    )

    assert there.stdout == here.stdout
