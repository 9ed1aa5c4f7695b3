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
