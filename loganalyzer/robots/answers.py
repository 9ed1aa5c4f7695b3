"""What the log itself says about /robots.txt: who got which answer when."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NOT_LOGGED = -1  # code of a null
PROBABLY_READ_S = 60  # from a reading under the name of a library to a request from the same address
# Statuses of /robots.txt by what they mean (RFC 9309 sections 2.3.1 and 2.4).
NO_ANSWER = (NOT_LOGGED, 499)  # nginx's 499: the client hung up before an answer was sent
SERVED = (200, 304)  # the file, or the word that the client's copy still holds
UNREACHABLE = (429, *range(500, 600))  # 429 says no more of the file than a server error does
REFUSED = tuple(status for status in range(400, 500) if status not in (*UNREACHABLE, *NO_ANSWER))

# One answer to /robots.txt; rows in order of time.
ANSWER = pa.schema(
    [
        ("host", pa.int32()),  # code of the host; null: not logged
        ("t", pa.int64()),  # microseconds since the epoch
        ("status", pa.int16()),
        ("client", pa.int32()),  # code of the client
    ]
)


def codes(column: pa.ChunkedArray) -> Ints:
    """An integer column as numpy, null as NOT_LOGGED."""
    filled = pc.fill_null(column, NOT_LOGGED)
    return np.asarray(filled.to_numpy(), np.int64)


class Answers:
    """The answers to /robots.txt of each scope, for questions about what others got."""

    def __init__(self, answers: pa.Table, scope_of_host: Ints) -> None:
        """Take the answers of a whole log.

        Args:
            answers: rows as in ANSWER.
            scope_of_host: scope of each host code, last that of a host that is not logged.
        """
        host, t, status, client = (codes(answers[name]) for name in ("host", "t", "status", "client"))
        order = np.argsort(t, kind="stable")
        order = order[~np.isin(status[order], NO_ANSWER)]
        scope, self._t, self._status, self._client = scope_of_host[host][order], t[order], status[order], client[order]
        self._rows = {number: np.flatnonzero(scope == number) for number in np.unique(scope).tolist()}

    def unreachable(self, scope: Ints, t: Ints) -> Bools:
        """Whether the last answer that anybody got at or before each instant says that the file is unreachable."""
        found = np.zeros(len(t), np.bool_)
        for number, rows in self._rows.items():
            unreachable = np.isin(self._status[rows], UNREACHABLE)
            if unreachable.any():
                asked = np.flatnonzero(scope == number)
                last = np.searchsorted(self._t[rows], t[asked], side="right") - 1
                found[asked] = (last >= 0) & unreachable[last]
        return found

    def others_served(self, scope: Ints, t: Ints, client: Ints, within_us: int) -> Bools:
        """Whether another client was served in the time before each instant."""
        found = np.zeros(len(t), np.bool_)
        for number, rows in self._rows.items():
            served = rows[np.isin(self._status[rows], SERVED)]
            asked = np.flatnonzero(scope == number)
            if not len(served) or not len(asked):
                continue
            times, clients = self._t[served], self._client[served]
            last = np.searchsorted(times, t[asked], side="right") - 1
            # Where the last one served is the asker itself, the one before its run of fetches.
            run = np.maximum.accumulate(np.where(changes(clients), np.arange(len(served)), 0))
            last = np.where((last >= 0) & (clients[last] == client[asked]), run[last] - 1, last)
            found[asked] = (last >= 0) & (t[asked] - times[last] <= within_us)
        return found


def changes(values: Ints) -> Bools:
    """Where a value differs from the one before; the first does."""
    return np.append(True, values[1:] != values[:-1])
