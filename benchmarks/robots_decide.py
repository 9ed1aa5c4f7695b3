"""Measures `Robots.decide_many` beside Protego, and star patterns by length: prints verdicts a second and ratios.

Both parse once and then decide the same distinct paths by the same rules (two thirds plain or ended by `$`, a third
with wildcards); several rounds each, the best counts. Protego comes with the extra `test`.
"""

import random
import time
from collections.abc import Callable

import pyarrow as pa
from protego import Protego  # type: ignore[import-untyped]  # ships no types

from loganalyzer.robots import parse

RULES, PATHS, ROUNDS, PEER_ROUNDS = 300, 100_000, 5, 2
WORDS = (
    *("shop", "cart", "item", "search", "user", "login", "page", "tag", "archive", "feed"),
    *("media", "photo", "news", "blog", "forum", "thread", "print", "old"),
)


def rule(chance: random.Random) -> str:
    """One Allow or Disallow line."""
    path = "/" + "/".join(chance.choices(WORDS, k=chance.randint(1, 3))) + f"/{chance.randint(0, 400)}"
    form = chance.choice([path, path, path + "$", path + "/", f"/*{path}", f"{path}*{chance.choice(WORDS)}=*$"])
    return f"{chance.choice(['Disallow', 'Disallow', 'Allow'])}: {form}"


def paths(chance: random.Random) -> list[str]:
    """Distinct request targets."""
    found: set[str] = set()
    while len(found) < PATHS:
        stem = "/" + "/".join(chance.choices(WORDS, k=chance.randint(1, 4)))
        found.add(f"{stem}/{chance.randint(0, 99_999)}" + chance.choice(["", "/", ".html", f"?{'shop'}=1&page=2"]))
    return sorted(found)


def best(rounds: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest round."""
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def beside_protego() -> None:
    """Print verdicts a second of both, and whether they agree."""
    chance = random.Random(9309)
    text = "User-agent: *\n" + "\n".join(rule(chance) for _ in range(RULES)) + "\n"
    targets = paths(chance)
    array, ours, theirs = pa.array(targets), parse(text), Protego.parse(text)
    mine = best(ROUNDS, lambda: ours.decide_many("anybot", array))
    peer = best(PEER_ROUNDS, lambda: [theirs.can_fetch(target, "anybot") for target in targets])
    verdicts = ours.decide_many("anybot", array)["allowed"].to_pylist()
    same = sum(theirs.can_fetch(t, "anybot") == verdict for t, verdict in zip(targets, verdicts, strict=True))
    print(f"{RULES} rules, {PATHS:,} distinct paths, {same:,} verdicts alike")
    print(
        f"verdicts a second: decide_many {PATHS / mine:,.0f}, Protego {PATHS / peer:,.0f}; "
        f"{peer / mine:.0f} times as many"
    )


def stars() -> None:
    """Print how the time for `/*a*a*a...b$` grows with the target: twice the length, twice the time."""
    robots = parse("User-agent: *\nDisallow: /" + "*a" * 40 + "*b$\n")
    lengths = (8_000, 16_000, 32_000, 64_000)
    seconds = [best(ROUNDS, lambda n=n: robots.decide("anybot", "/" + "a" * n)) for n in lengths]  # type: ignore[misc]  # lambda's default
    print("star pattern, seconds by octets of target, as times the first:", end=" ")
    print(", ".join(f"{n:,}: {s / seconds[0]:.1f}" for n, s in zip(lengths, seconds, strict=True)))


if __name__ == "__main__":
    beside_protego()
    stars()
