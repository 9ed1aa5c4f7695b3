"""What every version says to every client about every target, decided once and then looked up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.robots.file import EVERYBODY, Binding, Robots, decide_columns
from loganalyzer.robots.history import History

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Policy:
    """What the replay must know of one client."""

    name: str
    kind: str | None  # as identified: crawler, library, feed-reader, ...
    robots_tokens: tuple[str, ...]  # names to look up in robots.txt, in order, before `*`
    star_binds: bool = True  # false: the operator documents that `*` does not bind it
    automated: bool = True


class Verdicts:
    """Deciding lines by version, client and target.

    A line is positive where its rule forbids, negative where it allows, 0 where no rule matches or no group binds.
    Version -1 (none) says nothing.
    """

    def __init__(self, history: History, policies: Sequence[Policy], targets: pa.Array) -> None:
        """Decide over all targets (a string array without null) once for each version and binding group."""
        shape = (len(history.versions) + 1, len(policies))  # the last row is version -1
        self.has_own_group = np.zeros(shape, np.bool_)
        self._row = np.zeros(shape, np.int64)  # of _lines; 0: nothing binds
        rows = [np.zeros(len(targets) + 1, np.int32)]  # the last column is a null target
        for index, version in enumerate(history.versions):
            own = [version.robots.own_group(policy.robots_tokens) for policy in policies]
            keys = [
                key or (EVERYBODY if policy.star_binds else None) for key, policy in zip(own, policies, strict=True)
            ]
            distinct = sorted({key for key in keys if key is not None})
            places = {key: len(rows) + place for place, key in enumerate(distinct)}
            self.has_own_group[index] = [key is not None for key in own]
            self._row[index] = [0 if key is None else places[key] for key in keys]
            rows += _lines(version.robots, [version.robots.binding(key) for key in distinct], targets)
        self._lines = np.vstack(rows)

    def lines(self, version: Ints, client: Ints, target: Ints) -> Ints:
        """Signed deciding line of each request."""
        return self._lines[self._row[version, client], target].astype(np.int64)


def _lines(robots: Robots, bindings: Sequence[Binding], targets: pa.Array) -> list[NDArray[np.int32]]:
    columns = decide_columns(bindings, targets, robots.profile)
    return [np.append(np.where(allowed, -line, line), 0).astype(np.int32) for allowed, line in columns]
