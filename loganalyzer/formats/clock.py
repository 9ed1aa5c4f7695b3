"""What the times of one source say of its server's clock: kept as they are, but told."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SECOND = 1_000_000
STEP = 60 * _SECOND  # back by more: no queue of workers, but the clock
_DECADE = 315_576_000 * _SECOND  # no log spans it
_FOLLOWING = 3  # lines that must agree: a slow answer, logged by its start, comes late and alone


class Clock:
    """The times of one source, whose requests come piece by piece in the order of its lines."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._middle: int | None = None  # of the first piece: what is decades from it is no time of this log
        self._steps = _Steps()
        self._strays: list[tuple[np.ndarray, np.ndarray]] = []

    def take(self, requests: pa.Table) -> None:
        """Look at the requests (schema REQUEST) that follow."""
        dated = requests.select(["time", "line"]).filter(pc.is_valid(requests["time"]))
        if not dated.num_rows:
            return
        time, line = dated["time"].cast(pa.int64()).to_numpy(), dated["line"].to_numpy()
        if self._middle is None:
            self._middle = int(np.median(time))
        if max(self._middle - int(time.min()), int(time.max()) - self._middle) > _DECADE:
            far = np.abs(time - self._middle) > _DECADE
            self._strays.append((time[far], line[far]))
            time, line = time[~far], line[~far]
        self._steps.take(time, line)

    def notes(self) -> list[str]:
        """Sentences about them, once all was looked at."""
        strays = [np.concatenate(column) for column in zip(*self._strays, strict=True)]
        return [*(_far_off(*strays) if strays else []), *self._steps.notes()]


def _far_off(time: np.ndarray, line: np.ndarray) -> list[str]:
    if not len(time):
        return []
    years = sorted(set(time.astype("datetime64[us]").astype("datetime64[Y]").astype(str).tolist()))
    shown = ", ".join(years[:3]) + (", ..." if len(years) > 3 else "")
    lines = "1 line is" if len(line) == 1 else f"{len(line):,} lines are"
    return [f"{lines} dated more than ten years from the others ({shown}; the first is line {line[0]:,})"]


class _Steps:
    """Where the clock went back: a line and those after it are earlier than the line before it."""

    def __init__(self) -> None:
        self._time, self._line = np.empty(0, np.int64), np.empty(0, np.int64)  # lines whose followers are not all known
        self._count = self._seconds = 0
        self._first: int | None = None

    def take(self, time: np.ndarray, line: np.ndarray) -> None:
        """Look at the lines that follow."""
        self._time, self._line = np.concatenate([self._time, time]), np.concatenate([self._line, line])
        self._look(max(0, len(self._time) - _FOLLOWING))

    def notes(self) -> list[str]:
        """What was found, once all was looked at."""
        self._look(len(self._time) - 1)
        if self._first is None:
            return []
        times = "once" if self._count == 1 else f"{self._count:,} times"
        return [
            f"the clock steps back {times}, by up to {self._seconds:,} s, first at line {self._first:,}; "
            "requests are taken in the order of their times"
        ]

    def _look(self, count: int) -> None:
        """Hold each of the first lines against those that follow it, and forget it."""
        time, line = self._time, self._line
        if count > 0 and np.diff(time).min() < -STEP:
            latest = time[1:].copy()
            for ahead in range(1, _FOLLOWING):
                np.maximum(latest[:-ahead], time[1 + ahead :], out=latest[:-ahead])
            at = np.flatnonzero(time[:count] - latest[:count] > STEP) + 1
            if len(at):
                self._count += len(at)
                self._seconds = max(self._seconds, int((time[at - 1] - time[at]).max()) // _SECOND)
                self._first = int(line[at[0]]) if self._first is None else self._first
        self._time, self._line = time[max(0, count) :], line[max(0, count) :]
