"""Whether what a source holds can be a log at all, by its first bytes."""

import numpy as np

_NOT_LINES = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"\x7fELF": "a program or a core dump",
    b"SQLite format 3\0": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"LPKSHHRH": "a systemd journal",
    b"\x1f\x9d": "compressed by compress",
    b"\x04\x22\x4d\x18": "compressed by lz4",
    b"LZIP": "compressed by lzip",
}
_ADVICE = {
    "archive": "archives are not read; give the files inside",
    "journal": "give the output of journalctl -o cat",
    "compressed": "unpack it first, or use gzip, bzip2, xz or zstd",
}
_TAR = slice(257, 262), b"ustar"
_ENOUGH = 256  # bytes that say something about the rest
_TEXT = np.array([c < 32 and c not in b"\t\n\v\f\r\x1b" for c in range(256)])  # what no text holds, zero apart
_TOO_MANY = 0.05  # of such bytes; random ones are a tenth
_MOST = 0.4  # of every second byte being zero: text in two bytes a character is half zeros


def unreadable(head: bytes) -> str | None:
    """Why a source that begins so is no log, and what to do; null where it may be one.

    Args:
        head: its first bytes, uncompressed; up to 64 KiB of them are looked at.
    """
    named = next((what for magic, what in _NOT_LINES.items() if head.startswith(magic)), None)
    if named is None and head[_TAR[0]] == _TAR[1]:
        named = "a tar archive"
    if named:
        advice = next((advice for word, advice in _ADVICE.items() if word in named), "it is not a log")
        return f"is {named}; {advice}"
    order = _wide(head)
    if order:
        return f"looks like {order}; nothing was read from it; convert it: iconv -f {order} -t UTF-8"
    return "is not text, so it is not a log; nothing was read from it" if _binary(head) else None


def _wide(head: bytes) -> str | None:
    """The encoding, where text has two or four bytes a character."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    zero = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
    if len(zero) < _ENOUGH // 8:
        return None
    first, second = zero.mean(axis=0)
    if second > _MOST and first < _MOST / 8:
        return "UTF-16LE"
    return "UTF-16BE" if first > _MOST and second < _MOST / 8 else None


def _binary(head: bytes) -> bool:
    """Whether so many bytes steer a machine that people cannot have written it; zeros are left by a crash."""
    values = np.frombuffer(head, np.uint8)
    values = values[values != 0]
    return len(values) >= _ENOUGH and float(_TEXT[values].mean()) > _TOO_MANY
