"""What an actor is: a function told in its docstring what to do, which labels each thing it does.

The docstring goes into truth.json as the actor's instruction. Real product tokens act only as their operators document
that they do; whoever misbehaves has an invented name and a contact under `.example`. Addresses are those set aside for
documentation (RFC 5737, RFC 3849).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from shop import Hit, etag, spread

Hits = Iterator[Hit]
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)
BROWSERS = [
    CHROME,
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.1 Mobile/15E148 Safari/604.1",
]


@dataclass(frozen=True)
class Actor:
    """One visitor: the client that a report ought to name, and how it is seen."""

    client: str
    user_agent: str | None
    addresses: tuple[str, ...]
    robots: str  # class of its requests to pages that nothing closes to it
    act: "Act"
    # What it was told to do about refusals: address -> verdict -> number of episodes.
    verdicts: dict[str, dict[str, int]] = field(default_factory=dict)
    disguised: bool = False

    def hit(self, start: float, target: str, **details: Any) -> Hit:
        """One request of this actor, from its first address unless told otherwise."""
        seen = {"client": self.client, "user_agent": self.user_agent, "robots": self.robots}
        seen |= {"address": self.addresses[0], "accept": "*/*"}
        return Hit(start=start, target=target, **(seen | details))

    def robots_txt(self, start: float, **details: Any) -> Hit:
        """One read of /robots.txt, which is open to everybody."""
        return self.hit(start, "/robots.txt", took=0.001, **({"robots": "allowed"} | details))

    def walk(
        self,
        chance: Random,
        start: float,
        targets: list[str],
        pause: float,
        copies: set[str] | None = None,
        **details: Any,
    ) -> Hits:
        """One request after another, `pause` seconds apart give or take a tenth.

        With `copies`, the pages it holds already, it asks whether they have changed; they have not.
        """
        for target in targets:
            held = {"status": 304, "if_none_match": etag(target)} if target in (copies or ()) else {}
            yield self.hit(start, target, took=spread(chance, 0.004, 0.09), **(held | details))
            if copies is not None:
                copies.add(target)
            start += spread(chance, pause * 0.9, pause * 1.1)


Act = Callable[[Actor, Random], Hits]


class Cast(list[Actor]):
    """The actors of one file."""

    def enter(
        self, client: str, user_agent: str | None, *addresses: str, robots: str = "allowed", **told: Any
    ) -> Callable[[Act], Act]:
        """Enter the decorated function."""

        def enter(act: Act) -> Act:
            self.append(Actor(client, user_agent, addresses, robots, act, **told))
            return act

        return enter


def refused(me: Actor, at: float, target: str, retry_after: str) -> Hit:
    """The answer of the limiter: at once, with the wait it asks for."""
    return me.hit(at, target, status=429, retry_after=retry_after)


def some(chance: Random, pages: list[str], n: int) -> list[str]:
    """`n` pages, some of them twice."""
    return [chance.choice(pages) for _ in range(n)]
