"""From a store back to a log: one look at the manifest, the data files of the window, the names of today."""

from pathlib import Path

import pyarrow as pa

from loganalyzer.errors import NothingUsableError
from loganalyzer.formats.reader import Input, Log
from loganalyzer.held import Rows, Shelf
from loganalyzer.period import Period
from loganalyzer.schema import REJECT, REQUEST, TEXT
from loganalyzer.store import manifest as manifests
from loganalyzer.store.manifest import DataFile, Manifest, Origin
from loganalyzer.store.originals import StoredOriginals
from loganalyzer.store.tables import rows

EARLIER = "earlier"  # requests of the day before the window
SCHEMAS = {"requests": REQUEST, "rejects": REJECT, EARLIER: REQUEST}


def read(folder: str | Path, since: str | None = None, until: str | None = None, shelf: Shelf | None = None) -> Log:
    """Read a store.

    Args:
        folder: of the store.
        since: only requests that began then or later, as `period.instant` reads it.
        until: only requests that began earlier.
        shelf: holds what is read; by default all of it in memory.

    Returns:
        The log. Its `source` names each file as it was last seen. Accounting is that of the whole store.

    Raises:
        StoreError: the folder is no store, or one of another version, or it is damaged.
        UsageError: `since` or `until` is no instant.
        NothingUsableError: nothing was ever ingested.
    """
    folder = Path(folder)
    window = Period.of(since, until)
    manifest = manifests.load(folder)
    if not manifest.origins:
        raise NothingUsableError(f"{folder}: the store is empty; loganalyzer ingest LOG... --store {folder} fills it")
    shelf = Shelf() if shelf is None else shelf
    rows, missing = _rows(folder, manifest, window, shelf)
    while missing and (newer := manifests.load(folder)).ingests != manifest.ingests:  # files were joined meanwhile
        manifest = newer
        for kind in rows.values():
            shelf.drop(kind)
        rows, missing = _rows(folder, manifest, window, shelf)
    names = manifest.names()
    return Log(
        shelf.united(rows["requests"]),
        shelf.united(rows["rejects"]),
        tuple(_input(origin, names, missing.get(origin.key, 0)) for origin in manifest.origins),
        arguments=("--store", str(folder), *window.options),
        since_us=window.since_us,
        until_us=window.until_us,
        covered_us=_covered(manifest),
        earlier_rows=rows[EARLIER],
        originals=StoredOriginals(folder, manifest),
        hidden=manifest.hidden,
        shelf=shelf,
    )


def _rows(folder: Path, manifest: Manifest, window: Period, shelf: Shelf) -> tuple[dict[str, Rows], dict[str, int]]:
    """Rows by kind, and by origin the rows of data files that cannot be read."""
    found = {kind: Rows(schema) for kind, schema in SCHEMAS.items()}
    missing: dict[str, int] = {}
    names = manifest.names()
    for file in manifest.files:
        earlier = file.kind == "requests" and window.since_us is not None and _meets(window.before, file)
        if not earlier and not _meets(window, file):
            continue
        table = rows(folder, file)
        if table is None:
            missing |= {key: missing.get(key, 0) + file.rows for key in file.sources}
            continue
        parts = {file.kind: window.rows(table)} | ({EARLIER: window.readings(table)} if earlier else {})
        for kind, part in parts.items():
            if part.num_rows:
                found[kind].append(shelf.add(_named(part, SCHEMAS[kind], names)))
    return found, missing


def covered(folder: str | Path) -> tuple[int, int] | None:
    """First and last instant of a request in a whole store; null where none has a time.

    Raises:
        StoreError: as of `read`.
    """
    return _covered(manifests.load(Path(folder)))


def _covered(manifest: Manifest) -> tuple[int, int] | None:
    ends = [(file.first_us, file.last_us) for file in manifest.files if file.kind == "requests"]
    timed = [(first, last) for first, last in ends if first is not None and last is not None]
    return (min(first for first, _ in timed), max(last for _, last in timed)) if timed else None


def _meets(window: Period, file: DataFile) -> bool:
    """Whether a data file can hold rows of a period."""
    if not window.bounded:
        return True
    if file.first_us is None or file.last_us is None:
        return False
    late = window.since_us is None or file.last_us >= window.since_us
    return late and (window.until_us is None or file.first_us < window.until_us)


def _named(table: pa.Table, schema: pa.Schema, names: dict[str, str]) -> pa.Table:
    """The schema of the reader, each origin under its name."""
    source = pa.chunked_array([_renamed(chunk, names) for chunk in table["source"].chunks], TEXT)
    return table.select(schema.names).set_column(0, "source", source).cast(schema)


def _renamed(keys: pa.DictionaryArray, names: dict[str, str]) -> pa.DictionaryArray:
    named = pa.array([names[key] for key in keys.dictionary.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(keys.indices, named)


def _input(origin: Origin, names: dict[str, str], missing: int) -> Input:
    """Accounting of one log, without the lines that were left out as copies."""
    copied = ", ".join(names[key] for key in origin.copied_from)
    lost = f"a data file of the store is missing or damaged: {missing:,} rows are left out; ingest into a new store"
    return Input(
        source=names[origin.key],
        format=", ".join(origin.formats) or None,
        formats=tuple(manifests.progress(origin).read.items()),
        compression=origin.compression,
        lines=origin.lines - origin.known,
        requests=origin.requests,
        rejects=origin.rejects,
        blank=origin.blank,
        comments=origin.comments,
        bytes=origin.end,
        problem=lost if missing else None,
        notes=[f"{origin.known:,} lines more are copies of lines in {copied}: counted there"] if origin.known else [],
    )
