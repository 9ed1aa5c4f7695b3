"""Canonical requests and rejects as lines of JSON, and requests as Parquet and CSV."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.atomic import replace
from loganalyzer.escape import csv_cell
from loganalyzer.held import Rows

if TYPE_CHECKING:
    import duckdb

ROWS = 50_000  # of one chunk of text
INSTANT = "strftime(time, '%Y-%m-%dT%H:%M:%S.%fZ')"


def request_lines(requests: Rows) -> Iterator[str]:
    """Each request (schema REQUEST) as one JSON object on a line, in chunks; `time` in ISO 8601, UTC."""
    import duckdb

    connection = duckdb.connect(config={"enable_external_access": False})
    for table in requests.tables():
        yield from _request_lines(connection, table)


def _request_lines(connection: "duckdb.DuckDBPyConnection", requests: pa.Table) -> Iterator[str]:
    # Without a zone: DuckDB would print an instant in that of the machine.
    place = requests.schema.get_field_index("time")
    requests = requests.set_column(place, "time", requests["time"].cast(pa.timestamp("us")))
    connection.register("request", requests)
    columns = {name: f'"{name}"' for name in requests.column_names} | {"time": INSTANT}
    fields = ", ".join(f'"{name}" := {column}' for name, column in columns.items())
    reader = connection.sql(f"SELECT to_json(struct_pack({fields})) FROM request").to_arrow_reader(ROWS)  # noqa: S608 - column names of our own schema
    for batch in reader:
        if batch.num_rows:
            yield "\n".join(batch.column(0).to_pylist()) + "\n"


def reject_lines(rejects: Rows) -> Iterator[str]:
    """Each reject (schema REJECT) as one JSON object on a line; `text_base64` where the bytes are not UTF-8."""
    for batch in (batch for table in rejects.tables() for batch in table.to_batches(ROWS)):
        for row in batch.to_pylist():
            yield json.dumps(_printable(row), ensure_ascii=False) + "\n"


def _printable(row: dict[str, object]) -> dict[str, object]:
    text = row.pop("text")
    assert isinstance(text, bytes)  # noqa: S101 - the schema says binary
    try:
        return {**row, "text": text.decode()}
    except UnicodeDecodeError:
        return {**row, "text_base64": base64.b64encode(text).decode()}


def write_parquet(path: str, rows: Rows) -> None:
    """Write rows as Parquet, zstd-compressed, whole or not at all."""
    import pyarrow.parquet as pq

    def fill(temporary: Path) -> None:
        with pq.ParquetWriter(temporary, rows.schema, compression="zstd") as writer:
            for table in rows.tables():
                writer.write_table(table, row_group_size=250_000)

    replace(path, fill)


def write_csv(path: str, requests: Rows, raw: bool = False) -> None:
    """Write requests (schema REQUEST) as CSV with a header (RFC 4180, UTF-8), whole or not at all.

    Null is an empty cell and an empty text is `""`. A text that a spreadsheet would run is made a text that it shows.

    Args:
        path: the output.
        requests: the rows.
        raw: write texts as they are, for programs; a spreadsheet may run them.
    """
    from pyarrow import csv

    plain = _plain(requests.schema)

    def fill(temporary: Path) -> None:
        with csv.CSVWriter(temporary, plain) as writer:
            for batch in (batch for table in requests.tables() for batch in _cells(table, raw).to_batches(ROWS)):
                writer.write_table(pa.Table.from_batches([batch]).cast(plain))

    replace(path, fill)


def _cells(requests: pa.Table, raw: bool) -> pa.Table:
    """The requests with times and texts as they are written."""
    place = requests.schema.get_field_index("time")
    clock = pc.strftime(requests["time"].cast(pa.timestamp("us")), "%Y-%m-%dT%H:%M:%SZ")  # with microseconds
    table = requests.set_column(place, "time", clock).unify_dictionaries()
    for index, column in enumerate(table.columns if not raw else ()):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(index, table.field(index), _harmless(column))
    return table


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with its distinct texts as cells; its chunks share one dictionary."""
    cells = [text and csv_cell(text) for text in column.chunk(0).dictionary.to_pylist()] if column.num_chunks else []
    texts = pa.array(cells, pa.string())
    chunks = [pa.DictionaryArray.from_arrays(chunk.indices, texts) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type)


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema with texts in place of dictionaries, which Arrow's writer does not take, and of times."""
    texts = [pa.types.is_dictionary(field.type) or pa.types.is_timestamp(field.type) for field in schema]
    kinds = [pa.string() if text else field.type for text, field in zip(texts, schema, strict=True)]
    return pa.schema(list(zip(schema.names, kinds, strict=True)))
