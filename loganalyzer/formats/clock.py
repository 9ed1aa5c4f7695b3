"""What the times of one source say of its server's clock: kept as they are, but told."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SECOND = 1_000_000
STEP = 60 * _SECOND  # back by more: no queue of workers, but the clock
_DECADE = 315_576_000 * _SECOND  # no log spans it
_FOLLOWING = 3  # lines that must agree: a slow answer, logged by its start, comes late and alone


def notes(tables: list[pa.Table]) -> list[str]:
    """Sentences about the times of one source.

    Args:
        tables: REQUEST of the source, in the order of its lines.
    """
    dated = [table.select(["time", "line"]).filter(pc.is_valid(table["time"])) for table in tables]
    if not sum(map(len, dated)):
        return []
    time = np.concatenate([table["time"].cast(pa.int64()).to_numpy() for table in dated])
    line = np.concatenate([table["line"].to_numpy() for table in dated])
    if time.max() - time.min() <= _DECADE:
        return _steps_back(time, line)
    far = np.abs(time - int(np.median(time))) > _DECADE
    return [*_far_off(time[far], line[far]), *_steps_back(time[~far], line[~far])]


def _far_off(time: np.ndarray, line: np.ndarray) -> list[str]:
    if not len(time):
        return []
    years = sorted(set(time.astype("datetime64[us]").astype("datetime64[Y]").astype(str).tolist()))
    shown = ", ".join(years[:3]) + (", ..." if len(years) > 3 else "")
    lines = "1 line is" if len(line) == 1 else f"{len(line):,} lines are"
    return [f"{lines} dated more than ten years from the others ({shown}; the first is line {line[0]:,})"]


def _steps_back(time: np.ndarray, line: np.ndarray) -> list[str]:
    """Where the clock went back: a line and those after it are earlier than the line before it."""
    if len(time) < 2 or np.diff(time).min() >= -STEP:
        return []
    latest = time[1:].copy()
    for ahead in range(1, _FOLLOWING):
        np.maximum(latest[:-ahead], time[1 + ahead :], out=latest[:-ahead])
    at = np.flatnonzero(time[:-1] - latest > STEP) + 1
    if not len(at):
        return []
    seconds = int((time[at - 1] - time[at]).max()) // _SECOND
    times = "once" if len(at) == 1 else f"{len(at):,} times"
    return [
        f"the clock steps back {times}, by up to {seconds:,} s, first at line {line[at[0]]:,}; "
        "requests are taken in the order of their times"
    ]
