"""Which format a source has: by vote over a sample of its lines, from content alone."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.model import Format
from loganalyzer.formats.wrappers import WRAPPERS, wrapped

SAMPLE = 500  # lines that vote, spread over the first block


def sample(lines: pa.BinaryArray) -> pa.BinaryArray:
    """At most `SAMPLE` lines, spread evenly: the first lines of a file are often not the usual ones."""
    if len(lines) <= SAMPLE:
        return lines
    return lines.take(pa.array(np.linspace(0, len(lines) - 1, SAMPLE).astype(np.int64)))


def detect(lines: pa.BinaryArray, formats: Sequence[Format]) -> Format | None:
    """The format that reads the lines best, and the first of equals; null where none reads any.

    Behind a wrapper a format is looked for where none reads every line to the letter: read leniently, the words of a
    wrapper pass for a user's name with blanks in it.
    """
    best, found = _best(lines, formats)
    if best < len(lines):
        for wrapper in WRAPPERS:
            peeled = wrapper.peel(lines)
            held = peeled.null_count < len(lines)
            score, form = _best(pc.coalesce(peeled, lines), formats) if held else (0.0, None)
            if form is not None and score >= best:
                best, found = score, wrapped(wrapper, form)
    return found


def _best(lines: pa.BinaryArray, formats: Sequence[Format]) -> tuple[float, Format | None]:
    best, found = 0.0, None
    for form in formats:
        score = form.grammar.score(lines)
        if score > best:
            best, found = score, form
        if best == len(lines):  # none can do better
            break
    return best, found
