"""Logs that are uploaded: checked by content, bounded in what comes out of them, kept only as long as their session."""

import re
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO

from loganalyzer.errors import UsageError

LARGEST = 2 * 2**30  # bytes out of one upload
SUSPECT, RATIO = 64 * 2**20, 200  # beyond this size, more than this many bytes out of one is no log but a bomb
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
HEAD = 64 * 1024
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class Upload:
    """One uploaded file in a private folder that goes when the session does."""

    def __init__(self, name: str, data: BinaryIO):
        folder = tempfile.mkdtemp(prefix="loganalyzer-")  # readable by its owner alone
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / _safe(name)
        data.seek(0)
        with self.path.open("wb") as file:
            while part := data.read(1 << 20):
                file.write(part)

    @property
    def folder(self) -> str:
        """The private folder and its slash: not to be shown to anybody."""
        return f"{self.path.parent}/"


def _safe(name: str) -> str:
    """A name to show: the client of an upload chooses it, so nothing of it may be a path."""
    kept = re.sub(r"[^A-Za-z0-9._-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1]).lstrip(".-")
    return kept[-100:] or "upload.log"


def kind(head: bytes) -> str:
    """Name what an upload is by its first bytes: "text", or a compression that is read.

    Raises:
        UsageError: neither; the browser's idea of its type counts for nothing.
    """
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    if not head.strip():
        raise UsageError("the file is empty")
    if head.startswith((b"PK\x03\x04", b"7z\xbc\xaf", b"Rar!")) or head[257:262] == b"ustar":
        raise UsageError("archives are not read; upload the log inside")
    if len(_BINARY.findall(head[:HEAD])) * 100 > len(head[:HEAD]):
        raise UsageError("this is no text, and not compressed with gzip, bzip2, xz or zstd")
    return "text"


def check(upload: Upload) -> None:
    """Refuse what is no log, and what unpacks to more than a log would.

    Raises:
        UsageError: with the reason.
    """
    from loganalyzer.sources import Reading, expand

    with upload.path.open("rb") as file:
        if kind(file.read(HEAD)) == "text":
            return
    size, unpacked = upload.path.stat().st_size, 0
    (source,) = expand([str(upload.path)])
    with Reading(source) as reading:
        for block in reading.blocks():
            unpacked += len(block.data)
            if unpacked > LARGEST or (unpacked > SUSPECT and unpacked > RATIO * size):
                much = f"unpacks to more than {unpacked // 2**20:,} MiB"
                raise UsageError(f"{much}, as no log does; name the file at start to read it all the same")
