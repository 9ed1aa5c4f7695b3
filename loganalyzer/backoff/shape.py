"""The gaps between the refusals of an episode: a client that backs off by itself leaves growing ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from loganalyzer.backoff.rows import Mask
from loganalyzer.backoff.thresholds import Thresholds
from loganalyzer.groups import Groups, Int64


def shapes(sent: Int64, episodes: Groups, limits: Thresholds) -> tuple[pa.Array, Mask]:
    """Return growing, constant, irregular or null (too few gaps) for each episode, and which are growing.

    `sent` is sorted. Growing: two thirds of the gaps are at least 1.5 times the one before (exponential back-off with
    jitter doubles on average). Constant: the longest is at most 1.5 times the shortest.
    """
    gap = np.diff(sent, prepend=sent[:1])
    grows = (gap[1:] >= limits.growth * gap[:-1]) & (gap[1:] > 0)
    grows = np.concatenate([[False], grows])
    # The first refusal of an episode has no gap, the second none before it to compare with.
    grows[episodes.first] = False
    grows[(episodes.first + 1)[episodes.size > 1]] = False
    share = np.add.reduceat(grows, episodes.first, dtype=np.int64) / np.maximum(episodes.size - 2, 1)
    enough = episodes.size > limits.growth_gaps
    growing: Mask = enough & (share >= limits.growth_share)

    inner = np.ones(len(sent), dtype=bool)
    inner[episodes.first] = False
    longest = np.maximum.reduceat(np.where(inner, gap, 0), episodes.first)
    shortest = np.minimum.reduceat(np.where(inner, gap, np.iinfo(np.int64).max), episodes.first)
    name = np.where(growing, "growing", np.where(longest <= limits.growth * shortest, "constant", "irregular"))
    return pa.array(name.tolist(), pa.string(), mask=~enough), growing
