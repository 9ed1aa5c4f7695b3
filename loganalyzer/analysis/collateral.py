"""Who else comes from some addresses: whom a block of them would meet besides the client that it is aimed at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.columns import Columns, narrow
from loganalyzer.analysis.identity import Identity, identities
from loganalyzer.analysis.origins import networks_of
from loganalyzer.analysis.rows import Row
from loganalyzer.analysis.steps import Steps
from loganalyzer.clients import Registry
from loganalyzer.engine.local import LocalBackend
from loganalyzer.errors import UsageError
from loganalyzer.privacy import IPV4_BITS, IPV6_BITS, Privacy
from loganalyzer.verification.rangelist import RangeList, address_of, of_networks

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.formats import Log


class PartDocument(TypedDict):
    """A part of what comes from some addresses."""

    clients: int
    requests: int
    bytes: int
    addresses: int


class MetDocument(TypedDict):
    """One client that comes from there."""

    client: str
    automated: bool
    requests: int
    bytes: int
    addresses: int


class CollateralDocument(TypedDict):
    """Whom a block would meet."""

    blocked: str  # what would be blocked, in words
    ranges: list[str]  # CIDR; at most MOST_RANGES
    request_share: float  # of all requests of the log
    addresses: int  # in the log
    aimed_at: PartDocument | None  # the client; null where a range was asked for
    others: PartDocument  # everybody else, people among them
    people: PartDocument  # from browsers; bots that pass for one are among them
    clients: list[MetDocument]  # most requests first


MOST_RANGES = 100


def check_ranges(ranges: Sequence[str], hidden: Privacy) -> None:
    """Refuse ranges that cannot be told in a log whose addresses are hidden: nobody would seem to come from there.

    Raises:
        UsageError: one is no range, or finer than what stays of an address.
    """
    wanted = _ranges(ranges)
    if hidden.addresses == "hash":
        raise UsageError("--anonymize=hash leaves no address that a --range could hold; use --anonymize=truncate")
    for network in wanted.networks if hidden.addresses else ():
        if network.prefixlen > (kept := IPV4_BITS if network.version == 4 else IPV6_BITS):
            raise UsageError(f"--range {network}: with --anonymize no more than /{kept} stays of an address")


def _ranges(ranges: Sequence[str]) -> RangeList:
    try:
        return of_networks(*ranges)
    except ValueError as error:
        raise UsageError(f"--range: {error}; name ranges of addresses, as 192.0.2.0/24 or 2001:db8::/48") from error


def of_ranges(log: "Log", ranges: Sequence[str], registry: Registry | None = None) -> list[CollateralDocument]:
    """Who comes from some ranges of addresses, all taken together.

    Raises:
        UsageError: a range is none.
    """
    wanted = _ranges(ranges)
    measured = _Measured(log, narrow(log.request_rows, log.shelf, registry))
    found = [address_of(text) for text in measured.columns.addresses.to_pylist()]
    codes = [code for code, address in enumerate(found) if address is not None and address in wanted]
    return [measured.met(" and ".join(map(str, wanted.networks)), list(map(str, wanted.networks)), codes, None)]


def of_client(log: "Log", client: str, registry: Registry | None = None) -> list[CollateralDocument]:
    """Who else comes from the addresses of a client, and from the networks around them (/24 and /48).

    Raises:
        UsageError: no such client in the log.
    """
    return _of_client(_Measured(log, narrow(log.request_rows, log.shelf, registry)), client)


def of_analysed(analysis: "Analysis", client: str) -> list[CollateralDocument]:
    """The same where the log has been analysed already.

    Raises:
        UsageError: no such client in the log.
    """
    return _of_client(_Measured(analysis.log, analysis.columns), client)


def _of_client(measured: "_Measured", client: str) -> list[CollateralDocument]:
    named = {name.casefold(): code for code, name in enumerate(measured.columns.clients)}
    if (code := named.get(client.strip().casefold())) is None:
        raise UsageError(f"no client {client!r} in these logs; loganalyzer report names those that there are")
    codes = measured.addresses_of(code)
    networks, names = networks_of(measured.columns.addresses)
    network = networks["network"].to_numpy()
    around = np.flatnonzero(np.isin(network, network[codes]))
    texts = sorted(measured.columns.addresses.take(pa.array(codes)).to_pylist())
    wide = sorted(names.take(pa.array(np.unique(network[codes]))).to_pylist())
    return [
        measured.met("its addresses", texts, codes.tolist(), code),
        measured.met("the /24 and /48 around them", wide, around.tolist(), code),
    ]


class _Measured:
    """One log, ready to be asked who comes from where."""

    def __init__(self, log: "Log", columns: Columns) -> None:
        self.columns = columns
        self._people: list[Identity] = identities(
            self.columns.clients, self.columns.agents, self.columns.agent_requests
        )
        backend = LocalBackend(log.shelf.memory, folder=log.shelf.folder)
        self._steps = Steps(self.columns, backend, log.shelf)

    def addresses_of(self, client: int) -> npt.NDArray[np.int32]:
        """Codes of the addresses that a client comes from, ascending."""
        found = [
            pc.unique(table["address"].filter(pc.equal(table["client"], pa.scalar(client, pa.int32()))).drop_null())
            for table in self.columns.requests.tables(["client", "address"])
        ]
        return np.unique(np.concatenate([np.zeros(0, np.int32), *(codes.to_numpy() for codes in found)]))

    def met(self, blocked: str, ranges: list[str], codes: Sequence[int], aimed_at: int | None) -> CollateralDocument:
        """Who comes from the addresses of some codes."""
        self._steps.register("hit", pa.table({"address": pa.array(codes, pa.int32())}))
        rows = sorted(self._steps.sql("collateral").to_pylist(), key=lambda row: (-row["requests"], row["client"]))
        people = [row for row in rows if not self._people[row["client"]].automated]
        whole = self.columns.requests.num_rows
        others = _part([row for row in rows if row["client"] != aimed_at])
        others["addresses"] = self._addresses(codes, aimed_at)
        return {
            "blocked": blocked,
            "ranges": ranges[:MOST_RANGES],
            "request_share": round(sum(row["requests"] for row in rows) / whole, 6) if whole else 0.0,
            "addresses": len(codes),
            "aimed_at": None if aimed_at is None else _part([row for row in rows if row["client"] == aimed_at]),
            "others": others,
            "people": _part(people),
            "clients": [self._client(row) for row in rows],
        }

    def _addresses(self, codes: Sequence[int], but: int | None) -> int:
        """How many of some addresses somebody else than one client comes from, each counted once."""
        wanted, found = pa.array(codes, pa.int32()), set[int]()
        for table in self.columns.requests.tables(["client", "address"]):
            there = pc.is_in(table["address"], value_set=wanted)
            if but is not None:
                there = pc.and_(there, pc.not_equal(table["client"], pa.scalar(but, pa.int32())))
            found.update(pc.unique(table["address"].filter(there)).to_pylist())
        return len(found)

    def _client(self, row: Row) -> MetDocument:
        person = self._people[row["client"]]
        return {
            "client": person.name,
            "automated": person.automated,
            "requests": row["requests"],
            "bytes": row["bytes"],
            "addresses": row["addresses"],
        }


def _part(rows: Sequence[Row]) -> PartDocument:
    """Several clients together; an address that two of them share counts for each of them."""
    return {
        "clients": len(rows),
        "requests": sum(row["requests"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows),
        "addresses": sum(row["addresses"] for row in rows),
    }
