"""Whether the very target that was refused was asked for again too early.

Four workers that each wait as told still look like one client that does not: while one waits, the others go on. The
target tells them apart: a worker that waits does not repeat what it was refused.
"""

from __future__ import annotations

import numpy as np

from loganalyzer.backoff.rows import Mask, Rows
from loganalyzer.backoff.windows import Refusals
from loganalyzer.groups import Groups, Int64


def same_target_early(rows: Rows, number: Int64, axis: Int64, refusals: Refusals, early: Int64) -> Mask:
    """Return which of the rows `early` repeat a target before the wait of that target's last refusal is over.

    `number` is the key of each row and `axis` its instant, as in Refusals.
    """
    row = np.concatenate([refusals.row, early])
    instant = np.concatenate([refusals.sent + refusals.grace, axis[early]])
    opens = np.arange(len(row)) < len(refusals.row)
    closes = np.concatenate([refusals.sent + refusals.wait - refusals.tolerance, np.zeros(len(early), dtype=np.int64)])
    target = rows.target[row]
    # A request at the very instant at which a window opens is not yet in it: requests first.
    order = np.lexsort((opens, instant, target, number[row]))
    place = np.arange(len(order))
    pair = Groups.of(number[row][order], target[order])
    last = np.maximum.accumulate(np.where(opens[order], place, -1))
    refused = last >= np.repeat(pair.first, pair.size)
    repeated = refused & (instant[order] < closes[order][last]) & (target[order] >= 0)
    answer = np.zeros(len(row), dtype=bool)
    answer[order] = repeated & ~opens[order]
    return answer[len(refusals.row) :]


def same_target_later(rows: Rows, number: Int64, axis: Int64, refusals: Refusals) -> tuple[Mask, Mask]:
    """Return which refusals had their target asked for again once their wait was over, and which of them soon after it.

    Without the first a client that drops what it was refused and goes on with the rest of its list would pass for one
    whose workers each wait; without the second, one that goes on and comes back to what it was refused at its own time.
    """
    row = np.concatenate([refusals.row, np.arange(len(rows.target))])
    due = refusals.sent + np.maximum(refusals.wait - refusals.tolerance, refusals.grace)
    instant = np.concatenate([due, axis])
    asks = np.arange(len(row)) >= len(refusals.row)
    # What is asked for at the very instant at which it is due is asked for again: refusals first.
    order = np.lexsort((asks, instant, rows.target[row], number[row]))
    place = np.arange(len(order))
    pair = Groups.of(number[row][order], rows.target[row][order])
    following = np.minimum.accumulate(np.where(asks[order], place, len(order))[::-1])[::-1]
    again = (following <= np.repeat(pair.last, pair.size)) & (rows.target[row][order] >= 0)
    lag = instant[order][np.minimum(following, len(order) - 1)] - instant[order]
    later, waited = np.zeros(len(row), dtype=bool), np.zeros(len(row), dtype=np.int64)
    later[order], waited[order] = again, lag
    later, waited = later[: len(due)], waited[: len(due)]
    return later, later & (refusals.sent + refusals.soon >= due + waited)
