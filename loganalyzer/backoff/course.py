"""The course of an episode in a line of marks, so that it can be drawn where there is no room for a chart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from loganalyzer.backoff.rows import Mask, Rows
from loganalyzer.backoff.windows import Refusals
from loganalyzer.groups import Int64

CELLS = 32
BEYOND = 0.3  # of the last wait: how far a line reaches after it
# Nothing, a wait, a request after it, a refusal, a request inside a wait: of several in one cell the last is shown.
MARKS = " .o#!"
_WAIT, _AFTER, _REFUSED, _EARLY = range(1, len(MARKS))


def courses(rows: Rows, axis: Int64, refusals: Refusals, inside: Mask, early: Int64) -> pa.Array:
    """Return a string of CELLS of MARKS for each episode, from its first refusal to a little after its last wait.

    Args:
        rows: All of them, and
        axis: where they stand.
        refusals: Those of the rows.
        inside: Over rows: begins in a window.
        early: The rows that do, other than for /robots.txt.
    """
    episodes = refusals.episodes
    start = refusals.sent[episodes.first]
    end = refusals.deadline[episodes.last]
    end = np.maximum(end + (BEYOND * refusals.wait[episodes.last]).astype(np.int64), start + CELLS)
    cells = np.zeros((len(episodes), CELLS), dtype=np.int8)
    middles = start[:, None] + (end - start)[:, None] * (2 * np.arange(CELLS) + 1) // (2 * CELLS)
    last = np.searchsorted(refusals.sent, middles, side="right") - 1
    cells[refusals.deadline[last] > middles] = _WAIT

    def mark(instant: Int64, code: int) -> None:
        of = np.searchsorted(start, instant, side="right") - 1
        within = (of >= 0) & (instant < end[of])
        of, instant = of[within], instant[within]
        place = (instant - start[of]) * CELLS // (end - start)[of]
        np.maximum.at(cells, (of, place), np.int8(code))

    free = axis[~inside & ~rows.refusal & ~rows.robots]
    before = np.searchsorted(refusals.sent, free, side="right") - 1
    mark(free[(before >= 0) & (free >= refusals.deadline[before] - refusals.tolerance)], _AFTER)
    mark(refusals.sent, _REFUSED)
    mark(axis[early], _EARLY)
    cells[:, 0] = _REFUSED
    marks = np.frombuffer(MARKS.encode(), dtype=np.uint8)[cells]
    return pa.array(marks.view(f"S{CELLS}").ravel().astype(f"U{CELLS}"), pa.string())
