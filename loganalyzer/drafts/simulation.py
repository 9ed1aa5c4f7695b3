"""What one draft of robots.txt would change, told beforehand on recorded traffic.

A Simulation is prepared once for a log and the robots.txt in force, and then asked for any number of drafts: each is
decided over the distinct targets, and the requests behind them are sums that stand ready.
"""

from functools import cached_property

import numpy as np
import pyarrow as pa

from loganalyzer.drafts.breaks import breaks
from loganalyzer.drafts.effect import Effect, effect
from loganalyzer.drafts.engines import ENGINES
from loganalyzer.drafts.parts import NONE, Bools, Changes, Decided, Ints, Part, Parts
from loganalyzer.drafts.traffic import Traffic
from loganalyzer.drafts.weight import Weight, weigh
from loganalyzer.robots import History
from loganalyzer.robots.history import AMBIGUOUS
from loganalyzer.robots.scope import Scopes, Targets
from loganalyzer.robots.verdicts import EXEMPT_KINDS, Verdicts


class Simulation:
    """A log and the robots.txt in force, ready to be asked what a draft would change."""

    def __init__(self, traffic: Traffic, now: History) -> None:
        """Decide over the log by the newest version for each host; without a version everything is allowed."""
        self.traffic = traffic
        self.now = now
        self._policies = (*traffic.policies, *(engine.policy for engine in ENGINES))
        self._parts = Parts.of(traffic)
        used = np.unique(np.concatenate([part.target for part in self._parts.all]))
        self._used = used[used >= 0]  # people's other targets are no matter of robots.txt
        self._targets = Targets(traffic.targets.take(pa.array(self._used)))
        self._now = self._decided(now)

    @cached_property
    def weights(self) -> tuple[Weight, ...]:
        """How far each client can be counted on, by client code."""
        rows = self.traffic.record.to_pylist()
        return tuple(weigh(policy, row) for policy, row in zip(self.traffic.policies, rows, strict=True))

    @property
    def open_pairs(self) -> Bools:
        """Which rows of `traffic.pairs` the files in force allow, to clients that robots.txt is meant for."""
        bound = np.array([policy.kind not in EXEMPT_KINDS for policy in self.traffic.policies], np.bool_)
        return (self._now[0].line <= 0) & bound[self._parts.clients.policy]

    def effect(self, draft: History) -> Effect:
        """What changes where the versions of `draft` come into force, each for its hosts, in place of those now.

        Hosts that no version of `draft` is for keep the file that they have.
        """
        rows = zip(self._parts.all, self._now, self._decided(draft), strict=True)
        clients, arrivals, loaded = (Changes.of(part, was, will) for part, was, will in rows)
        broken = breaks(self.traffic, clients, arrivals, loaded, self.now, draft)
        return effect(self.traffic, self.weights, clients, draft, broken)

    def _decided(self, history: History) -> list[Decided]:
        verdicts = Verdicts(history, self._policies, self._targets.paths)
        scopes = Scopes(history, self.traffic.hosts, self._targets)
        # One more at the end, where the timeline -1 or -2 (none) finds it.
        newest = np.array([line.first + len(line.starts) - 1 for line in history.timelines] + [NONE, NONE], np.int64)
        return [self._decide(part, verdicts, scopes, newest) for part in self._parts.all]

    def _decide(self, part: Part, verdicts: Verdicts, scopes: Scopes, newest: Ints) -> Decided:
        target = np.where(part.target < 0, NONE, np.searchsorted(self._used, part.target))
        _, timeline = scopes.of(part.host, target)
        version = newest[timeline]
        open_to_all = ~self._targets.has_path[target] | self._targets.is_robots_txt[target]
        line = np.where(open_to_all, 0, verdicts.lines(version, part.policy, target))
        return Decided(version, line, timeline != AMBIGUOUS)
