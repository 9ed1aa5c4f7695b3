"""One client's episodes in one line: how many waits it kept, with the interval that so few or so many allow."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median

import pyarrow as pa

from loganalyzer.backoff.verdict import VERDICTS

FEWEST_WAITS = 3  # below, kept of waits says nothing about a client
Z_95 = 1.959964  # normal quantile of a two-sided 95 % interval
COUNTED = ("honoured", "slowed", "ignored", "escalated", "gave_up", "unobserved")  # as VerdictsDocument has them


@dataclass(frozen=True)
class Summary:
    """What one client did after its refusals, by one of the two keys."""

    refusals: int
    verdicts: dict[str, int]  # episodes by verdict, every verdict present
    verdict: str  # "honoured 41 of 44", "too few to say (2)", "never refused"
    worst: str | None
    waits: int
    kept: int
    kept_interval: tuple[float, float] | None  # null below FEWEST_WAITS
    asked_known: bool | None  # false: at least one wait was assumed; null: never refused
    asked_s: float | None  # median of the episodes
    first_return_s: float | None  # median of the episodes after which it came back
    same_target_early: int


def kept_interval(kept: int, waits: int) -> tuple[float, float] | None:
    """Return Wilson's 95 % interval of the share of waits kept, None for fewer than three waits.

    Wilson's, because the plain one says "100 %, exactly" of three waits kept out of three.
    """
    if waits < FEWEST_WAITS:
        return None
    share, z2 = kept / waits, Z_95 * Z_95
    centre = (share + z2 / (2 * waits)) / (1 + z2 / waits)
    half = Z_95 * math.sqrt(share * (1 - share) / waits + z2 / (4 * waits * waits)) / (1 + z2 / waits)
    # The share lies in its interval, whatever the last bit of the square root.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def verdict_counts(episodes: pa.Table) -> dict[str, int]:
    """Return the number of episodes by verdict, every verdict present."""
    counts = Counter(episodes["verdict"].to_pylist())
    return {verdict: counts[verdict] for verdict in COUNTED}


def summarise(episodes: pa.Table) -> Summary:
    """Sum up the episodes (schema EPISODE) of one client by one key.

    A wait that the log cuts off is neither kept nor broken: its episode has null in `kept` and counts in no share.
    """
    rows = episodes.to_pylist()
    judged = [row for row in rows if row["kept"] is not None]
    waits, kept = sum(row["waits"] for row in judged), sum(row["kept"] for row in judged)
    returns = [row["first_return_s"] for row in rows if row["first_return_s"] is not None]
    asked_known = all(row["asked_known"] for row in rows) if rows else None
    return Summary(
        refusals=sum(row["refusals"] for row in rows),
        verdicts=verdict_counts(episodes),
        verdict=_words(len(rows), kept, waits, asked_known),
        worst=max((row["verdict"] for row in rows), key=VERDICTS.index, default=None),
        waits=waits,
        kept=kept,
        kept_interval=kept_interval(kept, waits),
        asked_known=asked_known,
        asked_s=median(row["asked_s"] for row in rows) if rows else None,
        first_return_s=median(returns) if returns else None,
        same_target_early=sum(row["same_target_early"] for row in rows),
    )


def _words(episodes: int, kept: int, waits: int, asked_known: bool | None) -> str:
    if not episodes:
        return "never refused"
    said = f"honoured {kept} of {waits}" if waits >= FEWEST_WAITS else f"too few to say ({waits})"
    return said if asked_known else f"{said}, with an assumed wait"
