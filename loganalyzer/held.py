"""Tables that are held: in memory while they fit, as Parquet files in a temporary folder from then on.

Whoever reads goes through `Rows` piece by piece and column by column, and need not know where they lie.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from loganalyzer.scratch import Scratch

_DICTIONARY = 16 << 20  # bytes of distinct values of a column before Parquet writes each value out
_BASE = 384 << 20  # what the process takes besides the rows: libraries, blocks being read, one kernel's working memory
_PER_BYTE = 3  # a byte of REQUEST costs so many at the peak of a report: united, narrowed, sorted
_LEAST = 8 << 20  # that a shelf holds whatever the cap


class Piece:
    """Rows that follow one another, in memory or in a file."""

    def __init__(self, table: pa.Table) -> None:
        """Hold a table in memory."""
        self._table = table
        self.num_rows: int = table.num_rows
        self.size: int = table.nbytes  # in memory
        self.path: Path | None = None  # null: in memory

    def load(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows, with some columns or all.

        Raises:
            OSError: the file is gone.
        """
        if self._table is None:
            return pq.ParquetFile(self.path).read(columns)
        return self._table if columns is None else self._table.select(columns)

    def spill(self, path: Path) -> None:
        """Move the rows to a file.

        Raises:
            OSError: disk full, ...; they stay in memory.
        """
        table = self._table
        try:
            pq.write_table(
                table,
                path,
                compression="lz4",
                row_group_size=max(1, table.num_rows),
                use_dictionary=[field.name for field in table.schema if pa.types.is_dictionary(field.type)],
                dictionary_pagesize_limit=_DICTIONARY,
                write_statistics=False,
            )
        except OSError:
            path.unlink(missing_ok=True)
            raise
        self._table, self.path = None, path


class Rows:
    """Rows of one schema in order."""

    def __init__(self, schema: pa.Schema, pieces: Iterable[Piece] = ()) -> None:
        """Rows of these pieces."""
        self.schema, self.pieces = schema, list(pieces)
        self.num_rows = sum(piece.num_rows for piece in self.pieces)

    @classmethod
    def of(cls, table: pa.Table) -> "Rows":
        """Those of one table, in memory."""
        return cls(table.schema, [Piece(table)])

    def append(self, piece: Piece) -> None:
        """Let rows follow."""
        self.pieces.append(piece)
        self.num_rows += piece.num_rows

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The pieces one after the other, with some columns or all; each has dictionaries of its own."""
        for piece in self.pieces:
            yield piece.load(columns)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows in memory, under one dictionary for each column."""
        tables = list(self.tables(columns))
        if not tables:
            return self.schema.empty_table() if columns is None else self.schema.empty_table().select(columns)
        return tables[0] if len(tables) == 1 else pa.concat_tables(tables).unify_dictionaries()

    def has(self, column: str) -> bool:
        """Whether any row has a value there."""
        return any(piece[column].null_count < piece.num_rows for piece in self.tables([column]))

    def in_memory(self) -> pa.Table:
        """Those rows that lie in memory."""
        return Rows(self.schema, (piece for piece in self.pieces if piece.path is None)).table()


class Shelf:
    """All tables that one command holds: what goes beyond the cap goes to files, first what was there first."""

    def __init__(self, memory: int | None = None, tell: Callable[[str], object] | None = None) -> None:
        """Nothing is held yet.

        Args:
            memory: bytes that the whole process should keep within; null: whatever it takes.
            tell: is told once, where nothing can be written to the temporary folder and all stays in memory.
        """
        self.memory = memory
        self._most = None if memory is None else max(_LEAST, (memory - _BASE) // _PER_BYTE)
        self._tell = tell
        self._held: list[Piece] = []
        self._bytes = self._files = 0
        self._scratch: Scratch | None = None
        self.spilling = False

    @property
    def folder(self) -> Path | None:
        """The temporary folder; null where there is no cap, or none can be made."""
        if self._scratch is None and self._most is not None:
            try:
                self._scratch = Scratch()
            except OSError as error:
                self._give_up(error)
        return None if self._scratch is None else self._scratch.path

    def add(self, table: pa.Table) -> Piece:
        """Hold one table more of what is read; where that is too much, all goes to files from here on."""
        piece = self.derived(table)
        self._bytes += piece.size
        if not self.spilling and self._most is not None and self._bytes > self._most:
            self.spilling = True
            self._spill()
        return piece

    def derived(self, table: pa.Table) -> Piece:
        """Hold a table that was made of others, where these lie: its share of the cap was reckoned with theirs."""
        piece = Piece(table)
        self._held.append(piece)
        if self.spilling:
            self._spill()
        return piece

    def united(self, rows: Rows) -> Rows:
        """The same rows as one piece, where all are in memory: one dictionary for each column costs less to work on."""
        if self.spilling or len(rows.pieces) < 2:
            return rows
        united = self.derived(rows.table())
        self._bytes += united.size
        self.drop(rows)
        return Rows(rows.schema, [united])

    def drop(self, rows: Rows) -> None:
        """Hold these no longer."""
        apart = set(rows.pieces)
        self._held = [piece for piece in self._held if piece not in apart]
        self._bytes -= sum(piece.size for piece in apart)
        for piece in apart:
            if piece.path is not None:
                piece.path.unlink(missing_ok=True)

    def kept(self, rows: Rows, keep: npt.NDArray[np.bool_]) -> Rows:
        """Only some of the rows; what lay in files for the others is freed."""
        pieces, start = [], 0
        for piece in rows.pieces:
            chosen, start = keep[start : start + piece.num_rows], start + piece.num_rows
            whole = chosen.all()
            pieces.append(piece if whole else self._replaced(piece, piece.load().filter(pa.array(chosen))))
        return Rows(rows.schema, pieces)

    def changed(self, rows: Rows, change: Callable[[pa.Table], pa.Table]) -> Rows:
        """Other rows in the place of these: `change` of each piece."""
        return Rows(rows.schema, [self._replaced(piece, change(piece.load())) for piece in rows.pieces])

    def _replaced(self, piece: Piece, table: pa.Table) -> Piece:
        self.drop(Rows(table.schema, [piece]))
        return self.add(table)

    def close(self) -> None:
        """Remove the files now; without this they go at the end of the process."""
        if self._scratch is not None:
            self._scratch.close()

    def _spill(self) -> None:
        while self._held and self._most is not None and (folder := self.folder) is not None:
            self._files += 1
            try:
                self._held[0].spill(folder / f"{self._files:06d}.parquet")
            except OSError as error:
                self._give_up(error)
                return
            del self._held[0]

    def _give_up(self, error: OSError) -> None:
        """Go on in memory, whatever it takes."""
        self._most, self.spilling = None, False
        if self._tell is not None:
            self._tell(
                f"the temporary folder cannot be used ({error.strerror or error}): going on in memory, beyond "
                "--memory; TMPDIR=DIR names another"
            )
