"""Compression, recognised by magic bytes; a stream that breaks off gives all it holds before it says so.

gzip (RFC 1952), bzip2 and xz come as one or more members; zero bytes after the last are padding, as gzip(1) takes
them. zstd (RFC 8878) is read by Arrow's codec, which tells a cut frame where python-zstandard keeps silent.
"""

import bz2
import io
import lzma
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from loganalyzer.sources import gzipped

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_LONGEST_MAGIC = max(map(len, _MAGIC))
_INPUT = 128 << 10  # compressed bytes handed in at a time: isal copies what it has not used
_OUTPUT = 1 << 20  # uncompressed bytes at a time: a bomb is not unpacked at once
_FRAME = 4 << 10  # bytes asked of a zstd stream at a time: a cut frame loses the answer it breaks
_FAULTS = (OSError, lzma.LZMAError, ValueError, EOFError)
_KEPT = "the whole lines before it were kept; fetch the file again"


class BrokenStreamError(Exception):
    """The stream is cut or corrupt; the text says so and what was kept."""


def recognise(head: bytes) -> str | None:
    """Name of the compression that starts with these bytes; null for none."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


class Stream(Protocol):
    """Uncompressed bytes in order."""

    def readinto(self, view: memoryview, /) -> int:
        """Fill a buffer as far as it goes.

        Returns:
            Bytes put into it; 0 at the end.

        Raises:
            BrokenStreamError: after the last readable byte.
            OSError: the file cannot be read on.
        """


def opened(file: BinaryIO) -> tuple[str | None, Stream]:
    """Name of the compression of a file, and its uncompressed bytes."""
    first = file.read(_LONGEST_MAGIC)
    name, joined = recognise(first), _Joined(first, file)
    if name is None:
        return None, joined
    return name, _Pieces(_zstd(joined) if name == "zstd" else _members(name, joined))


class _Joined(io.RawIOBase):
    """Bytes already read, then the rest of the file: standard input cannot seek back."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first, self._file, self.taken = io.BytesIO(first), file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any, /) -> int:
        got: int = self._first.readinto(view) or self._file.readinto(view)  # type: ignore[attr-defined]  # BinaryIO lacks it
        self.taken += got
        return got


class _Pieces:
    """Pieces of any size as a stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._piece = pieces, memoryview(b"")

    def readinto(self, view: memoryview, /) -> int:
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        take = min(len(view), len(self._piece))
        view[:take] = self._piece[:take]
        self._piece = self._piece[take:]
        return take


def _members(name: str, file: _Joined) -> Iterator[bytes]:
    """All members one after the other, with zero bytes between and behind them."""
    data = file.read(_INPUT)
    while data:
        data = yield from _gzip(file, data) if name == "gzip" else _member(name, file, data)
        data = data.lstrip(b"\0")
        while len(data) < _LONGEST_MAGIC and (more := file.read(_INPUT)):
            data = (data + more).lstrip(b"\0")
        if data and recognise(data) != name:
            at = file.taken - len(data)
            raise BrokenStreamError(f"bytes that are not {name} follow the {name} data, from byte {at:,} on; {_KEPT}")


def _gzip(file: _Joined, data: bytes) -> Generator[bytes, None, bytes]:
    """As `_member`, of gzip."""
    try:
        return (yield from gzipped.member(data, lambda: file.read(_INPUT // 4) or b""))
    except gzipped.FaultError as fault:
        kept = "" if ":" in str(fault) else f"; {_KEPT}"
        raise BrokenStreamError(f"gzip data {fault}{kept} (near byte {file.taken:,})") from fault


def _member(name: str, file: _Joined, data: bytes) -> Generator[bytes, None, bytes]:
    """One member.

    Returns:
        The bytes that follow it.
    """
    engine: Any = bz2.BZ2Decompressor() if name == "bzip2" else lzma.LZMADecompressor(lzma.FORMAT_XZ)
    while not engine.eof:
        try:
            output = engine.decompress(data, _OUTPUT)
        except _FAULTS as error:
            raise BrokenStreamError(f"{name} data is corrupt near byte {file.taken:,} ({error}); {_KEPT}") from error
        if output:
            yield output
        data = b""
        if not engine.eof and engine.needs_input:
            data = file.read(_INPUT)
            if not data:
                raise BrokenStreamError(f"{name} data ends too early, after byte {file.taken:,}; {_KEPT}")
    following: bytes = engine.unused_data
    return following


def _zstd(file: _Joined) -> Iterator[bytes]:
    """All frames, by Arrow's codec."""
    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    while True:
        try:
            output = stream.read(_FRAME)
        except OSError as error:  # Arrow's word for a cut or corrupt frame
            raise BrokenStreamError(
                f"zstd data is cut or corrupt near byte {file.taken:,} ({error}); {_KEPT}"
            ) from error
        if not output:
            return
        yield output
