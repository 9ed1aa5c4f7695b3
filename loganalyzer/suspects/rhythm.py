"""When the pages of a visit were asked for: the most in a minute, and how equal the gaps are."""

import numpy as np
import pyarrow as pa

from loganalyzer.groups import Groups, Int64
from loganalyzer.rates.peaks import sliding_peaks

MINUTE_US = 60_000_000
EXAMPLES = 3
RHYTHM = pa.schema(
    [
        ("address", pa.int32()),
        ("agent", pa.int32()),
        ("distinct_pages", pa.int64()),
        ("peak_60s", pa.int64()),
        ("gaps", pa.int64()),
        ("gap_s", pa.float64()),  # median; null without a gap
        ("gap_spread_s", pa.float64()),  # between the first and the last tenth
        ("ids", pa.list_(pa.int64())),  # of the first pages
    ]
)


def rhythm(pages: pa.Table) -> pa.Table:
    """Kernel: one row (schema RHYTHM) for each visit.

    Args:
        pages: whole groups by address and agent in `(address, agent, t, id)` order: `address`, `agent` and `target` as
            codes, `t` int64 epoch microseconds, `id` int64.
    """
    if not pages.num_rows:
        return RHYTHM.empty_table()
    address, agent, target, t, ids = (pages[name].to_numpy() for name in ("address", "agent", "target", "t", "id"))
    visits = Groups.of(address, agent)
    peaks = np.concatenate(
        [
            sliding_peaks(part.axis(t[rows], 2 * MINUTE_US), part, MINUTE_US)[0]
            for rows in visits.parts(t, 2 * MINUTE_US)
            for part in (Groups.of(address[rows], agent[rows]),)
        ]
    )
    middle, spread = _gaps(t, visits)
    return pa.table(
        {
            "address": address[visits.first],
            "agent": agent[visits.first],
            "distinct_pages": _distinct(target, visits),
            "peak_60s": peaks,
            "gaps": visits.size - 1,
            "gap_s": pa.array(middle, from_pandas=True),
            "gap_spread_s": pa.array(spread, from_pandas=True),
            "ids": pa.array(
                [ids[at : at + min(size, EXAMPLES)] for at, size in zip(visits.first, visits.size, strict=True)]
            ),
        },
        schema=RHYTHM,
    )


def _gaps(t: Int64, visits: Groups) -> tuple[np.ndarray, np.ndarray]:
    """Median of the gaps of each visit, and the distance of their last tenth from the first, seconds; NaN for none."""
    gap = np.diff(t, prepend=t[:1]).astype(np.float64) / 1e6
    gap[visits.first] = np.inf  # no gap: sorted behind all of its visit
    gap = gap[np.lexsort((gap, visits.number))]
    last = visits.size - 2  # place of the longest gap
    tenth, middle, ninth = (
        np.where(last >= 0, gap[visits.first + np.maximum((last * share).round().astype(np.int64), 0)], np.nan)
        for share in (0.1, 0.5, 0.9)
    )
    return middle, ninth - tenth


def _distinct(target: Int64, visits: Groups) -> Int64:
    """Distinct targets of each visit."""
    order = np.lexsort((target, visits.number))
    new = np.ones(len(target), np.int64)
    same = (target[order][1:] == target[order][:-1]) & (visits.number[1:] == visits.number[:-1])
    new[1:] -= same
    counts: Int64 = np.add.reduceat(new, visits.first)
    return counts
