"""Addresses that came under names of several operators: to know, never an accusation.

A shared proxy, the exit of a cloud or of a company, and a service that fetches for others look just like somebody who
changes names. Libraries and tools are no names in this sense, and several tokens of one operator are one identity.
"""

from collections import defaultdict
from typing import TYPE_CHECKING

from loganalyzer.analysis.identity import Identity
from loganalyzer.analysis.rows import Row
from loganalyzer.document import SharedAddressDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

FEWEST = 3  # operators
MOST = 100  # told
NO_NAMES = ("browser", "undeclared", "library", "tool")  # kinds that name nobody


def shared(analysis: "Analysis", most: int | None = MOST) -> list[SharedAddressDocument]:
    """Tell of each address, most operators first; null for `most` is all."""
    by_address: dict[int, list[Row]] = defaultdict(list)
    for row in analysis.measures.shared_addresses.to_pylist():
        by_address[row["address"]].append(row)
    found = [_told(analysis, address, rows) for address, rows in by_address.items()]
    kept = [one for one in found if one["operators"] >= FEWEST]
    return sorted(kept, key=lambda one: (-one["operators"], one["address"]))[:most]


def _told(analysis: "Analysis", code: int, rows: list[Row]) -> SharedAddressDocument:
    address = analysis.columns.addresses[code].as_py()
    rows = sorted(rows, key=lambda row: (-row["requests"], row["client"]))
    people = [analysis.identities[row["client"]] for row in rows]
    return {
        "address": address,
        "operators": len({_operator(person) for person in people}),
        "names": [[person.name, row["requests"]] for person, row in zip(people, rows, strict=True)],
        "evidence": analysis.command(people[0].name, address=address),
    }


def _operator(person: Identity) -> str:
    return person.leading["operator"] or f"of {person.name}"
