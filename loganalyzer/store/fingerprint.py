"""Which log a file is, by its content: a log is renamed, copied and compressed, and another takes its name.

A log is the same if the first 64 KiB of its uncompressed bytes are (or as many as were read), and the last 64 KiB
before the place where reading ended. Device and inode say nothing: an inode is used again, and a copy has another.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO

from loganalyzer.sources import HEAD
from loganalyzer.sources.compression import BrokenStreamError, Stream, opened
from loganalyzer.store.manifest import Origin

_SKIP = 1 << 20  # bytes that are passed over at a time


@dataclass(frozen=True, slots=True)
class Match:
    """A log that is known, and the edges of what is known of it."""

    origin: Origin
    edges: tuple[bytes, bytes]  # the first and the last 64 KiB before `origin.end`
    unchanged: bool  # nothing can have been added


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return sha256(data).hexdigest()


def identity(file: BinaryIO) -> list[int]:
    """Device, inode, size and time of change of an open file."""
    status = os.fstat(file.fileno())
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]


def recognise(file: BinaryIO, origins: Iterable[Origin]) -> Match | None:
    """The origin whose content a file begins with, the one that was read farthest if there are several."""
    file.seek(0)
    compression, stream = opened(file)
    head = _filled(stream, HEAD)
    digests: dict[int, str] = {}
    for origin in sorted(origins, key=lambda origin: origin.end, reverse=True):
        length = min(HEAD, origin.end)
        if length <= len(head) and origin.head == digests.setdefault(length, digest(head[:length])):
            # Device, inode, size, time and head are the same: a compressed file need not be unpacked to its end.
            unchanged = compression is not None and origin.file == identity(file)
            tail = head[:length] if origin.end <= HEAD else None if unchanged else before(file, origin.end)
            if unchanged or (tail is not None and digest(tail) == origin.tail):
                return Match(origin, (head[:length], tail or b""), unchanged)
    return None


def begins(file: BinaryIO, origin: Origin) -> bool:
    """Whether the first bytes of a file are those of a log."""
    return digest(_filled(opened(file)[1], min(HEAD, origin.end))) == origin.head


def before(file: BinaryIO, end: int) -> bytes | None:
    """The last 64 KiB before an uncompressed offset; null where the file ends earlier."""
    file.seek(0)
    compression, stream = opened(file)
    start = max(0, end - HEAD)
    if compression is None:
        file.seek(start)
        data = file.read(end - start)
    else:
        while start and (passed := _filled(stream, min(start, _SKIP))):
            start -= len(passed)
        data = b"" if start else _filled(stream, min(HEAD, end))
    return data if len(data) == min(HEAD, end) else None


def _filled(stream: Stream, size: int) -> bytes:
    """So many bytes, or all there are before the end or a fault."""
    buffer = bytearray(size)
    filled = 0
    try:
        while filled < size and (got := stream.readinto(memoryview(buffer)[filled:])):
            filled += got
    except BrokenStreamError:
        pass  # the reader that comes after says so
    return bytes(buffer[:filled])
