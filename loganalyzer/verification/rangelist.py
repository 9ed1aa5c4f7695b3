"""One published list of address ranges: read from JSON of any known shape, or from lines of plain text."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, collapse_addresses, ip_address, ip_network
from typing import Any

from loganalyzer.errors import UsageError
from loganalyzer.verification.shapes import SHAPES, Found

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Wider ranges are no crawler's: a typing error (/0 for /20) must not verify a sixteenth of the world.
WIDEST = {4: 9, 6: 20}
_COMMENT = re.compile(r"\s*(?:[#;]|//).*")


@dataclass(frozen=True, eq=False)
class RangeList:
    """The ranges of one file, and when it was made."""

    name: str  # of the file
    shape: str
    created: datetime | None  # as the list says; null = it does not
    ranges: tuple[tuple[Network, str | None], ...]  # (network, service)
    left_out: tuple[str, ...]  # entries that are no range, or too wide a one

    @property
    def networks(self) -> tuple[Network, ...]:
        """The ranges alone."""
        return tuple(network for network, _ in self.ranges)

    def of_service(self, service: str | None) -> "RangeList":
        """The ranges of one service; of every service for null. A list without services serves all."""
        if service is None or all(name is None for _, name in self.ranges):
            return self
        ranges = tuple(pair for pair in self.ranges if pair[1] == service)
        return RangeList(self.name, self.shape, self.created, ranges, self.left_out)

    def __contains__(self, address: Address) -> bool:
        """Whether an address is in one of the ranges; by bisection, whatever their number."""
        starts, ends = self._bounds[address.version]
        place = bisect_right(starts, int(address)) - 1
        return place >= 0 and int(address) <= ends[place]

    @cached_property
    def _bounds(self) -> dict[int, tuple[list[int], list[int]]]:
        return {
            4: _bounds(n for n in self.networks if isinstance(n, IPv4Network)),
            6: _bounds(n for n in self.networks if isinstance(n, IPv6Network)),
        }


def _bounds(networks: Iterable[IPv4Network] | Iterable[IPv6Network]) -> tuple[list[int], list[int]]:
    """First and last address of each network, in order, none inside another."""
    merged: list[Network] = list(collapse_addresses(networks))  # type: ignore[arg-type, type-var] # one family at a time
    return [int(n.network_address) for n in merged], [int(n.broadcast_address) for n in merged]


def address_of(text: str) -> Address | None:
    """The address a text holds; null for none. An IPv4 address mapped into IPv6 is itself."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def of_networks(*texts: str) -> RangeList:
    """A list of ours, of any networks.

    Raises:
        ValueError: a text is no network; bits right of its length are let pass.
    """
    return RangeList("", "", None, tuple((ip_network(text.strip(), strict=False), None) for text in texts), ())


def read(name: str, data: bytes) -> RangeList:
    """Read a list.

    Raises:
        UsageError: it holds no range at all; the text says what it seems to be.
    """
    text = data.decode("utf-8-sig", "replace")
    if text.lstrip().startswith("<"):
        raise UsageError(f"{name}: is an HTML or XML page, not a list of address ranges")
    document = _json(name, text) if text.lstrip().startswith(("{", "[")) else None
    shape, created, found = _of_lines(text) if document is None else _of_document(document)
    networks = [(_network(entry.text), entry.service, entry.text) for entry in found]
    ranges = tuple((network, service) for network, service, _ in networks if network is not None)
    if not ranges:
        raise UsageError(f"{name}: holds no address range that is read (see docs/verification.md for the shapes)")
    return RangeList(name, shape, created, ranges, tuple(written for network, _, written in networks if not network))


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: is no JSON that can be read: {error}") from error


def _of_document(document: Any) -> tuple[str, datetime | None, list[Found]]:
    for shape in SHAPES:
        if found := shape.find(document):
            made = document.get(shape.created) if shape.created and isinstance(document, dict) else None
            return shape.name, _instant(made), found
    return "unknown", None, []


def _of_lines(text: str) -> tuple[str, datetime | None, list[Found]]:
    """One range a line, with comments; of a comma-separated line the first field (RFC 8805, geofeeds)."""
    lines = (_COMMENT.sub("", line, count=1).strip() for line in text.splitlines())
    return "lines", None, [Found(re.split(r"[,\s]", line, maxsplit=1)[0], None) for line in lines if line]


def _network(text: str) -> Network | None:
    """The range that a text holds, bits right of its length set or not; null for none, and for too wide a one."""
    try:
        network = ip_network(text.strip(), strict=False)
    except ValueError:
        return None
    return network if network.prefixlen >= WIDEST[network.version] else None


def _instant(text: object) -> datetime | None:
    """An instant as lists write it: ISO 8601, or all its parts joined by hyphens (Amazon); UTC where it says none."""
    if not isinstance(text, str):
        return None
    for parse in (datetime.fromisoformat, lambda value: datetime.strptime(value, "%Y-%m-%d-%H-%M-%S")):
        try:
            instant = parse(text)
            return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
        except (ValueError, OverflowError):  # the latter of the first and the last day that there is
            continue
    return None
