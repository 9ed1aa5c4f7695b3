"""The store when things go wrong: killed at any instant, two writers, damage, a full disk."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from loganalyzer.errors import NothingUsableError, OutputError, StoreError, UsageError
from loganalyzer.store import ingest, read

LINE = '192.0.2.1 - - [{:02}/Nov/2026:10:{:02}:{:02} +0000] "GET /{}/{} HTTP/1.1" 200 1 "-" "Bot/1.0"\n'
NAMES = ("a.log", "b.log")


def text(name, start, count):
    return "".join(
        LINE.format(1 + n % 2, n // 60 % 60, n % 60, name, n) + ("no request\n" if n % 50 == 0 else "")
        for n in range(start, start + count)
    )


def counts(store):
    """How often each target is in a store, and the rejects."""
    log = read(store)
    targets = log.requests["target"].to_pylist()
    assert len(set(targets)) == len(targets)
    assert [entry.requests + entry.rejects for entry in log.inputs] == [
        sum((table["source"].to_numpy() == entry.source).sum() for table in (log.requests, log.rejects))
        for entry in log.inputs
    ]
    return len(targets), log.rejects.num_rows


@pytest.fixture
def logs(tmp_path):
    """Two logs, of which the store has the beginning of the first."""
    paths = [tmp_path / name for name in NAMES]
    paths[0].write_text(text("a", 0, 120))
    list(ingest(paths[:1], tmp_path / "store"))
    paths[0].write_text(text("a", 0, 200))
    paths[1].write_text(text("b", 0, 150))
    return paths


def test_at_no_instant_is_the_store_half_written(logs, tmp_path, monkeypatch):
    """Each state of the folder between two steps that change it, with what was not yet flushed cut in half."""
    store, states = tmp_path / "store", tmp_path / "states"

    def watched(step):
        def before(*arguments, **options):
            state = states / f"{len(list(states.iterdir())):03}"
            shutil.copytree(store, state)
            for part in state.rglob("*.part"):
                os.truncate(part, part.stat().st_size // 2)
            return step(*arguments, **options)

        return before

    states.mkdir()
    monkeypatch.setattr("loganalyzer.store.folder._MANY", 2)
    for place in ("os.replace", "os.fsync", "os.unlink"):
        module, _, name = place.partition(".")
        monkeypatch.setattr(f"{module}.{name}", watched(getattr(os, name)))
    list(ingest(logs, store))
    monkeypatch.undo()
    found = [(state, counts(state)) for state in sorted(states.iterdir())]

    assert counts(store) == (350, 7)
    assert len(found) > 20
    assert [count for _, count in found] == sorted(count for _, count in found)
    assert {count for _, count in found} >= {(120, 3), (200, 4)}
    for state, count in found:
        done = list(ingest(logs, state))
        assert counts(state) == (350, 7)
        assert sum(item.requests for item in done) == 350 - count[0]
        listed = json.loads((state / "manifest.json").read_text())["content"]["files"]
        assert {str(path.relative_to(state)) for path in state.rglob("*.parquet*")} == {file["path"] for file in listed}
        assert list(state.rglob("*.part")) == []


def test_killed_at_one_instant_after_the_other(logs, tmp_path):
    """`kill -9`, while the logs grow; then one run to its end."""
    store = tmp_path / "store"
    command = [sys.executable, "-m", "loganalyzer", "ingest", *map(str, logs), "--store", str(store)]
    began = time.monotonic()
    subprocess.run([*command[:-1], str(tmp_path / "other")], check=False, capture_output=True)
    usual = time.monotonic() - began
    killed = 0
    for turn in range(12):
        with logs[0].open("a") as file:
            file.write(text("a", 200 + 2000 * turn, 2000))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(usual * turn / 10)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        counts(store)
    with logs[0].open("a") as file:
        file.write(text("a", 24_200, 51))
    done = subprocess.run(command, check=False, capture_output=True)

    assert done.returncode == 3  # a line in fifty is no request
    assert killed > 0  # the first is, before it has done anything
    assert counts(store) == (24_251 + 150, 486 + 3)


def test_two_writers_at_once_count_once(logs, tmp_path):
    command = [
        sys.executable,
        "-m",
        "loganalyzer",
        "ingest",
        *map(str, logs),
        "--store",
        str(tmp_path / "store"),
        "-q",
        "--wait",
        "90",
    ]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    codes = [writer.communicate() and writer.returncode for writer in writers]

    assert sorted(codes)[-1] == 3  # the first one met too many rejects; nothing is new to the others
    assert counts(tmp_path / "store") == (350, 7)


def test_the_second_writer_says_that_it_waited(logs, tmp_path):
    with (tmp_path / "store" / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match=r"another ingest is writing this store; waited 0\.1 s"):
            list(ingest(logs, tmp_path / "store", wait_s=0.1))

    assert counts(tmp_path / "store") == (120, 3)


def manifest(store, change):
    path = store / "manifest.json"
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "manifest.json: is damaged"),
        (lambda text: "", "manifest.json: is damaged"),
        (lambda text: "[]", "version None"),
        (lambda text: text.replace('"version": 1', '"version": 9'), "is a store of version 9"),
        (lambda text: text.replace('"requests": 120', '"requests": 121'), "its digest does not fit"),
        (lambda text: '{"version": 1}', "its digest does not fit"),
    ],
)
def test_a_store_that_cannot_be_trusted_is_refused(logs, tmp_path, change, message):
    manifest(tmp_path / "store", change)

    with pytest.raises(StoreError, match=message):
        read(tmp_path / "store")
    with pytest.raises(StoreError, match=message):
        list(ingest(logs, tmp_path / "store"))


def test_a_folder_of_other_things_is_no_store(logs, tmp_path):
    with pytest.raises(UsageError, match=r"not empty \(a\.log\)"):
        list(ingest(logs, tmp_path))
    with pytest.raises(UsageError, match="is no folder"):
        list(ingest(logs, logs[0]))
    for folder in (tmp_path, logs[0], tmp_path / "none"):
        with pytest.raises(StoreError, match="no store"):
            read(folder)


def test_an_empty_store_says_so(tmp_path):
    (tmp_path / "empty.log").touch()
    list(ingest([tmp_path / "empty.log"], tmp_path / "store"))

    with pytest.raises(NothingUsableError, match="the store is empty"):
        read(tmp_path / "store")


@pytest.mark.parametrize("damage", ["remove", "cut", "flip"])
def test_a_data_file_that_is_missing_or_damaged_is_told(logs, tmp_path, damage):
    path = min((tmp_path / "store" / "requests").rglob("*.parquet"))
    rows = pq.ParquetFile(path).metadata.num_rows
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data if damage == "flip" else data[:100])
    if damage == "remove":
        path.unlink()
    log = read(tmp_path / "store")

    assert f"missing or damaged: {rows} rows are left out" in log.inputs[0].problem
    assert log.requests.num_rows == 120 - rows
    assert [item.requests for item in ingest(logs, tmp_path / "store")] == [80, 150]


def test_a_full_disk_leaves_the_store_as_it_was(logs, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("loganalyzer.store.folder.pq.write_table", full)
    with pytest.raises(OutputError, match="No space left on device; the store is as it was before"):
        list(ingest(logs, tmp_path / "store"))
    monkeypatch.undo()

    assert counts(tmp_path / "store") == (120, 3)
    list(ingest(logs, tmp_path / "store"))
    assert counts(tmp_path / "store") == (350, 7)


def test_an_input_that_cannot_be_read_leaves_the_others(logs, tmp_path):
    (tmp_path / "nonsense.log").write_text("what is this\n" * 5)
    names = [tmp_path / "none.log", tmp_path / "nonsense.log", *logs]
    missing, nonsense, *_ = sorted(ingest(names, tmp_path / "store"), key=lambda item: item.problem is None)

    assert "there is no such file" in missing.problem
    assert "no known format" in nonsense.problem
    assert counts(tmp_path / "store") == (350, 7)


def test_a_cut_stream_is_read_on_when_it_comes_whole(tmp_path):
    import gzip

    path, store = tmp_path / "a.log.gz", tmp_path / "store"
    packed = gzip.compress(text("a", 0, 9000).encode())
    path.write_bytes(packed[: len(packed) * 2 // 3])
    (cut,) = ingest([path], store)
    path.write_bytes(packed)
    (whole,) = ingest([path], store)

    assert "ends too early" in cut.problem
    assert 0 < cut.requests < 9000
    assert (whole.before, whole.problem) == (cut.lines, None)
    assert counts(store) == (9000, 180)


def test_standard_input_and_a_pipe_are_known_by_content(logs, tmp_path):
    store = tmp_path / "store"
    command = [sys.executable, "-m", "loganalyzer", "ingest", "-", "--store", str(store), "--max-rejects", "9"]
    for start in (0, 1):
        done = subprocess.run(command, input=text("a", 0, 130 + start).encode(), check=False, capture_output=True)
        assert done.returncode == 0, done.stderr
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen([*command[:4], str(pipe), *command[5:]], stderr=subprocess.PIPE)
    pipe.write_bytes(logs[1].read_bytes())  # opens once the reader has
    _, told = reader.communicate()

    assert b"150 requests" in told
    assert counts(store) == (131 + 150, 3 + 3)
