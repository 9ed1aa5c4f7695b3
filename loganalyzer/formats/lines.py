"""One block: its lines, what each is, and what its formats read of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from loganalyzer.formats.foreign import kind
from loganalyzer.formats.model import Format, Lines, Split
from loganalyzer.sources import HEAD, LONGEST, Block

CUT, NUL, LONG = "cut line", "NUL block", "line too long"
REDETECT = 20  # lines in a row that another format reads leniently before it is believed
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
    open: np.ndarray  # which of them another format may read

    def without(self, at: np.ndarray) -> "Rejected":
        """Those that are not at these indexes."""
        left = ~np.isin(self.at, at)
        stays = np.flatnonzero(left).tolist()
        return Rejected(
            self.at[left],
            self.lengths[left],
            [self.reasons[k] for k in stays],
            [self.fields[k] for k in stays],
            [self.texts[k] for k in stays],
            self.open[left],
        )


@dataclass(frozen=True, slots=True)
class Other:
    """A format that is met in a source beside the main one."""

    format: Format
    trusted: bool = False  # it has read so much that what it reads leniently counts as well


@dataclass(frozen=True, slots=True)
class Part:
    """A block that has been read."""

    format: Format | None  # the main one
    offset: int
    length: int
    starts: np.ndarray  # of its lines, in the block
    sizes: np.ndarray  # of its lines, with their line ends
    splits: tuple[tuple[Format, Split], ...]  # by each format that read any of its lines
    rejected: Rejected
    blank: np.ndarray  # indexes of lines
    comments: np.ndarray  # indexes of lines; those that a collector cut off the line before them are among them

    @property
    def requests(self) -> int:
        """How many lines were read."""
        return sum(len(split.at) for _, split in self.splits)

    @property
    def accounted(self) -> int:
        """Bytes of all lines, each at its place."""
        places = (*(split.at for _, split in self.splits), self.rejected.at, self.blank, self.comments)
        return sum(int(self.sizes[at].sum()) for at in places)

    def read_by(self, form: Format, split: Split) -> "Part":
        """The same after another format has read some of the rejected lines."""
        taken = np.concatenate([split.at, split.continued])
        comments = np.union1d(self.comments, split.continued)
        splits = (*self.splits, (form, split))
        return replace(self, splits=splits, rejected=self.rejected.without(taken), comments=comments)

    def commented(self, at: np.ndarray) -> "Part":
        """The same with some rejected lines as comments."""
        return replace(self, rejected=self.rejected.without(at), comments=np.union1d(self.comments, at))


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


def read_block(block: Block, form: Format | None, others: Sequence[Other] = ()) -> Part:
    """Give every line of a block its place: request, reject, blank or comment.

    Args:
        block: whole lines.
        form: the main format; null for lines before the first `#Fields:` of a W3C log.
        others: formats that are offered what it refuses, in order.
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
    split = form.grammar.split(lines, at) if form else Split(at[:0], {}, at)
    splits, refused = [(form, split)] if form else [], split.refused
    for other in others:
        if len(refused):
            more = offered(lines, refused, other)
            splits.append((other.format, more))
            refused = more.refused
    usual = f"not in the format {form.name}" if form else "before the first #Fields line"
    comment[np.concatenate([more.continued for _, more in splits] or [at[:0]])] = True
    return Part(
        form,
        block.offset,
        block.length,
        lines.starts,
        sizes,
        tuple((reader, more) for reader, more in splits if len(more.at)),
        _rejected(lines, sizes, refused, odd, _reasons(block, lines, split.at, refused, form), usual),
        np.flatnonzero(empty),
        np.flatnonzero(comment),
    )


def offered(lines: Lines, at: np.ndarray, other: Other) -> Split:
    """What another format certainly reads of lines that the main one refuses.

    Certain is a line that a closed format reads to the letter. Others are so only in company: `REDETECT` read in a row,
    or in a block or a source in which the format has read as many to the letter.
    """
    split = other.format.grammar.split(lines, at)
    if not len(split.at):
        return split
    letter = other.format.grammar.letter(lines.array(split.at))
    trusted = other.trusted or letter.sum() >= REDETECT
    keep = letter & (trusted or other.format.grammar.closed)
    if not keep.all():
        lenient = np.flatnonzero(~keep & (trusted | _in_runs(split.at)))
        keep[[k for k in lenient.tolist() if kind(lines.text(split.at[k])[:HEAD]) is None]] = True
    return split.only(keep)


def _in_runs(at: np.ndarray) -> np.ndarray:
    """Which of some ascending numbers stand in a run of at least `REDETECT` that follow one another."""
    run = np.cumsum(np.diff(at, prepend=at[:1] - 1) != 1)
    _, codes, counts = np.unique(run, return_inverse=True, return_counts=True)
    within: np.ndarray = counts[codes] >= REDETECT
    return within


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
        index: f"{LONG} ({sizes[index]:,} bytes)"
        for index in np.flatnonzero(sizes > LONGEST).tolist()
        if not _behind_zeros(lines.text(index))
    }
    first = np.frombuffer(block.data, np.uint8)[np.minimum(lines.starts, len(block.data) - 1)]
    for index in np.flatnonzero(first == 0).tolist():
        if not lines.text(index).strip(b"\0"):
            odd[index] = NUL
    if block.cut:
        odd[len(lines.starts) - 1] = CUT
    return odd


def _reasons(
    block: Block, lines: Lines, good: np.ndarray, refused: np.ndarray, form: Format | None
) -> list[tuple[str | None, str | None]]:
    """The field to blame and the reason, where there is one, of each refused line.

    One that a rotation cut is named so: a last line without its end was not finished. A first line has lost its
    beginning if that of a good line makes it whole again.
    """
    if form is None or not len(refused):
        return [(None, None)] * len(refused)
    reasons = form.grammar.reasons(lines.array(refused))
    unfinished = refused[-1] == len(lines.starts) - 1 and block.data[-1] != ord("\n")
    if unfinished and reasons[-1][1] is None:
        reasons[-1] = reasons[-1][0], CUT
    if block.offset == 0 and refused[0] == 0 and len(good) and lines.ends[0] <= HEAD // 8:
        before, rest = lines.text(good[0])[:_TRIED], lines.text(0)
        whole = pa.array([before[:end] + rest for end in range(1, len(before))], pa.binary())
        if len(whole) and form.grammar.score(whole):
            reasons[0] = reasons[0][0], CUT
    return reasons


def _behind_zeros(text: bytes) -> bool:
    """Whether a line is long only for the zero bytes before it: what a file system leaves after a crash."""
    return text.startswith(b"\0") and len(text.lstrip(b"\0")) <= LONGEST


def _rejected(
    lines: Lines,
    sizes: np.ndarray,
    refused: np.ndarray,
    odd: dict[int, str],
    stops: list[tuple[str | None, str | None]],
    usual: str,
) -> Rejected:
    at = np.concatenate([refused, np.array(list(odd), np.int64)])
    order = np.argsort(at, kind="stable")
    kinds = [kind(lines.text(k)[:HEAD]) for k in refused.tolist()]
    reasons = [why or what or usual for (_, why), what in zip(stops, kinds, strict=True)] + list(odd.values())
    fields = [field for field, _ in stops] + [None] * len(odd)
    # An unfinished line is left alone: the half of it might read as another format's whole.
    offer = [what is None for what in kinds] + [False] * len(odd)
    if len(refused) and refused[-1] == len(lines.starts) - 1 and stops[-1][1] == CUT:
        offer[len(refused) - 1] = False
    at = at[order]
    texts = [
        bytes(lines.data[a : min(b, a + HEAD)])
        for a, b in zip(lines.starts[at].tolist(), lines.ends[at].tolist(), strict=True)
    ]
    cut_off = sizes[at] - (np.append(lines.starts, len(lines.data))[at + 1] - lines.starts[at])
    lengths = lines.ends[at] - lines.starts[at] + cut_off
    by_line = order.tolist()
    reasons, named = [reasons[k] for k in by_line], [fields[k] for k in by_line]
    return Rejected(at, lengths, reasons, named, texts, np.array(offer, bool)[order])
