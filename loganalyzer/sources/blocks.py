"""One opened source as blocks of whole lines, in constant memory."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Self

from loganalyzer.sources.compression import BrokenStreamError, decompressed, recognise
from loganalyzer.sources.expansion import Source

BLOCK = 8 << 20  # bytes of a block, about
LONGEST = 1 << 20  # bytes of a line that is still read as one
HEAD = 64 << 10  # bytes kept of a longer line


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines that follow one another."""

    offset: int  # of the first byte in the uncompressed source
    data: bytes  # whole lines; only the last line of a source may lack its line end
    length: int  # bytes it stands for: more than len(data) where it is one line too long, cut after its head
    cut: bool = False  # the source broke off in the last line


class Reading:
    """A source being read: a context manager; `problem` and `notes` are complete after the last block."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.compression: str | None = None
        self.problem = source.problem
        self.notes = list(source.notes)
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.problem is None:
            try:
                self._file = sys.stdin.buffer if self.source.path is None else self.source.path.open("rb")
            except OSError as error:
                self.problem = f"cannot be opened ({error.strerror}); the other inputs were read"
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None and self.source.path is not None:
            self._file.close()

    def blocks(self) -> Iterator[Block]:
        """Blocks in order; whatever breaks on the way ends them and is told in `problem`."""
        offset, rest = 0, b""
        chunks = self._chunks()
        for chunk in chunks:
            data = rest + chunk if rest else chunk
            end = data.rfind(b"\n") + 1
            if end:
                yield Block(offset, data if end == len(data) else data[:end], end)
                offset, data = offset + end, data[end:]
            if len(data) > LONGEST:
                head, length, data = _skip_line(data, chunks)
                yield Block(offset, head, length)
                offset += length
            rest = data
        if rest:
            yield Block(offset, rest, len(rest), cut=self.problem is not None and not rest.endswith(b"\n"))

    def _chunks(self) -> Iterator[bytes]:
        """Uncompressed bytes, about `BLOCK` at a time."""
        if self._file is None:
            return
        try:
            first = self._file.read(BLOCK)
            self.compression = recognise(first)
            yield from decompressed(self.compression, first, self._file, BLOCK)
        except BrokenStreamError as broken:
            self.problem = str(broken)
        except OSError as error:
            self.problem = f"reading failed ({error.strerror or error}); every whole line before it was kept"


def _skip_line(data: bytes, chunks: Iterator[bytes]) -> tuple[bytes, int, bytes]:
    """Head of a line too long to keep, its length with the line end, and the bytes that follow it."""
    head, length = data[:HEAD], len(data)
    for chunk in chunks:
        end = chunk.find(b"\n") + 1
        if end:
            return head + b"\n", length + end, chunk[end:]
        length += len(chunk)
    return head, length, b""
