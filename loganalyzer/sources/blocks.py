"""One opened source as blocks of whole lines, in constant memory."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from mmap import mmap
from typing import BinaryIO, Self

from loganalyzer.sources.compression import BrokenStreamError, Stream, opened
from loganalyzer.sources.content import unreadable
from loganalyzer.sources.expansion import Source, cause

BLOCK = 4 << 20  # bytes of a block, about
LONGEST = 1 << 20  # bytes of a line that is still read as one
HEAD = 64 << 10  # bytes kept of a longer line


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines that follow one another."""

    offset: int  # of the first byte in the uncompressed source
    data: memoryview  # whole lines; only the last line of a source may lack its line end
    length: int  # bytes it stands for: more than len(data) where it is one line too long, cut after its head
    cut: bool = False  # the source broke off in the last line


class _UpTo:
    """A growing file up to the size it had: what is appended meanwhile is for the next run, which would never end."""

    def __init__(self, stream: Stream, size: int) -> None:
        self._stream, self._left = stream, size

    def readinto(self, view: memoryview, /) -> int:
        got = self._stream.readinto(view[: self._left])
        self._left -= got
        return got


class Reading:
    """A source being read: a context manager; `problem` and `notes` are complete after the last block.

    A plain file is read up to the size that it had when it was opened. If it has grown by the end, a last line without
    its end is not finished: it is left alone.

    So are `end`, the uncompressed offset where the blocks end, `head` and `tail`, the first and the last 64 KiB before
    it, and `pending`, the bytes behind it that were left alone.
    """

    def __init__(
        self,
        source: Source,
        file: BinaryIO | None = None,
        start: int = 0,
        edges: tuple[bytes, bytes] = (b"", b""),
        whole: bool = False,
    ) -> None:
        """Nothing is opened yet.

        Args:
            source: what to read.
            file: the source, where it has been opened already; it stays open.
            start: uncompressed offset of the line to begin with.
            edges: the first and the last 64 KiB before `start`.
            whole: leave a last line without its end alone, if more of it may follow: always, but for a compressed
                source that is complete.
        """
        self.source = source
        self.compression: str | None = None
        self.problem = source.problem
        self.notes = list(source.notes)
        self.head, self.tail = edges
        self.end, self.pending, self._whole = start, 0, whole
        self._file: BinaryIO | None = file
        self._lent = file is not None
        self._size: int | None = None
        self.advance: Callable[[int], None] | None = None  # is told of the bytes taken, many times a second

    def __enter__(self) -> Self:
        if self.problem is None and not self._lent:
            try:
                self._file = sys.stdin.buffer if self.source.path is None else self.source.path.open("rb")
            except OSError as error:
                self.problem = f"cannot be opened ({cause(error)}); nothing was read from it"
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None and self.source.path is not None and not self._lent:
            self._file.close()

    @property
    def taken(self) -> int:
        """Bytes of the file that were read, as compressed; uncompressed for what has no place to tell."""
        if self._file is None or self._file.closed or not self._file.seekable():
            return self.end
        return self._file.tell()

    def blocks(self, ahead: int = 1) -> Iterator[Block]:
        """Blocks in order; whatever breaks on the way ends them and is told in `problem`.

        Args:
            ahead: blocks that are in use at the same time: the data of a block is overwritten when so many more have
                been asked for. (Fresh memory for each block would cost more than reading it.)
        """
        if self._file is None:
            return
        offset, rest, zeros = self.end, b"", 0
        self._size = _size(self._file)
        try:
            self.compression, stream = opened(self._file)
        except OSError as error:
            self.problem = f"cannot be read ({cause(error)}); nothing was read from it"
            return
        stream = self._from_start(stream)
        # Of the kernel, which clears a page when it is first written to: most files of many are small.
        for buffer in cycle([mmap(-1, BLOCK + LONGEST) for _ in range(ahead + 1)]):
            buffer[: len(rest)] = rest
            filled = len(rest) + (got := self._fill(stream, memoryview(buffer)[len(rest) : len(rest) + BLOCK]))
            if offset == 0 and (strange := unreadable(bytes(memoryview(buffer)[: min(filled, HEAD)]))):
                self.problem = strange
                return
            end = filled if not got and not self._open_ended else buffer.rfind(b"\n", 0, filled) + 1
            if end:
                yield from self._blocks(offset, memoryview(buffer)[:end], zeros)
                offset, zeros = offset + zeros, 0
            if not got:
                self._leave(zeros + filled - end)
                return
            offset, rest = offset + end, bytes(memoryview(buffer)[end:filled])
            if len(rest) > LONGEST:
                rest, more = _without_zeros(rest)
                zeros += more
            if len(rest) > LONGEST:
                edges = self.end, self.head, self.tail
                self._pass_zeros(zeros)
                head, length, rest = self._skip_line(stream, rest)
                head, length, zeros = head.lstrip(b"\0"), length + zeros, 0
                if self._open_ended and not head.endswith(b"\n"):
                    self.end, self.head, self.tail = edges
                    self._leave(length)
                    return
                yield Block(offset, memoryview(head), length)
                offset += length

    def _leave(self, pending: int) -> None:
        """End with so many bytes left alone; tell of them, and of a file that logrotate's copytruncate made shorter."""
        self.pending = pending
        if pending and not self._whole:
            self.notes.append(f"its last line is still being written ({pending:,} bytes): it was left for the next run")
        size = None if self._file is None else _size(self._file)
        if self.problem is None and size is not None and size < max(self.taken, self._size or 0):
            said = (
                "was truncated while it was read: every line read before was kept; "
                f"read the rotated copy too, perhaps {self.source.name}.1"
            )
            if self._whole:  # the next run knows what of it was read, and reads the rest
                self.notes.append(said)
            else:
                self.problem = said

    @property
    def _open_ended(self) -> bool:
        """Whether more of a last line without its end may follow: a plain file grows, a cut one is fetched again."""
        if self._whole:
            return self.compression is None or self.problem is not None
        size = None if self._file is None or self.compression else _size(self._file)
        return size is not None and self._size is not None and size > self._size

    def _from_start(self, stream: Stream) -> Stream:
        """The stream at the line to begin with."""
        if self.end and self.compression is None and self._file is not None:
            self._file.seek(self.end)
            stream = self._file  # type: ignore[assignment]  # BinaryIO lacks readinto
        if self.compression is None:
            return _UpTo(stream, self._size - self.end) if self._size else stream
        left, buffer = self.end, memoryview(bytearray(LONGEST))
        while left and (got := self._fill(stream, buffer[: min(left, LONGEST)])):
            left -= got
        return stream

    def _blocks(self, offset: int, data: memoryview, zeros: int) -> Iterator[Block]:
        """Whole lines; the first apart where zero bytes before it were left out."""
        broken = self.problem is not None and data[-1] != ord("\n")
        first = bytes(data).find(b"\n") + 1 or len(data) if zeros else 0
        if zeros:
            self._pass_zeros(zeros)
            self._pass(data[:first])
            yield Block(offset, data[:first], zeros + first, broken and first == len(data))
        if first < len(data):
            self._pass(data[first:])
            yield Block(offset + zeros + first, data[first:], len(data) - first, broken)

    def _pass_zeros(self, count: int) -> None:
        self._pass(memoryview(bytes(min(count, HEAD))))
        self.end += count - min(count, HEAD)

    def _pass(self, data: memoryview) -> None:
        """Keep the edges of what goes by."""
        self.end += len(data)
        if len(self.head) < HEAD:
            self.head += data[: HEAD - len(self.head)]
        self.tail = bytes(data[-HEAD:]) if len(data) >= HEAD else (self.tail + bytes(data))[-HEAD:]

    def _fill(self, stream: Stream, view: memoryview) -> int:
        """Fill a buffer (a pipe gives little at a time); how many bytes there were, 0 at the end."""
        filled = 0
        try:
            while filled < len(view) and (got := stream.readinto(view[filled:])):
                filled += got
                if self.advance is not None:
                    self.advance(self.taken)
        except BrokenStreamError as broken:
            self.problem = str(broken)
        except OSError as error:
            self.problem = f"reading failed ({error.strerror or error}); every whole line before it was kept"
        return filled

    def _skip_line(self, stream: Stream, data: bytes) -> tuple[bytes, int, bytes]:
        """Head of a line too long to keep, its length with the line end, and the bytes that follow it."""
        head, length, buffer = data[:HEAD], len(data), bytearray(LONGEST)
        self._pass(memoryview(data))
        while got := self._fill(stream, memoryview(buffer)):
            end = buffer.find(b"\n", 0, got) + 1
            self._pass(memoryview(buffer)[: end or got])
            if end:
                return head + b"\n", length + end, bytes(buffer[end:got])
            length += got
        return head, length, b""


def _size(file: BinaryIO) -> int | None:
    """Bytes of a regular file; null for what has no size: a pipe, and what the kernel makes up as it is read."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # no descriptor behind it
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _without_zeros(line: bytes) -> tuple[bytes, int]:
    """A line too long to hold, with one of the zero bytes that it begins with, and the number of the others.

    A file system leaves them after a crash, by the megabyte; the record behind them is whole.
    """
    bare = line.lstrip(b"\0")
    zeros = len(line) - len(bare)
    if zeros < HEAD:
        return line, 0
    return b"\0" + bare, zeros - 1
