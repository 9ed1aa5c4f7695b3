"""Canonical requests and rejects as lines of JSON, and requests as Parquet."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from loganalyzer.reports import files

ROWS = 50_000  # of one chunk of text
INSTANT = "strftime(time, '%Y-%m-%dT%H:%M:%S.%fZ')"


def request_lines(requests: pa.Table) -> Iterator[str]:
    """Each request (schema REQUEST) as one JSON object on a line, in chunks; `time` in ISO 8601, UTC."""
    import duckdb

    connection = duckdb.connect(config={"enable_external_access": False})
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


def reject_lines(rejects: pa.Table) -> Iterator[str]:
    """Each reject (schema REJECT) as one JSON object on a line; `text_base64` where the bytes are not UTF-8."""
    for batch in rejects.to_batches(ROWS):
        for row in batch.to_pylist():
            yield json.dumps(_printable(row), ensure_ascii=False) + "\n"


def _printable(row: dict[str, object]) -> dict[str, object]:
    text = row.pop("text")
    assert isinstance(text, bytes)  # noqa: S101 - the schema says binary
    try:
        return {**row, "text": text.decode()}
    except UnicodeDecodeError:
        return {**row, "text_base64": base64.b64encode(text).decode()}


def write_parquet(path: str, table: pa.Table) -> None:
    """Write a table as Parquet, zstd-compressed, whole or not at all."""
    import pyarrow.parquet as pq

    def fill(temporary: Path) -> None:
        pq.write_table(table, temporary, compression="zstd", row_group_size=250_000)

    files.replace(path, fill)
