"""Lines that a collector cut in parts, where a block ends between two of them: the first parts wait for the others."""

import numpy as np

from loganalyzer.formats.lines import cut
from loganalyzer.formats.model import Format
from loganalyzer.formats.wrappers import Wrapped
from loganalyzer.sources import LONGEST, Block


class Parts:
    """What is held of one source."""

    def __init__(self) -> None:
        self._held: Block | None = None

    def whole(self, block: Block, form: Format | None) -> Block | None:
        """The block with what was held before it, and without the unfinished line at its end; null if it is all held.

        Args:
            block: the lines that follow.
            form: their main format.
        """
        block = self._with_held(block)
        kept = _kept(block, form)
        if kept == len(block.data):
            return block
        rest = memoryview(bytes(block.data[kept:]))
        self._held = Block(block.offset + block.length - len(rest), rest, len(rest))
        return Block(block.offset, block.data[:kept], block.length - len(rest)) if kept else None

    def rest(self) -> Block | None:
        """What is held at the end."""
        held, self._held = self._held, None
        return held

    def _with_held(self, block: Block) -> Block:
        held = self.rest()
        if held is None:
            return block
        data = memoryview(bytes(held.data) + bytes(block.data))
        return Block(held.offset, data, held.length + block.length, block.cut)


def _kept(block: Block, form: Format | None) -> int:
    """Bytes of a block before an unfinished line at its end; a line longer than `LONGEST` is not waited for."""
    if form is None or not isinstance(form.grammar, Wrapped) or not form.grammar.wrapper.ended:
        return len(block.data)
    if block.cut or block.length != len(block.data) or block.data[-1] != ord("\n"):
        return len(block.data)
    start = max(len(block.data) - LONGEST, 0)
    lines = cut(block.data[start:])
    last = lines.array(np.arange(len(lines.starts))[-1:])
    if not form.grammar.wrapper.unfinished(last)[0]:
        return len(block.data)
    goes_on = form.grammar.wrapper.unfinished(lines.array(np.arange(len(lines.starts))))
    ended = np.flatnonzero(~goes_on)
    # The first of these lines has lost its beginning, unless they are all there are.
    if not len(ended) or (start and ended[-1] == 0):
        return len(block.data)
    return start + int(lines.starts[ended[-1] + 1])
