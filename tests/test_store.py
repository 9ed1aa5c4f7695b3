"""The store: each line of a log counts once, whatever becomes of its file."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

from loganalyzer.analysis import analyse
from loganalyzer.formats import read as read_logs
from loganalyzer.schema import REJECT, REQUEST
from loganalyzer.store import ingest, manifest, read

LINE = (
    "192.0.2.{address} - - [{day:02}/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] "
    '"GET /{name}/{n} HTTP/1.1" 200 {n} "-" "Bot/1.0"\n'
)


def lines(name, start, count):
    """Lines that no other name has, one each 20 seconds."""
    return "".join(
        LINE.format(
            address=n % 250,
            day=1 + n // 4320,
            hour=n // 180 % 24,
            minute=n // 3 % 60,
            second=n % 3 * 20,
            name=name,
            n=n,
        )
        for n in range(start, start + count)
    )


class Site:
    """A folder of logs and the store beside it."""

    def __init__(self, folder):
        self.folder, self.store = folder, folder / "store"

    def path(self, name):
        return self.folder / name

    def append(self, name, text):
        with self.path(name).open("a") as file:
            file.write(text)

    def ingest(self, *names):
        return list(ingest([str(self.path(name)) for name in names], self.store))

    def targets(self):
        return sorted(read(self.store).requests["target"].to_pylist(), key=lambda t: (t.split("/")[1], len(t), t))


def targets(name, count):
    return [f"/{name}/{n}" for n in range(count)]


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def test_what_grew_is_read_from_where_it_was_left(site):
    counts = []
    for start, count in ((0, 3), (3, 1), (4, 0), (4, 2000), (2004, 5)):
        site.append("access.log", lines("a", start, count))
        (done,) = site.ingest("access.log")
        counts.append((done.before, done.requests))

    assert counts == [(0, 3), (3, 1), (4, 0), (4, 2000), (2004, 5)]
    assert site.targets() == targets("a", 2009)
    assert sorted(read(site.store).requests["line"].to_pylist()) == list(range(1, 2010))


def test_renamed_by_rotation(site):
    site.append("access.log", lines("a", 0, 500))
    site.ingest("access.log")
    site.append("access.log", lines("a", 500, 7))
    site.path("access.log").rename(site.path("access.log.1"))
    site.append("access.log", lines("b", 0, 9))
    old, new = site.ingest("access.log", "access.log.1")

    assert (old.before, old.requests, new.before, new.requests) == (500, 7, 0, 9)
    assert site.targets() == [*targets("a", 507), *targets("b", 9)]
    sources = read(site.store).requests["source"].unique().to_pylist()
    assert sorted(sources) == [str(site.path("access.log")), str(site.path("access.log.1"))]


def test_copied_and_truncated_by_rotation(site):
    site.append("access.log", lines("a", 0, 900))
    site.ingest("access.log")
    site.append("access.log", lines("a", 900, 3))
    shutil.copy(site.path("access.log"), site.path("access.log.1"))
    site.path("access.log").write_text(lines("b", 0, 4))
    old, new = site.ingest("access.log", "access.log.1")

    assert (old.before, old.requests, new.before, new.requests) == (900, 3, 0, 4)
    assert site.targets() == [*targets("a", 903), *targets("b", 4)]


@pytest.mark.parametrize("count", [50, 5000], ids=["shorter than a head", "longer"])
def test_compressed_by_rotation(site, count):
    site.append("access.log", lines("a", 0, count))
    site.ingest("access.log")
    text = lines("a", 0, count + 3)
    site.path("access.log.2.gz").write_bytes(gzip.compress(text.encode()))
    site.path("access.log").unlink()

    assert [(done.before, done.requests) for done in site.ingest("access.log.2.gz")] == [(count, 3)]
    assert [(done.before, done.lines) for done in site.ingest("access.log.2.gz")] == [(count + 3, 0)]
    assert site.targets() == targets("a", count + 3)


@pytest.mark.parametrize("link", [os.link, os.symlink, shutil.copy], ids=["hard link", "symbolic link", "copy"])
@pytest.mark.parametrize("together", [True, False])
def test_one_log_under_two_names(site, link, together):
    site.append("access.log", lines("a", 0, 40))
    link(site.path("access.log"), site.path("other.log"))
    for names in [("access.log", "other.log")] if together else [("access.log",), ("other.log",), ("access.log",)]:
        site.ingest(*names)

    assert site.targets() == targets("a", 40)


def test_lines_that_another_log_has_count_once(site):
    """A run of a hundred; not fewer, for two servers may well log a few equal lines."""
    site.append("a.log", lines("a", 0, 3000))
    site.append("copy.log", lines("c", 0, 10) + lines("a", 1201, 731) + lines("c", 10, 5))
    site.append("few.log", lines("f", 0, 10) + lines("a", 0, 99) + lines("f", 10, 5))
    site.ingest("a.log")
    (copy,) = site.ingest("copy.log")
    (few,) = site.ingest("few.log")

    assert (copy.lines, copy.requests, copy.copies, copy.copied_from) == (746, 15, 731, [str(site.path("a.log"))])
    assert (few.requests, few.copies) == (114, 0)
    entries = {Path(entry.source).name: entry for entry in read(site.store).inputs}
    assert (entries["copy.log"].lines, entries["copy.log"].requests) == (15, 15)
    assert "731 lines more are copies" in entries["copy.log"].notes[0]


def test_the_rest_of_two_logs_that_begin_alike_is_kept(site):
    head = lines("a", 0, 1500)  # more than a head of 64 KiB
    site.append("a.log", head + lines("x", 0, 300))
    site.append("b.log", head + lines("y", 0, 300))
    site.ingest("a.log")
    (second,) = site.ingest("b.log")

    assert (second.requests, second.copies) == (300, 1500)
    assert site.targets() == [*targets("a", 1500), *targets("x", 300), *targets("y", 300)]


def test_a_last_line_without_end_waits(site):
    whole = lines("a", 0, 3)
    site.append("access.log", whole[:-30])
    (first,) = site.ingest("access.log")
    site.append("access.log", whole[-30:])
    (second,) = site.ingest("access.log")

    assert (first.requests, first.rejects, second.requests, second.rejects) == (2, 0, 1, 0)
    assert first.pending > 0
    assert site.targets() == targets("a", 3)


def test_what_is_no_request_is_kept_and_counted(site):
    site.append("access.log", lines("a", 0, 200) + "\n  \nwhat is this\n" + lines("a", 200, 2) + "\x00\x00\n")
    site.ingest("access.log")
    log, direct = read(site.store), read_logs([str(site.path("access.log"))])

    assert log.rejects.schema.names == REJECT.names
    assert log.requests.schema.equals(REQUEST)
    assert log.rejects.drop_columns(["source"]).to_pylist() == direct.rejects.drop_columns(["source"]).to_pylist()
    (entry,) = log.inputs
    assert (entry.lines, entry.requests, entry.rejects, entry.blank) == (206, 202, 2, 2)
    assert entry.lines == entry.requests + entry.rejects + entry.blank + entry.comments


def test_the_report_is_that_of_the_logs(site):
    for name, start in (("access.log.1", 0), ("access.log", 4000)):
        site.append(name, lines("a", start, 4000))
    names = [str(site.path(name)) for name in ("access.log", "access.log.1")]
    site.ingest("access.log", "access.log.1")
    stored, direct = (analyse(log).to_dict() for log in (read(site.store), read_logs(names)))

    for part in ("clients", "totals", "series", "inputs", "rejects"):
        assert stored[part] == direct[part]


def test_a_store_holds_one_folder_for_each_day(site):
    site.append("access.log", lines("a", 0, 10_000))
    site.ingest("access.log")

    assert sorted(path.name for path in (site.store / "requests").iterdir()) == [f"day=2026-11-0{n}" for n in (1, 2, 3)]


def test_a_backup_that_stays_behind_counts_nothing(site):
    """Also where it follows line by line, each time fewer lines than a run."""
    site.append("access.log", lines("a", 0, 30))
    shutil.copy(site.path("access.log"), site.path("backup.log"))
    site.ingest("access.log", "backup.log")
    for start in range(30, 180, 30):
        site.append("access.log", lines("a", start, 30))
        site.ingest("access.log", "backup.log")
        site.append("backup.log", lines("a", start, 30))

    assert site.targets() == targets("a", 180)


def test_the_first_lines_of_a_log_that_is_known(site):
    site.append("whole.log", lines("a", 0, 60))
    site.append("part.log", lines("a", 0, 20))
    site.ingest("whole.log")
    (part,) = site.ingest("part.log")

    assert (part.requests, part.copies) == (0, 20)


@pytest.fixture
def small_blocks(monkeypatch):
    """Many pieces of few lines each, as a large log has them."""
    monkeypatch.setattr("loganalyzer.sources.blocks.BLOCK", 3_000)
    monkeypatch.setattr("loganalyzer.formats.pieces._HELD", 1)


def test_copies_are_found_across_pieces(site, small_blocks):
    site.append("a.log", lines("a", 0, 1500))
    site.append("copy.log", lines("c", 0, 40) + lines("a", 333, 100) + lines("c", 40, 7) + lines("a", 700, 650))
    site.append("copy.log", lines("c", 47, 3))
    site.ingest("a.log")
    (copy,) = site.ingest("copy.log")

    assert (copy.requests, copy.copies) == (50, 750)
    assert site.targets() == [*targets("a", 1500), *targets("c", 50)]


@pytest.mark.parametrize("cut", [1, 99, 100, 101, 250])
def test_a_run_that_is_broken_off_between_two_ingests(site, cut):
    site.append("a.log", lines("a", 0, 600))
    site.append("copy.log", lines("c", 0, 5) + lines("a", 200, 150))
    site.ingest("a.log", "copy.log")
    site.append("copy.log", lines("a", 350, cut) + lines("c", 5, 3))
    (copy,) = site.ingest("copy.log")

    assert (copy.requests, copy.copies) == (3, cut)


def test_lines_that_repeat_by_the_thousand(site):
    """One line alone tells no copy from another log of a busy second: all of one log are kept."""
    line = lines("a", 0, 1)
    site.append("a.log", line * 3000)
    site.ingest("a.log")
    site.append("a.log", line * 3000)
    (more,) = site.ingest("a.log")

    assert (more.requests, more.copies) == (3000, 0)


W3C = "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n"


def test_the_fields_line_holds_for_what_is_added(site):
    row = "2026-11-02 10:00:{:02} 192.0.2.1 GET /{} 200 Bot/1.0\n"
    site.append("ex.log", W3C + row.format(1, 1))
    site.ingest("ex.log")
    site.append("ex.log", row.format(2, 2))
    (added,) = site.ingest("ex.log")

    assert (added.requests, added.rejects) == (1, 0)
    assert site.targets() == ["/1", "/2"]
    assert read(site.store).inputs[0].comments == 2


def test_what_is_added_may_be_no_request_at_all(site):
    site.append("access.log", lines("a", 0, 2))
    site.ingest("access.log")
    site.append("access.log", "what is this\n")
    (added,) = site.ingest("access.log")

    assert (added.requests, added.rejects, added.problem) == (0, 1, None)


def test_two_logs_that_had_one_path_have_names_of_their_own(site):
    site.append("access.log", lines("a", 0, 5))
    site.ingest("access.log")
    site.path("access.log").write_text(lines("b", 0, 5))
    site.ingest("access.log")
    sources = read(site.store).requests["source"].unique().to_pylist()

    assert len(sources) == 2
    assert str(site.path("access.log")) in sources


def test_a_log_that_is_read_every_minute_leaves_few_files(site):
    for start in range(0, 180, 3):
        site.append("access.log", lines("a", start, 3))
        site.append("other.log", lines("b", start, 3))
        site.ingest("access.log", "other.log")

    assert site.targets() == [*targets("a", 180), *targets("b", 180)]
    assert len(list(site.store.rglob("*.parquet"))) < 20
    (copy,) = site.ingest(shutil.copy(site.path("other.log"), site.path("copy.log")))
    assert copy.requests == 0


def test_a_reader_is_not_disturbed_when_files_are_joined(site, monkeypatch):
    """It has read the manifest, and then the files that it lists are gone."""
    site.append("access.log", lines("a", 0, 200))
    site.ingest("access.log")
    listed = manifest.load(site.store)
    monkeypatch.setattr("loganalyzer.store.folder._MANY", 1)
    site.append("access.log", lines("a", 200, 1))
    site.ingest("access.log")
    loads = iter([listed, manifest.load(site.store)])
    monkeypatch.setattr("loganalyzer.store.loading.manifests.load", lambda _: next(loads))

    assert not (site.store / listed.files[0].path).exists()
    assert site.targets() == targets("a", 201)


@pytest.mark.parametrize(
    "before", ["\0" * (3 << 20), "x" * (3 << 20) + "\n", "\0" * 70_000], ids=["hole", "endless line", "small hole"]
)
def test_a_log_goes_on_behind_what_is_too_long_to_keep(site, before):
    """A hole of zero bytes is what a writer leaves that does not notice that its log was truncated."""
    site.append("access.log", before + lines("a", 0, 700))
    site.ingest("access.log")
    site.append("access.log", lines("a", 700, 5))
    (added,) = site.ingest("access.log")
    (entry,) = read(site.store).inputs

    assert (added.lines, added.requests) == (5, 5)
    assert entry.bytes == site.path("access.log").stat().st_size
    assert site.targets() == targets("a", 705)


def test_behind_proxies_the_client_is_who_the_rule_says(site):
    site.append("access.log", LINE.format(address=1, day=1, hour=1, minute=1, second=1, name="a", n=1).rstrip())
    site.append("access.log", ' "6.6.6.6, 192.0.2.9, 10.0.0.2"\n')

    list(ingest([str(site.path("access.log"))], site.store, xff="rightmost-untrusted"))

    assert read(site.store).requests["client_ip"].to_pylist() == ["192.0.2.9"]
