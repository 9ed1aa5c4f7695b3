"""How each client would fare under the limit that `levers` proposes, and the pauses between its requests."""

import numpy as np
import pyarrow as pa

from loganalyzer.levers import LIMIT_BURST, LIMIT_RATE
from loganalyzer.rates import nginx_limit_req
from loganalyzer.robots.delays import PAUSES, Delays

RESTRAINT = pa.schema(
    [
        ("client", pa.int32()),
        ("limited", pa.int64()),  # requests over the limit
        *(field for field in PAUSES if field.name != "client"),  # null: no Crawl-delay is asked of it
    ]
)


def restrained(table: pa.Table, delays: Delays) -> pa.Table:
    """Kernel of RESTRAINT over the starts of whole clients: `client`, `t`, `host`."""
    pauses = {row["client"]: row for row in delays(table).to_pylist()}
    codes, first = np.unique(table["client"].to_numpy(), return_index=True)
    rows = []
    for code, t in zip(codes.tolist(), np.split(table["t"].to_numpy(), first[1:]), strict=False):
        passed = nginx_limit_req(t // 1000, LIMIT_RATE, LIMIT_BURST)
        rows.append({"client": code, "limited": len(t) - int(passed.sum()), **pauses.get(code, {})})
    return pa.Table.from_pylist(rows, schema=RESTRAINT)
