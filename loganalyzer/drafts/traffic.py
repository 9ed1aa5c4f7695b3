"""What of a log bears on a robots.txt that is still a draft: sums over distinct (client, host, target), never rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from loganalyzer.robots import Policy

# What each automated client asked for. Codes are places in the lists of Traffic; null is what was not logged.
PAIR = pa.schema(
    [
        ("client", pa.int32()),
        ("host", pa.int32()),
        ("target", pa.int32()),
        ("requests", pa.int64()),
        ("bytes", pa.int64()),
        ("redirects", pa.int64()),  # of the requests
        ("errors", pa.int64()),  # 400, 403, 404, 410, 414
        ("repeats", pa.int64()),  # answers of a size that the client had got before, or 304
    ]
)
# How each client stood to robots.txt so far, by client code.
RECORD = pa.schema(
    [
        ("requests", pa.int64()),
        ("bytes", pa.int64()),
        ("reads", pa.int64()),  # answers to /robots.txt that gave it the file (200, 304)
        ("judged", pa.int64()),  # requests under a version that forbade it something: only these say how it keeps rules
        ("violations", pa.int64()),  # of these
    ]
)
# Pages that browsers came to from a search engine, and all that browsers got.
ARRIVAL = pa.schema(
    [
        ("engine", pa.int32()),  # place in engines.ENGINES
        ("host", pa.int32()),
        ("target", pa.int32()),
        ("requests", pa.int64()),
    ]
)
PEOPLE = pa.schema([("host", pa.int32()), ("target", pa.int32()), ("requests", pa.int64())])


@dataclass(frozen=True)
class Traffic:
    """One log, narrowed to what drafts are measured on. Get one from `loganalyzer.analysis.drafting.traffic`."""

    pairs: pa.Table  # schema PAIR
    policies: tuple[Policy, ...]  # by client code, browsers among them
    purposes: tuple[str | None, ...]  # by client code
    record: pa.Table  # schema RECORD, by client code
    hosts: Sequence[str | None]
    targets: pa.Array
    kinds: pa.Array  # of targets: page, asset, feed, sitemap, ...
    arrivals: pa.Table  # schema ARRIVAL
    people: pa.Table  # schema PEOPLE
    requests: int  # of the whole log, people's among them
    bytes: int
    period: tuple[str | None, str | None] = (None, None)  # ISO 8601
    host: str | None = None  # whose requests alone these are; null: those of all hosts
