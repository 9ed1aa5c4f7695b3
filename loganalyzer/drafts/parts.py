"""Rows that a draft is decided over: who would ask for what, how often, and how that stands before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.drafts.engines import ENGINES
from loganalyzer.drafts.traffic import Traffic

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
NONE = -1


@dataclass(frozen=True)
class Part:
    """Columns of equal length; codes count through Traffic, NONE for what was not logged."""

    policy: Ints  # place among the clients, and behind them the crawlers of ENGINES
    host: Ints
    target: Ints
    requests: Ints
    bytes: Ints


@dataclass(frozen=True)
class Decided:
    """How the rows of a Part stand to one set of files."""

    version: Ints  # index into History.versions; NONE: no file for the host
    line: Ints  # as in robots.verdicts: above 0 forbids
    told: Bools  # false: which file holds cannot be told


@dataclass(frozen=True)
class Changes:
    """How the rows of a Part stand before and after a draft."""

    part: Part
    was: Decided
    will: Decided
    forbidden: Bools  # newly
    allowed: Bools  # newly

    @classmethod
    def of(cls, part: Part, was: Decided, will: Decided) -> "Changes":
        """Compare; a host without a version of the draft keeps the file that it has."""
        told, new = was.told & will.told, np.where(will.version == NONE, was.line, will.line)
        return cls(part, was, will, told & (new > 0) & (was.line <= 0), told & (new <= 0) & (was.line > 0))

    def by_policy(self, rows: Bools) -> dict[int, Ints]:
        """Places of the chosen rows under their policy, in order."""
        places = np.flatnonzero(rows)
        places = places[np.argsort(self.part.policy[places], kind="stable")]
        codes, first = np.unique(self.part.policy[places], return_index=True)
        return dict(zip(codes.tolist(), np.split(places, first[1:]), strict=False))

    @property
    def untold(self) -> Bools:
        """Rows whose file cannot be told, for their host is unknown and several files differ."""
        return ~(self.was.told & self.will.told)


@dataclass(frozen=True)
class Parts:
    """The three sets of rows that matter."""

    clients: Part  # what automated clients asked for
    arrivals: Part  # pages that people came to from an engine, as its crawler would ask for them
    loaded: Part  # what pages need to be shown, as the crawlers of engines would ask for it

    @classmethod
    def of(cls, traffic: Traffic) -> "Parts":
        """Make the rows of a log."""
        behind = len(traffic.policies)
        pairs = traffic.pairs
        client, engine = _codes(pairs["client"]), _codes(traffic.arrivals["engine"])
        clients = Part(client, **_asked(pairs), bytes=_codes(pairs["bytes"]))
        arrivals = Part(engine + behind, **_asked(traffic.arrivals), bytes=np.zeros_like(engine))
        return cls(clients, arrivals, _loaded(traffic, sorted(_in_play(traffic, engine))))

    @property
    def all(self) -> tuple[Part, Part, Part]:
        """The parts in order."""
        return self.clients, self.arrivals, self.loaded


def _in_play(traffic: Traffic, arrived: Ints) -> set[int]:
    """Engines that sent people, or whose crawler came; one for each crawler."""
    seen = {policy.name.casefold() for policy in traffic.policies}
    came = {place for place, engine in enumerate(ENGINES) if engine.tokens[0].casefold() in seen}
    first = {engine.tokens: place for place, engine in reversed(list(enumerate(ENGINES)))}
    return {first[ENGINES[place].tokens] for place in came | set(np.unique(arrived).tolist())}


def _loaded(traffic: Traffic, engines: Sequence[int]) -> Part:
    assets = pc.equal(traffic.kinds.take(traffic.people["target"].combine_chunks()), "asset")
    loaded = traffic.people.filter(assets)
    policy = np.repeat(np.array(engines, np.int64) + len(traffic.policies), loaded.num_rows)
    asked = {name: np.tile(column, len(engines)) for name, column in _asked(loaded).items()}
    return Part(policy, **asked, bytes=np.zeros_like(policy))


def _asked(table: pa.Table) -> dict[str, Ints]:
    """Columns that all parts have."""
    return {name: _codes(table[name]) for name in ("host", "target", "requests")}


def _codes(column: pa.ChunkedArray) -> Ints:
    numbers: Ints = pc.fill_null(column.cast(pa.int64()), NONE).to_numpy().astype(np.int64)
    return numbers
