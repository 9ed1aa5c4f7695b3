"""Which format a source has: by vote over a sample of its lines, from content alone."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.model import Format
from loganalyzer.formats.wrappers import WRAPPERS, Wrapped, wrapped

SAMPLE = 500  # lines that vote, spread over the first block
_FAIR = 0.05  # of them that a closed format must read to go before an open one that reads more


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


def closer(lines: pa.BinaryArray, found: Format, formats: Sequence[Format]) -> Format | None:
    """The closed format that reads a fair share of the lines to the letter, where an open one reads the most.

    Of two formats in one file an open one may read both, and would lose what stands behind the values that they share.
    """
    if found.grammar.closed:
        return None
    wrapper = found.grammar.wrapper if isinstance(found.grammar, Wrapped) else None
    bare = wrapper.unwrap(lines) if wrapper else lines
    exact = [form for form in formats if form.grammar.closed and form.grammar.score(bare)]
    counted = [(int(form.grammar.letter(bare).sum()), form) for form in exact]
    count, form = max(counted, key=lambda item: item[0], default=(0, found))
    if count < max(1, _FAIR * len(lines)):
        return None
    return wrapped(wrapper, form) if wrapper else form


def named(name: str | None, formats: Sequence[Format]) -> Format | None:
    """The format of a name, behind a wrapper if the name says so; null where there is none."""
    bare, _, around = (name or "").partition(" in ")
    form = next((form for form in formats if form.name == bare), None)
    wrapper = next((wrapper for wrapper in WRAPPERS if wrapper.name == around), None)
    return wrapped(wrapper, form) if form and wrapper else None if around else form


def _best(lines: pa.BinaryArray, formats: Sequence[Format]) -> tuple[float, Format | None]:
    best, found = 0.0, None
    text = re.sub(rb" +", b" ", b"\n".join(lines.drop_null().to_pylist()))
    for form in formats:
        if not all(mark in text for mark in form.grammar.marks):  # a look costs less than a pattern that is made
            continue
        score = form.grammar.score(lines)
        if score > best:
            best, found = score, form
        if best == len(lines):  # none can do better
            break
    return best, found
