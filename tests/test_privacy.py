"""What is to be hidden is in no output and in no store; what is left is as useful as it can be."""

import json
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.cli import cli
from loganalyzer.errors import UnknownFormatError, UsageError
from loganalyzer.formats import read
from loganalyzer.privacy import REDACTED, WITHHELD, Privacy, privacy
from loganalyzer.store import read as stored

ADDRESSES = ("203.0.113.77", "2001:db8:5:6::77", "198.51.100.88", "203.0.113.99", "203.0.113.66", "192.0.2.55")
SECRETS = ("tok3n-of-carol", "hidden-words", "alice-admin")
AGENTS = ("TidyBot/2.4 (+https://crawl.example/?who=tok3n-of-carol; 198.51.100.88)", "Mozilla/5.0 (X11) Firefox/140.0")
LINES = [
    f'{address} - {user} [02/Nov/2026:10:00:{second:02} +0000] "GET /p{second}?session=tok3n-of-carol&ip=192.0.2.55 '
    f'HTTP/1.1" {429 if second % 5 == 0 else 200} 900 "https://search.example/?q=hidden-words" "{agent}"\n'
    for second in range(40)
    for address, user, agent in (
        ("203.0.113.77", "alice-admin", AGENTS[0]),
        ("2001:db8:5:6::77", "-", AGENTS[1]),
    )
]
LINES[7:7] = [
    '203.0.113.77 - - [02/Nov/2026:10:00:03 +0000] "\\x16\\x03 203.0.113.66?tok3n-of-carol" 400 0 "-" "-"\n',
    "203.0.113.99 what is this ?session=tok3n-of-carol\n",
]
MODES = {
    "truncate": ["--anonymize", "truncate", "--redact", "query"],
    "hash": ["--anonymize", "hash", "--redact", "query"],
    "a flag alone": ["--redact", "query", "--anonymize"],
}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("".join(LINES), encoding="utf-8")
    return str(path)


@pytest.fixture(params=MODES.values(), ids=MODES)
def hiding(request):
    return request.param


def run(*arguments):
    result = CliRunner().invoke(cli, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def report(*arguments):
    """A report as plain values; notes stand on stderr."""
    return json.loads(CliRunner().invoke(cli, ["report", "--json", *arguments]).stdout)


def holds(text):
    """What of the raw values stands in an output."""
    return [value for value in (*ADDRESSES, *SECRETS) if value in text]


def test_the_log_itself_holds_all_of_them(log):
    """Or the tests below would show nothing."""
    parsed = run("parse", log, "--rejects", f"{log}.rejects", "--max-rejects", "50")

    assert set(holds(parsed + Path(f"{log}.rejects").read_text())) == {*ADDRESSES, *SECRETS}


@pytest.mark.parametrize("how", [[], ["--all"], ["--json"], ["--md"]], ids=" ".join)
def test_no_report_holds_them(log, hiding, how):
    out = run("report", log, "--html", f"{log}.html", *how, *hiding)

    assert holds(out + Path(f"{log}.html").read_text()) == []
    assert "TidyBot" in out


def test_nothing_that_parse_writes_holds_them(log, hiding):
    names = {name: f"{log}.{name}" for name in ("rejects", "csv", "parquet")}
    options = [part for name, path in names.items() for part in (f"--{name}", path)]
    out = run("parse", log, *options, *hiding) + run("parse", log, *hiding)
    table = pq.read_table(names["parquet"]).to_pylist()

    written = [Path(names[name]).read_text() for name in ("rejects", "csv")]
    assert holds(out + "".join(written) + repr(table)) == []
    assert len(table) == len(LINES) - 1
    assert WITHHELD.decode() in written[0]


@pytest.mark.parametrize("how", [[], ["--raw"], ["--refused"]], ids=" ".join)
def test_lines_shows_the_hidden_request_in_place_of_the_bytes(log, hiding, how):
    out = run("lines", log, "--client", "TidyBot", *how, *hiding)

    assert holds(out) == []
    assert REDACTED in out
    assert sum('"user_agent": "TidyBot' in line for line in out.splitlines()) == (8 if how == ["--refused"] else 40)


def test_identify_of_a_log_holds_none(log, hiding):
    assert holds(run("identify", "--log", log, *hiding) + run("identify", "--log", log, "--json", *hiding)) == []


def test_a_line_that_no_format_reads_is_shown_without_them(tmp_path, hiding):
    path = tmp_path / "other.txt"
    path.write_text("203.0.113.99 ?session=tok3n-of-carol what is this\n" * 20)

    with pytest.raises(UnknownFormatError) as caught:
        run("report", str(path), *hiding)

    assert holds(str(caught.value)) == []
    assert "203.0.113.0 ?redacted what is this" in str(caught.value)


def test_no_store_holds_them(log, tmp_path, hiding):
    folder = tmp_path / "store"
    out = run("ingest", log, "--store", str(folder), *hiding)
    files = [path for path in folder.rglob("*") if path.is_file()]
    tables = [pq.read_table(path, partitioning=None).to_pylist() for path in files if path.suffix == ".parquet"]
    texts = [path.read_text() for path in files if path.suffix == ".json"]
    kept = stored(folder)

    assert (
        holds(out + repr(tables) + "".join(texts) + run("lines", "--store", str(folder), "--client", "TidyBot")) == []
    )
    assert (kept.requests.num_rows, kept.rejects.num_rows) == (len(LINES) - 1, 1)


def test_a_store_of_raw_logs_can_be_reported_without_them(log, tmp_path, hiding):
    folder = str(tmp_path / "store")
    run("ingest", log, "--store", folder)

    assert holds(run("report", "--store", folder, "--json", *hiding)) == []
    assert holds(run("lines", "--store", folder, "--client", "TidyBot", *hiding)) == []


@pytest.mark.parametrize(("first", "second"), [(["--anonymize"], []), ([], ["--redact", "query"])])
def test_a_store_is_all_of_one_kind(log, tmp_path, first, second):
    folder = str(tmp_path / "store")
    run("ingest", log, "--store", folder, *first)

    with pytest.raises(UsageError, match="all of one kind"):
        run("ingest", log, "--store", folder, *second)


def test_a_store_knows_a_copy_by_the_key(log, tmp_path):
    """Line digests are keyed, or the last part of an address could be found by trying all 256."""
    key = tmp_path / "key"
    key.write_text("a key of some length")
    copied = tmp_path / "part.log"
    lines = [line.replace("GET /p", f"GET /{n}/p") for n in range(3) for line in LINES]
    copied.write_text("".join([*lines[20:200], LINES[0]]))
    Path(log).write_text("".join(lines))
    digests = []
    for name in ("one", "two"):
        folder = str(tmp_path / name)
        run("ingest", log, "--store", folder, "--anonymize", "--key", str(key))
        run("ingest", str(copied), "--store", folder, "--anonymize", "--key", str(key))
        assert stored(folder).requests.num_rows == 3 * (len(LINES) - 1) + 1
        (path, *_) = Path(folder).glob("requests/*/*.parquet")
        digests.append(pq.read_table(path, partitioning=None)["digest"].to_pylist())
    run("ingest", log, "--store", str(tmp_path / "raw"))
    (path, *_) = (tmp_path / "raw").glob("requests/*/*.parquet")

    assert digests[0] == digests[1]
    assert not set(digests[0]) & set(pq.read_table(path, partitioning=None)["digest"].to_pylist())


def test_the_dashboard_holds_none(log, monkeypatch):
    pytest.importorskip("streamlit")
    import streamlit
    from streamlit.testing.v1 import AppTest

    monkeypatch.setattr(sys, "argv", ["app.py", log, "--anonymize=truncate", "--redact=query"])
    root = Path(__file__).parent.parent
    app = AppTest.from_file(str(root / "app.py"), default_timeout=60).run()
    shown = []
    pages = sorted(path.stem for path in (root / "loganalyzer" / "dashboard" / "pages").glob("[a-z]*.py"))
    for page in pages:
        app = app.switch_page(f"loganalyzer/dashboard/pages/{page}.py").run()
        assert not app.exception
        shown += [repr(frame.value.to_dict()) for frame in app.dataframe]
        shown += [
            element.value
            for kind in ("text", "code", "info", "subheader", "markdown", "caption", "warning", "error", "metric")
            for element in app.get(kind)
        ]
        shown += [str(element) for element in app.get("selectbox")]
    streamlit.cache_resource.clear()

    assert len(pages) == 9
    assert holds(" ".join(shown)) == []
    assert "redacted" in " ".join(shown)


def test_the_commands_that_a_report_prints_hide_the_same(log):
    document = report(log, "--anonymize=truncate", "--redact", "query")

    assert document["findings"]
    assert all("--anonymize truncate --redact query" in found["evidence"] for found in document["findings"])


def test_numbers_stay_and_networks_can_be_told_apart(log):
    plain, hidden = report(log), report(log, "--anonymize")

    numbers = [
        [(c["client"], c["requests"], c["bytes"], c["addresses"], c["rates"]["peak_60s"]) for c in d["clients"]]
        for d in (plain, hidden)
    ]
    assert numbers[0] == numbers[1]
    seen = {address for client in hidden["clients"] for address, _ in client["top_addresses"]}
    assert seen == {"203.0.113.0", "2001:db8:5::"}


ADDRESSED = [
    ("203.0.113.77", "203.0.113.0"),
    ("2001:db8:5:6:7:8:9:a", "2001:db8:5::"),
    ("::1", "::"),
    ("::ffff:203.0.113.77", "::ffff:203.0.113.0"),
    ("[2001:db8::1]", "2001:db8::"),
    ("fe80::1%eth0", "fe80::"),
    ("dsl-77.customers.provider.example", "*.provider.example"),
    ("carol.example", "*"),
    # what proxies write
    ("203.0.113.77:4711", "203.0.113.0"),
    ("[2001:db8:5:6::77]:443", "2001:db8:5::"),
    ('for="[2001:db8:5:6::77]:47"', "2001:db8:5::"),
    ("for=203.0.113.77", "203.0.113.0"),
    # what looks like an address and is none, nor the name of a host
    ("203.0.113.077", "*"),
    ("203.0.113.777", "*"),
    ("203.0.113.77/32", "*"),
    ("for=203.0.113.77;proto=https", "*"),
    ("", "*"),
    ("localhost", "*"),
]


@pytest.mark.parametrize(("address", "kept"), ADDRESSED)
def test_of_an_address_its_network_is_kept(address, kept):
    assert Privacy("truncate").address(address) == kept


FREE = [
    ("/from/203.0.113.77/x", "/from/203.0.113.0/x"),
    ("/?ip=203%2E0%2E113%2E77", "/?ip=203%2E0%2E113%2E0"),
    ("/?ip=2001%3Adb8%3A5%3A%3A77", "/?ip=2001:db8:5::"),
    ("/?ip=203%252E0%252E113%252E77", "/?ip=203%252E0%252E113%252E0"),
    ("/?ip=2001%253adb8%253a5%253a%253a77", "/?ip=2001:db8:5::"),
    ("http://[2001:db8:5:6::77]:80/", "http://[2001:db8:5::]:80/"),
    ("Mozilla/5.0 (X11) Chrome/140.0.0.0 Safari/537.36", "Mozilla/5.0 (X11) Chrome/140.0.0.0 Safari/537.36"),
    ("rv:1.9.2 at 10:00:00", "rv:1.9.2 at 10:00:00"),
    ("LWP::Simple std::string", "LWP::Simple std::string"),
]


@pytest.mark.parametrize(("text", "kept"), FREE)
def test_addresses_inside_a_text_lose_their_last_part(text, kept):
    assert Privacy("truncate").text(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("TidyBot (+https://crawl.example/?a=tok; ops)", "TidyBot (+https://crawl.example/?redacted; ops)"),
        ("TidyBot (+https://crawl.example/?a=(tok)&b='tok')", "TidyBot (+https://crawl.example/?redacted')"),
        ('see "/a?x=tok" twice?', 'see "/a?redacted" twice?redacted'),
    ],
)
def test_a_query_inside_a_text_is_cut_whole(text, kept):
    assert Privacy(None, True).text(text) == kept


@given(st.ip_addresses(v=4), st.ip_addresses(v=6), st.sampled_from(["/{}/x", "x {} y", "({})", "http://{}:80/", "{}"]))
def test_no_address_survives_in_a_text(old, new, form):
    for address in (old, new):
        text = form.format(f"[{address}]" if "http" in form and address.version == 6 else address)
        kept = Privacy("truncate").text(text)
        assert str(address) not in re.split(r"[^0-9a-f.:]", kept.replace(":80/", "/")) or int(address) % 256 == 0


def test_a_hash_is_the_same_with_the_same_key_alone(tmp_path):
    file = tmp_path / "key"
    file.write_text("a key of some length")
    names = [privacy("hash", False, key).address("203.0.113.77") for key in (str(file), str(file), None, None)]

    assert names[0] == names[1]
    assert len(set(names)) == 3
    assert all(re.fullmatch("h[0-9a-f]{16}", name) for name in names)


@pytest.mark.parametrize("text", ["", "short"])
def test_a_key_is_a_secret(tmp_path, text):
    file = tmp_path / "key"
    file.write_text(text)

    with pytest.raises(UsageError, match="at least 16 bytes"):
        privacy("hash", False, str(file))
    with pytest.raises(UsageError, match="No such file"):
        privacy("hash", False, str(tmp_path / "none"))
    with pytest.raises(UsageError, match="give one of them"):
        privacy(None, False, str(file))


def test_values_that_become_equal_become_one(log):
    """Or one network would be counted as several addresses."""
    requests = read([log]).requests
    hidden = Privacy("truncate").requests(requests)

    chunk = hidden["client_ip"].unify_dictionaries().chunk(0)
    assert sorted(chunk.dictionary.to_pylist()) == ["2001:db8:5::", "203.0.113.0"]
    assert hidden.schema == requests.schema
    assert hidden["user"].null_count == hidden.num_rows


def test_nothing_is_changed_where_nothing_is_asked(log):
    kept = read([log])

    assert Privacy().log(kept) is kept
    assert Privacy(None, True).requests(kept.requests)["client_ip"] == kept.requests["client_ip"]
    assert pa.types.is_binary(Privacy(None, True).rejects(kept.rejects)["text"].type)


def test_an_option_in_front_of_a_log_is_told(log):
    out = CliRunner().invoke(cli, ["report", "--anonymize", log], standalone_mode=True).output

    assert "--anonymize=truncate" in re.sub(r"\s+", " ", out)
