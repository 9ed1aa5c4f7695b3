"""How /robots.txt was answered over time, read off the log: to everybody, to one client alone, and with which size."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.document.robots import RobotsAnswerDocument, RobotsSizeDocument
from loganalyzer.epoch import iso
from loganalyzer.robots.answers import NOT_LOGGED, SERVED, Bools, Ints, changes, codes
from loganalyzer.robots.history import History

MOST_SIZES = 100  # changes of size that are told; a file with more is made anew for each request


def timeline(answers: pa.Table, hosts: Sequence[str | None], clients: Sequence[str]) -> list[RobotsAnswerDocument]:
    """Runs of equal answers to /robots.txt of each host, in order of time; 304 counts with the 200 that it confirms.

    What one client got while those before and after it were served stands apart under its name: else a single bot that
    is kept out would cut the timeline of everybody to pieces.

    Args:
        answers: rows as in `answers.ANSWER`.
        hosts: the host of each code.
        clients: the client of each code.
    """
    if not answers.num_rows:
        return []
    host, t, status, client = (codes(answers[name]) for name in ("host", "t", "status", "client"))
    status = np.where(status == 304, 200, status)
    order = np.lexsort((t, host))
    alone = np.empty(len(t), np.bool_)
    alone[order] = _alone(host[order], status[order], client[order])
    whose = np.where(alone, client, NOT_LOGGED)
    order = np.lexsort((t, whose, host))
    host, t, status, client, whose = (column[order] for column in (host, t, status, client, whose))
    begins = np.flatnonzero(changes(host) | changes(status) | changes(whose))
    ends = np.append(begins[1:], len(t)) - 1
    counts = _distinct(np.repeat(np.arange(len(begins)), ends - begins + 1), client)
    return [
        {
            "host": None if host[begin] == NOT_LOGGED else hosts[host[begin]],
            "client": None if whose[begin] == NOT_LOGGED else clients[whose[begin]],
            "status": None if status[begin] == NOT_LOGGED else int(status[begin]),
            "first": iso(int(t[begin])),
            "last": iso(int(t[end])),
            "requests": int(end - begin + 1),
            "clients": int(count),
        }
        for begin, end, count in zip(begins, ends, counts, strict=True)
    ]


def _alone(host: Ints, status: Ints, client: Ints) -> Bools:
    """Where a client was not served while another was both before and after it, of rows in (host, t) order.

    Clients that were never served are left out as witnesses: two that are kept out do not excuse each other.
    """
    served = np.isin(status, SERVED)
    found = np.zeros(len(host), np.bool_)
    for number in np.unique(host).tolist():
        rows = np.flatnonzero(host == number)
        asked = rows[~served[rows]]
        witnesses = rows[np.isin(client[rows], client[rows][served[rows]])]
        if not len(asked) or not len(witnesses):
            continue
        # Of a run of witnesses that are the asker itself, the one before it and the one behind it.
        new = changes(client[witnesses])
        places = np.arange(len(witnesses))
        begin = np.maximum.accumulate(np.where(new, places, 0))
        end = np.append(np.flatnonzero(new)[1:], len(witnesses))[np.cumsum(new) - 1]
        behind = np.searchsorted(witnesses, asked)
        before = behind - 1
        same = (before >= 0) & (client[witnesses[before]] == client[asked])
        before = np.where(same, begin[before] - 1, before)
        at = np.minimum(behind, len(witnesses) - 1)
        same = (behind < len(witnesses)) & (client[witnesses[at]] == client[asked])
        behind = np.where(same, end[at], behind)
        fine = np.append(served[witnesses], False)  # past either end: nobody to say that others were served
        found[asked] = fine[np.where(before < 0, len(witnesses), before)] & fine[behind]
    return found


def sizes(answers: pa.Table, hosts: Sequence[str | None], history: History) -> list[RobotsSizeDocument]:
    """Changes of the size of /robots.txt, up to MOST_SIZES of each host.

    A compressed answer is smaller, so sizes are compared within one user agent: one that got an old size and then a
    new one, after which the old never came again to anybody.

    Args:
        answers: `host`, `t`, `status`, `agent` (codes) and `bytes` (null for HEAD), in order of time.
        hosts: the host of each code.
        history: what the operator gave.
    """
    whole = pc.and_(pc.equal(answers["status"], 200), pc.greater(answers["bytes"], 0))
    rows = answers.filter(pc.fill_null(whole, False))
    host, t, agent, size = (codes(rows[name]) for name in ("host", "t", "agent", "bytes"))
    found: list[RobotsSizeDocument] = []
    for number in np.unique(host).tolist():
        mine = np.flatnonzero(host == number)
        name = None if number == NOT_LOGGED else hosts[number]
        timeline = history.scope(name, filter(None, hosts))
        starts = history.timelines[timeline].starts.tolist() if timeline >= 0 else []
        for old, new, last, first, agents in list(_sizes(t[mine], agent[mine], size[mine]))[:MOST_SIZES]:
            found.append(
                {
                    "host": name,
                    "old": old,
                    "new": new,
                    "last": iso(last),
                    "first": iso(first),
                    "user_agents": agents,
                    "given": any(last < start <= first for start in starts),
                }
            )
    return found


def _sizes(t: Ints, agent: Ints, size: Ints) -> Iterator[tuple[int, int, int, int, int]]:
    """Old and new size, last instant of the old and first of the new, and how many user agents got both."""
    _, code = np.unique(size, return_inverse=True)
    last = np.zeros(code.max(initial=-1) + 1, np.int64)
    last[code] = np.arange(len(code))
    # A row behind which no size from before ever comes again ends an era.
    reach = np.maximum.accumulate(last[code])
    ends = np.flatnonzero(reach == np.arange(len(code)))
    eras = [slice(begin, end) for begin, end in pairwise([0, *(ends + 1).tolist()])]
    known: dict[int, int] = {}
    latest = 0
    for era in eras:
        got = dict(zip(agent[era].tolist(), size[era].tolist(), strict=True))
        both = [name for name in got if name in known]
        if both:
            yield known[both[0]], got[both[0]], latest, int(t[era.start]), len(both)
            known = {}
        known |= got
        latest = int(t[era.stop - 1])


def _distinct(run: Ints, values: Ints) -> Ints:
    """How many distinct values each run holds; runs count from 0 in ascending order."""
    order = np.lexsort((values, run))
    new = changes(run[order]) | changes(values[order])
    return np.bincount(run[order][new])
