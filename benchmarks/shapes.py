"""The benchmark log in other shapes: the same requests, line by line.

    python benchmarks/shapes.py LOG FOLDER

Compressed by gzip (in one member, and in one for each 8 MiB) and by zstd; as JSON lines, as nginx writes them with
escape=json; inside Docker's json-file; and by other log_formats.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

MEMBER = 8 << 20  # uncompressed bytes
_LINE = re.compile(rb'^(\S+) - - \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d+) (\d+) "([^"]*)" "([^"]*)"\n$')
_MONTHS = b"JanFebMarAprMayJunJulAugSepOctNovDec"
_HEX = re.compile(r"\\x([0-9A-F]{2})")
_HEAD = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a line is written: its groups by number, and `line`, `iso`, `seconds`, `number` and `docker`."""

    title: str
    template: bytes
    directive: str | None = None  # None: the format is found by itself


SHAPES = {
    "timed": Shape(
        "combined, $request_time behind", b"%(line)b %(seconds)b\n", f"log_format t '{_HEAD} $request_time';"
    ),
    "forwarded": Shape(
        'combined, "$http_x_forwarded_for" behind',
        b'%(line)b "203.0.113.%(number)b, 10.0.0.1"\n',
        f"log_format f '{_HEAD} \"$http_x_forwarded_for\"';",
    ),
    "bars": Shape(
        "values between bars",
        b"%(1)b|%(iso)b|%(3)b|%(4)b|%(5)b|%(6)b|%(7)b\n",
        "log_format b '$remote_addr|$time_iso8601|$request|$status|$body_bytes_sent|$http_referer|$http_user_agent';",
    ),
    "more": Shape("combined, anything behind", b'%(line)b 443 "and more" [x] %(seconds)b\n'),
    "host": Shape("combined, host in front", b"shop%(number)b.example %(line)b\n"),
    "docker": Shape("combined in Docker's json-file", b"%(docker)b"),
    "json": Shape(
        "JSON lines",
        b'{"time":"%(iso)b","remote_addr":"%(1)b","request":"%(json)b","status":%(4)b,"body_bytes_sent":%(5)b,'
        b'"http_referer":"%(6)b","http_user_agent":"%(7)b","request_time":%(seconds)b,"host":"shop.example"}\n',
    ),
}


@lru_cache(1 << 16)
def _iso(stamp: bytes) -> bytes:
    """A time of the Common Log Format in ISO 8601; all are in UTC."""
    month = _MONTHS.index(stamp[3:6]) // 3 + 1
    return b"%b-%02d-%bT%b+00:00" % (stamp[7:11], month, stamp[:2], stamp[12:20])


def _json(escaped: bytes) -> bytes:
    """A text as nginx writes it with escape=json."""
    text = _HEX.sub(lambda match: chr(int(match[1], 16)), escaped.decode())
    return json.dumps(text)[1:-1].encode()


def lines(log: Path, shape: Shape) -> Iterator[bytes]:
    """Each line of a log in another shape."""
    with log.open("rb") as file:
        for number, line in enumerate(file):
            match = _LINE.match(line)
            assert match, line
            named = {str(group).encode(): match[group] for group in range(1, 8)}
            named[b"line"], named[b"number"] = line[:-1], b"%d" % (number % 250)
            named[b"seconds"] = b"%d.%03d" % (number % 50 == 0, number * 7919 % 1000)
            named[b"iso"] = _iso(match[2])
            named[b"json"] = _json(match[3]) if b"%(json)b" in shape.template else b""
            if b"%(docker)b" in shape.template:
                wrapped = {"log": line.decode(), "stream": "stdout", "time": f"{_iso(match[2])[:19].decode()}.25Z"}
                named[b"docker"] = json.dumps(wrapped, separators=(",", ":")).encode() + b"\n"
            yield shape.template % named


def write(log: Path, folder: Path) -> dict[str, Path]:
    """Write the shapes that the folder does not have yet.

    Returns:
        The file of each; also of `gzip`, `members` and `zstd`.
    """
    paths = {name: folder / f"{log.stem}-{name}.log" for name in SHAPES}
    for name, path in paths.items():
        if not path.exists():
            path.write_bytes(b"".join(lines(log, SHAPES[name])))
    packed = {"gzip": ".log.gz", "members": "-members.log.gz", "zstd": ".log.zst"}
    paths |= {name: folder / f"{log.stem}{ending}" for name, ending in packed.items()}
    if not all(paths[name].exists() for name in packed):
        data = log.read_bytes()
        members = (gzip.compress(data[at : at + MEMBER], 6, mtime=0) for at in range(0, len(data), MEMBER))
        paths["members"].write_bytes(b"".join(members))
        paths["gzip"].write_bytes(gzip.compress(data, 6, mtime=0))
        paths["zstd"].write_bytes(pa.compress(data, "zstd", asbytes=True))
    return paths


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    for name, path in write(args.log, args.folder).items():
        print(name, path)


if __name__ == "__main__":
    main()
