import pyarrow as pa
import pyarrow.compute as pc
import pytest

from loganalyzer.engine import local
from loganalyzer.engine.local import LocalBackend

COUNT = pa.schema([("client", pa.int32()), ("address", pa.int32()), ("n", pa.int64()), ("sorted", pa.bool_())])


def count(table: pa.Table) -> pa.Table:
    """One row for each (client, address), with proof that the rows came in order."""
    groups = {}
    for row in table.to_pylist():
        groups.setdefault((row["client"], row["address"]), []).append(row["t"])
    rows = [{"client": c, "address": a, "n": len(t), "sorted": t == sorted(t)} for (c, a), t in groups.items()]
    return pa.Table.from_pylist(rows, schema=COUNT)


@pytest.fixture
def requests():
    n = 5_000
    return pa.table(
        {
            "client": pa.array([i * 7 % 5 for i in range(n)], pa.int32()),
            "address": pa.array([None if i % 11 == 0 else i % 3 for i in range(n)], pa.int32()),
            "t": pa.array([i * 7919 % n for i in range(n)], pa.int64()),
        }
    )


@pytest.mark.parametrize("rows", [1, 2, 100, 2048, 1_000_000])
def test_a_kernel_gets_whole_groups_in_order_however_the_stream_is_cut(requests, rows, monkeypatch):
    monkeypatch.setattr(local, "ROWS", rows)
    backend = LocalBackend()
    backend.register("requests", requests)

    got = pa.concat_tables(
        backend.by_key(backend.sql("SELECT * FROM requests"), ["client", "address"], ["t"], count, COUNT)
    )

    assert got.num_rows == 5 * 4  # each group once: none was cut in two
    assert pc.sum(got["n"]).as_py() == requests.num_rows
    assert pc.all(got["sorted"]).as_py()


def test_no_rows_make_no_call(requests):
    backend = LocalBackend()
    backend.register("requests", requests.slice(0, 0))

    assert list(backend.by_key(backend.sql("SELECT * FROM requests"), ["client"], ["t"], count, COUNT)) == []


def test_sql_cannot_reach_files(tmp_path):
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")

    with pytest.raises(Exception, match="disabled"):
        LocalBackend().sql(f"SELECT * FROM read_csv('{file}')").fetchall()
