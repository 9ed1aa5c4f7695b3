"""From (source, line) of a stored log to its original bytes: the log may have been renamed, compressed, or deleted."""

import glob
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.asjson import as_json
from loganalyzer.sources import original, undone
from loganalyzer.store.fingerprint import begins
from loganalyzer.store.manifest import DataFile, Manifest, Origin
from loganalyzer.store.tables import rows

_LOOKED_AT = 1_000  # files beside the place where a log was last seen


class StoredOriginals:
    """The originals of a store's logs; `gone` tells, once it was asked, which are not there any more."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        names = manifest.names()
        self._origins = {names[origin.key]: origin for origin in manifest.origins}
        self.gone: list[str] = []

    def __call__(self, source: str, lines: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Original bytes of some lines; where the log is gone, or the store hides something, what it has, as JSON."""
        origin = self._origins[source]
        if self._manifest.hidden:
            return self._stored(origin, lines)
        place = _place(origin)
        if place is None:
            self.gone.append(f"{source}: this log is not there any more; shown is what the store has of its lines")
            return self._stored(origin, lines)
        return original(str(place), lines)

    def _stored(self, origin: Origin, lines: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        wanted = pa.array(sorted(set(lines)), pa.int64())
        files = [file for file in self._manifest.files if file.kind == "requests" and origin.key in file.sources]
        found = [row for file in files for row in self._rows(file, origin, wanted)]
        for row in sorted(found, key=lambda row: int(row["line"])):
            yield row["line"], as_json(row).encode()

    def _rows(self, file: DataFile, origin: Origin, lines: pa.Array) -> list[dict[str, Any]]:
        """Rows of some lines in a data file, of which few have any: where they stand is looked for first."""
        places = rows(self._folder, file, ["source", "line"])
        if places is None:
            return []
        chosen = pc.is_in(places["line"], value_set=lines)
        if pc.any(chosen).as_py() and len(file.sources) > 1:
            chosen = pc.and_(chosen, pc.equal(places["source"].cast(pa.string()), origin.key))
        if not pc.any(chosen).as_py():
            return []
        table = rows(self._folder, file)
        return [] if table is None else table.filter(chosen).to_pylist()


def _place(origin: Origin) -> Path | None:
    """Where a log is now: its last path, or beside it under a longer name, as rotation gives; known by its content."""
    last = Path(undone(origin.path))
    beside = last.parent.glob(f"{glob.escape(last.name)}*") if last.parent.is_dir() else iter(())
    return next((path for path in (last, *sorted(islice(beside, _LOOKED_AT))) if _is(path, origin)), None)


def _is(path: Path, origin: Origin) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return begins(file, origin)
    except OSError:
        return False
