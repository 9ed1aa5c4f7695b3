"""From early requests and paces to a verdict for each wait; the worst wait is the verdict of its episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loganalyzer.backoff.rows import Mask
from loganalyzer.backoff.thresholds import SECOND_US, Thresholds, micro
from loganalyzer.groups import Groups, Int64

Float64 = NDArray[np.float64]

# Best to worst; a code is a place in this order.
VERDICTS = ("unobserved", "honoured", "gave_up", "slowed", "ignored", "escalated")
UNOBSERVED, HONOURED, GAVE_UP, SLOWED, IGNORED, ESCALATED = range(len(VERDICTS))


@dataclass(frozen=True)
class Waits:
    """What happened in each wait, as arrays of one length, in order of episode and time."""

    episode: Int64
    early: Int64  # requests
    pace: Float64  # early requests per second; NaN where no wait was asked for
    ratio: Float64  # of that to the pace before; NaN where unknown or nothing was early
    stated: Mask

    @property
    def per_episode(self) -> Groups:
        """One group for each episode; there is no episode without a wait."""
        return Groups.of(self.episode)


@dataclass(frozen=True)
class Silence:
    """What followed the last refusal of each episode, in microseconds from when it was sent."""

    next_us: Float64  # to the next request; infinite if none came
    watched_us: Int64  # to the end of the log
    deadline_us: Int64  # to the latest instant that the episode asked to wait for
    wait_us: Int64  # what the last refusal asked for


def pace_in_wait(early: Int64, span: Int64, wait: Int64, limits: Thresholds) -> Float64:
    """Return early requests per second, each wait by itself.

    Taken up to the last early request (`span`, microseconds), so that a client that hammered and then left is not
    diluted; over a third of the wait at least, so that one straggler right after the refusal is no pace.
    """
    over = np.maximum(span, wait * limits.floor_share)
    pace: Float64 = np.where(over > 0, early * SECOND_US / np.where(over > 0, over, 1), np.nan)
    return pace


def judge(waits: Waits, growing: Mask, silence: Silence, limits: Thresholds) -> Int64:
    """Return the code of VERDICTS of each wait; `growing` and `silence` are those of the episodes."""
    backs_off = growing[waits.episode] & ~waits.stated
    verdict = np.select(
        [
            waits.early == 0,
            (waits.ratio >= limits.escalated_ratio) & (waits.early >= limits.escalated_requests),
            (waits.ratio <= limits.slow_ratio) | backs_off,
        ],
        [HONOURED, ESCALATED, SLOWED],
        default=IGNORED,
    )
    last = waits.per_episode.last
    verdict[last] = np.where(waits.early[last] == 0, _quiet(silence, limits), verdict[last])
    return verdict.astype(np.int64)


def _quiet(silence: Silence, limits: Thresholds) -> Int64:
    """The verdict where nothing came early in the last wait."""
    long = np.maximum(micro(limits.silence_least_s), limits.silence_waits * silence.wait_us)
    never = np.isinf(silence.next_us)
    return np.select(
        [(silence.next_us > long) & (silence.watched_us >= long), never & (silence.watched_us < silence.deadline_us)],
        [GAVE_UP, UNOBSERVED],
        default=HONOURED,
    )


def worst(waits: Waits, verdict: Int64) -> Int64:
    """Return, for each episode, the wait with its worst verdict; of several the one with the highest ratio."""
    order = np.lexsort((np.nan_to_num(waits.ratio, nan=-1.0), verdict, waits.episode))
    return order[waits.per_episode.last]


def observed(waits: Waits, verdict: Int64) -> Mask:
    """Return the waits to count: a last one that the log cuts off is not, unless the episode has no other."""
    groups = waits.per_episode
    seen: Mask = verdict != UNOBSERVED
    seen[groups.first] |= groups.size == 1
    return seen
