"""Text columns as the codes of their distinct values: -1 in numpy, null in Arrow, for what is not there."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.groups import Int64


def encode(column: pa.ChunkedArray | pa.Array) -> tuple[Int64, pa.Array]:
    """Return the code of each row, -1 for null, and the distinct values that the codes count through."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # pyarrow keeps an empty or a very long column in chunks
        column = pa.concat_arrays([*column.chunks, pa.nulls(0, column.type)])
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes: Int64 = pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, column.dictionary


def nullable(codes: Int64) -> pa.Array:
    """Return codes as an int32 column in which -1 is null."""
    return pa.array(codes, pa.int32(), mask=codes < 0)


class Values:
    """The distinct values of a text column that comes table by table; codes count them as they come."""

    def __init__(self) -> None:
        """None yet."""
        self._first: pa.Array = pa.array([], pa.string())  # the first table's dictionary, which most often is all
        self._codes: dict[str, int] = {}
        self._more: list[str] = []

    def __len__(self) -> int:
        return len(self._first) + len(self._more)

    def codes(self, column: pa.ChunkedArray | pa.Array) -> Int64:
        """The code of each row, -1 for null."""
        local, values = encode(column)
        if not len(self):
            self._first = values
        if values is self._first or values.equals(self._first):
            return local
        if not self._codes:
            for code, text in enumerate(self._first.to_pylist()):
                self._codes.setdefault(text, code)
        texts = values.to_pylist()
        fresh = [text for text in dict.fromkeys(texts) if text not in self._codes]
        self._codes.update(zip(fresh, range(len(self), len(self) + len(fresh)), strict=True))
        self._more += fresh
        return np.append(np.fromiter(map(self._codes.__getitem__, texts), np.int64, len(texts)), -1)[local]

    def array(self) -> pa.Array:
        """The values, by code."""
        return pa.concat_arrays([self._first.cast(pa.string()), pa.array(self._more, pa.string())])
