"""Whether the format that an operator gave reads the log, told before the rest is read in vain."""

import pyarrow as pa

from loganalyzer.errors import UnknownFormatError
from loganalyzer.formats.explain import caret, trials
from loganalyzer.formats.model import Format

LINES = 10_000  # that are read before it is judged
_SHARE = 0.99  # of them that it must read


def misfit(source: str, form: Format, requests: int, rejects: pa.Table) -> UnknownFormatError | None:
    """The error for a format that reads too little: its first refused line, and where it stops there.

    Args:
        source: the input.
        form: the format that was given.
        requests: lines read.
        rejects: lines not read, after the schema REJECT; not empty.
    """
    lines = requests + rejects.num_rows
    if requests >= _SHARE * lines:
        return None
    first = rejects.slice(0, 1).to_pylist()[0]
    (trial,) = trials(first["text"], [form])
    head = f"{source}: the given format reads {requests:,} of the first {lines:,} lines; line {first['line']:,} is"
    advice = "mend it, leave --log-format out to have the format found, or read all the same with --force"
    return UnknownFormatError("\n".join([head, caret(first["text"], trial), advice]))
