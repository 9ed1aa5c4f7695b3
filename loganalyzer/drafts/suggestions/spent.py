"""What crawlers spend on each target that is open to them, and how many people get it."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.drafts.simulation import Simulation
from loganalyzer.drafts.traffic import Traffic

Ints = NDArray[np.int64]
SUMS = ("requests", "bytes", "redirects", "errors", "repeats")


@dataclass(frozen=True)
class Spent:
    """Columns of equal length, a row for each distinct target that a crawler or a person asked for."""

    targets: pa.Array
    kinds: pa.Array
    requests: Ints  # of clients that robots.txt is meant for, where it allows them
    bytes: Ints
    redirects: Ints
    errors: Ints
    repeats: Ints
    people: Ints  # requests of browsers that got something

    @classmethod
    def of(cls, simulation: Simulation) -> "Spent":
        """Sum up over clients and hosts; targets without a path are left out."""
        traffic: Traffic = simulation.traffic
        pairs = traffic.pairs.filter(pa.array(simulation.open_pairs))
        size = len(traffic.targets)
        sums = {name: _sums(pairs["target"], pairs[name], size) for name in SUMS}
        people = _sums(traffic.people["target"], traffic.people["requests"], size)
        paths = np.array(pc.starts_with(traffic.targets, "/").to_numpy(zero_copy_only=False), np.bool_)
        rows = np.flatnonzero(paths & ((sums["requests"] > 0) | (people > 0)))
        taken = pa.array(rows)
        columns = {name: column[rows] for name, column in (*sums.items(), ("people", people))}
        return cls(traffic.targets.take(taken), traffic.kinds.take(taken), **columns)


def _sums(target: pa.ChunkedArray, numbers: pa.ChunkedArray, size: int) -> Ints:
    codes = pc.fill_null(target.cast(pa.int64()), size).to_numpy()
    return np.bincount(codes, numbers.to_numpy(), size + 1)[:size].astype(np.int64)
