"""Times that name no zone, on the two days a year when its clocks are changed.

What the clocks show twice is read as shown first until the lines of the file step back in it, and from there on as
shown second. What they skip is read by the offset from before the change, as `zoneinfo` does with `fold=0`: an hour
later, that is. Both are told.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.clock import STEP
from loganalyzer.formats.lines import Part, cut
from loganalyzer.formats.model import Format
from loganalyzer.formats.times import zone_offsets
from loganalyzer.formats.zones import in_zone, zone_of
from loganalyzer.sources import Block

_DAY = 86_400_000_000  # microseconds
_YEARS = -25_567, 84_006  # days from 1900 to 2200: no zone has rules beyond
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Marks:
    """Lines by their offset in the source, and by how many microseconds the clocks went back or were put forward."""

    offsets: list[np.ndarray] = field(default_factory=list)
    changes: list[np.ndarray] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # numbers, once they are known

    def add(self, offsets: np.ndarray, changes: np.ndarray) -> None:
        if len(offsets):
            self.changes.append(changes)
            self.offsets.append(offsets)  # last: a mark is read once its offset is there

    def of(self, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of these lines are marked, and the change of each."""
        count = len(self.offsets)
        known, changes = np.concatenate(self.offsets[:count]), np.concatenate(self.changes[:count])
        order = np.argsort(known)
        at = np.minimum(np.searchsorted(known, offsets, sorter=order), len(known) - 1)
        rows = np.flatnonzero(known[order[at]] == offsets)
        return rows, changes[order[at[rows]]]


class Daylight:
    """The changes of clocks in one source, whose blocks come in any order and whose tables come in theirs."""

    def __init__(self) -> None:
        """Nothing has been seen."""
        self.zone: str | None = None
        self._twice, self._skipped = _Marks(), _Marks()
        self._last: int | None = None  # the last time that was shown twice
        self._second = False
        self._seconds = 0  # lines read as shown second

    def look(self, block: Block, part: Part) -> None:
        """Mark lines of a block whose times were shown twice or never."""
        for form, split in part.splits:
            zone, times = zone_of(form), split.columns.get("time")
            if zone is not None and times is not None and _changes(times, ZoneInfo(zone)):
                self._mark(block, part.starts[split.at] + part.offset, form, split.at)

    def _mark(self, block: Block, places: np.ndarray, form: Format, at: np.ndarray) -> None:
        lines, zone = cut(block.data), zone_of(form)
        assert zone is not None  # noqa: S101 - it was looked for
        here, there = (in_zone(form, name).grammar.split(lines, at) for name in ("UTC", "Etc/GMT-1"))
        if not np.array_equal(here.at, at) or not np.array_equal(there.at, at):
            return  # times at the very end of the calendar
        shown, other = (pc.fill_null(split.columns["time"], 0).to_numpy() for split in (here, there))
        first, second = (zone_offsets(shown, ZoneInfo(zone), fold) for fold in (0, 1))
        change = np.where(shown != other, first - second, 0)  # those that name a zone are read alike in both
        self.zone = zone
        self._twice.add(places[change > 0], change[change > 0])
        self._skipped.add(places[change < 0], change[change < 0])

    def settled(self, requests: pa.Table) -> pa.Table:
        """The next requests of the source (schema REQUEST, in the order of its lines) with their times settled."""
        if self.zone is None or not requests.num_rows:
            return requests
        places = requests["offset"].to_numpy()
        if self._skipped.offsets:
            rows, _ = self._skipped.of(places)
            self._skipped.lines += requests["line"].to_numpy()[rows].tolist()
        rows, changes = self._twice.of(places) if self._twice.offsets else (places[:0], places[:0])
        if not len(rows):
            return requests
        self._twice.lines += requests["line"].to_numpy()[rows].tolist()
        later = np.zeros(len(places), np.int64)
        later[rows] = np.where(self._shown_second(requests["time"].cast(pa.int64()).to_numpy()[rows]), changes, 0)
        self._seconds += int((later > 0).sum())
        for name in ("time", "t"):
            column = requests[name]
            moved = pc.add(column.cast(pa.int64()), pa.array(later)).cast(column.type)
            requests = requests.set_column(requests.schema.get_field_index(name), requests.schema.field(name), moved)
        return requests

    def notes(self) -> list[str]:
        """Sentences about the lines that were marked."""
        found = []
        if lines := self._twice.lines:
            found.append(
                f"{_lines(lines)} times that the clocks of {self.zone} showed twice: {len(lines) - self._seconds:,} "
                f"were read as before the change, {self._seconds:,} as after it, by the order of the lines"
            )
        if lines := self._skipped.lines:
            found.append(
                f"{_lines(lines)} times that the clocks of {self.zone} skipped: they were read by the offset from "
                "before the change"
            )
        return found

    def _shown_second(self, times: np.ndarray) -> np.ndarray:
        """Which of these times, shown twice and read as shown first, are the second showing."""
        before = np.append(times[0] if self._last is None else self._last, times[:-1])
        fresh = np.abs(times - before) > _DAY // 2  # another change
        fresh[0] |= self._last is None
        change = np.cumsum(fresh)
        # A slow answer that is logged by its start comes late and alone: the line after it is where the others were.
        same = change[1:] == change[:-1]
        latest = times.copy()
        latest[:-1] = np.where(same, np.maximum(times[:-1], times[1:]), times[:-1])
        places = np.arange(len(times))
        steps = np.maximum.accumulate(np.where((before - latest > STEP) & ~fresh, places, -1))
        starts = np.maximum.accumulate(np.where(fresh, places, 0))
        second: np.ndarray = (steps >= starts) | ((change == 0) & self._second)
        self._last, self._second = int(times[-1]), bool(second[-1])
        return second


def _changes(times: pa.Array, zone: ZoneInfo) -> bool:
    """Whether the clocks of a zone are changed within a day of any of these instants."""
    days = np.unique(pc.drop_null(times).to_numpy() // _DAY)
    days = days[(days > _YEARS[0]) & (days < _YEARS[1])]
    ahead = [
        [(_EPOCH + timedelta(days=day + by)).astimezone(zone).utcoffset() for by in (-1, 2)] for day in days.tolist()
    ]
    return any(first != last for first, last in ahead)


def _lines(lines: list[int]) -> str:
    return f"line {lines[0]:,} bears" if len(lines) == 1 else f"{len(lines):,} lines, from line {lines[0]:,} on, bear"
