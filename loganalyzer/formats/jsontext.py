r"""Texts of JSON without their escapes, many at a time (RFC 8259 section 7).

What is one byte behind a backslash is undone by moving bytes; `\uXXXX` is left to the standard library.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats.model import spelled

_BACKSLASH = ord("\\")
_MEANT = np.zeros(256, np.uint8)  # byte behind a backslash to the byte that is meant; 0 for none
_MEANT[list(b'"\\/nrtbf')] = list(b'"\\/\n\r\t\b\f')


def unescaped(values: pa.BinaryArray) -> pa.BinaryArray:
    """Texts as they were before they became JSON; null where one has an escape that JSON has not.

    Args:
        values: what stands between quotes that are not escaped.
    """
    offsets, data = spelled(values)
    backslash = data == _BACKSLASH
    if not backslash.any():
        return values
    data, offsets = data.copy(), offsets - offsets[0]
    escapes = starts(np.flatnonzero(backslash))
    meant = _MEANT[data[escapes + 1]]
    other = np.unique(np.searchsorted(offsets, escapes[meant == 0], "right") - 1)
    data[escapes + 1] = meant
    short = (offsets - np.searchsorted(escapes, offsets)).astype(np.int32)
    buffers = [None, pa.py_buffer(short), pa.py_buffer(np.delete(data, escapes))]
    texts = pa.Array.from_buffers(pa.binary(), len(values), buffers)
    if not len(other):
        return texts
    mask = np.zeros(len(values), bool)
    mask[other] = True
    return pc.replace_with_mask(
        texts, pa.array(mask), pa.array(map(_loaded, values.filter(pa.array(mask)).to_pylist()), pa.binary())
    )


def starts(backslashes: np.ndarray) -> np.ndarray:
    """Those of some backslashes that begin an escape: the first, third, fifth of a row of them."""
    if not len(backslashes):
        return backslashes
    new = np.append(True, np.diff(backslashes) != 1)
    order = np.arange(len(backslashes))
    row: np.ndarray = order - np.maximum.accumulate(np.where(new, order, 0))
    begins: np.ndarray = backslashes[row % 2 == 0]
    return begins


def encoded(text: str) -> bytes:
    """A text of JSON as bytes; bytes that are not UTF-8 as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, escaped
        return text.encode("utf-8", "backslashreplace")


def _loaded(value: bytes) -> bytes | None:
    try:
        return encoded(json.loads('"' + value.decode("utf-8", "surrogateescape") + '"'))
    except ValueError:
        return None
