"""The three things that can be said of one address of one client."""

from typing import NamedTuple

VERIFIED, REFUTED, UNKNOWN = "verified", "refuted", "unknown"
VERDICTS = (VERIFIED, REFUTED, UNKNOWN)


class Verdict(NamedTuple):
    """What was found, and the way it was found: "range list of 2026-11-01", "reverse DNS"; of unknown, why."""

    verdict: str
    way: str
