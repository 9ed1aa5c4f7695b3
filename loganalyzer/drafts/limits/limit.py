"""One rate limit, in nginx's terms: the leaky bucket that the others are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from loganalyzer.rates import thousandths

Key = Literal["token", "address", "network"]
KEYS: tuple[Key, ...] = ("token", "address", "network")
DELAY_ALL = 0
HIGHEST_RATE, HIGHEST_BURST = 10_000_000, 1_000_000  # thousandths a second; requests
LONGEST_RETRY_S = 3600


@dataclass(frozen=True)
class Limit:
    """A rate with a burst, counted by a key.

    `at_once` is nginx's `delay=`: how much of the burst is served at once, the rest being held back to the rate;
    null is `nodelay`, 0 what nginx does where neither is written.

    Raises:
        ValueError: nginx would not read it, or it is none.
    """

    rate: str  # as nginx writes it: 1r/s, 30r/m
    burst: int = 0
    at_once: int | None = None
    key: Key = "token"

    def __post_init__(self) -> None:
        if not 0 < thousandths(self.rate) <= HIGHEST_RATE:
            raise ValueError(f"{self.rate} is beyond 10000r/s")
        if not 0 <= self.burst <= HIGHEST_BURST:
            raise ValueError(f"a burst is a number from 0 to {HIGHEST_BURST:,}")
        if self.at_once is not None and not 0 <= self.at_once <= self.burst:
            raise ValueError("a delay lies between 0 and the burst: so many are served before the others wait")
        if self.key not in KEYS:
            raise ValueError(f"a limit counts by {', '.join(KEYS)}; {self.key!r} is none")

    @property
    def per_second(self) -> float:
        """Requests per second, as nginx keeps them."""
        return thousandths(self.rate) / 1000

    @property
    def retry_after_s(self) -> int:
        """After so many seconds without a request the bucket is empty, and the whole burst free again."""
        return min(max(math.ceil((self.burst + 1) / self.per_second), 1), LONGEST_RETRY_S)

    @property
    def window(self) -> tuple[int, int]:
        """Seconds, and requests in them, for servers that count in windows: about the same limit.

        At least one request of the rate fits in it. A window admits its whole number at its beginning, so that this
        lets through no less than the bucket does.
        """
        seconds = 10 if self.per_second >= 1 else 60
        return seconds, max(int(self.per_second * seconds), 1) + self.burst

    @property
    def words(self) -> str:
        """The limit in words, as it is written in comments."""
        served = {None: "nodelay", 0: "the burst delayed"}.get(self.at_once, f"delay={self.at_once}")
        return f"{self.rate} with burst {self.burst} ({served}), counted by {self.key}"
