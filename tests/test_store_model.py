"""Laws of the store: whatever a site does with its logs, each line counts once; runs of known lines and no others."""

import gzip
import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer.sources import Block
from loganalyzer.sources.overlap import RUN, Index, line_digests
from loganalyzer.store import ingest, read

LINE = '192.0.2.1 - - [02/Nov/2026:10:{:02}:{:02} +0000] "GET /{} HTTP/1.1" 200 1 "-" "Bot/1.0"\n'
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 160)),
        st.tuples(
            st.sampled_from(["rename", "copytruncate", "compress", "backup", "ingest", "ingest all"]), st.just(0)
        ),
    ),
    min_size=3,
    max_size=14,
)


class Site:
    """A folder where one program writes `access.log` and others rotate it."""

    def __init__(self, folder):
        self.folder, self.log = folder, folder / "access.log"
        self.written = self.rotated = 0

    def append(self, count):
        with self.log.open("a") as file:
            for n in range(self.written, self.written + count):
                file.write(LINE.format(n // 60 % 60, n % 60, n))
        self.written += count

    def rotate(self, how):
        if not self.log.exists():
            return
        self.rotated += 1
        if how == "copytruncate":
            shutil.copy(self.log, self.folder / f"access.log.{100 - self.rotated}")
            self.log.write_text("")
        elif how == "rename":
            self.log.rename(self.folder / f"access.log.{100 - self.rotated}")
        elif how == "compress":
            (self.folder / f"access.log.{100 - self.rotated}.gz").write_bytes(gzip.compress(self.log.read_bytes()))
            self.log.unlink()
        else:
            shutil.copy(self.log, self.folder / f"backup.log.{self.rotated}")

    def ingest(self, everything):
        names = sorted(self.folder.glob("*.log*")) if everything else [self.log]
        return list(ingest([name for name in names if name.exists()], self.folder / "store"))


@settings(max_examples=25)
@given(STEPS)
def test_whatever_is_done_with_the_files_each_line_counts_once(steps):
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder))
        for step, count in steps:
            if step == "append":
                site.append(count)
            elif step.startswith("ingest"):
                site.ingest(step == "ingest all")
            else:
                site.rotate(step)
        site.append(1)
        site.ingest(everything=True)
        targets = [int(target[1:]) for target in read(site.folder / "store").requests["target"].to_pylist()]
        again = site.ingest(everything=True)

        assert sorted(targets) == list(range(site.written))
        assert sum(item.lines for item in again) == 0


@given(st.data())
def test_runs_of_known_lines_are_found_whole_and_no_others(data):
    """New lines are pieces of what is known, of any length and from anywhere, between lines that are known nowhere."""
    known = [
        np.arange(1, 1 + size, dtype=np.uint64) + np.uint64(number << 32)
        for number, size in enumerate(data.draw(st.lists(st.integers(0, 700), min_size=1, max_size=4)))
    ]
    pieces, expected, fresh = [], [], 1 << 60
    for _ in range(data.draw(st.integers(0, 6))):
        source = known[data.draw(st.integers(0, len(known) - 1))]
        start = data.draw(st.integers(0, max(len(source) - 1, 0)))
        piece = source[start : start + data.draw(st.integers(0, 400))]
        pieces += [piece, np.array([fresh], np.uint64)]
        expected += [len(piece) >= RUN] * len(piece) + [False]
        fresh += 1
    lines = np.concatenate([np.array([fresh], np.uint64), *pieces])
    runs = Index(known).runs(lines)
    found = np.zeros(len(lines), bool)
    for run in runs:
        found[run.start : run.end] = True

    assert found.tolist() == [False, *expected]


@given(st.lists(st.sampled_from([b"", b"a", b"ab", b"\r", b"x" * 70]), min_size=1), st.booleans())
def test_lines_have_one_digest_each(lines, ended):
    data = b"\n".join(lines) + b"\n" * (ended or not lines[-1])
    digests = line_digests(Block(0, memoryview(data), len(data)))

    assert len(digests) == len(lines)
    assert len(set(digests.tolist())) == len(set(lines))
