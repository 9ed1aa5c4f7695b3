"""The store: what was read from logs, as Parquet files by day, kept between runs.

    logs --> ingest --> DIR/manifest.json, DIR/requests/day=.../*.parquet, DIR/rejects/day=.../*.parquet
    DIR --> read --> Log, the same as of the logs themselves

Each line counts once, whatever becomes of its file: rotated, compressed, copied, truncated, given twice.
"""

from loganalyzer.store.ingest import Ingested, ingest
from loganalyzer.store.loading import read
from loganalyzer.store.period import within

__all__ = ["Ingested", "ingest", "read", "within"]
