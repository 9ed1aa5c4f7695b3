"""How far a client can be counted on to keep a new rule, by what it was measured to do under the rules so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loganalyzer.backoff.summary import kept_interval
from loganalyzer.robots import Policy
from loganalyzer.robots.verdicts import EXEMPT_KINDS

Standing = Literal["keeps", "violates", "unknown", "not bound"]
KEEPS_SHARE = 0.01  # of judged requests against robots.txt, up to which it is said to be kept; as in `levers`
INTERVAL = "Wilson, 95 %"


@dataclass(frozen=True, slots=True)
class Weight:
    """The share of newly forbidden requests that will stay away: expected (null: unknown), and its bounds."""

    standing: Standing
    why: str
    expected: float | None
    low: float
    high: float


def weigh(policy: Policy, record: Mapping[str, Any]) -> Weight:
    """The weight of one client, by its row of RECORD.

    A client that knows no rules meets few of them by chance, and by the share of its judged requests would pass for
    nearly honest. So one that was measured to go against robots.txt is not counted on at all, and that share is no more
    than the upper end of what it may save.
    """
    judged, violations, reads = record["judged"], record["violations"], record["reads"]
    if policy.kind in EXEMPT_KINDS:
        return Weight("not bound", f"{policy.kind}: comes at somebody's request, and need not ask", None, 0.0, 1.0)
    interval = kept_interval(judged - violations, judged)
    if interval is None:
        few = f"too few to say: {judged:,} requests while robots.txt forbade it anything"
        return Weight("unknown", few, None, 0.0, 1.0)
    measured = f"{violations:,} of {judged:,} judged requests went against robots.txt"
    if violations > KEEPS_SHARE * judged:
        return Weight("violates", measured, 0.0, 0.0, interval[1])
    if not reads:
        return Weight("unknown", f"{measured}, but it was not seen to read the file", None, 0.0, 1.0)
    return Weight("keeps", measured, (judged - violations) / judged, *interval)
