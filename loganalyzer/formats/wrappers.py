r"""Wrappers that collectors put around each line of a log: peeled off before a format reads the rest.

Docker's json-file driver, journald's JSON, the container runtime interface (CRI), compose, what shows the logs of pods,
grep, and syslog of both RFCs. The time that a wrapper writes is when the line was collected, so it is not read. Docker
and CRI cut a long line in parts of 16 KiB: Docker's last part alone ends in a line feed, CRI's others are marked P and
the last one F.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import uniform
from loganalyzer.formats.merging import merged
from loganalyzer.formats.model import Field, Format, Grammar, Lines, Split, Stop
from loganalyzer.sources import LONGEST

_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(?:Z|[+-]\d\d:?\d\d)"
_COLOUR = r"(?:\x1B\[[0-9;]*m)*"
_MONTH_DAY = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?"
# journalctl -o short-full, short-unix, short-monotonic.
_JOURNAL = (
    r"[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [A-Z0-9+-]{1,6}"
    r"|\d{9,10}\.\d{6}|\[ *\d{1,9}\.\d{6}\]"
)
# With a blank behind it, unless a process stands there: `2001:` begins an address.
_TAG = r"[^ \[\]:]+(?:\[\d+\]: ?|: )"


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One way to wrap lines: by a prefix, or as a value of a JSON object behind which the prefix may stand.

    A collector that has parsed a line of JSON holds it as an object.
    """

    name: str
    prefix: str  # RE2 pattern
    keys: tuple[str, ...] = ()  # of a JSON object; the first that a line has holds the line
    ended: str = ""  # RE2 pattern of what is a whole line or the last part of one; "" where lines are never cut
    stderr: str = ""  # RE2 pattern of a line of the other stream: its parts may stand between those of the first
    into: str = ""  # what the prefix becomes, `\\1` its first group; "" is nothing
    samples: tuple[tuple[str, str], ...] = field(default=())  # wrapped and peeled

    def peel(self, lines: pa.BinaryArray) -> pa.BinaryArray:
        """What is wrapped in each line; null where nothing is."""
        if self.keys:
            lines = self._values(lines)
        if not self.prefix:
            return lines
        peeled = pc.replace_substring_regex(lines, f"^{self.prefix}", self.into)
        return pc.if_else(pc.match_substring_regex(lines, f"^{self.prefix}"), peeled, pa.scalar(None, pa.binary()))

    def unwrap(self, lines: pa.BinaryArray) -> pa.BinaryArray:
        """What is wrapped in each line, or the line where nothing is."""
        return pc.coalesce(self.peel(lines), lines)

    def unfinished(self, lines: pa.BinaryArray) -> np.ndarray:
        """Which lines are parts of one that goes on in the next part."""
        if not self.ended:
            return np.zeros(len(lines), bool)
        goes_on = pc.and_(self.peel(lines).is_valid(), pc.invert(pc.match_substring_regex(lines, self.ended)))
        found: np.ndarray = goes_on.to_numpy(zero_copy_only=False)
        return found

    def parted(self, lines: pa.BinaryArray, at: np.ndarray) -> list[np.ndarray]:
        """Indexes of lines that are parts of one, by that line.

        Args:
            lines: some lines of a block, none of which is read alone.
            at: indexes in the block, ascending.
        """
        goes_on = self.unfinished(lines)
        if not goes_on.any():
            return []
        run = np.cumsum(np.diff(at, prepend=at[:1] - 1) != 1)
        other = pc.match_substring_regex(lines, self.stderr).to_numpy(zero_copy_only=False)
        order = np.lexsort((at, other, run))
        follows = goes_on[order][:-1] & (np.diff(run[order]) == 0) & (other[order][1:] == other[order][:-1])
        groups = np.split(order, np.flatnonzero(~follows) + 1)
        return [group for group in groups if len(group) > 1]

    def _values(self, lines: pa.BinaryArray) -> pa.BinaryArray:
        """What the objects hold: many at a time where they stand alike and have the first of the keys."""
        first, held = (self.keys[0],), Lines.of(lines)
        left, parts = np.arange(len(lines)), []
        for read, values in uniform.parts(held, left, {first: False}, texts=True):
            if first in values:
                ended, whole = _without_end(values[first])
                parts.append((read[whole], {"line": ended.filter(pa.array(whole))}))
        left = np.setdiff1d(left, np.concatenate([left[:0], *(read for read, _ in parts)]), assume_unique=True)
        slow = [self._value(held.text(index)) for index in left.tolist()]
        return merged([*parts, (left, {"line": pa.array(slow, pa.binary())})])[1]["line"]

    def _value(self, line: bytes) -> bytes | None:
        if not line.startswith(b"{") or not any(f'"{key}"'.encode() in line for key in self.keys):
            return None
        try:
            item = json.loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError):
            return None
        return next((_bytes(item[key]) for key in self.keys if key in item), None) if isinstance(item, dict) else None


def _bytes(value: Any) -> bytes | None:
    """One line of text: an object as JSON; journald writes a list of byte values where text is not printable UTF-8."""
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, dict):
        text = json.dumps(value).encode()
    elif isinstance(value, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        text = bytes(value)
    else:
        return None
    text = text.rstrip(b"\r\n")
    return None if b"\n" in text else text


def _without_end(texts: pa.BinaryArray) -> tuple[pa.BinaryArray, np.ndarray]:
    """Texts without one line end behind them, and which of them hold no other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    ended = data[np.maximum(offsets[1:] - 1, 0)] == ord("\n") if len(data) else np.zeros(len(texts), bool)
    ended = ended & (np.diff(offsets) > 0)
    ends = offsets[1:] - ended
    breaks = np.flatnonzero((data == ord("\n")) | (data == ord("\r")))
    whole: np.ndarray = np.searchsorted(breaks, offsets[:-1]) == np.searchsorted(breaks, ends)
    return Lines(memoryview(texts.buffers()[2] or b""), offsets[:-1], ends).array(np.arange(len(texts))), whole


# The usual order of nesting is from the outside in; one wrapper is peeled, and its own prefix behind it.
WRAPPERS: tuple[Wrapper, ...] = (
    Wrapper(
        "docker",
        "",
        ("log",),
        r'"log"\s*:\s*"(?:[^"\\]|\\.)*\\n"',
        r'"stream"\s*:\s*"stderr"',
        samples=(
            ('{"log":"GET \\u003c \\"a\\"\\n","stream":"stdout","time":"2026-11-01T10:15:00.25Z"}', 'GET < "a"'),
            ('{"log":{"status":200},"kubernetes":{"pod_name":"web"}}', '{"status": 200}'),
        ),
    ),
    Wrapper(
        "journald",
        rf"(?:(?:[^ ]+ )?{_TAG})?",
        ("MESSAGE", "message"),
        samples=(
            ('{"MESSAGE":"GET /","PRIORITY":"6"}', "GET /"),
            ('{"MESSAGE":[71,69,84,32,47]}', "GET /"),
            ('{"message":"front.0 nginx: GET /"}', "GET /"),
            ('{"message":"2001:db8::7 - - [x] GET /"}', "2001:db8::7 - - [x] GET /"),
        ),
    ),
    Wrapper("loki", "", ("line",), samples=(('{"labels":{"app":"web"},"line":"GET /","timestamp":"x"}', "GET /"),)),
    Wrapper(  # as Google Cloud Logging exports it
        "cloud_logging",
        "",
        ("textPayload", "jsonPayload"),
        samples=(
            ('{"insertId":"x","textPayload":"GET /","timestamp":"2026-11-01T10:15:00Z"}', "GET /"),
            ('{"jsonPayload":{"status":"200"},"logName":"projects/shop/logs/stdout"}', '{"status": "200"}'),
        ),
    ),
    Wrapper(  # for a terminal; its time is nowhere in the object
        "caddy_console",
        r"(\d{4})/(\d\d)/(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\t"
        rf"{_COLOUR}INFO{_COLOUR}\thttp\.log\.access[^\t]*\thandled request\t\{{",
        into=r'{"ts":"\1-\2-\3T\4Z",',
        samples=(
            (
                '2026/11/01 10:15:00.250\tINFO\thttp.log.access\thandled request\t{"status": 200}',
                '{"ts":"2026-11-01T10:15:00.250Z","status": 200}',
            ),
        ),
    ),
    Wrapper(
        "cri",
        rf"{_STAMP} (?:stdout|stderr) [FP] ",
        ended=rf"^{_STAMP} (?:stdout|stderr) F ",
        stderr=rf"^{_STAMP} stderr ",
        samples=(("2026-11-01T10:15:00.250000000+01:00 stdout F GET /", "GET /"),),
    ),
    Wrapper(  # also of `docker service logs`, pm2 and foreman, with a time behind or in front
        "compose",
        rf"{_COLOUR}(?:\d\d:\d\d:\d\d )?[A-Za-z0-9][A-Za-z0-9.@|_-]* +{_COLOUR}\|{_COLOUR} {_COLOUR}(?:{_STAMP} )?",
        samples=(
            ("shop-web-1  | GET /", "GET /"),
            ("\x1b[36mshop-web-1  | \x1b[0mGET /", "GET /"),
            ("\x1b[36mshop-web-1  |\x1b[0m GET /", "GET /"),
            ("shop-web-1  | 2026-11-01T10:15:00.250000000Z GET /", "GET /"),
            ("shop_web.1.x7k2@node-1    | GET /", "GET /"),
            ("0|shop   | GET /", "GET /"),
            ("10:15:00 web.1   | GET /", "GET /"),
        ),
    ),
    Wrapper(
        "kubectl",
        rf"\[pod/[^ \[\]]+\] (?:{_STAMP} )?",
        samples=(
            ("[pod/shop-6d5f-x2x/nginx] GET /", "GET /"),
            ("[pod/shop-6d5f-x2x/nginx] 2026-11-01T10:15:00.250Z GET /", "GET /"),
        ),
    ),
    Wrapper(  # names of Kubernetes are of lower case; that of a pod ends in what its controller gave it
        "stern",
        rf"{_COLOUR}(?:[a-z0-9-]+ +{_COLOUR})?[a-z0-9][a-z0-9.-]*-[a-z0-9]+{_COLOUR} (?:{_COLOUR}› )?{_COLOUR}"
        rf"[a-z][a-z0-9-]*{_COLOUR} (?:{_STAMP} )?",
        samples=(
            ("shop-6d5f-x2x nginx GET /", "GET /"),
            ("default shop-6d5f-x2x nginx GET /", "GET /"),
            ("\x1b[38;5;81mshop-6d5f-x2x\x1b[0m \x1b[38;5;81mnginx\x1b[0m GET /", "GET /"),
        ),
    ),
    Wrapper(  # of `docker logs --timestamps`, and with the labels of logcli
        "timestamps",
        rf"{_STAMP} (?:\{{[^{{}}]*\}} )?",
        samples=(
            ("2026-11-01T10:15:00.250000000Z GET /", "GET /"),
            ('2026-11-01T10:15:00Z {app="web"} GET /', "GET /"),
        ),
    ),
    # It begins each of its own lines with a quote that it never closes.
    Wrapper("openlitespeed", '"', samples=(('"GET /', "GET /"),)),
    Wrapper(  # of several files
        "grep",
        r'(?:[^ :"\[{]*/)?[^ :/"\[{]*[._]log(?:[.-]\d+)?(?:\.(?:gz|bz2|xz|zst))?:(?:\d+:)?',
        samples=(
            ("access.log:GET /", "GET /"),
            ("/var/log/nginx/access.log.2.gz:GET /", "GET /"),
            ("access_log-20261101:17:GET /", "GET /"),
        ),
    ),
    Wrapper("gelf", "", ("short_message",), samples=(('{"version":"1.1","short_message":"GET /"}', "GET /"),)),
    Wrapper(
        "syslog",
        rf"(?:<\d{{1,3}}>)?(?:(?:\d{{4}} )?{_MONTH_DAY}|{_STAMP}|{_JOURNAL}) (?:[^ ]+ )?{_TAG}",
        samples=(
            ("<190>Nov  1 10:15:00 web.example nginx: GET /", "GET /"),
            ("Nov 11 10:15:00 10.0.0.6 haproxy[7]: GET /", "GET /"),
            ("Nov 11 10:15:00.123456 web nginx[12]: GET /", "GET /"),
            ("2026-11-01T10:15:00.250+01:00 web nginx[12]: GET /", "GET /"),
            ("Sun 2026-11-01 10:15:00 UTC web nginx[12]: GET /", "GET /"),
            ("1793528100.250000 web nginx[12]: GET /", "GET /"),
            ("[12345.678901] web nginx[12]: GET /", "GET /"),
        ),
    ),
    # syslog's without its time, as collectors hand it on; HAProxy Enterprise puts two words of its own behind. And
    # the tag of Python's logging.
    Wrapper(
        "tag",
        r"(?:[A-Za-z][A-Za-z0-9._-]*\[\d+\]: (?:\[[A-Z]+\] \d+ )?"
        r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[A-Za-z_][\w.]*:)",
        samples=(
            ("INFO:werkzeug:GET /", "GET /"),
            ("nginx[12]: GET /", "GET /"),
            ("lb[7]: [ACCESS] 2022 GET /", "GET /"),
        ),
    ),
    Wrapper(
        "syslog_5424",
        rf"<\d{{1,3}}>1 (?:{_STAMP}|-) [^ ]+ [^ ]+ [^ ]+ [^ ]+ (?:-|(?:\[[^\]]*\])+) ?(?:\xEF\xBB\xBF)?",
        samples=(
            ("<171>1 2026-11-01T10:15:00.250Z web nginx 12 - - GET /", "GET /"),
            ('<171>1 2026-11-01T10:15:00Z web nginx - ID1 [a@1 b="c"] GET /', "GET /"),
        ),
    ),
)


@dataclass(frozen=True)
class Wrapped:
    """A grammar behind a wrapper; lines that stand without it are read as they are."""

    wrapper: Wrapper
    inner: Grammar

    @property
    def columns(self) -> dict[str, Field]:
        """Field of each raw column."""
        return self.inner.columns

    @property
    def marks(self) -> tuple[bytes, ...]:
        """None: what is around a line may be in the way."""
        return ()

    @property
    def closed(self) -> bool:
        """Whether nothing may stand behind the last value."""
        return self.inner.closed

    def split(self, lines: Lines, at: np.ndarray) -> Split:
        """Raw values of the lines at these indexes."""
        around = lines.array(at)
        texts = self.wrapper.unwrap(around)
        split = self.inner.split(Lines.of(texts), np.arange(len(at)))
        alone = Split(at[split.at], split.columns, at[split.refused])
        left = pa.array(split.refused)
        groups = self.wrapper.parted(around.take(left), alone.refused) if len(left) else []
        return self._whole(alone, texts.take(left), groups) if groups else alone

    def _whole(self, alone: Split, texts: pa.BinaryArray, groups: Sequence[np.ndarray]) -> Split:
        """With the lines that are read once their parts are put together; each counts where its first part stands."""
        pieces = [texts.take(pa.array(group)).to_pylist() for group in groups]
        short = [k for k, parts in enumerate(pieces) if sum(map(len, parts)) <= LONGEST]
        if not short:
            return alone
        split = self.inner.split(
            Lines.of(pa.array([b"".join(pieces[k]) for k in short], pa.binary())), np.arange(len(short))
        )
        read = [alone.refused[groups[short[k]]] for k in split.at.tolist()]
        if not read:
            return alone
        more = Split(np.array([parts[0] for parts in read], np.int64), split.columns, split.refused)
        at, columns = merged([(alone.at, alone.columns), (more.at, more.columns)])
        continued = np.sort(np.concatenate([parts[1:] for parts in read]))
        return Split(at, columns, np.setdiff1d(alone.refused, np.concatenate(read)), continued)

    def reasons(self, lines: pa.BinaryArray) -> list[tuple[str | None, str | None]]:
        """The field where each refused line stops, and the reason."""
        return self.inner.reasons(self.wrapper.unwrap(lines))

    def letter(self, lines: pa.BinaryArray) -> np.ndarray:
        """Which of some lines that it reads fit to the letter."""
        return self.inner.letter(self.wrapper.unwrap(lines))

    def score(self, lines: pa.BinaryArray) -> float:
        """How well it reads some lines."""
        return self.inner.score(self.wrapper.unwrap(lines))

    def stops(self, line: bytes, before: str | None = None) -> Stop:
        """Where reading a line stops."""
        inside = self.wrapper.unwrap(pa.array([line], pa.binary()))[0].as_py()
        stop = self.inner.stops(inside, before)
        return replace(stop, at=min(len(line), max(len(line) - len(inside), 0) + stop.at))


def wrapped(wrapper: Wrapper, form: Format) -> Format:
    """The format behind the wrapper."""
    return replace(form, name=f"{form.name} in {wrapper.name}", grammar=Wrapped(wrapper, form.grammar), samples=())
