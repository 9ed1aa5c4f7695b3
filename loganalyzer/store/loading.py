"""From a store back to a log: one look at the manifest, the data files of the window, the names of today."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.epoch import iso
from loganalyzer.errors import NothingUsableError, UsageError
from loganalyzer.formats.reader import Input, Log
from loganalyzer.held import Rows, Shelf
from loganalyzer.schema import REJECT, REQUEST, TEXT
from loganalyzer.store import manifest as manifests
from loganalyzer.store.manifest import DataFile, Manifest, Origin
from loganalyzer.store.originals import StoredOriginals
from loganalyzer.store.tables import DAY_US, compact, rows
from loganalyzer.store.window import instant

EARLIER = "earlier"  # requests for robots.txt before the window, whose answers may still serve
SCHEMAS = {"requests": REQUEST, "rejects": REJECT, EARLIER: REQUEST}
READ = {"requests": REQUEST.names, "rejects": [*REJECT.names, "t"]}  # all but the digest, the largest column


@dataclass(frozen=True, slots=True)
class Window:
    """Requests from `since_us` on, before `until_us`; null is no bound."""

    since_us: int | None
    until_us: int | None
    copy_us: int = DAY_US  # for how long a copy of robots.txt may serve (RFC 9309 section 2.4)

    @classmethod
    def of(cls, since: str | None, until: str | None, copy_us: int = DAY_US) -> "Window":
        """Between two instants, as `store.window.instant` reads them.

        Raises:
            UsageError: one is no instant.
        """
        since_us, until_us = (None if text is None else instant(text) for text in (since, until))
        return cls(since_us, until_us, copy_us)

    @property
    def bounded(self) -> bool:
        """Whether anything can be outside."""
        return self.since_us is not None or self.until_us is not None

    @property
    def words(self) -> tuple[str | None, str | None]:
        """Its two instants as `of` reads them."""
        since, until = (None if us is None else iso(us) for us in (self.since_us, self.until_us))
        return since, until

    def previous(self, last_us: int) -> "Window":
        """The one that ends where this begins and is as long; one without an end ends at `last_us`.

        Raises:
            UsageError: it has no beginning, or none before its end.
        """
        end = last_us if self.until_us is None else self.until_us
        if self.since_us is None or end <= self.since_us:
            raise UsageError("there is nothing as long before it: the period has no beginning, or none before its end")
        return Window(2 * self.since_us - end, self.since_us, self.copy_us)

    @property
    def before(self) -> "Window":
        """The time before it from which a copy of robots.txt may still serve."""
        since = 0 if self.since_us is None else self.since_us
        return Window(since - self.copy_us, since)

    def meets(self, file: DataFile) -> bool:
        """Whether a data file can hold rows of it."""
        if not self.bounded:
            return True
        if file.first_us is None or file.last_us is None:
            return False
        late = self.since_us is None or file.last_us >= self.since_us
        return late and (self.until_us is None or file.first_us < self.until_us)

    def rows(self, table: pa.Table) -> pa.Table:
        """Rows inside; those without a time are inside only where there is no bound."""
        for bound, compare in ((self.since_us, pc.greater_equal), (self.until_us, pc.less)):
            if bound is not None:
                inside = pc.fill_null(compare(table["t"], bound), False)
                table = table if pc.all(inside).as_py() else table.filter(inside)
        return table


def read(
    folder: str | Path,
    since: str | None = None,
    until: str | None = None,
    shelf: Shelf | None = None,
    copy_us: int = DAY_US,
) -> Log:
    """Read a store.

    Args:
        folder: of the store.
        since: only requests that began then or later, as `store.window.instant` reads it.
        until: only requests that began earlier.
        shelf: holds what is read; by default all of it in memory.
        copy_us: for how long a copy of robots.txt may serve: what was asked for it so long before `since` is read, too
            (`robots.grace.read(...).longest_us`).

    Returns:
        The log. Its `source` names each file as it was last seen. Accounting is that of the whole store.

    Raises:
        StoreError: the folder is no store, or one of another version, or it is damaged.
        UsageError: `since` or `until` is no instant.
        NothingUsableError: nothing was ever ingested.
    """
    folder = Path(folder)
    window = Window.of(since, until, copy_us)
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
        arguments=_arguments(folder, window),
        since_us=window.since_us,
        until_us=window.until_us,
        covered_us=_covered(manifest) if window.bounded else None,
        earlier_rows=rows[EARLIER],
        originals=StoredOriginals(folder, manifest),
        hidden=manifest.hidden,
        shelf=shelf,
    )


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


def _rows(folder: Path, manifest: Manifest, window: Window, shelf: Shelf) -> tuple[dict[str, Rows], dict[str, int]]:
    """Rows by kind, and by origin the rows of data files that cannot be read."""
    found = {kind: Rows(schema) for kind, schema in SCHEMAS.items()}
    missing: dict[str, int] = {}
    names = manifest.names()
    for file in manifest.files:
        near = file.kind == "requests" and window.since_us is not None and window.before.meets(file)
        if not near and not window.meets(file):
            continue
        table = rows(folder, file, READ[file.kind])
        if table is None:
            missing |= {key: missing.get(key, 0) + file.rows for key in file.sources}
            continue
        parts = {file.kind: window.rows(table)} | ({EARLIER: earlier(table, window)} if near else {})
        for kind, part in parts.items():
            if part.num_rows:
                found[kind].append(shelf.add(_named(part, SCHEMAS[kind], names)))
    return found, missing


def earlier(table: pa.Table, window: Window) -> pa.Table:
    """Requests for /robots.txt in the time before the window: who read it then need not read it again."""
    near = window.before.rows(table.filter(pa.chunked_array(map(_names_robots, table["target"].chunks), pa.bool_())))
    return compact(near)


def _names_robots(targets: pa.DictionaryArray) -> pa.BooleanArray:
    """Whether each names /robots.txt: each distinct target is looked at once."""
    return pc.fill_null(pc.match_substring(targets.dictionary, "/robots.txt").take(targets.indices), False)


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


def _arguments(folder: Path, window: Window) -> tuple[str, ...]:
    bounds = (("--since", window.since_us), ("--until", window.until_us))
    return ("--store", str(folder), *(part for name, us in bounds if us is not None for part in (name, iso(us))))
