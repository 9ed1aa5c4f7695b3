"""Which format a source has: by vote over a sample of its lines, from content alone."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from loganalyzer.formats.model import Format

SAMPLE = 500  # lines that vote, spread over the first block


def sample(lines: pa.BinaryArray) -> pa.BinaryArray:
    """At most `SAMPLE` lines, spread evenly: the first lines of a file are often not the usual ones."""
    if len(lines) <= SAMPLE:
        return lines
    return lines.take(pa.array(np.linspace(0, len(lines) - 1, SAMPLE).astype(np.int64)))


def detect(lines: pa.BinaryArray, formats: Sequence[Format]) -> Format | None:
    """The format that reads the lines best, and the first of equals; null where none reads any."""
    scores = [form.grammar.score(lines) for form in formats]
    best = max(scores)
    return formats[scores.index(best)] if best else None
