"""What each client asked for and got: kinds of targets, errors, what was sent again unchanged; and when it came."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.rows import by_client
from loganalyzer.document.client import ContentDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

MACHINE = ("sitemap", "feed", "llms", "json")  # kinds of targets that are made for machines
MOST_SERIES = 200  # clients whose requests over time are kept, busiest first: a hundred numbers each
NONE = {"repeats": 0, "bytes": 0, "avoidable": 0, "avoidable_bytes": 0}


def contents(analysis: "Analysis", codes: Sequence[int]) -> dict[int, ContentDocument]:
    """One for each of some client codes."""
    measures = analysis.measures
    kinds, statuses = by_client(measures.target_kinds), by_client(measures.statuses)
    repeats = {row["client"]: row for row in measures.repeats.to_pylist()}
    found: dict[int, ContentDocument] = {}
    for code in codes:
        requests = measures.summary[code]["requests"]
        counts = {row["kind"]: row["requests"] for row in kinds[code] if row["kind"] is not None}
        machine = sum(counts.get(kind, 0) for kind in MACHINE)
        again = repeats.get(code, NONE)
        hundreds: dict[int | None, int] = defaultdict(int)
        for row in statuses[code]:
            hundreds[row["status"] // 100 if row["status"] is not None else None] += row["requests"]
        answered = requests - hundreds[None]
        found[code] = {
            "kinds": dict(sorted(counts.items())),
            "machine": machine,
            "machine_share": round(machine / requests, 6),
            "client_error_share": round(hundreds[4] / answered, 6) if answered else None,
            "server_error_share": round(hundreds[5] / answered, 6) if answered else None,
            "not_modified": measures.summary[code]["not_modified"],
            "repeats": again["repeats"],
            "repeat_bytes": again["bytes"],
            "avoidable_repeats": again["avoidable"],
            "avoidable_repeat_bytes": again["avoidable_bytes"],
        }
    return found


def series(analysis: "Analysis", codes: Sequence[int]) -> dict[int, list[int]]:
    """Requests of the busiest of some clients in the buckets of the report's series."""
    measures = analysis.measures
    rows = measures.series
    if not rows.num_rows:
        return {}
    width = measures.bucket_s * 1_000_000
    start, end = pc.min(rows["bucket_us"]).as_py(), pc.max(rows["bucket_us"]).as_py()
    busiest = sorted(codes, key=lambda code: (-measures.summary[code]["requests"], code))[:MOST_SERIES]
    place = pc.index_in(rows["client"], value_set=pa.array(busiest, rows["client"].type))
    mine = rows.append_column("place", place).filter(pc.is_valid(place))
    counts = np.zeros((len(busiest), (end - start) // width + 1), dtype=np.int64)
    bars = (mine["bucket_us"].to_numpy() - start) // width
    np.add.at(counts, (mine["place"].to_numpy(), bars), mine["requests"].to_numpy())
    return dict(zip(busiest, counts.tolist(), strict=True))
