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


def same_target_later(rows: Rows, number: Int64, axis: Int64, refusals: Refusals) -> Mask:
    """Return which refusals had their target asked for again once their wait was over.

    Without this a client that drops what it was refused and goes on with the rest of its list would pass for one whose
    workers each wait. The last request for a target decides, so that one look at each row is enough.
    """
    pair = number * (int(rows.target.max(initial=0)) + 2) + rows.target
    refused, index = np.unique(pair[refusals.row], return_inverse=True)
    place = np.minimum(np.searchsorted(refused, pair), len(refused) - 1)
    mine = np.flatnonzero((refused[place] == pair) & (rows.target >= 0))
    last = np.full(len(refused), np.iinfo(np.int64).min)
    last[place[mine]] = axis[mine]  # rows are in order of time: the last one stays
    later: Mask = last[index] >= refusals.sent + np.maximum(refusals.wait - refusals.tolerance, refusals.grace)
    return later
