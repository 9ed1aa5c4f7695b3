"""Lines that a collector cut in parts: read as one, counted where the first part stands."""

import json

import pytest

from loganalyzer.formats import read

LINE = '192.0.2.7 - - [01/Nov/2026:10:15:{n:02} +0000] "GET /{n}{long} HTTP/1.1" 200 5 "-" "Bot/1.0"'
STAMP = "2026-11-01T10:15:01.250000000Z"
SIZE = 16 << 10


def docker(text, last, stream="stdout"):
    return json.dumps({"log": text + ("\n" if last else ""), "stream": stream, "time": STAMP}) + "\n"


def cri(text, last, stream="stdout"):
    return f"{STAMP} {stream} {'F' if last else 'P'} {text}\n"


def parts(wrap, text, size=SIZE, stream="stdout"):
    """A line as the collector writes it."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [wrap(piece, piece is pieces[-1], stream) for piece in pieces]


def short(n):
    return LINE.format(n=n, long="")


def long(n, size=40_000):
    return LINE.format(n=n, long="?" + "x" * size)


def log(folder, records, **options):
    (folder / "pod.log").write_text("".join(records))
    return read([folder / "pod.log"], **options)


WRAPS = pytest.mark.parametrize("wrap", [docker, cri])


@WRAPS
@pytest.mark.parametrize("log_format", [None, "combined"])
def test_a_line_in_parts_is_one_request_where_its_first_part_stands(tmp_path, wrap, log_format):
    records = [*parts(wrap, short(1)), *parts(wrap, long(2)), *parts(wrap, short(3)), *parts(wrap, long(4, 20_000))]
    found = log(tmp_path, records, log_format=log_format)

    assert found.requests["line"].to_pylist() == [1, 2, 5, 6]
    assert found.requests["offset"].to_pylist() == [sum(map(len, records[:n])) for n in (0, 1, 4, 5)]
    assert [len(target) for target in found.requests["target"].to_pylist()] == [2, 40_003, 2, 20_003]
    (entry,) = found.inputs
    assert (entry.lines, entry.requests, entry.rejects, entry.comments) == (7, 4, 0, 3)
    assert "3 lines go on with a line that a collector cut in parts: they count as comments" in entry.notes


@WRAPS
def test_parts_of_the_other_stream_may_stand_between(tmp_path, wrap):
    first, second = parts(wrap, long(2, 20_000)), parts(wrap, "an error " * 3_000, stream="stderr")
    found = log(tmp_path, [*parts(wrap, short(1)), first[0], second[0], first[1], second[1], *parts(wrap, short(3))])

    assert found.requests["line"].to_pylist() == [1, 2, 6]
    assert found.rejects["line"].to_pylist() == [3, 5]


@WRAPS
def test_parts_that_make_no_request_are_rejected_each(tmp_path, wrap):
    found = log(tmp_path, [*parts(wrap, short(1)), *parts(wrap, "words " * 6_000), *parts(wrap, short(2))])

    assert (found.requests["line"].to_pylist(), found.rejects["line"].to_pylist()) == ([1, 5], [2, 3, 4])


@WRAPS
def test_a_last_part_that_never_came_takes_no_line_with_it(tmp_path, wrap):
    found = log(tmp_path, [*parts(wrap, short(1)), *parts(wrap, long(2))[:2], *parts(wrap, short(3))])

    assert (found.requests["line"].to_pylist(), found.rejects["line"].to_pylist()) == ([1, 4], [2, 3])


def test_records_of_a_collector_that_writes_no_line_feeds_stay_apart(tmp_path):
    found = log(tmp_path, [docker(short(n), last=False) for n in range(9)])

    assert (found.requests.num_rows, found.inputs[0].comments) == (9, 0)


@WRAPS
@pytest.mark.parametrize("block", [1_500, 2_000, 5_000, 17_000, 40_000])
def test_parts_in_two_blocks_are_put_together_too(tmp_path, wrap, block, monkeypatch):
    records = [record for n in range(40) for record in parts(wrap, long(n, 900) if n % 3 else short(n), size=300)]
    whole = log(tmp_path, records)
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", block)
    found = log(tmp_path, records)

    assert found.requests.num_rows == 40
    assert found.requests.to_pylist() == whole.requests.to_pylist()
    assert found.inputs == whole.inputs


@WRAPS
def test_a_line_in_parts_longer_than_any_is_not_put_together(tmp_path, wrap):
    found = log(tmp_path, [*parts(wrap, short(1)), *parts(wrap, long(2, 1_200_000)), *parts(wrap, short(3))])

    assert found.requests.num_rows == 2
    assert found.inputs[0].lines == found.requests.num_rows + found.rejects.num_rows
