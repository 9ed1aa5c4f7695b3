"""Inputs: find them, open them, undo their compression, cut them into blocks of whole lines.

    arguments -> expand -> Source -> opened -> Reading.blocks() -> Block, Block, ...

Memory stays flat: one block of 8 MiB at a time, and a line without an end is kept only by its first 64 KiB.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from loganalyzer.errors import UsageError
from loganalyzer.sources.blocks import BLOCK, HEAD, LONGEST, Block, Reading
from loganalyzer.sources.expansion import Source, expand, walked

__all__ = ["BLOCK", "HEAD", "LONGEST", "Block", "Reading", "Source", "expand", "original", "undone", "walked"]


def original(source: str, lines: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Original bytes of some lines of a source, in file order; a line over 1 MiB comes as its first 64 KiB.

    Args:
        source: as the column `source` spells it.
        lines: 1-based numbers, in any order.

    Yields:
        Line number and its bytes without the line end.

    Raises:
        UsageError: standard input, which cannot be read a second time, or a source that is gone.
    """
    found = expand([source if Path(source).exists() else undone(source)])
    if source == "-" or len(found) != 1 or found[0].problem:
        why = "standard input cannot be read twice" if source == "-" else "the file is not there any more"
        raise UsageError(f"{source}: the original lines cannot be shown: {why}")
    wanted, before = sorted(set(lines)), 0
    with Reading(found[0]) as reading:
        for block in reading.blocks():
            data = bytes(block.data)
            count = data.count(b"\n") + (not data.endswith(b"\n"))
            here = [number for number in wanted if before < number <= before + count]
            if here:
                texts = data.split(b"\n")
                chosen = ((number, texts[number - before - 1]) for number in here)
                yield from ((number, text if len(text) <= LONGEST else _shortened(text)) for number, text in chosen)
            before += count
            if not wanted or before >= wanted[-1]:
                return


def _shortened(text: bytes) -> bytes:
    """What is shown of a line over 1 MiB: without zero bytes before it, and if it is too long then, its head."""
    bare = text.lstrip(b"\0")
    return bare if len(bare) <= LONGEST else bare[:HEAD]


def undone(name: str) -> str:
    r"""The path behind a printable name: `\xHH` stands for a byte that is not UTF-8."""
    return os.fsdecode(re.sub(rb"\\x([89a-f][0-9a-f])", lambda m: bytes([int(m[1], 16)]), name.encode()))
