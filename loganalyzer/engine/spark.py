"""Apache Spark: the same SQL steps and the same kernels where one machine is outgrown (`loganalyzer[spark]`).

A kernel runs in Spark's Python workers, over partitions that hold whole groups. The workers need what this process
needs: a Python with loganalyzer installed, which `PYSPARK_PYTHON` names before the session starts.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from loganalyzer.engine import Fold, Kernel
from loganalyzer.engine.whole import by_whole_groups
from loganalyzer.errors import UsageError
from loganalyzer.held import Rows

_MISSING = "--engine needs Apache Spark: pip install 'loganalyzer[spark]', and a Java runtime (17 or newer)"


@dataclass(frozen=True, slots=True)
class Relation:
    """A lazy table of Spark."""

    frame: Any


class SparkBackend:
    """`loganalyzer.engine.Backend` over Spark data frames."""

    lanes = 1

    def __init__(self, master: str, partitions: int | None = None) -> None:
        """Join a cluster, or start Spark in this process.

        Args:
            master: `spark://HOST:PORT`, `yarn`, `k8s://...`, or `local[N]`.
            partitions: pieces that rows are dealt into by key; null: two for each core that Spark offers.

        Raises:
            UsageError: Spark or Java is missing, or the cluster cannot be reached.
        """
        self._session = _session(master)
        self._partitions = partitions or 2 * self._session.sparkContext.defaultParallelism
        self._session.conf.set("spark.sql.shuffle.partitions", str(self._partitions))

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Make rows known to SQL as `name`; they are sent to Spark once."""
        table = rows.table() if isinstance(rows, Rows) else rows
        self._session.createDataFrame(_decoded(table)).createOrReplaceTempView(name)

    def sql(self, text: str) -> Relation:
        """The result of one SELECT, lazily."""
        return Relation(self._session.sql(text))

    def by_key(
        self, relation: Relation, keys: Sequence[str], order: Sequence[str], kernel: Kernel, schema: pa.Schema
    ) -> Iterator[pa.Table]:
        """Run `kernel` over whole groups of `keys` in (keys, order) order.

        `applyInArrow` calls a kernel once a group, at 0.7 ms each: too much for a group an address.
        """
        return self.fold(relation, keys, order, by_whole_groups(kernel, keys), schema)

    def fold(
        self, relation: Relation, keys: Sequence[str], order: Sequence[str], fold: Fold, schema: pa.Schema
    ) -> Iterator[pa.Table]:
        """Run `fold` over each partition in (keys, order) order; it holds many groups, each whole."""
        from pyspark.sql.functions import col
        from pyspark.sql.pandas.types import from_arrow_schema

        plain = pa.schema([field.with_type(_plain(field.type)) for field in schema])

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for table in fold(pa.Table.from_batches([batch]) for batch in batches if batch.num_rows):
                yield from table.cast(plain).to_batches()

        dealt = relation.frame.repartition(self._partitions, *keys)
        ordered = dealt.sortWithinPartitions(*(col(column).asc_nulls_first() for column in (*keys, *order)))
        yield ordered.mapInArrow(run, from_arrow_schema(plain)).toArrow().cast(schema)

    def to_arrow(self, relation: Relation) -> pa.Table:
        """Fetch a result."""
        return relation.frame.toArrow()


def _session(master: str) -> Any:
    # Executors start "python3" of their own PATH unless this is set before the session is made.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # its ports are nobody else's business
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(_MISSING) from error
    builder = SparkSession.builder.master(master).appName("loganalyzer")
    for name, value in _CONFIGURATION.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except PySparkException as error:  # JAVA_GATEWAY_EXITED: no Java
        raise UsageError(_MISSING) from error
    except Exception as error:  # Py4J wraps whatever the JVM threw
        raise UsageError(f"--engine {master}: Spark does not start there: {_first_line(error)}") from error
    return session


_CONFIGURATION = {
    "spark.log.level": "ERROR",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",  # it would listen on every address
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.pythonUDF.arrow.enabled": "true",
}


def _first_line(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    return str(error if java is None else java).splitlines()[0]


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type without a dictionary, which Spark does not have."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _decoded(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([field.with_type(_plain(field.type)) for field in table.schema]))
