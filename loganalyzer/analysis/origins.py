"""Where clients come from: their networks, who else comes from there, and whether that is their operator's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.columns import Columns
from loganalyzer.analysis.identity import Identity
from loganalyzer.analysis.steps import Steps, any_of
from loganalyzer.codes import encode, nullable
from loganalyzer.schema import VERIFIED
from loganalyzer.verification import Verification
from loganalyzer.verification.rangelist import address_of

# The smallest networks that are routed on the Internet, so that one is likely to be one holder's.
PREFIX = {4: 24, 6: 48}
Verify = Callable[[pa.Table], Verification]


@dataclass(frozen=True)
class Origins:
    """Small Arrow tables; codes of clients and addresses are those of `Columns`."""

    networks: pa.Table  # the ten busiest of each client, and how many there are
    network_names: pa.Array  # by network code
    shared: pa.Table  # what others sent from the addresses of each automated client
    verification: Verification | None  # null = not asked for
    claims: pa.Table  # requests of each client by verdict and way


def measure(steps: Steps, columns: Columns, people: Sequence[Identity], verify: Verify | None) -> Origins:
    """Run the steps; those before have registered `decision`."""
    table, names = networks_of(columns.addresses)
    steps.register("address_network", table)
    automated = any_of(code for code, person in enumerate(people) if person.automated)
    verification = verify(_claims(steps, people)) if verify else None
    steps.register("verified", verification.verdicts if verification else VERIFIED.empty_table())
    return Origins(
        networks=steps.sql("networks"),
        network_names=names,
        shared=steps.sql("shared", clients=automated, browsers=browsers(people)),
        verification=verification,
        claims=steps.sql("claims"),
    )


def browsers(people: Sequence[Identity]) -> str:
    """Codes of the clients that people may sit before, for SQL's IN."""
    return any_of(code for code, person in enumerate(people) if not person.automated)


def _claims(steps: Steps, people: Sequence[Identity]) -> pa.Table:
    """Each address of each client that gives a token, most requests first: the order in which to ask."""
    named = any_of(code for code, person in enumerate(people) if person.automated and person.leading["token"])
    table = steps.sql("client_addresses", clients=named)
    return table.sort_by([("requests", "descending"), ("client", "ascending"), ("address", "ascending")])


def networks_of(addresses: pa.Array) -> tuple[pa.Table, pa.Array]:
    """The /24 or /48 of each address code as the codes (address, network), and the names of the networks.

    What is no address is its own network: nothing is dropped. IPv4, the bulk, is cut as text, whole columns at a time.
    """
    dotted = pc.struct_field(pc.extract_regex(addresses, r"^(?P<net>\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$"), "net")
    names = pc.binary_join_element_wise(dotted, ".0/24", "")
    others = [_network(text) for text in addresses.filter(pc.is_null(names)).to_pylist()]
    names = pc.replace_with_mask(names, pc.is_null(names), pa.array(others, pa.string()))
    codes, distinct = encode(names)
    return pa.table({"address": pa.array(range(len(addresses)), pa.int32()), "network": nullable(codes)}), distinct


def _network(text: str) -> str:
    address = address_of(text)
    return text if address is None else str(ip_network((address, PREFIX[address.version]), strict=False))
