"""What is offered to be saved of the whole: the report and its tables, written when somebody asks for them."""

import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loganalyzer.dashboard import loaders
from loganalyzer.document import ReportDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

REPORTS = {"html": "text/html", "json": "application/json"}
TABLES = {"csv": "CSV", "parquet": "Parquet"}
STAMP = (1980, 1, 1, 0, 0, 0)  # of the files in an archive: the same tables are the same bytes


class Offer(NamedTuple):
    """One file: what its button says, its name, what it is, and what writes it."""

    label: str
    name: str
    mime: str
    write: Callable[[], str | bytes]


def offers(document: ReportDocument) -> Iterator[Offer]:
    """What can be saved of the log that is shown."""
    from loganalyzer.reports import RENDERERS

    for kind, mime in REPORTS.items():
        yield Offer(f"Report as {kind.upper()}", named(f"report.{kind}"), mime, partial(RENDERERS[kind], document))
    if loaders.folders():  # the tables name files, and where an upload is kept is nobody's to see
        return
    for kind, title in TABLES.items():
        write = partial(tables, loaders.analysis(), kind)
        yield Offer(f"All tables as {title}", named(f"tables-{kind}.zip"), "application/zip", write)


def named(name: str) -> str:
    """The name of a file with the period that it is about."""
    wanted = loaders.chosen()
    bounds = [f"-{word}-{text}" for word, text in (("from", wanted.since), ("until", wanted.until)) if text]
    stem, dot, ending = name.rpartition(".")
    return f"{stem}{re.sub('[^0-9A-Za-z]+', '-', ''.join(bounds))}{dot}{ending}"


def tables(analysis: "Analysis", kind: str) -> bytes:
    """Every table and the manifest, as `loganalyzer report --csv` or `--parquet` writes them, in one archive."""
    from loganalyzer.reports.exports import write

    file = io.BytesIO()
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = Path(scratch) / kind
        write(str(folder), kind, analysis)
        for path in sorted(folder.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name, STAMP), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file.getvalue()
