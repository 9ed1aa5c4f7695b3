"""The kernel's rows: the requests of every key that was refused, each key in order of time."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.backoff.thresholds import Key
from loganalyzer.groups import Groups, Int64

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Requests sorted by (client, address if that is the key, t, id), as arrays of one length."""

    id: Int64
    client: Int64
    address: Int64  # -1 where the key is the token
    place: Int64  # the address whatever the key is; -1 = not logged
    t: Int64  # start, epoch microseconds
    end: Int64  # when the answer was sent
    asked: Int64  # microseconds, -1 = not stated
    refusal: Mask
    target: Int64
    robots: Mask  # asks for /robots.txt

    @property
    def groups(self) -> Groups:
        """One group for each key."""
        return Groups.of(self.client, self.address)

    def take(self, rows: Int64 | slice | Mask) -> Rows:
        """Return some of the rows, in the order asked for."""
        return Rows(*(getattr(self, field.name)[rows] for field in fields(self)))


def refused_keys(table: pa.Table, by: Key) -> Rows:
    """Return the rows of every key with at least one refusal; who was never refused cannot have ignored it.

    A request whose client (or address, if that is in the key) is not known has no key and is left out.
    """
    keys = ("client", "address") if by == "address" else ("client",)
    table = table.filter(pc.and_kleene(pc.is_valid(table["client"]), pc.is_valid(table[keys[-1]])))
    key = _numbers(table["client"]) << 32 | (_numbers(table["address"]) if by == "address" else 0)
    refused = pa.array(np.unique(key[table["refusal"].to_numpy()]))
    keep = np.flatnonzero(pc.is_in(pa.array(key), value_set=refused).to_numpy(zero_copy_only=False))
    keep = keep[np.argsort(key[keep], kind="stable")]
    return Rows(
        id=_numbers(table["id"])[keep],
        client=key[keep] >> 32,
        address=key[keep] & 0xFFFFFFFF if by == "address" else np.full(len(keep), -1, dtype=np.int64),
        place=_numbers(pc.fill_null(table["address"], -1))[keep],
        t=_numbers(table["t"])[keep],
        end=_numbers(table["end_us"])[keep],
        asked=_numbers(pc.fill_null(table["asked_us"], -1))[keep],
        refusal=_flags(table["refusal"])[keep],
        target=_numbers(pc.fill_null(table["target"], -1))[keep],
        robots=_flags(table["robots"])[keep],
    )


def _numbers(column: Any) -> Int64:
    numbers: Int64 = column.to_numpy().astype(np.int64, copy=False)
    return numbers


def _flags(column: Any) -> Mask:
    flags: Mask = column.to_numpy().astype(bool, copy=False)
    return flags
