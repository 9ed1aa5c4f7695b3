"""What a lever is, and the numbers it is chosen by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from loganalyzer.backoff import FEWEST_WAITS, went_on
from loganalyzer.etiquette import Facts, fill
from loganalyzer.etiquette.facts import UNDECLARED

COSTLY_SHARE = 0.05  # of all requests, or of all bytes, from which on a client costs something,
COSTLY_REQUESTS = 1_000  # if it makes so many a day,
COSTLY_BYTES = 100_000_000  # or takes so much
KEEPS_SHARE = 0.01  # of judged requests against robots.txt, up to which it is said to be kept
SLOWS_SHARE = 0.5  # of waits kept, from which on 429 is said to work
FAST_60S = 600  # requests in 60 s
WHOLE = 0.3  # of its bytes, sent again where a 304 would have done, from which on caching is what would help

Numbers = Mapping[str, Any]


class Saving(NamedTuple):
    """What a lever is expected to save, and what that is a share of."""

    requests: int
    bytes: int
    base: str
    requests_between: tuple[int, int] | None = None  # 95 % interval, of the share that weights it; null: too few to say
    bytes_between: tuple[int, int] | None = None


def between(amount: int, shares: tuple[float, float] | None) -> tuple[int, int] | None:
    """An amount times each end of an interval of shares."""
    return None if shares is None else (round(amount * shares[0]), round(amount * shares[1]))


class Reason(NamedTuple):
    """One measured reason to take a lever; `why` is a format string over the numbers."""

    when: Callable[[Numbers], bool]
    why: str


@dataclass(frozen=True)
class Lever:
    """One lever. The mildest with a reason that holds is taken."""

    id: str
    title: str
    reasons: tuple[Reason, ...]
    saving: Callable[[Facts], Saving]
    text: Callable[[Facts], str | None]
    collateral: Callable[[Facts], str | None]


def numbers(facts: Facts) -> dict[str, Any]:
    """Return what reasons look at: counts, shares, and what they were measured to mean."""
    violation_share = facts.violation / facts.judged if facts.judged else 0.0
    kept_share = facts.kept / facts.waits if facts.waits else 0.0
    enough = facts.waits >= FEWEST_WAITS
    slows = enough and (kept_share >= SLOWS_SHARE or facts.worst == "slowed")
    parallel = not slows and "parallel" in facts.patterns
    few_but_loud = not enough and went_on(facts.worst, facts.early)
    violates = violation_share > KEEPS_SHARE
    return {
        "automated": facts.automated,
        "monitor": facts.kind == "monitor",
        "undeclared": facts.client == UNDECLARED,
        "contact": facts.contact
        if facts.kind not in ("library", "tool")
        else None,  # that is its maker, not who runs it
        "request_share": facts.request_share,
        "byte_share": facts.byte_share,
        "costly": _costly(facts),
        "costly_share": COSTLY_SHARE,
        "fast": facts.peak_60s > FAST_60S,
        "peak_60s": facts.peak_60s,
        "judged": facts.judged,
        "violation": facts.violation,
        "conforming": facts.judged - facts.violation,
        "violates": violates,
        "beyond_robots": _beyond_robots(facts, violates=violates),
        "keeps": facts.judged > 0 and violation_share <= KEEPS_SHARE and facts.robots_fetches > 0,
        "fetches": facts.robots_fetches,
        "exempt": facts.is_exempt,
        "blocked_by_name": facts.blocked_by_name,
        "refusals": facts.refusals,
        "waits": facts.waits,
        "kept": facts.kept,
        "early": facts.early,
        "worst": (facts.worst or "").replace("_", " "),
        "assumed": "" if facts.asked_known or not facts.refusals else ", with an assumed wait of 60 s",
        "slows": slows,
        "parallel": parallel,  # workers that each wait look like one client that does not
        "went_on": not parallel and (few_but_loud or (enough and not slows)),
        "disguised": bool(facts.disguised_requests) or facts.verified is False,
        "impersonates": facts.verified is False,  # so that its contact is somebody else's
        "disguised_requests": facts.disguised_requests or 0,
        "disguised_addresses": facts.disguised_addresses,
        "repeats": facts.avoidable_repeats,
        "repeat_megabytes": facts.avoidable_repeat_bytes / 1e6,
        "repeats_whole": facts.avoidable_repeat_bytes >= WHOLE * facts.bytes > 0,
    }


def _costly(facts: Facts) -> bool:
    """A share worth a lever of an amount worth a lever, in its own days."""
    days = max(facts.last_h - facts.first_h, 24.0) / 24
    much = facts.requests >= COSTLY_REQUESTS * days or facts.bytes >= COSTLY_BYTES * days
    return much and max(facts.request_share, facts.byte_share) >= COSTLY_SHARE


def _beyond_robots(facts: Facts, *, violates: bool) -> str:
    """Why a line of robots.txt is not known to work."""
    if facts.is_exempt:
        return "Robots.txt does not bind it"
    if violates:
        return fill("It made {f.violation:,} of {f.judged:judged requests} against robots.txt", {"f": facts})
    if not facts.robots_fetches:
        return "It was not seen to read robots.txt"
    return "Robots.txt is not known to hold it"
