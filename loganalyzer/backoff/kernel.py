"""The kernel: every episode of refusals of every key of a sorted table, and what the client did about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.backoff.fleet import Fleet, addresses, elsewhere
from loganalyzer.backoff.rows import Mask, Rows, refused_keys
from loganalyzer.backoff.shape import shapes
from loganalyzer.backoff.target import same_target_early, same_target_later
from loganalyzer.backoff.thresholds import SECOND_US, Key, Thresholds, micro
from loganalyzer.backoff.verdict import UNOBSERVED, VERDICTS, Silence, Waits, judge, observed, pace_in_wait, worst
from loganalyzer.backoff.windows import Refusals
from loganalyzer.groups import Int64
from loganalyzer.schema import EPISODE

Float64 = NDArray[np.float64]

# Schema EPISODE with the codes of client and address for their names: what `kernel` yields.
CODED = pa.schema([pa.field(f.name, pa.int32()) if f.name in ("client", "address") else f for f in EPISODE])


def kernel(
    table: pa.Table, by: Key, log_start_us: int, log_end_us: int, thresholds: Thresholds | None = None
) -> pa.Table:
    """Find and judge the episodes of whole clients.

    Args:
        table: Columns `id` (int64), `client`, `address` (int32), `t` (int64, start), `end_us` (int64, when the answer
            was sent), `asked_us` (int64, null = not stated), `refusal`, `robots` (bool), `target` (int32), sorted by
            (client, t, id), a client never cut.
        by: "address" regroups the rows by client and address, "token" keeps a client whole.
        log_start_us: First and
        log_end_us: last instant of the log, epoch microseconds: before and after them nothing is known.
        thresholds: What is early, slower, one episode.

    Returns:
        Rows of schema CODED, by key and time.
    """
    parts = _parts(table, by, log_start_us, log_end_us, thresholds or Thresholds())
    return pa.concat_tables([CODED.empty_table(), *(part.episodes() for part in parts)])


def early_ids(
    table: pa.Table, by: Key, log_start_us: int, log_end_us: int, thresholds: Thresholds | None = None
) -> Int64:
    """Return the ids of the requests that begin inside a wait; the arguments are those of `kernel`."""
    parts = _parts(table, by, log_start_us, log_end_us, thresholds or Thresholds())
    return np.concatenate([np.zeros(0, dtype=np.int64), *(part.rows.id[part.early] for part in parts)])


def _parts(table: pa.Table, by: Key, log_start_us: int, log_end_us: int, limits: Thresholds) -> Iterator[Part]:
    return cut(refused_keys(table, by), by, log_start_us, log_end_us, limits)


def cut(rows: Rows, by: Key, log_start_us: int, log_end_us: int, limits: Thresholds) -> Iterator[Part]:
    """Cut the refused keys so that each part fits on one axis."""
    pad = 4 * micro(limits.longest_wait_s + limits.before_most_s + limits.chain_s) + int(
        (rows.end - rows.t).max(initial=0)
    )
    for part in rows.groups.parts(rows.t, pad):
        yield Part(rows.take(part), pad, by, log_start_us, log_end_us, limits)


@dataclass(frozen=True)
class Part:
    """Some whole keys on one axis. Each property is an array over rows, refusals, waits or episodes, as it says."""

    rows: Rows
    pad: int  # wider than any window, so that keys cannot touch
    by: Key
    log_start_us: int
    log_end_us: int
    limits: Thresholds

    @cached_property
    def number(self) -> Int64:
        """Over rows: the number of the key."""
        return self.rows.groups.number

    @cached_property
    def axis(self) -> Int64:
        """Over rows: the start, on the common axis."""
        return self.rows.groups.axis(self.rows.t, self.pad)

    @cached_property
    def refusals(self) -> Refusals:
        """Over refusals, by the instant sent."""
        return Refusals.of(self.rows, self.axis, self.by, self.limits)

    @cached_property
    def inside(self) -> Mask:
        """Over rows: begins in a window."""
        return self.refusals.inside(self.axis)

    @cached_property
    def early(self) -> Int64:
        """Rows that begin in a window; /robots.txt may be read at any time."""
        return np.flatnonzero(self.inside & ~self.rows.robots)

    @cached_property
    def pages(self) -> Int64:
        """Rows that do not ask for /robots.txt."""
        return np.flatnonzero(~self.rows.robots)

    @cached_property
    def begins_wait(self) -> Int64:
        """Refusals that begin a wait."""
        return self.refusals.waits(self.inside[self.refusals.row])

    @cached_property
    def wait_of_early(self) -> Int64:
        """Over `early`: the wait that it breaks, the last to begin before it."""
        return np.searchsorted(self.refusals.sent[self.begins_wait], self.axis[self.early], side="left") - 1

    @cached_property
    def waits(self) -> Waits:
        """Over waits: what happened in them."""
        sent, wait = self.refusals.sent[self.begins_wait], self.refusals.wait[self.begins_wait]
        early = np.bincount(self.wait_of_early, minlength=len(sent))
        last = self.axis[self.early][np.cumsum(early) - 1] if len(self.early) else sent
        pace = pace_in_wait(early, np.where(early > 0, last - sent, 0), wait, self.limits)
        episode = self._episode_of(self.begins_wait)
        ratio = np.where(early > 0, pace / self.pace_before[episode], np.nan)
        return Waits(episode, early, pace, ratio, self.refusals.known[self.begins_wait])

    @cached_property
    def pace_before(self) -> Float64:
        """Over episodes: requests per second before the first refusal; NaN where too few say."""
        first = self.refusals.episodes.first
        sent, wait = self.refusals.sent[first], self.refusals.wait[first]
        span = np.minimum(self._span(wait), self.rows.end[self.refusals.row[first]] - self.log_start_us)
        at = self.axis[self.pages]
        begun = np.searchsorted(at, sent, side="left") - np.searchsorted(at, sent - span, side="left")
        enough = (begun >= self.limits.before_requests) & (span > 0)
        return np.where(enough, begun * SECOND_US / np.maximum(span, 1), np.nan)

    @cached_property
    def silence(self) -> Silence:
        """Over episodes: what followed the last refusal."""
        last = self.refusals.episodes.last
        return Silence(
            next_us=self._next_page(last, self.refusals.grace),
            watched_us=self.log_end_us - self.rows.end[self.refusals.row[last]],
            deadline_us=self.refusals.deadline[last] - self.refusals.sent[last],
            wait_us=self.refusals.wait[last],
        )

    @cached_property
    def pace_after(self) -> Float64:
        """Over episodes: requests per second from the first one after all waits on; NaN where the log is too short."""
        last = self.refusals.episodes.last
        over = np.maximum(self.silence.deadline_us - self.refusals.tolerance, self.refusals.grace)
        back = self._next_page(last, over)
        watched = np.minimum(self.silence.watched_us - back, self._span(self.refusals.wait[last]))
        enough = watched >= micro(self.limits.before_least_s)
        begin = self.refusals.sent[last] + np.where(enough, back, 0).astype(np.int64)
        span = np.where(enough, watched, 1).astype(np.int64)
        at = self.axis[self.pages]
        begun = np.searchsorted(at, begin + span, side="left") - np.searchsorted(at, begin, side="left")
        return np.where(enough, begun * SECOND_US / span, np.nan)

    def _span(self, wait: Int64) -> Int64:
        """The time over which a pace before or after a wait is taken."""
        return np.clip(wait, micro(self.limits.before_least_s), micro(self.limits.before_most_s))

    def _next_page(self, refusal: Int64, after: Int64 | int) -> Float64:
        """Microseconds from each of some refusals to the first request more than `after` later; infinite if none."""
        sent = self.refusals.sent[refusal]
        at = self.axis[self.pages]
        following = np.searchsorted(at, sent + after, side="right")
        of_key = np.append(self.number[self.pages], -1)[following] == self.number[self.refusals.row[refusal]]
        return np.where(of_key, np.append(at, 0)[following] - sent, np.inf)

    def _episode_of(self, refusal: Int64) -> Int64:
        """The episode of each of some refusals."""
        return np.searchsorted(self.refusals.episodes.first, refusal, side="right") - 1

    def _count(self, refusal: Int64) -> Int64:
        """Over episodes: how many of some refusals, repeats included, belong to each."""
        return np.bincount(self._episode_of(refusal), minlength=len(self.refusals.episodes))

    def _in_flight(self) -> Int64:
        """Over episodes: requests begun before the client could know of a refusal and answered after it."""
        rows = np.flatnonzero(~self.inside & ~self.rows.robots & ~self.rows.refusal)
        answered = self.axis[rows] + (self.rows.end - self.rows.t)[rows]
        first = self.refusals.opened(self.axis[rows])
        return self._count(first[np.searchsorted(self.refusals.sent, answered, side="right") > first])

    def _robots_in_wait(self) -> Int64:
        return self._count(self.refusals.opened(self.axis[self.inside & self.rows.robots]) - 1)

    def _same_target_early(self) -> Int64:
        same = same_target_early(self.rows, self.number, self.axis, self.refusals, self.early)
        return self._count(self.begins_wait[self.wait_of_early[same]])

    def _same_target_later(self) -> tuple[Int64, Int64]:
        later, soon = same_target_later(self.rows, self.number, self.axis, self.refusals)
        return self._count(np.flatnonzero(later)), self._count(np.flatnonzero(soon))

    @cached_property
    def fleet(self) -> Fleet:
        """Over episodes: from where it came before, in the waits and after."""
        first, episodes = self.refusals.episodes.first, len(self.refusals.episodes)
        sent, span = self.refusals.sent[first], self._span(self.refusals.wait[first])
        span = np.minimum(span, self.rows.end[self.refusals.row[first]] - self.log_start_us)
        of_refusal = self._episode_of(np.arange(len(self.refusals.row)))
        of_early = self._episode_of(self.begins_wait[self.wait_of_early])
        place, at = self.rows.place[self.pages], self.axis[self.pages]
        strange, placed = elsewhere(
            of_refusal, self.rows.place[self.refusals.row], of_early, self.rows.place[self.early], episodes
        )
        begin = np.searchsorted(at, sent, side="left")
        informed = np.searchsorted(at, sent + self.refusals.grace, side="right")
        return Fleet(
            elsewhere=strange,
            placed=placed,
            before=addresses(place, np.searchsorted(at, sent - span, side="left"), begin),
            after=addresses(place, informed, np.searchsorted(at, sent + self.refusals.grace + span, side="right")),
        )

    @cached_property
    def verdicts(self) -> tuple[Int64, Int64, Mask]:
        """Over waits: the code of the verdict; over episodes: the worst wait; over waits: whether it counts."""
        growing = shapes(self.refusals.sent, self.refusals.episodes, self.limits)[1]
        verdict = judge(self.waits, growing, self.silence, self.limits)
        return verdict, worst(self.waits, verdict), observed(self.waits, verdict)

    def _of_fleet(self) -> dict[str, Any]:
        """Columns about addresses; null where the key is one of them."""
        if self.by == "address":
            return dict.fromkeys(
                ("elsewhere", "addresses_before", "addresses_after", "spread", "rotated"),
                pa.nulls(len(self.refusals.episodes)),
            )
        return {
            "elsewhere": self.fleet.elsewhere,
            "addresses_before": self.fleet.before,
            "addresses_after": self.fleet.after,
            "spread": self.fleet.spread,
            "rotated": self.fleet.rotated(self.limits.rotated_addresses),
        }

    def episodes(self) -> pa.Table:
        """Return the rows of schema CODED."""
        refusals, waits, episodes = self.refusals, self.waits, self.refusals.episodes
        row, address = refusals.row[episodes.first], self.rows.address[refusals.row[episodes.first]]
        shape = shapes(refusals.sent, episodes, self.limits)[0]
        verdict, worst_wait, seen = self.verdicts
        first_wait = waits.per_episode.first
        later, soon = self._same_target_later()
        values: dict[str, Any] = {
            "client": self.rows.client[row],
            "address": pa.array(address, mask=address < 0),
            "t0": self.rows.end[row],
            "t1": self.rows.end[refusals.row[episodes.last]],
            "verdict": [VERDICTS[code] for code in verdict[worst_wait].tolist()],
            "refusals": episodes.size,
            "waits": _sum(seen, first_wait),
            "kept": pa.array(_sum(seen & (waits.early == 0), first_wait), mask=verdict[worst_wait] == UNOBSERVED),
            "asked_s": refusals.wait[episodes.first] / SECOND_US,
            "asked_known": np.logical_and.reduceat(waits.stated, first_wait),
            "early": _sum(waits.early, first_wait),
            "same_target_early": self._same_target_early(),
            "same_target_later": later,
            "same_target_soon": soon,
            "in_flight": self._in_flight(),
            "robots_in_wait": self._robots_in_wait(),
            "first_return_s": _known(self._next_page(episodes.first, refusals.grace) / SECOND_US),
            "pace_before": _known(self.pace_before),
            "pace_in_wait": _known(waits.pace[worst_wait]),
            "ratio": _known(waits.ratio[worst_wait]),
            "pace_after": _known(self.pace_after),
            "shape": shape,
            **self._of_fleet(),
        }
        return pa.table([pa.array(values[f.name]).cast(f.type) for f in CODED], schema=CODED)


def _sum(values: NDArray[Any], first: Int64) -> Int64:
    total: Int64 = np.add.reduceat(values, first, dtype=np.int64)
    return total


def _known(values: Float64) -> pa.Array:
    """NaN and infinity as null."""
    return pa.array(values, mask=~np.isfinite(values))
