"""Columns of one block that were read in parts, put together in the order of its lines."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

Columns: TypeAlias = dict[str, pa.Array]


def merged(parts: Sequence[tuple[np.ndarray, Columns]]) -> tuple[np.ndarray, Columns]:
    """Indexes of all lines, ascending, and their values; null where a part has no such column.

    Args:
        parts: indexes of lines, and their values: binary, or dictionary arrays of binary.
    """
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0, np.int64), {}
    at = np.concatenate([part[0] for part in parts])
    order = pa.array(np.argsort(at, kind="stable"))
    names = dict.fromkeys(name for _, columns in parts for name in columns)
    return np.sort(at), {name: _joined(name, parts).take(order) for name in names}


def plain(values: pa.Array) -> pa.Array:
    """Values without a dictionary."""
    return values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values


def _joined(name: str, parts: Sequence[tuple[np.ndarray, Columns]]) -> pa.Array:
    kinds = {columns[name].type for _, columns in parts if name in columns}
    kind = max(kinds, key=pa.types.is_dictionary)
    pieces = [columns[name] if name in columns else pa.nulls(len(at), kind) for at, columns in parts]
    if len(kinds) > 1:
        pieces = [piece.dictionary_encode() for piece in pieces]
    return pa.chunked_array(pieces).unify_dictionaries().combine_chunks()
