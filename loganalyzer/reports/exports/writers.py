"""The files of an export: each table as CSV or Parquet, and the manifest that says what is in them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.escape import csv_cell, json_text
from loganalyzer.reports.exports import behaviour, clients, compared, origins, whole
from loganalyzer.reports.exports.folder import MANIFEST, replace_folder
from loganalyzer.reports.exports.table import Table

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

SCHEMA_VERSION = 1
TABLES: tuple[Table, ...] = (*whole.TABLES, *clients.TABLES, *behaviour.TABLES, *origins.TABLES, *compared.TABLES)


def write(folder: str, kind: str, analysis: "Analysis") -> None:
    """Write every table and the manifest into a folder, whole or not at all.

    Args:
        folder: the output; replaced if an earlier export wrote it.
        kind: a key of WRITERS.
        analysis: what was measured.

    Raises:
        OutputError: it could not be written.
    """

    def fill(temporary: Path) -> None:
        told = [_written(temporary, kind, table, analysis) for table in TABLES]
        (temporary / MANIFEST).write_text(_manifest(kind, told, analysis), encoding="ascii")

    replace_folder(folder, fill)


def _written(folder: Path, kind: str, table: Table, analysis: "Analysis") -> dict[str, Any]:
    file = f"{table.name}.{kind}"
    rows = WRITERS[kind](folder / file, table.schema, table.batches(analysis))
    columns = [{"name": c.name, "type": str(c.type), "unit": c.unit} for c in table.columns]
    return {"name": table.name, "file": file, "about": table.about, "rows": rows, "columns": columns}


def _manifest(kind: str, tables: list[dict[str, Any]], analysis: "Analysis") -> str:
    """What was written; no time of the run is in it, so that the same input gives the same bytes."""
    document = analysis.to_dict()
    told = {
        "schema_version": SCHEMA_VERSION,
        "generator": document["generator"],
        "format": kind,
        "asked": document["asked"],
        "inputs_complete": not any(item["problem"] for item in document["inputs"]),
        "tables": tables,
    }
    return json_text(json.dumps(told, indent=2)) + "\n"


def write_csv(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> int:
    """Write rows as CSV with a header (RFC 4180, UTF-8) and return how many.

    Null is an empty cell and an empty text is `""`. A text that a spreadsheet would run is made a text that it shows.
    """
    from pyarrow import csv

    texts = [pa.types.is_string(field.type) or pa.types.is_timestamp(field.type) for field in schema]
    kinds = [pa.string() if text else field.type for text, field in zip(texts, schema, strict=True)]
    plain = pa.schema(list(zip(schema.names, kinds, strict=True)))
    rows = 0
    with csv.CSVWriter(path, plain) as writer:
        for table in batches:
            writer.write_table(pa.table([_cells(column) for column in table.columns], schema=plain))
            rows += table.num_rows
    return rows


def _cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_timestamp(column.type):  # with microseconds, in UTC
        return pc.strftime(column.cast(pa.timestamp("us")), "%Y-%m-%dT%H:%M:%SZ")
    if not pa.types.is_string(column.type):
        return column
    return pa.chunked_array([[text and csv_cell(text) for text in column.to_pylist()]], pa.string())


def write_parquet(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> int:
    """Write rows as Parquet, zstd-compressed, and return how many; texts are as they were logged."""
    import pyarrow.parquet as pq

    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in batches:
            if table.num_rows:
                writer.write_table(table)
            rows += table.num_rows
    return rows


WRITERS: dict[str, Callable[[Path, pa.Schema, Iterable[pa.Table]], int]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}
