"""Evidence that a client was refused under its own name and came back under another: measured, not proven.

Behind one address there can be many people, and none of them may be accused for sharing it. So all of this must hold:
the other name follows a refusal of the client at the same address within `FOLLOWS_US`; it was never seen there before
that refusal; and it asks for what the client had been refused, or had fetched in the session before it, where that is
nothing that everybody asks for. Libraries and tools accuse nobody: who tries curl, is refused and opens a browser, is
a person. So is who sees no preview of a link in iMessage, or no text in a feed reader, and follows the link: such
programs, and applications of phones, run where the person is. Several tokens of one operator are one identity.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.schema import DISGUISE

FOLLOWS_US = 600_000_000  # the other name appears within 10 minutes of the refusal
SESSION_US = 1_800_000_000  # what the client fetched in the 30 minutes before counts as its pages
WATCHED_US = 1_800_000_000  # the other name is watched for 30 minutes
POPULAR_ADDRESSES = 5  # a target that this many addresses ask for tells nobody apart; for who computes `popular`
EXAMPLES = 3

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_Columns = dict[str, npt.NDArray[Any]]
BESIDE_PEOPLE = ("library", "tool", "preview", "feed-reader")  # kinds
APPLICATION = r"\bCFNetwork/|\bDalvik/"  # what applications of Apple's systems and of Android are sent by
REASONS = ("browser-after-refusal", "other-token-after-refusal")


@dataclass(frozen=True, slots=True)
class Agents:
    """What the kernels need of each user agent, by its code."""

    declared: _Bools  # names itself, and runs not where a person may open a browser
    browser: _Bools
    operator: _Ints  # -1 - code where unknown, so that no two unknown ones are equal


def evidence(requests: pa.Table, agents: pa.Table) -> pa.Table:
    """Return one row (schema DISGUISE) for each client, address and reason with such evidence.

    Args:
        requests: whole groups by address in `(address, t, id)` order, without nulls: `id` int64; `address`, `client`,
            `agent` and `target` as codes; `t` int64, epoch microseconds; `status`; `refusal` bool (429, or 503 that
            asks to wait; 403 is read off `status`); `popular` bool, at least `POPULAR_ADDRESSES` addresses asked for
            the target (the caller marks `/robots.txt` so too).
        agents: schema AGENT; row i describes code i of `agent`.
    """
    known = names_of(agents)
    columns = {name: requests[name].to_numpy() for name in requests.column_names}
    columns["declared"] = known.declared[columns["agent"]]
    columns["refused"] = columns["declared"] & (columns["refusal"] | (columns["status"] == 403))
    suspects = _suspects(columns)
    here = {name: column[suspects] for name, column in columns.items()}
    later, earlier = _matches(here, known)
    return _rows(here, later, earlier)


def names_of(agents: pa.Table) -> Agents:
    """What the kernels need of a table of user agents (schema AGENT)."""
    kind = np.array(agents["kind"].to_pylist(), dtype=object)
    names = {name: code for code, name in enumerate(dict.fromkeys(agents["operator"].to_pylist())) if name is not None}
    operator = [names.get(name, -1 - row) for row, name in enumerate(agents["operator"].to_pylist())]
    declared = agents["token"].is_valid().to_numpy() & ~np.isin(kind, BESIDE_PEOPLE)
    declared &= ~pc.match_substring_regex(agents["user_agent"], APPLICATION).fill_null(False).to_numpy()
    return Agents(declared, kind == "browser", np.array(operator, np.int64))


def _suspects(columns: _Columns) -> _Bools:
    """Rows of addresses that hold a refusal and more than one user agent; the rest is never looked at."""
    address, agent = columns["address"], columns["agent"]
    if not len(address):
        return np.zeros(0, bool)
    starts = np.flatnonzero(np.r_[True, address[1:] != address[:-1]])
    refused = np.add.reduceat(columns["refused"].astype(np.int64), starts) > 0
    several = np.maximum.reduceat(agent, starts) != np.minimum.reduceat(agent, starts)
    return np.repeat(refused & several, np.diff(np.r_[starts, len(address)]))


def _matches(here: _Columns, known: Agents) -> tuple[_Ints, _Ints]:
    """Pairs of rows: a request under another name, and the refused client's own request for the same target.

    Each row is held against the last declared client that asked for its target before the row's user agent first came:
    one comparison a row, so that thousands of names at one address cost no more than as many rows.
    """
    t, agent, client = here["t"], here["agent"], here["client"]
    first = first_of(here["address"], agent)
    comes = (known.browser[agent] | here["declared"]) & ~here["popular"] & (t <= t[first] + WATCHED_US)
    rows = np.flatnonzero(comes)
    own = last_before(here["address"], here["target"], here["declared"] & ~here["popular"], rows, first[rows])
    rows, own = rows[own >= 0], own[own >= 0]
    refusal = last_before(here["address"], client, here["refused"], own, first[rows])
    rows, own, refusal = rows[refusal >= 0], own[refusal >= 0], refusal[refusal >= 0]
    waited = t[first[rows]] - t[refusal]
    true = (waited > 0) & (waited <= FOLLOWS_US) & (t[own] >= t[refusal] - SESSION_US)
    true &= (client[own] != client[rows]) & (known.operator[agent[own]] != known.operator[agent[rows]])
    return rows[true], own[true]


def first_of(address: _Ints, agent: _Ints) -> _Ints:
    """For each row the first row with its address and user agent."""
    _, first, which = np.unique(_pair(address, agent), return_index=True, return_inverse=True)
    return first[which]


def last_before(address: _Ints, value: _Ints, among: _Bools, rows: _Ints, before: _Ints) -> _Ints:
    """For each of `rows` the last row of `among` in front of `before` with its address and value; -1 for none."""
    _, group = np.unique(_pair(address, value), return_inverse=True)
    where = np.flatnonzero(among)
    where = where[np.argsort(group[where], kind="stable")]
    keys = group[where] * len(group) + where
    at = np.searchsorted(keys, group[rows] * len(group) + before) - 1
    found = (at >= 0) & (group[where[at]] == group[rows]) if len(where) else np.zeros(len(rows), bool)
    return np.where(found, where[at] if len(where) else -1, -1)


def _pair(high: _Ints, low: _Ints) -> _Ints:
    """Two codes of 32 bits as one number."""
    return (high.astype(np.int64) << 32) | low.astype(np.int64)


def _rows(here: _Columns, later: _Ints, earlier: _Ints) -> pa.Table:
    """Count the pairs by address, client and reason."""
    other_token = here["declared"][later].astype(np.int64)
    order = np.lexsort((later, other_token, here["client"][earlier], here["address"][later]))
    later, earlier, other_token = later[order], earlier[order], other_token[order]
    keys = np.stack([here["address"][later], here["client"][earlier], other_token]).astype(np.int64)
    starts = np.flatnonzero(np.r_[len(later) > 0, (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    rows = [
        {
            "client": int(keys[1, start]),
            "address": int(keys[0, start]),
            "reason": REASONS[keys[2, start]],
            "count": int(end - start),
            "first_us": int(here["t"][later[start]]),
            "ids": here["id"][later[start : min(end, start + EXAMPLES)]].tolist(),
        }
        for start, end in pairwise(np.append(starts, len(later)))
    ]
    return pa.Table.from_pylist(rows, schema=DISGUISE)
