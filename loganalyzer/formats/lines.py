"""One block: its lines, what each is, and what the format reads of them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from loganalyzer.formats.foreign import kind
from loganalyzer.formats.model import Format, Lines, Split
from loganalyzer.sources import HEAD, LONGEST, Block

CUT = "cut line"
_SPACES = b" \t\r\v\f"
_TRIED = 1 << 10  # bytes of a good line that may be the lost beginning of the first


@dataclass(frozen=True, slots=True)
class Rejected:
    """Lines of a block that are no request."""

    at: np.ndarray  # indexes of lines
    lengths: np.ndarray  # bytes without the line end
    reasons: list[str]
    fields: list[str | None]
    texts: list[bytes]


@dataclass(frozen=True, slots=True)
class Part:
    """A block that has been read."""

    format: Format | None
    offset: int
    length: int
    starts: np.ndarray  # of its lines, in the block
    split: Split
    rejected: Rejected
    blank: int
    comments: int
    sizes: list[int]  # bytes of requests, rejects, blank lines and comments, with their line ends


def cut(data: memoryview) -> Lines:
    r"""Lines of a block; a line ends in `\n` or `\r\n`, the last one perhaps in nothing."""
    block = np.frombuffer(data, np.uint8)
    newlines = np.flatnonzero(block == ord("\n"))
    if len(data) and data[-1] != ord("\n"):
        newlines = np.append(newlines, len(data))
    starts = np.append(0, newlines[:-1] + 1) if len(newlines) else newlines
    before = block[np.maximum(newlines - 1, 0)] if len(data) else newlines
    ends = newlines - ((before == ord("\r")) & (newlines > starts))
    return Lines(data, starts, ends)


def read_block(block: Block, form: Format | None) -> Part:
    """Give every line of a block its place: request, reject, blank or comment.

    Args:
        block: whole lines.
        form: the format; null for lines before the first `#Fields:` of a W3C log.
    """
    lines = cut(block.data)
    sizes = np.diff(np.append(lines.starts, len(block.data)))
    sizes[-1:] += block.length - len(block.data)
    empty = blank(lines)
    comment = comments(lines) if form is None or form.comments else np.zeros(len(lines.starts), bool)
    odd = _odd(block, lines, sizes) if len(lines.starts) else {}
    usable = ~(empty | comment)
    usable[list(odd)] = False
    at = np.flatnonzero(usable)
    split = form.grammar.split(lines, at) if form else Split(at[:0], {}, at, [(None, None)] * len(at))
    reason = f"not in the format {form.name}" if form else "before the first #Fields line"
    if form is not None:
        _name_cut_lines(block, lines, split, form)
    rejected = _rejected(lines, sizes, split, odd, reason)
    masks = (split.at, rejected.at, np.flatnonzero(empty), np.flatnonzero(comment))
    totals = [int(sizes[mask].sum()) for mask in masks]
    return Part(
        form,
        block.offset,
        block.length,
        lines.starts,
        split,
        rejected,
        int(empty.sum()),
        int(comment.sum()),
        totals,
    )


def blank(lines: Lines) -> np.ndarray:
    """Which lines hold nothing but white space."""
    empty: np.ndarray = lines.starts == lines.ends
    first = np.frombuffer(lines.data, np.uint8)[np.minimum(lines.starts, max(len(lines.data) - 1, 0))]
    for index in np.flatnonzero(np.isin(first, list(_SPACES)) & ~empty).tolist():
        empty[index] = not lines.text(index).strip(_SPACES)
    return empty


def comments(lines: Lines) -> np.ndarray:
    """Which lines are directives of a W3C log."""
    first = np.frombuffer(lines.data, np.uint8)[np.minimum(lines.starts, max(len(lines.data) - 1, 0))]
    comment: np.ndarray = first == ord("#")
    if bytes(lines.data[:4]) == b"\xef\xbb\xbf#":
        comment[0] = True
    return comment


def _odd(block: Block, lines: Lines, sizes: np.ndarray) -> dict[int, str]:
    """Lines that no format is asked about, with the reason."""
    odd = {
        index: f"line too long ({sizes[index]:,} bytes)"
        for index in np.flatnonzero(sizes > LONGEST).tolist()
        if not _behind_zeros(lines.text(index))
    }
    first = np.frombuffer(block.data, np.uint8)[np.minimum(lines.starts, len(block.data) - 1)]
    for index in np.flatnonzero(first == 0).tolist():
        if not lines.text(index).strip(b"\0"):
            odd[index] = "NUL block"
    if block.cut:
        odd[len(lines.starts) - 1] = CUT
    return odd


def _name_cut_lines(block: Block, lines: Lines, split: Split, form: Format) -> None:
    """Name a refused first or last line cut where a rotation cut it.

    A last line without its end was not finished. A first line has lost its beginning if that of a good line makes it
    whole again.
    """
    refused = split.refused.tolist()
    unfinished = refused and refused[-1] == len(lines.starts) - 1 and block.data[-1] != ord("\n")
    if unfinished and split.stops[-1][1] is None:
        split.stops[-1] = split.stops[-1][0], CUT
    if block.offset == 0 and refused[:1] == [0] and len(split.at) and lines.ends[0] <= HEAD // 8:
        good, rest = lines.text(split.at[0])[:_TRIED], lines.text(0)
        whole = pa.array([good[:end] + rest for end in range(1, len(good))], pa.binary())
        if len(whole) and form.grammar.score(whole):
            split.stops[0] = split.stops[0][0], CUT


def _behind_zeros(text: bytes) -> bool:
    """Whether a line is long only for the zero bytes before it: what a file system leaves after a crash."""
    return text.startswith(b"\0") and len(text.lstrip(b"\0")) <= LONGEST


def _rejected(lines: Lines, sizes: np.ndarray, split: Split, odd: dict[int, str], reason: str) -> Rejected:
    at = np.concatenate([split.refused, np.array(list(odd), np.int64)])
    order = np.argsort(at, kind="stable")
    reasons = [
        why or kind(lines.text(k)[:HEAD]) or reason for k, (_, why) in zip(split.refused, split.stops, strict=True)
    ]
    reasons += list(odd.values())
    fields = [field for field, _ in split.stops] + [None] * len(odd)
    at = at[order]
    texts = [
        bytes(lines.data[a : min(b, a + HEAD)])
        for a, b in zip(lines.starts[at].tolist(), lines.ends[at].tolist(), strict=True)
    ]
    cut_off = sizes[at] - (np.append(lines.starts, len(lines.data))[at + 1] - lines.starts[at])
    lengths = lines.ends[at] - lines.starts[at] + cut_off
    return Rejected(at, lengths, [reasons[k] for k in order.tolist()], [fields[k] for k in order.tolist()], texts)
