"""Inputs: what arguments stand for, compression, blocks, original lines."""

import bz2
import gzip
import io
import lzma
import os
import sys

import pyarrow as pa
import pytest

from loganalyzer.errors import UsageError
from loganalyzer.formats import read
from loganalyzer.sources import HEAD, Reading, expand, original, walked

LINES = b"".join(
    b'192.0.2.%d - - [01/Nov/2026:10:15:00 +0000] "GET /%d HTTP/1.1" 200 5 "-" "Bot"\n' % (n % 250, n)
    for n in range(4000)
)
COMPRESSED = {
    None: bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
}


def content(path):
    with Reading(*expand([path])) as reading:
        data = b"".join(bytes(block.data) for block in reading.blocks())
    return data, reading


def table(log):
    return log.requests.drop_columns(["source"]).to_pylist()


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize("members", [1, 3])
def test_compression_is_recognised_by_content(tmp_path, name, members):
    path = tmp_path / "access.log"
    size = len(LINES) // members + 1
    path.write_bytes(b"".join(COMPRESSED[name](LINES[n * size : (n + 1) * size]) for n in range(members)))
    data, reading = content(path)

    assert (data == LINES, reading.compression, reading.problem) == (True, name, None)


@pytest.mark.parametrize("name", [name for name in COMPRESSED if name])
def test_cut_stream_keeps_whole_lines_and_rejects_the_cut_one(tmp_path, name):
    packed = COMPRESSED[name](LINES * 8)
    (tmp_path / "cut.log").write_bytes(packed[: len(packed) * 2 // 3])
    entry = (log := read([tmp_path / "cut.log"])).inputs[0]

    assert entry.problem is not None
    assert entry.requests > 1000
    assert log.rejects["reason"].to_pylist() == ["cut line"] * entry.rejects
    assert entry.rejects <= 1


@pytest.mark.parametrize("name", [name for name in COMPRESSED if name and name != "zstd"])
def test_padding_is_accepted_and_rubbish_after_the_stream_is_told(tmp_path, name):
    for tail, problem in ((b"\0" * 512, False), (b"rubbish", True)):
        (tmp_path / "x").write_bytes(COMPRESSED[name](LINES) + tail)
        data, reading = content(tmp_path / "x")
        assert (data == LINES, reading.problem is not None) == (True, problem)


@pytest.mark.parametrize("name", [name for name in COMPRESSED if name and name != "zstd"])
def test_members_may_end_anywhere_in_what_is_read_at_once(tmp_path, monkeypatch, name):
    monkeypatch.setattr("loganalyzer.sources.compression._INPUT", 7)
    monkeypatch.setattr("loganalyzer.sources.compression._OUTPUT", 5)
    (tmp_path / "x").write_bytes(b"".join(COMPRESSED[name](LINES[n * 90 : n * 90 + 90]) + b"\0" * n for n in range(9)))
    data, reading = content(tmp_path / "x")

    assert (data, reading.problem) == (LINES[: 9 * 90], None)


def test_every_compression_gives_the_same_requests(tmp_path):
    tables = []
    for name, compress in COMPRESSED.items():
        (tmp_path / str(name)).write_bytes(compress(LINES))
        tables.append(table(read([tmp_path / str(name)])))

    assert all(rows == tables[0] for rows in tables)
    assert len(tables[0]) == 4000


def test_file_split_in_two_gives_the_same_requests(tmp_path):
    for name, data in {"all": LINES, "1": LINES[: len(LINES) // 2], "2": LINES[len(LINES) // 2 :]}.items():
        (tmp_path / name).write_bytes(data)
    whole, parts = read([tmp_path / "all"]), read([tmp_path / "1", tmp_path / "2"])

    assert len(parts.inputs) == 2
    cut = set(whole.requests["target"].to_pylist()) - set(parts.requests["target"].to_pylist())
    assert len(cut) == 1 == whole.requests.num_rows - parts.requests.num_rows
    assert [entry.lines for entry in parts.inputs] == [entry.requests + entry.rejects for entry in parts.inputs]


def test_blocks_hold_whole_lines_whatever_their_size(tmp_path, monkeypatch):
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 1000)
    (tmp_path / "x").write_bytes(LINES)
    with Reading(*expand([tmp_path / "x"])) as reading:
        blocks = [(block, bytes(block.data)) for block in reading.blocks()]

    assert len(blocks) > 100
    assert all(data.endswith(b"\n") for _, data in blocks)
    assert b"".join(data for _, data in blocks) == LINES
    blocks = [block for block, _ in blocks]
    assert [block.offset for block in blocks[1:]] == [block.offset + block.length for block in blocks[:-1]]


def test_standard_input_is_read_once_without_seeking(monkeypatch):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    stdin = io.TextIOWrapper(Pipe(gzip.compress(LINES)))
    monkeypatch.setattr(sys, "stdin", stdin)
    entry = read(["-"]).inputs[0]

    assert (entry.source, entry.compression, entry.requests) == ("-", "gzip", 4000)


def test_rotated_set_stands_in_time_order(tmp_path):
    names = [
        "access.log",
        "access.log.1",
        "access.log.10.gz",
        "access.log.2.gz",
        "error.log-20261102",
        "error.log-20261101",
    ]
    for name in names:
        (tmp_path / name).touch()
        (tmp_path / name).write_text(name)

    assert [source.path.name for source in expand([tmp_path / name for name in names])] == [
        "access.log.10.gz",
        "access.log.2.gz",
        "access.log.1",
        "access.log",
        "error.log-20261101",
        "error.log-20261102",
    ]


def test_a_pattern_gives_its_files_and_a_folder_is_told(tmp_path):
    for name in ("a.log", "b.log.gz", ".hidden.log", "notes.txt"):
        (tmp_path / name).write_text(name)

    assert [source.path.name for source in expand([tmp_path / "*.log*"])] == ["a.log", "b.log.gz"]
    assert "is a directory; did you mean" in expand([tmp_path])[0].problem
    assert [bool(source.problem) for source in expand([tmp_path / "*.csv", tmp_path / "missing"])] == [True, True]


def test_a_folder_walked_gives_its_logs_and_those_below_it(tmp_path):
    for name in ("b.log", "site/a.log", "site/.hidden.log", ".git/x.log", "notes.txt", "plain/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "site" / "circle").symlink_to(tmp_path)
    (tmp_path / "empty").mkdir()
    found = walked([str(tmp_path), "-", "gone.log", str(tmp_path / "plain"), str(tmp_path / "empty")])

    names = ["b.log", "site/a.log", "plain/notes.txt", "empty"]
    assert [path.removeprefix(f"{tmp_path}/") for path in found] == [*names[:2], "-", "gone.log", *names[2:]]


def test_same_file_twice_is_read_once_with_a_note(tmp_path):
    (tmp_path / "a.log").write_text("x")
    (tmp_path / "link.log").symlink_to("a.log")
    os.link(tmp_path / "a.log", tmp_path / "hard.log")
    (source,) = expand([tmp_path / "a.log", f"{tmp_path}/./a.log", tmp_path / "link.log", tmp_path / "hard.log"])

    assert len(source.notes) == 3


def test_name_that_is_not_utf8_is_printable_and_found_again(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.log")
    with open(path, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(LINES)
    log = read([path])

    assert log.inputs[0].source.endswith(r"caf\xe9.log")
    assert next(original(log.inputs[0].source, [1]))[1] == LINES.split(b"\n")[0]


def test_original_lines_come_in_file_order_as_they_were(tmp_path):
    texts = [b"one", b"", b"caf\xe9\r", b"x" * (3 << 20), b"last"]
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"\n".join(texts)))

    assert list(original(str(tmp_path / "x.gz"), [5, 3, 4, 1, 9])) == [
        (1, b"one"),
        (3, b"caf\xe9\r"),
        (4, b"x" * HEAD),
        (5, b"last"),
    ]


def test_original_lines_of_what_cannot_be_read_again_are_refused(tmp_path):
    for source in ("-", str(tmp_path / "gone")):
        with pytest.raises(UsageError, match="cannot be shown"):
            list(original(source, [1]))


def resumed(path, start, edges=(b"", b"")):
    with Reading(*expand([path]), start=start, edges=edges, whole=True) as reading:
        data = b"".join(bytes(block.data) for block in reading.blocks())
    return data, reading


@pytest.mark.parametrize("name", COMPRESSED)
def test_reading_goes_on_at_an_offset_and_keeps_the_edges(tmp_path, name):
    path = tmp_path / "access.log"
    path.write_bytes(COMPRESSED[name](LINES))
    start = LINES.index(b"\n", len(LINES) - 1000) + 1

    data, reading = resumed(path, start, (LINES[:HEAD], LINES[:start][-HEAD:]))

    assert data == LINES[start:]
    assert (reading.end, reading.head, reading.tail) == (len(LINES), LINES[:HEAD], LINES[-HEAD:])


@pytest.mark.parametrize("pending", [b"192.0.2.1 - - [01/Nov", b"x" * (3 << 20)], ids=["short", "too long to keep"])
def test_a_last_line_without_end_waits_where_more_may_follow(tmp_path, pending):
    path = tmp_path / "access.log"
    path.write_bytes(LINES + pending)

    data, reading = resumed(path, 0)

    assert data == LINES
    assert (reading.end, reading.pending, reading.tail) == (len(LINES), len(pending), LINES[-HEAD:])


def test_a_last_line_without_end_is_read_where_the_source_is_complete(tmp_path):
    path = tmp_path / "access.log.gz"
    path.write_bytes(gzip.compress(LINES + b"no end"))

    data, reading = resumed(path, 0)

    assert data == LINES + b"no end"
    assert (reading.end, reading.pending) == (len(data), 0)


def test_a_line_of_a_cut_stream_waits_for_the_whole_file(tmp_path):
    packed = gzip.compress(LINES)
    path = tmp_path / "access.log.gz"
    path.write_bytes(packed[: len(packed) // 2])

    data, reading = resumed(path, 0)

    assert LINES.startswith(data)
    assert data.endswith(b"\n")
    assert reading.problem is not None
