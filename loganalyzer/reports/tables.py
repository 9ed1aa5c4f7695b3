"""Canonical requests and rejects as lines of JSON, and requests as Parquet and CSV."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.atomic import Replacement
from loganalyzer.escape import csv_cell
from loganalyzer.held import Rows
from loganalyzer.schema import REQUEST

if TYPE_CHECKING:
    import duckdb

ROWS = 50_000  # of one chunk of text
GROUP = 250_000  # rows of one row group of Parquet
INSTANT = "strftime(time, '%Y-%m-%dT%H:%M:%S.%fZ')"

Take: TypeAlias = Callable[[pa.Table], object]  # is handed rows piece by piece


def printer(write: Callable[[str], object]) -> Take:
    """Print each request (schema REQUEST) as one JSON object on a line, in chunks; `time` in ISO 8601, UTC."""
    import duckdb

    connection = duckdb.connect(config={"enable_external_access": False})

    def take(requests: pa.Table) -> None:
        for start in range(0, requests.num_rows, ROWS):  # the engine would hold the texts of a whole piece
            for chunk in _request_lines(connection, requests.slice(start, ROWS)):
                write(chunk)
            connection.unregister("request")

    return take


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


@contextmanager
def parquet(path: str, schema: pa.Schema) -> Iterator[Take]:
    """Take tables of a schema into a Parquet file, zstd-compressed, whole at the end or not there.

    Raises:
        OutputError: it could not be written.
    """
    import pyarrow.parquet as pq

    with Replacement(path) as new:
        with new.telling():
            writer = pq.ParquetWriter(new.temporary, schema, compression="zstd")

        def take(table: pa.Table) -> None:
            with new.telling():
                writer.write_table(table, row_group_size=GROUP)

        try:
            yield take
        finally:
            with new.telling():
                writer.close()


@contextmanager
def csv(path: str, raw: bool = False) -> Iterator[Take]:
    """Take requests (schema REQUEST) into CSV with a header (RFC 4180, UTF-8), whole at the end or not there.

    Null is an empty cell and an empty text is `""`. A text that a spreadsheet would run is made a text that it shows.

    Args:
        path: the output.
        raw: write texts as they are, for programs; a spreadsheet may run them.

    Raises:
        OutputError: it could not be written.
    """
    from pyarrow import csv as arrow

    plain = _plain(REQUEST)
    with Replacement(path) as new:
        with new.telling():
            writer = arrow.CSVWriter(new.temporary, plain)

        def take(requests: pa.Table) -> None:
            for batch in _cells(requests, raw).to_batches(ROWS):
                texts = pa.Table.from_batches([batch]).cast(plain)
                with new.telling():
                    writer.write_table(texts)

        try:
            yield take
        finally:
            with new.telling():
                writer.close()


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
