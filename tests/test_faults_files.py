"""Faults of whole files, each through a real process: exit code, the words on stderr, what is kept."""

import bz2
import gzip
import json
import lzma
import os
import random
import re
import subprocess
import sys

import pyarrow as pa
import pytest
from commands import run

LINES = [
    b'192.0.2.%d - - [01/Nov/2026:10:%02d:%02d +0000] "GET /%d HTTP/1.1" 200 5 "-" "Bot/1.0"\n'
    % (n % 250, n // 60 % 60, n % 60, n)
    for n in range(3000)
]
LOG = b"".join(LINES)


def _streamed(data):
    """zstd as a pipe writes it: no length in its header."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKED = gzip.compress(LOG, mtime=0)
STREAMED = _streamed(LOG)
ZSTD = pa.Codec("zstd").compress(LOG, asbytes=True)
RANDOM = random.Random(4).randbytes(100_000)
WRONG_BLOCK = bytes(byte ^ (at == 12) for at, byte in enumerate(bz2.compress(LOG)))  # CRC of its block
WRONG_SUM = PACKED[:-8] + bytes([PACKED[-8] ^ 1]) + PACKED[-7:]


def inputs(done):
    return json.loads(done.stdout)["inputs"]


@pytest.mark.parametrize(
    ("data", "requests", "code", "words"),
    [
        pytest.param(PACKED[:-8], 3000, 3, "has no trailer: all lines were kept", id="2 gzip without trailer"),
        pytest.param(PACKED[:-3], 3000, 3, "has no trailer: all lines were kept", id="2 gzip with half a trailer"),
        pytest.param(WRONG_SUM, 3000, 3, "failed its checksum: all lines were kept", id="3 gzip with a wrong CRC"),
        pytest.param(PACKED * 3, 9000, 0, "in the order of their times", id="4 gzip members"),
        pytest.param(ZSTD * 3, 9000, 0, "in the order of their times", id="4 zstd frames"),
        pytest.param(PACKED + b"\0" * 9999, 3000, 0, "", id="5 gzip and padding"),
        pytest.param(PACKED + b"rubbish", 3000, 3, "bytes that are not gzip follow", id="6 gzip and rubbish"),
        pytest.param(PACKED[:5], 0, 4, "ends too early", id="1 gzip cut in its header"),
        pytest.param(b"", 0, 4, "no request in the input", id="9 empty file"),
        pytest.param(bz2.compress(LOG) * 2, 6000, 0, "in the order of their times", id="4 bzip2 streams"),
        pytest.param(lzma.compress(LOG) + b"rubbish", 3000, 3, "bytes that are not xz follow", id="6 xz and rubbish"),
        pytest.param(WRONG_BLOCK, 0, 4, "bzip2 data is corrupt near byte", id="3 bzip2 with a wrong CRC"),
        pytest.param(bz2.compress(LOG) + WRONG_BLOCK, 3000, 3, "corrupt near byte", id="3 second bzip2 stream wrong"),
        pytest.param(STREAMED, 3000, 0, "", id="7 zstd without its size"),
        pytest.param(gzip.compress(b""), 0, 4, "no request in the input", id="9 empty gzip"),
        pytest.param(b"\n\n#Fields: date time c-ip\n", 0, 4, "no request in the input", id="10 comments and blanks"),
        pytest.param(b"\r\n".join(LOG.split(b"\n")), 3000, 0, "", id="26 CRLF"),
        pytest.param(LOG.replace(b"Bot", b"B\rt"), 3000, 0, "", id="26 lone CR"),
        pytest.param(b"\xef\xbb\xbf" + LOG, 3000, 0, "", id="27 UTF-8 BOM"),
        pytest.param(LOG.decode().encode("utf-16"), 0, 4, "iconv -f UTF-16 -t UTF-8", id="28 UTF-16 with BOM"),
        pytest.param(LOG.decode().encode("utf-16-le"), 0, 4, "iconv -f UTF-16LE", id="28 UTF-16LE"),
        pytest.param(LOG.decode().encode("utf-16-be"), 0, 4, "iconv -f UTF-16BE", id="28 UTF-16BE"),
        pytest.param(LOG.decode().encode("utf-32"), 0, 4, "iconv -f UTF-32", id="28 UTF-32"),
        pytest.param(LOG.replace(b"Bot", b"B\xe9t"), 3000, 0, "", id="29 invalid UTF-8"),
        pytest.param(b"PK\x03\x04" + RANDOM, 0, 4, "archives are not read; give the files inside", id="31 zip"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + RANDOM, 0, 4, "is a PNG image; it is not a log", id="31 PNG"),
        pytest.param(gzip.compress(b"x" * 257 + b"ustar" + LOG), 0, 4, "is a tar archive", id="31 tar in gzip"),
        pytest.param(RANDOM, 0, 4, "is not text, so it is not a log", id="31 random bytes"),
        pytest.param(LOG[:-1], 3000, 0, "", id="25 no line end at the end"),
        pytest.param(LOG[9:-9], 2998, 0, "", id="32 cut at both edges"),
    ],
)
def test_a_file_of_this_kind(tmp_path, data, requests, code, words):
    path = tmp_path / "access.log"
    path.write_bytes(data)
    done = run("report", path, "--json")

    assert done.returncode == code, done.stderr
    assert words in done.stderr.decode()
    assert (done.stderr == b"") == (words == "")
    if code != 4:
        (entry,) = inputs(done)
        assert entry["requests"] == requests
        assert entry["lines"] == entry["requests"] + entry["rejects"] + entry["blank"] + entry["comments"]


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "zstd", "zstd without its size"])
def test_1_and_7_a_cut_file_keeps_every_whole_line(tmp_path, name):
    compress = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": lambda _: ZSTD}.get(
        name, _streamed
    )
    packed = compress(LOG * 9) if name == "bzip2" else compress(LOG)
    (tmp_path / "a.log").write_bytes(packed[: len(packed) * 3 // 4])
    done = run("report", tmp_path / "a.log", "--json")

    (entry,) = inputs(done)
    assert done.returncode == 3
    assert entry["requests"] > 1500
    assert entry["rejects"] <= 1
    assert re.search(r"(near|after) byte [\d,]+", done.stderr.decode())
    assert entry["lines"] == entry["requests"] + entry["rejects"]


@pytest.mark.parametrize("flags", [2, 4, 8, 16, 30])
def test_4_a_gzip_header_may_have_every_optional_field(tmp_path, flags):
    fields = {4: b"\x05\x00extra", 8: b"access.log\0", 16: b"a comment\0", 2: b"\x00\x00"}
    header = b"".join(text for flag, text in fields.items() if flags & flag)
    (tmp_path / "a.log").write_bytes(PACKED[:3] + bytes([flags]) + PACKED[4:10] + header + PACKED[10:])
    done = run("report", tmp_path / "a.log", "--json")

    assert (done.returncode, inputs(done)[0]["requests"]) == (0, 3000)


@pytest.mark.parametrize(("name", "data"), [("access.log.gz", LOG), ("access.log", PACKED)])
def test_8_the_name_does_not_decide_the_compression(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    done = run("report", tmp_path / name, "--json")

    assert (done.returncode, inputs(done)[0]["requests"]) == (0, 3000)


@pytest.mark.parametrize("alone", [True, False])
def test_12_and_14_what_is_missing_is_named_and_the_rest_is_reported(tmp_path, alone):
    (tmp_path / "good.log").write_bytes(LOG)
    good = [] if alone else [tmp_path / "good.log"]
    done = run("report", *good, tmp_path / "gone.log", tmp_path / "*.nothing", "--json")

    error = done.stderr.decode()
    assert done.returncode == (4 if alone else 3)
    assert f"{tmp_path}/gone.log: there is no such file" in error
    assert f"{tmp_path}/*.nothing: no file matches this pattern" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(("alone", "code"), [(True, 4), (False, 3)])
def test_11_a_folder_says_what_to_give_instead(tmp_path, alone, code):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_bytes(LOG)
    (tmp_path / "b.log").write_bytes(LOG)
    done = run("report", tmp_path / "logs", *([] if alone else [tmp_path / "b.log"]))

    assert done.returncode == code
    assert f"is a directory; did you mean {tmp_path}/logs/*.log*?" in done.stderr.decode()


@pytest.mark.parametrize("command", ["report", "ingest"])
def test_11_a_folder_is_walked_on_request(tmp_path, command):
    (tmp_path / "logs" / "site").mkdir(parents=True)
    (tmp_path / "logs" / "a.log").write_bytes(LOG)
    (tmp_path / "logs" / "site" / "b.log").write_bytes(LOG.replace(b"GET /", b"GET /b"))
    options = ["--store", tmp_path / "store"] if command == "ingest" else []
    assert run(command, tmp_path / "logs", "--recursive", *options).returncode == 0

    done = run("report", *(options or [tmp_path / "logs", "--recursive"]), "--json")
    assert json.loads(done.stdout)["totals"]["requests"] == 6000


@pytest.mark.parametrize("packed", [LOG, PACKED, ZSTD], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_15_standard_input_is_read_in_one_pass(packed, name):
    done = run("report", name, "--json", input=packed)

    assert (done.returncode, inputs(done)[0]["requests"]) == (0, 3000)


@pytest.mark.parametrize("packed", [LOG, PACKED], ids=["plain", "gzip"])
@pytest.mark.parametrize("before", ["cat packed >fifo & set fifo", "set <(cat packed)"], ids=["fifo", "shell"])
def test_15_a_pipe_is_read_in_one_pass(tmp_path, packed, before):
    (tmp_path / "packed").write_bytes(packed)
    os.mkfifo(tmp_path / "fifo")
    shell = before.replace("set", f"{sys.executable} -m loganalyzer report --json")
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=True, timeout=60, cwd=tmp_path)

    assert inputs(done)[0]["requests"] == 3000


def test_17_a_last_line_that_is_still_being_written_is_no_reject_to_hold_against_the_log(tmp_path):
    (tmp_path / "a.log").write_bytes(LINES[0] + LINES[1][:-20])
    done = run("report", tmp_path / "a.log", "--json")

    assert (done.returncode, inputs(done)[0]["requests"], inputs(done)[0]["rejects"]) == (0, 1, 1)


def test_20_the_same_file_by_several_names_is_read_once(tmp_path):
    (tmp_path / "a.log").write_bytes(LOG)
    (tmp_path / "link.log").symlink_to("a.log")
    done = run("report", tmp_path / "a.log", f"{tmp_path}/./a.log", tmp_path / "link.log", "--json")

    assert [entry["requests"] for entry in inputs(done)] == [3000]
    assert done.stderr.decode().count("the same file") == 2


def test_24_a_line_of_a_gigabyte_takes_no_memory(tmp_path):
    path = tmp_path / "a.log.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(LOG)
        for _ in range(1024):
            file.write(b"x" * (1 << 20))
        file.write(b"\n" + LOG)
    code = (
        "import resource, sys; from loganalyzer.formats import read\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"read([{str(tmp_path / 'small.log')!r}]); before = peak()\n"
        f"log = read([{str(path)!r}]); print(peak() - before, log.requests.num_rows, log.rejects['reason'][0])"
    )
    (tmp_path / "small.log").write_bytes(LOG * 50)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    grown, requests, reason = done.stdout.split(maxsplit=2)
    assert int(grown) < 32 << 10  # KiB
    assert (int(requests), reason) == (6000, "line too long (1,073,741,825 bytes)\n")


@pytest.mark.parametrize("name", ["new\nline.log", "esc\x1b[2J.log", "-dash.log", "b\udce9.log", "[a].log"])
def test_68_any_name_works_and_steers_no_terminal(tmp_path, name):
    (tmp_path / name).write_bytes(LOG + b"nonsense\n" * 100)
    done = run("report", "--", name, cwd=tmp_path)

    assert done.returncode == 3
    assert b"\x1b" not in done.stdout + done.stderr


def test_69_thousands_of_files_need_few_descriptors(tmp_path):
    for n in range(1000):
        (tmp_path / f"{n}.log").write_bytes(LINES[n])
    command = [sys.executable, "-m", "loganalyzer", "report", str(tmp_path), "--recursive", "--json"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60, preexec_fn=_few_descriptors)

    assert done.returncode == 0, done.stderr
    assert sum(entry["requests"] for entry in inputs(done)) == 1000


def _few_descriptors():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
