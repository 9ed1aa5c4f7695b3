"""A store being written: one writer at a time, and no instant at which a reader would see half of anything.

Data files are written under temporary names, flushed, and renamed; then the manifest is replaced, and only what it
lists counts. Whatever a killed writer left is listed nowhere: the next one removes it.
"""

import fcntl
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from loganalyzer.atomic import sync
from loganalyzer.errors import OutputError, UnsettledError, UsageError
from loganalyzer.privacy import Privacy
from loganalyzer.sources import Block
from loganalyzer.sources.overlap import Digests, line_digests
from loganalyzer.store import manifest as manifests
from loganalyzer.store.manifest import DataFile, Manifest, Origin
from loganalyzer.store.tables import STORED, by_day, rows, span

LOCK = "lock"
_PAUSE_S = 0.05
_MANY, _LARGE = 16, 500_000  # files of one day that are joined, of fewer rows than this
_OURS = re.compile(r"\d{8}-\d{4}\.parquet(?:\.part)?")
_DICTIONARY = 16 << 20  # bytes of distinct values of a column before Parquet writes each value out


@contextmanager
def writing(folder: Path, wait_s: float, privacy: Privacy) -> "Iterator[Writer]":
    """Make or open a store for writing, alone; what a killed writer left is removed.

    Raises:
        UsageError: the folder holds other things, or was made to hide others than `privacy` does, or another writer
            kept it longer than `wait_s`.
        StoreError: the store is damaged or of another version.
        OutputError: it cannot be made or written.
    """
    with _made(folder) as lock:
        _lock(lock.fileno(), folder, wait_s)
        if not (folder / manifests.NAME).exists():
            manifests.save(folder, Manifest(hidden=privacy.name))
        writer = Writer(folder, manifests.load(folder), privacy)
        if writer.manifest.hidden != privacy.name:
            made = f"hides {writer.manifest.hidden or 'nothing'}"
            raise UsageError(
                f"{folder}: this store {made}, and this ingest would hide {privacy.name or 'nothing'}; what a store "
                f"holds is to be all of one kind: give the same --anonymize and --redact, or another --store"
            )
        writer.clean()
        yield writer


def _made(folder: Path) -> BinaryIO:
    """The file to lock of a store that is made if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strange = [
            path.name for path in folder.iterdir() if path.name != LOCK and not path.name.startswith(".manifest")
        ]
        if strange and not (folder / manifests.NAME).exists():
            raise UsageError(f"{folder}: is no store, and not empty ({min(strange)}); name a new or an empty folder")
        return (folder / LOCK).open("ab")
    except FileExistsError:
        raise UsageError(f"{folder}: is no folder, so no store") from None
    except OSError as error:
        raise OutputError(f"{folder}: the store cannot be written: {error.strerror}") from error


def _lock(handle: int, folder: Path, wait_s: float) -> None:
    """Wait for the lock; the kernel lets go of it whatever becomes of its holder."""
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise UsageError(
                    f"{folder}: another ingest is writing this store; waited {wait_s:g} s, nothing was read: try again"
                ) from None
            time.sleep(_PAUSE_S)
        else:
            return


class Writer:
    """The one writer of a store."""

    def __init__(self, folder: Path, manifest: Manifest, privacy: Privacy) -> None:
        self.folder, self.manifest, self._privacy = folder, manifest, privacy
        self._added: list[DataFile] = []

    def digests(self, block: Block) -> Digests:
        """Of the lines of a block, as the store keeps them to know copies by."""
        return line_digests(block, self._privacy.digest_key)

    def clean(self) -> None:
        """Remove what the manifest does not list: a writer was killed before it was."""
        listed = {self.folder / file.path for file in self.manifest.files}
        left = [*self.folder.glob(f".{manifests.NAME}.*.part")]
        for kind in STORED:
            left += [path for path in self.folder.glob(f"{kind}/day=*/*") if _OURS.fullmatch(path.name)]
        for path in left:
            if path not in listed:
                path.unlink(missing_ok=True)

    def add(self, kind: str, table: pa.Table, key: str) -> None:
        """Write rows of one log, without what is to be hidden; they count from the next commit on.

        Raises:
            OutputError: disk full, ...; the store is as it was.
        """
        table = self._privacy.requests(table) if kind == "requests" else self._privacy.rejects(table)
        for day, part in by_day(table):
            self._write(f"{kind}/day={day}", kind, part, [key])

    def commit(self, origin: Origin) -> None:
        """Let what was added count, together with how far its log was read.

        Raises:
            OutputError: as of `add`.
        """
        others = (other for other in self.manifest.origins if other.key != origin.key)
        self._publish((*others, origin), (*self.manifest.files, *self._added))

    def forget(self) -> None:
        """Take back what was added since the last commit."""
        for file in self._added:
            (self.folder / file.path).unlink(missing_ok=True)
        self._added = []

    def compact(self) -> None:
        """Join the small files of each day where there are many: a log that is read every minute leaves one a minute.

        A file that is missing or damaged is left as it is, to be told by whoever reads it.

        Raises:
            OutputError: as of `add`.
        """
        groups: dict[str, list[DataFile]] = {}
        for file in self.manifest.files:
            if file.rows < _LARGE:
                groups.setdefault(str(Path(file.path).parent), []).append(file)
        joined = [self._joined(place, files) for place, files in groups.items() if len(files) >= _MANY]
        gone = {file.path for files in joined for file in files}
        if gone:
            left = [file for file in self.manifest.files if file.path not in gone]
            self._publish(self.manifest.origins, (*left, *self._added))
            for path in gone:
                (self.folder / path).unlink(missing_ok=True)

    def _joined(self, place: str, files: list[DataFile]) -> list[DataFile]:
        """Write one file of several; which these were."""
        tables = [rows(self.folder, file) for file in files]
        if any(table is None for table in tables):
            return []
        table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        sources = sorted({source for file in files for source in file.sources})
        self._write(place, files[0].kind, table, sources)
        return files

    def _publish(self, origins: Iterable[Origin], files: Iterable[DataFile]) -> None:
        try:
            days = {(self.folder / file.path).parent for file in self._added}
            for folder in sorted({level for day in days for level in (day, day.parent, self.folder)}):
                sync(folder)
        except OSError as error:
            raise self._failed(error) from error
        following = replace(
            self.manifest, ingests=self.manifest.ingests + 1, origins=tuple(origins), files=tuple(files)
        )
        try:
            manifests.save(self.folder, following)
        except UnsettledError:
            self.manifest, self._added = following, []  # it lists these files: they must not be taken back
            raise
        self.manifest, self._added = following, []

    def _write(self, place: str, kind: str, table: pa.Table, sources: list[str]) -> None:
        name = f"{place}/{self.manifest.ingests + 1:08d}-{len(self._added):04d}.parquet"
        path = self.folder / name
        temporary = path.with_name(path.name + ".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(
                table,
                temporary,
                compression="zstd",
                use_dictionary=[f.name for f in table.schema if pa.types.is_dictionary(f.type)],
                dictionary_pagesize_limit=_DICTIONARY,
                write_page_checksum=True,
            )
            sync(temporary)
            temporary.replace(path)
        except OSError as error:
            raise self._failed(error) from error
        size = path.stat().st_size
        self._added.append(DataFile(name, kind, table.num_rows, size, *span(table), sources))

    def _failed(self, error: OSError) -> OutputError:
        return OutputError(f"{self.folder}: not written: {error.strerror or error}; the store is as it was before")
