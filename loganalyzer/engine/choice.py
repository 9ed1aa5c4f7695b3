"""Which engine runs the measures: the embedded one, or the Spark that the operator names."""

import re
from pathlib import Path
from typing import Any

from loganalyzer.engine import Backend
from loganalyzer.errors import UsageError

_MASTERS = re.compile(r"local\[(?:\d+|\*)\]|yarn|(?:spark|k8s)://.+")


def backend(engine: str | None = None, memory: int | None = None, folder: Path | None = None) -> Backend[Any]:
    """A new backend.

    Args:
        engine: null is DuckDB in this process; else a Spark master: `spark://HOST:PORT`, `yarn`, `k8s://...`,
            `local[N]`.
        memory: bytes that this process should keep within; null: whatever it takes.
        folder: for what does not fit; null: none.

    Raises:
        UsageError: no such engine, or it does not start.
    """
    if checked(engine) is None:
        from loganalyzer.engine.local import LocalBackend

        return LocalBackend(memory, folder=folder)
    from loganalyzer.engine.spark import SparkBackend

    return SparkBackend(str(engine))


def checked(engine: str | None) -> str | None:
    """The engine, if it can be one.

    Raises:
        UsageError: it cannot.
    """
    if engine is not None and not _MASTERS.fullmatch(engine):
        raise UsageError(f"--engine {engine}: give a Spark master: spark://HOST:PORT, yarn, k8s://... or local[N]")
    return engine
