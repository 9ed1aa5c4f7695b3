"""Which robots.txt a request falls under: scheme, host and port (RFC 9309 section 2.3), told by host and target."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.robots.answers import NOT_LOGGED
from loganalyzer.robots.canonical import authority
from loganalyzer.robots.history import AMBIGUOUS, NO_ROBOTS, History
from loganalyzer.robots.hosts import SCHEMES, bare
from loganalyzer.wellknown import ROBOTS_TARGET

Ints = NDArray[np.int64]


class Targets:
    """What is known of each target; the last entry of every array stands for a null target."""

    def __init__(self, targets: pa.Array) -> None:
        """Look at each distinct target once."""
        self.paths = targets.fill_null("/")
        origin_form = pc.starts_with(self.paths, "/")
        robots = pc.match_substring_regex(self.paths, ROBOTS_TARGET)
        self.is_robots_txt = np.append(_numpy(robots), False)
        self.has_path = np.append(_numpy(origin_form) & ~_numpy(targets.is_null()), False)
        self.authorities: dict[int, str] = {}
        for code in np.flatnonzero(~_numpy(origin_form)).tolist():  # the few that name a host, or have no path
            self._absolute(code, self.paths[code].as_py())

    def _absolute(self, code: int, target: str) -> None:
        named = authority(target)
        if named is not None:
            scheme = target.partition(":")[0].lower()
            # Only with a port of its own does the scheme say no more (RFC 9110 section 4.2).
            self.authorities[code] = f"{scheme}://{named}" if scheme in SCHEMES.values() else named
            self.has_path[code] = True


class Scopes:
    """Numbers for hosts, two spellings of one host being one, and the timeline of versions that holds for each."""

    def __init__(self, history: History, hosts: Sequence[str | None], targets: Targets) -> None:
        """Number the hosts of the log and those that absolute-form targets name."""
        self._key = history.key
        self._numbers: dict[str | None, int] = {}
        # The last entry stands for a host that is not logged, for a target that names none.
        self.of_host = np.array([self._number(host) for host in [*hosts, None]], np.int64)
        self.of_target = np.full(len(targets.has_path), NOT_LOGGED, np.int64)
        for code, named in targets.authorities.items():
            self.of_target[code] = self._number(named)
        # Only hosts that the log names: what an absolute target names is not said to be a host of ours.
        self.timelines = np.array([history.scope(host, filter(None, hosts)) for host in self._numbers], np.int64)
        given = {version.host for version in history.versions}
        self.is_given = np.array([host is not None and host in given for host in self._numbers], np.bool_)
        names: dict[str | None, int] = {}
        alone = (None if host is None else bare(host) for host in self._numbers)
        self._name = np.array([names.setdefault(name, len(names)) for name in alone], np.int64)

    def of(self, host: Ints, target: Ints) -> tuple[Ints, Ints]:
        """Scope and timeline of requests by the codes of their host and target.

        An absolute-form target of another authority than the host (an open-proxy probe) is AMBIGUOUS; where no host is
        logged, it is judged by the versions given for the very host that it names. A target that differs in the port
        only knows better than the host, which formats log without it (load balancers).
        """
        scope, named = self.of_host[host], self.of_target[target]
        timeline = self.timelines[scope]
        foreign = (named != NOT_LOGGED) & (named != scope)
        if foreign.any():
            known = foreign & (self.of_host[host] == self.of_host[-1]) & self.is_given[named]
            known |= foreign & (self._name[named] == self._name[scope])
            scope = np.where(known, named, scope)
            timeline = np.where(foreign & ~known & (timeline != NO_ROBOTS), AMBIGUOUS, timeline)
            timeline = np.where(known, self.timelines[named], timeline)
        return scope, timeline

    def _number(self, host: str | None) -> int:
        return self._numbers.setdefault(None if host is None else self._key(host), len(self._numbers))


def _numpy(flags: pa.Array) -> NDArray[np.bool_]:
    return np.array(flags.to_numpy(zero_copy_only=False), np.bool_)
