"""Replays a log against the robots.txt that was in force: one class for every request, and fair in time.

A client is judged by what it could have read. Versions decide once over the distinct targets; requests look up.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loganalyzer.robots.answers import NO_ANSWER, REFUSED, SERVED, UNREACHABLE, Answers, codes
from loganalyzer.robots.history import AMBIGUOUS, DAY_US, NO_ROBOTS, History
from loganalyzer.robots.scope import Scopes, Targets
from loganalyzer.robots.verdicts import EXEMPT_KINDS, Policy, Verdicts
from loganalyzer.schema import DECISION

# What can become of a request: class and reason. The code of each is its place.
OUTCOMES: tuple[tuple[str, str | None], ...] = (
    ("allowed", None),
    ("violation", None),
    ("grace", None),
    *(("exempt", f"kind:{kind}") for kind in EXEMPT_KINDS),
    ("exempt", "star-does-not-bind"),
    ("unjudged", "no-token"),  # undeclared clients
    ("unjudged", "no-robots"),  # none given for that host, or none yet in force
    ("unjudged", "scope"),  # host unknown where several differ; target of another authority
    ("unjudged", "no-path"),  # `*`, CONNECT, not HTTP
    ("unjudged", "unreachable"),  # /robots.txt was answered 5xx or 429
    ("unjudged", "refused"),  # /robots.txt was refused to this client: our server kept from it what it is held to
)
CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}
ALLOWED, VIOLATION, GRACE = (CODE[name, None] for name in ("allowed", "violation", "grace"))
_TEXTS = [pa.array(texts, pa.string()).dictionary_encode() for texts in zip(*OUTCOMES, strict=True)]
NONE = -1

# Requests of one client by a copy of robots.txt that was older than a day.
STALE = pa.schema([("client", pa.int32()), ("requests", pa.int64()), ("oldest_us", pa.int64())])

Ints = NDArray[np.int64]


class Case(NamedTuple):
    """How each request stands, before the order of the classes is applied."""

    version: Ints  # now in force for it; -1: none
    line: Ints  # signed deciding line of that version
    exempt: Ints  # outcome or NONE
    unjudged: Ints  # outcome or NONE
    judged: Ints  # ALLOWED, VIOLATION or GRACE


class LastAnswers(NamedTuple):
    """Row of the last answer to /robots.txt that the client of each request got before; or NONE."""

    any: Ints  # at most a day before
    read: Ints  # the last that gave it the file, or the word that its copy still holds; at most its grace before


class Requests(NamedTuple):
    """Columns of a table of requests, whole clients in (client, t, id) order; -1 for null."""

    client: Ints
    t: Ints
    status: Ints
    target: Ints
    host: Ints


def kernel(
    policies: Sequence[Policy],
    history: History,
    targets: Sequence[str | None] | pa.Array,
    hosts: Sequence[str | None],
    answers: pa.Table,
) -> "Replay":
    """Make the function that classes requests.

    Args:
        policies: the client of each code.
        history: the versions that the operator gives.
        targets: the request target of each code.
        hosts: the host of each code.
        answers: every answer to /robots.txt in the log, rows as in `answers.ANSWER`.
    """
    return Replay(policies, history, targets, hosts, answers)


class Replay:
    """Classes requests, whole clients at a time."""

    def __init__(
        self,
        policies: Sequence[Policy],
        history: History,
        targets: Sequence[str | None] | pa.Array,
        hosts: Sequence[str | None],
        answers: pa.Table,
    ) -> None:
        """Decide what can be decided once, see `kernel`."""
        self._history = history
        self.targets = Targets(pa.array(targets, pa.string()))
        self.scopes = Scopes(history, hosts, self.targets)
        self.verdicts = Verdicts(history, policies, self.targets.paths)
        self._answers = Answers(answers, self.scopes.of_host)
        self._undeclared = np.array([policy.kind == "undeclared" for policy in policies], np.bool_)
        self._star_binds = np.array([policy.star_binds for policy in policies], np.bool_)
        self._copy_us = np.array([policy.copy_us for policy in policies], np.int64)
        kinds = [policy.kind if policy.automated else "browser" for policy in policies]
        self._exempt_kind = np.array([CODE.get(("exempt", f"kind:{kind}"), NONE) for kind in kinds], np.int64)

    def __call__(self, requests: pa.Table) -> pa.Table:
        """Class each request.

        Args:
            requests: `id`, `client`, `t`, `status`, `target`, `host` (codes as given to `kernel`; `status` null where
                a fetch of /robots.txt is no reading of it), whole clients in (client, t, id) order.

        Returns:
            Rows as in schema.DECISION, in the order of the requests.
        """
        rows = _columns(requests)
        case = self._judge(rows)
        outcome = np.select(
            [self.targets.is_robots_txt[rows.target], case.exempt != NONE, case.unjudged != NONE],
            [ALLOWED, case.exempt, case.unjudged],
            case.judged,
        )
        judged = (outcome == case.judged) & ~self.targets.is_robots_txt[rows.target]
        columns = {
            "id": requests["id"],
            "client": requests["client"],
            "class": _TEXTS[0].take(pa.array(outcome)),
            "reason": _TEXTS[1].take(pa.array(outcome)),
            "version": pa.array(case.version, mask=~judged),
            "rule_line": pa.array(np.abs(case.line), mask=~judged | (case.line == 0)),
        }
        return pa.table({field.name: columns[field.name].cast(field.type) for field in DECISION}, schema=DECISION)

    def stream(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Class the requests of a sorted stream that may be cut anywhere.

        What a client may still hold of robots.txt depends on the last day alone, or on its grace where that is longer:
        its answers of that time go with the next table.
        """
        held: pa.Table | None = None
        for table in tables:
            whole = table if held is None else pa.concat_tables([held, table])
            yield self(whole).slice(whole.num_rows - table.num_rows)
            held = self._needed_later(whole)

    def _needed_later(self, requests: pa.Table) -> pa.Table:
        """Answers to /robots.txt that the last client got in the last day, or in its grace."""
        rows = _columns(requests)
        since = rows.t[-1] - max(DAY_US, int(self._copy_us[rows.client[-1]]))
        mine = (rows.client == rows.client[-1]) & (rows.t >= since)
        return requests.filter(pa.array(mine & self.targets.is_robots_txt[rows.target]))

    def blocked_by_name(self, requests: pa.Table) -> pa.Array:
        """Ids of requests that would be violations, were their client not exempt, and whose own group forbids them.

        A finding ("blocked by name, came all the same"), not a violation of RFC 9309.
        """
        rows = _columns(requests)
        case = self._judge(rows)
        named = self.verdicts.has_own_group[case.version, rows.client]
        blocked = (case.exempt != NONE) & (case.unjudged == NONE) & (case.judged == VIOLATION) & named
        return requests["id"].filter(pa.array(blocked)).combine_chunks()

    def _judge(self, rows: Requests) -> "Case":
        scope, timeline = self.scopes.of(rows.host, rows.target)
        version = self._history.in_force(timeline, rows.t)
        line = self.verdicts.lines(version, rows.client, rows.target)
        answers = self._last_answers(rows, scope)
        judged = np.full(len(rows.t), ALLOWED)
        forbidden = np.flatnonzero(line > 0)
        judged[forbidden] = self._violation_or_grace(rows, forbidden, timeline, version, answers.read)
        unjudged = self._unjudged(rows, scope, timeline, version, answers)
        return Case(version, line, self._exempt(rows, version), unjudged, judged)

    def _exempt(self, rows: Requests, version: Ints) -> Ints:
        """Outcome of clients that robots.txt does not bind; NONE where it does."""
        # Without a version there is nothing to tell whether the client has a group of its own.
        star = ~self._star_binds[rows.client] & (version >= 0) & ~self.verdicts.has_own_group[version, rows.client]
        kind = self._exempt_kind[rows.client]
        return np.where(kind != NONE, kind, np.where(star, CODE["exempt", "star-does-not-bind"], NONE))

    def _unjudged(self, rows: Requests, scope: Ints, timeline: Ints, version: Ints, answers: LastAnswers) -> Ints:
        """Outcome of requests that cannot be judged, first reason first; NONE where they can."""
        answered = answers.any
        status = np.where(answered >= 0, rows.status[answered], NONE)
        own, anybody = np.isin(status, UNREACHABLE), self._answers.unreachable(scope, rows.t)
        # RFC 9309 section 2.3.1.3: it may access anything. A client that has read the file within the day is still held
        # to it, unless we kept on serving it to others.
        refused = np.isin(status, REFUSED)
        at = np.flatnonzero(refused & (answers.read >= 0))
        refused[at] = self._answers.others_served(scope[at], rows.t[at], rows.client[at], DAY_US)
        reasons = {
            "no-token": self._undeclared[rows.client],
            "no-robots": (timeline == NO_ROBOTS) | ((timeline >= 0) & (version < 0)),
            "scope": timeline == AMBIGUOUS,
            "no-path": ~self.targets.has_path[rows.target],
            "unreachable": np.where(answered >= 0, own, anybody),
            "refused": refused,
        }
        return np.select(list(reasons.values()), [CODE["unjudged", reason] for reason in reasons], NONE)

    def _violation_or_grace(self, rows: Requests, at: Ints, timeline: Ints, version: Ints, read: Ints) -> Ints:
        """Outcome of the requests at some rows, all forbidden by the version now in force."""
        t, client, target = rows.t[at], rows.client[at], rows.target[at]
        has_read = read[at] >= 0
        # A copy read before the first known version is unknown (-1) and cannot be said to forbid.
        oldest = self._history.in_force(timeline[at], np.where(has_read, rows.t[read[at]], t - self._copy_us[client]))
        oldest = np.where(has_read, oldest, np.maximum(oldest, self._history.first(timeline[at])))
        newest = np.where(has_read, oldest, version[at])
        forbidden = np.ones(len(at), np.bool_)
        for step in range(int((newest - oldest).max(initial=-1)) + 1):
            forbidden &= self.verdicts.lines(np.minimum(oldest + step, newest), client, target) > 0
        return np.where(forbidden, VIOLATION, GRACE)

    def stale(self, requests: pa.Table) -> pa.Table:
        """Requests made more than a day after their client last got /robots.txt for that scope, by client.

        RFC 9309 section 2.4: a cached copy should not be used for longer. Who never got it is not among them.

        Returns:
            Rows as in STALE.
        """
        rows = _columns(requests)
        scope, _ = self.scopes.of(rows.host, rows.target)
        (read,) = self._last(rows, scope, SERVED)
        meant = ~self.targets.is_robots_txt[rows.target] & self.targets.has_path[rows.target]
        at = np.flatnonzero((read >= 0) & (rows.t - rows.t[read] > DAY_US) & meant)
        table = pa.table({"client": pa.array(rows.client[at], pa.int32()), "age": rows.t[at] - rows.t[read[at]]})
        counted = table.group_by("client").aggregate([("age", "count"), ("age", "max")])
        return counted.select(["client", "age_count", "age_max"]).rename_columns(STALE.names).cast(STALE)

    def stale_stream(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """`stale` of a sorted stream that may be cut anywhere; one client may have several rows, which add up."""
        held: pa.Table | None = None
        for table in tables:
            whole = table if held is None else pa.concat_tables([held, table])
            yield self.stale(whole)
            held = self._last_readings(whole)

    def _last_readings(self, requests: pa.Table) -> pa.Table:
        """The last reading of each scope by the last client; none of them is itself counted as stale."""
        rows = _columns(requests)
        scope, _ = self.scopes.of(rows.host, rows.target)
        read = self.targets.is_robots_txt[rows.target] & np.isin(rows.status, SERVED)
        at = np.flatnonzero((rows.client == rows.client[-1]) & read)[::-1]
        _, last = np.unique(scope[at], return_index=True)
        return requests.take(pa.array(np.sort(at[last])))

    def _last_answers(self, rows: Requests, scope: Ints) -> LastAnswers:
        answered, read = self._last(rows, scope, None, SERVED)
        return LastAnswers(
            np.where(rows.t - rows.t[answered] <= DAY_US, answered, NONE),
            np.where(rows.t - rows.t[read] <= self._copy_us[rows.client], read, NONE),
        )

    def _last(self, rows: Requests, scope: Ints, *wanted: tuple[int, ...] | None) -> list[Ints]:
        """For some sets of statuses (null: every answer) the row of the last one that each request's client got."""
        order = np.lexsort((scope, rows.client))  # stable: keeps (t, id) within a client and scope
        client, scope, status = rows.client[order], scope[order], rows.status[order]
        fetched = self.targets.is_robots_txt[rows.target[order]]
        new = np.append(True, (client[1:] != client[:-1]) | (scope[1:] != scope[:-1]))
        places = np.arange(len(order))
        begin = np.maximum.accumulate(np.where(new[: len(order)], places, 0))
        found = []
        for statuses in wanted:
            counts = ~np.isin(status, NO_ANSWER) if statuses is None else np.isin(status, statuses)
            last = np.maximum.accumulate(np.where(fetched & counts, places, NONE))
            given = np.empty_like(last)
            given[order] = np.where(last >= begin, order[last], NONE)
            found.append(given)
        return found


def _columns(requests: pa.Table) -> Requests:
    return Requests(*(codes(requests[name]) for name in Requests._fields))
