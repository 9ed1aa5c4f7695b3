"""How each client would fare under the limit that `levers` proposes, and the pauses between its requests."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loganalyzer.levers import LIMIT_BURST, LIMIT_RATE
from loganalyzer.rates import crawl_delay_windows, nginx_limit_req
from loganalyzer.robots.delays import PAUSES, Delays

RESTRAINT = pa.schema(
    [
        ("client", pa.int32()),
        ("limited", pa.int64()),  # requests over the limit
        *(field for field in PAUSES if field.name != "client"),  # null: no Crawl-delay is asked of it
        ("windows", pa.int64()),  # the delay read as one access a window, host by host: windows with a request,
        ("crowded", pa.int64()),  # and with more than one
    ]
)


def restrained(table: pa.Table, delays: Delays) -> pa.Table:
    """Kernel of RESTRAINT over the starts of whole clients: `client`, `t`, `host`."""
    pauses = {row["client"]: row for row in delays(table).to_pylist()}
    codes, first = np.unique(table["client"].to_numpy(), return_index=True)
    starts, hosts = (table[name].fill_null(-1).to_numpy() for name in ("t", "host"))
    rows = []
    for code, t, host in zip(
        codes.tolist(), *(np.split(column, first[1:]) for column in (starts, hosts)), strict=False
    ):
        passed = nginx_limit_req(t // 1000, LIMIT_RATE, LIMIT_BURST)
        asked = pauses.get(code, {})
        kept = _windows(t, host, asked["delay_s"]) if asked else {}
        rows.append({"client": code, "limited": len(t) - int(passed.sum()), **asked, **kept})
    return pa.Table.from_pylist(rows, schema=RESTRAINT)


def _windows(t: npt.NDArray[np.int64], host: npt.NDArray[np.int32], delay_s: float) -> dict[str, int]:
    """A Crawl-delay read as one access a window, at each host by itself."""
    found = [crawl_delay_windows(t[host == one], delay_s) for one in np.unique(host)]
    return {"windows": sum(one.windows for one in found), "crowded": sum(one.crowded for one in found)}
