"""gzip (RFC 1952) taken apart by hand: header, deflate data, and the trailer with its checksum and length.

A library that checks the trailer itself keeps back what it has unpacked when the check fails: up to a megabyte of
lines that are whole and could be read.
"""

import struct
from collections.abc import Callable, Generator
from typing import Any

try:
    from isal import isal_zlib as zlib
except ImportError:  # no wheel for this processor: the standard library is three times slower
    import zlib  # type: ignore[no-redef]  # the same interface under one name

_HEADER = struct.Struct("<3sBIBB")  # magic and method, flags, time, extra flags, system
_TRAILER = struct.Struct("<II")  # CRC-32 and length modulo 2^32 of the uncompressed data
_HCRC, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16  # flags

PIECE = 64 << 10  # bytes given at a time, about: what corrupt data takes with it at most
_ERROR: Any = zlib.error
Read = Callable[[], bytes]


class FaultError(Exception):
    """What is wrong with a member; everything that could be unpacked has been given."""


def member(data: bytes, read: Read) -> Generator[bytes, None, bytes]:
    """Unpack one member.

    Args:
        data: its first bytes.
        read: gives the bytes that follow; none at the end of the file.

    Returns:
        The bytes behind it.

    Raises:
        FaultError: it is cut, its data is corrupt, or its trailer does not fit.
    """
    data = _without_header(data, read)
    engine, checksum, length = zlib.decompressobj(wbits=-zlib.MAX_WBITS), 0, 0
    while not engine.eof:
        try:
            output = engine.decompress(engine.unconsumed_tail + data, PIECE)
        except _ERROR as error:
            raise FaultError(
                f"is corrupt ({error}): the lines before it were kept, the last 64 KiB perhaps not"
            ) from error
        data = b""
        if output:
            checksum, length = zlib.crc32(output, checksum), length + len(output)
            yield output
        if not engine.eof and _hungry(engine, output):
            data = read()
            if not data:
                raise FaultError("ends too early")
    rest: bytes = engine.unused_data
    return _without_trailer(rest, read, checksum, length)


def _hungry(engine: Any, output: bytes) -> bool:
    """Whether it can give no more without more input: it may hold output back where the answer was full."""
    return not engine.unconsumed_tail and len(output) < PIECE


def _without_header(data: bytes, read: Read) -> bytes:
    data = _at_least(_HEADER.size, data, read)
    flags = data[3]
    data = data[_HEADER.size :]
    if flags & _EXTRA:
        data = _at_least(2, data, read)
        size = 2 + int.from_bytes(data[:2], "little")
        data = _at_least(size, data, read)[size:]
    for flag in (_NAME, _COMMENT):
        while flags & flag:
            _, end, after = data.partition(b"\0")
            data = after if end else _at_least(1, b"", read)
            if end:
                break
    return _at_least(2, data, read)[2:] if flags & _HCRC else data


def _without_trailer(data: bytes, read: Read, checksum: int, length: int) -> bytes:
    try:
        data = _at_least(_TRAILER.size, data, read)
    except FaultError as error:
        raise FaultError("has no trailer: all lines were kept, their number is unchecked") from error
    if _TRAILER.unpack_from(data) != (checksum, length % (1 << 32)):
        raise FaultError("failed its checksum: all lines were kept, but some may not be as they were written")
    return data[_TRAILER.size :]


def _at_least(size: int, data: bytes, read: Read) -> bytes:
    while len(data) < size:
        more = read()
        if not more:
            raise FaultError("ends too early")
        data += more
    return data
