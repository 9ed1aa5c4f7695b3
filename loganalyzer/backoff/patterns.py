"""What kind of reaction it was, beside the verdict: parallel workers, a fleet, one that drops what it was refused.

A verdict says whether the key kept its waits; these say what to make of it. To add one, declare one `Pattern`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from loganalyzer.backoff.summary import FEWEST_WAITS, IGNORING, Summary, by_worker
from loganalyzer.backoff.thresholds import Thresholds
from loganalyzer.document.client import BackoffDocument, PatternDocument, SensitivityDocument

Numbers = Mapping[str, Any]
MOSTLY = 0.5  # of refusals, early requests or episodes


class Pattern(NamedTuple):
    """One kind of reaction; `when` sees the numbers that `sentence` may name."""

    id: str
    when: Callable[[Numbers], bool]
    sentence: str


PATTERNS = (
    Pattern(
        "fleet",
        lambda n: n["spread"] > 0 and n["spread"] >= MOSTLY * n["token_broken"],
        "A fleet: after {spread:,} of {token_episodes:,} episodes at least half of what came early came from addresses "
        "that had not been refused; a limit by address does not reach it.",
    ),
    Pattern(
        "rotates",
        lambda n: n["rotated"] > 0,
        "After {rotated:,} of {token_episodes:,} episodes it came from at least twice as many addresses as before.",
    ),
    Pattern(
        "parallel",
        lambda n: n["by_worker"],
        "Parallel workers that each wait: none of {early:,} early requests repeats a refused target, and {soon:,} of "
        "{refusals:,} refused targets were asked for again as soon as their wait was over.",
    ),
    Pattern(
        "drops",
        lambda n: n["broke"] and n["same_early"] == 0 and n["later"] == 0,
        "It drops what it was refused: {early:,} early requests for other targets, and none of {refusals:,} refused "
        "targets was asked for again in this log.",
    ),
    Pattern(
        "repeats",
        lambda n: n["broke"] and n["same_early"] >= MOSTLY * n["early"],
        "It repeats what it was refused: {same_early:,} of {early:,} early requests are for a refused target.",
    ),
    Pattern(
        "backs-off-by-itself",
        lambda n: n["growing"] >= MOSTLY * n["episodes"] and n["growing"] > 0,
        "Its own growing pauses: in {growing:,} of {episodes:,} episodes the gaps between refusals grow.",
    ),
    Pattern(
        "resumes-slower",
        lambda n: n["resumes"] >= FEWEST_WAITS and n["ratio"] <= n["slower"],
        "It came back slower: {ratio:.2f} times its pace before (median of {resumes:,} episodes).",
    ),
    Pattern(
        "resumes-faster",
        lambda n: n["resumes"] >= FEWEST_WAITS and n["ratio"] >= n["faster"],
        "It came back faster: {ratio:.2f} times its pace before (median of {resumes:,} episodes).",
    ),
)
SLOWER, FASTER = 0.75, 1.5


def hangs_on_assumption(backoff: BackoffDocument) -> SensitivityDocument | None:
    """The longest wait, shorter than the assumed one, by which the client would not have ignored it; null for none.

    Where Retry-After is not stated, or not logged, who kept the few seconds that it was asked for seems to ignore 60.
    """
    if backoff["worst"] not in IGNORING:
        return None
    limits = Thresholds()
    least = limits.shortest_s("address" if backoff["headline"] == "address" else "token")
    milder = [
        row
        for row in backoff["sensitivity"]
        if row["threshold"] == "assumed_wait_s" and least < row["value"] < limits.assumed_wait_s
        if row["worst"] not in IGNORING or row["by_worker"]
    ]
    return max(milder, key=lambda row: row["value"], default=None)


def ignores(backoff: BackoffDocument) -> bool:
    """Whether the client was measured to ignore a wait, whatever is assumed of it; workers that each wait do not."""
    return backoff["worst"] in IGNORING and not waits_by_worker(backoff) and hangs_on_assumption(backoff) is None


def waits_by_worker(backoff: BackoffDocument) -> bool:
    """Whether the client is workers that each wait: together they look like one that does not."""
    return any(found["pattern"] == "parallel" for found in backoff["patterns"])


def patterns(headline: Summary, token: Summary) -> list[PatternDocument]:
    """Name what applies to one client; `token` is its summary by token, where alone a fleet can be seen."""
    numbers = {
        "refusals": headline.refusals,
        "episodes": headline.episodes,
        "early": headline.early,
        "same_early": headline.same_target_early,
        "later": headline.same_target_later,
        "soon": headline.same_target_soon,
        "by_worker": by_worker(
            headline.refusals, headline.early, headline.same_target_early, headline.same_target_soon
        ),
        "broke": headline.early > 0 and headline.waits >= FEWEST_WAITS,
        "growing": headline.growing,
        "resumes": headline.resumes,
        "ratio": headline.resume_ratio,
        "slower": SLOWER,
        "faster": FASTER,
        "spread": token.spread,
        "rotated": token.rotated,
        "token_episodes": token.episodes,
        "token_broken": token.broken_episodes,
    }
    return [{"pattern": p.id, "sentence": p.sentence.format(**numbers)} for p in PATTERNS if p.when(numbers)]
