"""What every version says to every client about every target, decided once and then looked up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.robots.file import EVERYBODY, Robots, decide_columns
from loganalyzer.robots.history import DAY_US, History
from loganalyzer.robots.match import Rule

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Clients that follow a person's or the operator's own request: robots.txt is not meant for them.
EXEMPT_KINDS = ("browser", "feed-reader", "monitor", "preview", "user-triggered")


@dataclass(frozen=True)
class Policy:
    """What the replay must know of one client."""

    name: str
    kind: str | None  # as identified: crawler, library, feed-reader, ...
    robots_tokens: tuple[str, ...]  # names to look up in robots.txt, in order, before `*`
    star_binds: bool = True  # false: the operator documents that `*` does not bind it
    automated: bool = True
    copy_us: int = DAY_US  # for how long it may go by a copy of robots.txt: its grace after a change


class Verdicts:
    """Deciding lines by version, client and target.

    A line is positive where its rule forbids, negative where it allows, 0 where no rule matches or no group binds.
    Version -1 (none) says nothing.
    """

    def __init__(self, history: History, policies: Sequence[Policy], targets: pa.Array) -> None:
        """Decide over all targets (a string array without null) once for each version and set of rules."""
        shape = (len(history.versions) + 1, len(policies))  # the last row is version -1
        self.has_own_group = np.zeros(shape, np.bool_)
        self._row = np.zeros(shape, np.int64)  # of _lines; 0: nothing binds
        rows = [np.zeros(len(targets) + 1, np.int32)]  # the last column is a null target
        seen: dict[int, int] = {}
        for index, version in enumerate(history.versions):
            robots = version.robots
            same = seen.setdefault(id(robots), index)
            if same != index:  # a folder of daily copies holds few that differ
                self.has_own_group[index], self._row[index] = self.has_own_group[same], self._row[same]
                continue
            own = [robots.own_group(policy.robots_tokens) for policy in policies]
            self.has_own_group[index] = [key is not None for key in own]
            star = [EVERYBODY if policy.star_binds else None for policy in policies]
            keys = [other if key is None else key for key, other in zip(own, star, strict=True)]
            bindings = {key: robots.binding(key) for key in dict.fromkeys(keys) if key is not None}
            # Many names share the rules of one group: one object, decided once.
            distinct = {id(binding.rules): binding.rules for binding in bindings.values() if binding.rules}
            places = {identity: len(rows) + place for place, identity in enumerate(distinct)}
            place_of = {key: places.get(id(binding.rules), 0) for key, binding in bindings.items()}
            self._row[index] = [0 if key is None else place_of[key] for key in keys]
            rows += _lines(robots, list(distinct.values()), targets)
        self._lines = np.vstack(rows)

    @property
    def ever_forbidden(self) -> Bools:
        """For each target (the last stands for a null one) whether any rules of any version forbid it."""
        return np.asarray((self._lines > 0).any(axis=0))

    def lines(self, version: Ints, client: Ints, target: Ints) -> Ints:
        """Signed deciding line of each request."""
        return self._lines[self._row[version, client], target].astype(np.int64)


def _lines(robots: Robots, rulesets: Sequence[tuple[Rule, ...]], targets: pa.Array) -> list[NDArray[np.int32]]:
    columns = decide_columns(rulesets, targets, robots.profile)
    return [np.append(np.where(allowed, -line, line), 0).astype(np.int32) for allowed, line in columns]
