"""One client's episodes in one line: how many waits it kept, with the interval that so few or so many allow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from loganalyzer.backoff.verdict import VERDICTS
from loganalyzer.document.client import VerdictsDocument

FEWEST_WAITS = 3  # below, kept of waits says nothing about a client
ENOUGH_EARLY = 20  # early requests that say that it went on, however few waits they broke
IGNORING = ("ignored", "escalated")
Z_95 = 1.959964  # normal quantile of a two-sided 95 % interval


@dataclass(frozen=True)
class Summary:
    """What one client did after its refusals, by one of the two keys."""

    refusals: int
    verdicts: VerdictsDocument  # episodes by verdict, every verdict present
    verdict: str  # "honoured 41 of 41", "ignored 3 of 44", "too few to say (2)", "never refused"
    worst: str | None
    waits: int
    kept: int
    kept_interval: tuple[float, float] | None  # null below FEWEST_WAITS
    too_short: int  # waits that nothing can be seen to break; not among `waits`
    asked_known: bool | None  # false: at least one wait was assumed; null: never refused
    asked_s: float | None  # median of the episodes
    first_return_s: float | None  # median of the episodes after which it came back
    early: int
    same_target_early: int
    same_target_later: int  # refusals whose target was asked for again once the wait was over
    same_target_soon: int  # of these, soon after
    episodes: int
    broken_episodes: int  # with an early request
    growing: int  # episodes with growing gaps
    spread: int  # episodes; by token alone
    rotated: int
    resumes: int  # episodes whose pace before and after are both known
    resume_ratio: float | None  # median of pace after / pace before over them


def went_on(worst: str | None, early: int) -> bool:
    """Whether a client went straight on: so many early requests say so, though each refusal renews the one wait."""
    return early >= ENOUGH_EARLY and worst in IGNORING


def by_worker(refusals: Any, early: Any, same_early: Any, soon: Any) -> Any:
    """Whether it is workers that each wait, of one client or of arrays of them.

    None of the early requests repeats a refused target, and at least half of these were asked for again soon after.
    """
    return (early > 0) & (same_early == 0) & (soon >= FEWEST_WAITS) & (2 * soon >= refusals)


def kept_interval(kept: int, waits: int) -> tuple[float, float] | None:
    """Return the 95 % interval of the share of waits kept, None for fewer than three waits."""
    return wilson(kept, waits) if waits >= FEWEST_WAITS else None


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; `whole` is at least 1.

    Wilson's, because the plain one says "100 %, exactly" of three waits kept out of three.
    """
    share, z2 = part / whole, Z_95 * Z_95
    centre = (share + z2 / (2 * whole)) / (1 + z2 / whole)
    half = Z_95 * math.sqrt(share * (1 - share) / whole + z2 / (4 * whole * whole)) / (1 + z2 / whole)
    # The share lies in its interval, whatever the last bit of the square root.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def verdict_counts(episodes: Iterable[Mapping[str, Any]]) -> VerdictsDocument:
    """Return the number of episodes by verdict, every verdict present."""
    counts = Counter(row["verdict"] for row in episodes)
    return {
        "honoured": counts["honoured"],
        "slowed": counts["slowed"],
        "ignored": counts["ignored"],
        "escalated": counts["escalated"],
        "gave_up": counts["gave_up"],
        "unobserved": counts["unobserved"],
    }


def summarise(rows: Sequence[Mapping[str, Any]], shortest_s: float = 0.0) -> Summary:
    """Sum up the episodes (rows of schema EPISODE) of one client by one key.

    A wait that the log cuts off is neither kept nor broken: its episode has null in `kept` and counts in no share. Nor
    does one of at most `shortest_s`, in which no request can be early.
    """
    seen = [row for row in rows if row["kept"] is not None]
    judged = [row for row in seen if row["early"] or row["asked_s"] > shortest_s]
    too_short = sum(row["waits"] for row in seen) - sum(row["waits"] for row in judged)
    waits, kept = sum(row["waits"] for row in judged), sum(row["kept"] for row in judged)
    broken = Counter[str]()
    for row in judged:
        broken[row["verdict"]] += row["waits"] - row["kept"]
    returns = [row["first_return_s"] for row in rows if row["first_return_s"] is not None]
    ratios = [
        row["pace_after"] / row["pace_before"] for row in rows if row["pace_after"] is not None and row["pace_before"]
    ]
    asked_known = all(row["asked_known"] for row in rows) if rows else None
    worst = max((row["verdict"] for row in rows), key=VERDICTS.index, default=None)
    return Summary(
        refusals=sum(row["refusals"] for row in rows),
        verdicts=verdict_counts(rows),
        verdict=_words(worst, verdict_counts(rows)["honoured"], broken, waits, asked_known)
        if waits or not too_short
        else f"waits too short to see ({too_short})",
        worst=worst,
        waits=waits,
        kept=kept,
        kept_interval=kept_interval(kept, waits),
        too_short=too_short,
        asked_known=asked_known,
        asked_s=median(row["asked_s"] for row in rows) if rows else None,
        first_return_s=median(returns) if returns else None,
        early=sum(row["early"] for row in rows),
        same_target_early=sum(row["same_target_early"] for row in rows),
        same_target_later=sum(row["same_target_later"] for row in rows),
        same_target_soon=sum(row["same_target_soon"] for row in rows),
        episodes=len(rows),
        broken_episodes=sum(row["early"] > 0 for row in rows),
        growing=sum(row["shape"] == "growing" for row in rows),
        spread=sum(bool(row["spread"]) for row in rows),
        rotated=sum(bool(row["rotated"]) for row in rows),
        resumes=len(ratios),
        resume_ratio=median(ratios) if ratios else None,
    )


def _words(worst: str | None, honoured: int, broken: Mapping[str, int], waits: int, asked_known: bool | None) -> str:
    """The worst verdict with the waits it is about: those broken in its episodes, or, where none was, those kept."""
    if worst is None:
        return "never refused"
    if worst == "gave_up" and honoured:
        worst = "honoured"  # giving up at last is no worse than having waited
    about = broken[worst] if any(broken.values()) else waits
    said = f"{worst.replace('_', ' ')} {about} of {waits}" if waits >= FEWEST_WAITS else f"too few to say ({waits})"
    return said if asked_known else f"{said}, with an assumed wait"
