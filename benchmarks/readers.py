"""Read one log to Arrow, with loganalyzer or with DuckDB, and print what it took as JSON.

    python benchmarks/readers.py loganalyzer LOG [DIRECTIVE]
    python benchmarks/readers.py duckdb-csv|duckdb-json LOG [encoded]

DuckDB gets what an analyst would write to have the same typed columns: times with their zone, numbers, null for `-`,
the request line in its three parts; lines that do not fit are stored or left out. `encoded` lays texts under
dictionaries as well, the type that they have in our table. Both use two threads. The clock runs from the opened
interpreter with its libraries to the finished table.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_REQUEST = "split_part({0}, ' ', 1) AS method, split_part({0}, ' ', 2) AS target, split_part({0}, ' ', 3) AS protocol"
_CSV = r"""
SELECT c0 AS client_ip, c2 AS "user", strptime(c3 || c4, '[%d/%b/%Y:%H:%M:%S%z]') AS time, {request},
  c6 AS status, c7 AS bytes, c8 AS referer, c9 AS user_agent
FROM read_csv('{log}', header = false, delim = ' ', quote = '"', escape = '\', nullstr = '-', auto_detect = false,
  strict_mode = false, store_rejects = true, columns = {{c0: 'VARCHAR', c1: 'VARCHAR', c2: 'VARCHAR', c3: 'VARCHAR',
  c4: 'VARCHAR', c5: 'VARCHAR', c6: 'SMALLINT', c7: 'BIGINT', c8: 'VARCHAR', c9: 'VARCHAR'}})
"""
_JSON = """
SELECT remote_addr AS client_ip, time, {request}, status, body_bytes_sent AS bytes, http_referer AS referer,
  http_user_agent AS user_agent, host, request_time AS request_time_s
FROM read_json('{log}', format = 'newline_delimited', ignore_errors = true, columns = {{time: 'TIMESTAMPTZ',
  remote_addr: 'VARCHAR', request: 'VARCHAR', status: 'SMALLINT', body_bytes_sent: 'BIGINT', http_referer: 'VARCHAR',
  http_user_agent: 'VARCHAR', host: 'VARCHAR', request_time: 'DOUBLE'}})
"""


def duckdb_reader(query: str, column: str, encoded: bool) -> Callable[[str], int]:
    """Reading of a log by a query of DuckDB; texts under dictionaries where they are to be encoded."""
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute("SELECT timezone('UTC', now()), strptime('01', '%d')").fetchall()  # what is loaded once

    def read(log: str) -> int:
        filled = query.format(request=_REQUEST.format(column), log=log)
        table = connection.sql(filled).to_arrow_table()
        if encoded:
            with ThreadPoolExecutor(2) as pool:
                encode = pool.map(
                    lambda text: text.dictionary_encode() if pa.types.is_string(text.type) else text, table
                )
                table = pa.table(list(encode), table.column_names)
        rows: int = table.num_rows
        return rows

    return read


def loganalyzer_reader(directive: str | None) -> Callable[[str], int]:
    """Reading of a log by loganalyzer, its format found where none is given."""
    from loganalyzer.cli import memory

    memory.prepare()  # as the command line does

    import pyarrow as pa

    from loganalyzer.formats.reader import read

    pa.array([0])  # here pyarrow looks for pandas, and imports it

    def rows(log: str) -> int:
        return read([log], directive).requests.num_rows

    return rows


def main() -> None:
    """Command line."""
    program, log, *rest = sys.argv[1:]
    readers: dict[str, Callable[[], Callable[[str], int]]] = {
        "loganalyzer": lambda: loganalyzer_reader(rest[0] if rest else None),
        "duckdb-csv": lambda: duckdb_reader(_CSV, "c5", rest == ["encoded"]),
        "duckdb-json": lambda: duckdb_reader(_JSON, "request", rest == ["encoded"]),
    }
    read = readers[program]()
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    rows = read(log)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    print(json.dumps({"rows": rows, "wall_s": wall, "cpu_s": cpu}))


if __name__ == "__main__":
    main()
