"""Writes a small MaxMind DB: the binary tree and the few types that records of networks need."""

import struct
from ipaddress import ip_network

MARK = b"\xab\xcd\xefMaxMind.com"


def write(path, records):
    """Write {network: record} for IPv4 networks that do not overlap; 24-bit records."""
    nodes = [[None, None]]
    data, places = b"", []
    for network, record in records.items():
        places.append((ip_network(network), len(data)))
        data += _value(record)
    for network, offset in places:
        _insert(nodes, network, offset)
    tree = b"".join(_pointer(side, len(nodes)) for node in nodes for side in node)
    metadata = {
        "binary_format_major_version": b"\xa2\0\2",  # numbers of two bytes, as the format has them
        "binary_format_minor_version": b"\xa2\0\0",
        "build_epoch": b"\x08\x02" + struct.pack("!Q", 1_793_500_000),
        "database_type": "Test",
        "description": {"en": "made by a test"},
        "ip_version": b"\xa2\0\4",
        "languages": b"\0\4",  # an empty array
        "node_count": len(nodes),
        "record_size": b"\xa2\0\x18",
    }
    path.write_bytes(tree + b"\0" * 16 + data + MARK + _value(metadata))
    return str(path)


def _insert(nodes, network, offset):
    at, bits = 0, format(int(network.network_address), "032b")[: network.prefixlen]
    for bit in map(int, bits[:-1]):
        if nodes[at][bit] is None:
            nodes.append([None, None])
            nodes[at][bit] = len(nodes) - 1
        at = nodes[at][bit]
    nodes[at][int(bits[-1])] = ("data", offset)


def _pointer(side, count):
    number = count if side is None else count + 16 + side[1] if isinstance(side, tuple) else side
    return number.to_bytes(3, "big")


def _value(value):
    if isinstance(value, dict):
        return _control(7, len(value)) + b"".join(_value(part) for pair in value.items() for part in pair)
    if isinstance(value, bytes):  # encoded already
        return value
    if isinstance(value, str):
        return _control(2, len(value.encode())) + value.encode()
    return _control(6, 4) + struct.pack("!I", value)


def _control(kind, size):
    assert size < 285
    return bytes([kind << 5 | size]) if size < 29 else bytes([kind << 5 | 29, size - 29])
