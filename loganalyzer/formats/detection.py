"""Which format a source has: by vote over a sample of its lines, from content alone."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats.model import Format

SAMPLE = 500  # lines that vote, spread over the first block


def sample(lines: pa.BinaryArray) -> pa.BinaryArray:
    """At most `SAMPLE` lines, spread evenly: the first lines of a file are often not the usual ones."""
    if len(lines) <= SAMPLE:
        return lines
    return lines.take(pa.array(np.linspace(0, len(lines) - 1, SAMPLE).astype(np.int64)))


def detect(lines: pa.BinaryArray, formats: Sequence[Format]) -> Format | None:
    """The format that reads the lines best, and the first of equals; null where none reads any."""
    scores = [form.grammar.score(lines) for form in formats]
    best = max(scores)
    return formats[scores.index(best)] if best else None


def explain(source: str, line: bytes, formats: Sequence[Format]) -> UnknownFormatError:
    """The error for an input that no format reads: its first line and where the nearest formats stop."""
    stops = sorted(((form.grammar.stops(line), form.name) for form in formats), reverse=True)[:3]
    near = [f"  {' ' * len(_shown(line[:stop]))}^ {name} stops here" for stop, name in stops]
    advice = "give the server's own directive: --log-format 'log_format ...;', 'LogFormat \"...\"' or '#Fields: ...'"
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        advice = "it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    head = f"{source}: no known format reads this; its first line is"
    return UnknownFormatError("\n".join([head, f"  {_shown(line)}", *near, advice]))


def _shown(line: bytes) -> str:
    """The start of a line in printable characters."""
    text = line[:160].decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
