"""Versions of robots.txt by host and instant, and what the log says of the answers to it."""

import gzip

import pyarrow as pa
import pytest

from loganalyzer.errors import UsageError
from loganalyzer.robots import load, timeline
from loganalyzer.robots.answers import ANSWER
from loganalyzer.robots.history import instant, iso
from loganalyzer.robots.hosts import normal_host, place

NOON = instant("2026-11-02T12:00Z")
HOUR = 3_600_000_000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("old.txt", "new.txt", "shop.txt"):
        (tmp_path / name).write_text(f"User-agent: *\nDisallow: /{name}\n")
    return tmp_path


def names(history, host, t0, t1):
    return [version.name for version in history.between(host, t0, t1)]


def test_a_file_is_in_force_for_the_whole_log(folder):
    history = load(["old.txt"])

    assert history.at(None, 0).name == "old.txt"
    assert history.at("any.example", NOON).robots.decide("ant", "/old.txt").allowed is False


@pytest.mark.parametrize(
    ("specs", "labels"),
    [
        (["old/robots.txt"], ["robots.txt"]),
        (["old/robots.txt", "new/later.txt@2026-11-02"], ["robots.txt", "later.txt@2026-11-02"]),
        (
            ["old/robots.txt@2026-11-01", "new/robots.txt@2026-11-02"],
            ["robots.txt@2026-11-01", "robots.txt@2026-11-02"],
        ),
        (
            ["a.example=old/robots.txt", "b.example=new/robots.txt"],
            ["a.example=old/robots.txt", "b.example=new/robots.txt"],
        ),
    ],
)
def test_a_version_is_called_by_its_file_unless_another_has_the_same(tmp_path, monkeypatch, specs, labels):
    monkeypatch.chdir(tmp_path)
    for name in ("old/robots.txt", "new/robots.txt", "new/later.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("User-agent: *\nDisallow: /cart\n")

    assert list(load(specs).labels) == labels


def test_a_file_gives_way_to_one_from_an_instant(folder):
    history = load(["new.txt@2026-11-02T12:00Z", "old.txt"])

    assert [history.at(None, NOON + off).name for off in (-1, 0)] == ["old.txt", "new.txt@2026-11-02T12:00Z"]
    assert names(history, None, NOON - 1, NOON) == ["old.txt", "new.txt@2026-11-02T12:00Z"]
    assert names(history, None, NOON, NOON + HOUR) == ["new.txt@2026-11-02T12:00Z"]


def test_before_the_first_instant_nothing_is_known(folder):
    history = load(["new.txt@2026-11-02T12:00Z"])

    assert history.at(None, NOON - 1) is None
    assert names(history, None, 0, NOON - 1) == []
    assert names(history, None, 0, NOON) == ["new.txt@2026-11-02T12:00Z"]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("shop.example", "shop.example=shop.txt"),
        ("SHOP.example:443", "shop.example=shop.txt"),
        ("www.shop.example", "old.txt"),  # RFC 9309 section 2.3: a subdomain never inherits
        ("shop.example:8443", "old.txt"),
    ],
)
def test_versions_of_a_host_are_its_own(folder, host, name):
    assert load(["old.txt", "shop.example=shop.txt"]).at(host, NOON).name == name


def test_an_unlogged_host_has_the_only_timeline_there_is(folder):
    assert load(["shop.example=shop.txt"]).at(None, NOON).name == "shop.example=shop.txt"
    assert load(["shop.example=shop.txt", "old.txt"]).at(None, NOON) is None
    assert load([]).at(None, NOON) is None


@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("2026-11-02.txt", "2026-11-02T00:00:00Z"),
        ("2026-11-02T10:00Z.txt", "2026-11-02T10:00:00Z"),
        ("2026-11-02T10-00Z.txt", "2026-11-02T10:00:00Z"),
        ("2026-11-02T10-00-05Z.txt", "2026-11-02T10:00:05Z"),
        ("20261102T1000Z.txt", "2026-11-02T10:00:00Z"),
        ("20261102100000", "2026-11-02T10:00:00Z"),
        ("robots-2026-11-02T10:00+02:00.txt", "2026-11-02T08:00:00Z"),
        ("robots.txt.20261102", "2026-11-02T00:00:00Z"),
    ],
)
def test_files_of_a_folder_are_named_by_instant(tmp_path, name, when):
    (tmp_path / ".hidden").write_text("")
    (tmp_path / name).write_text("User-agent: *\nDisallow:\n")
    [version] = load([f"www.example={tmp_path}"]).versions

    assert version.host == "www.example"
    assert version.name == f"www.example={tmp_path}/{name}"
    assert iso(version.in_force_from_us) == when


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["gone.txt"], "gone.txt cannot be read: No such file"),
        (["x.example=gone.txt"], "gone.txt cannot be read"),
        (["old.txt@yesterday"], "'yesterday' is no instant; write it as 2026-11-02"),
        (["page.txt"], "page.txt is a web page (HTML or XML)"),
        (["packed.txt"], "packed.txt is compressed (gzip), not a robots.txt; save the file unpacked"),
        (["old.txt", "new.txt"], "are both in force for the whole log"),
        (["old.txt@2026-11-02", "new.txt@20261102T0000Z"], "are both in force from 2026-11-02T00:00:00Z"),
        (["folder"], "notes.md: is not named by an instant"),
        (["folder@2026-11-02"], "a folder takes no instant"),
        (["empty"], "the folder is empty"),
    ],
)
def test_a_wrong_specification_is_refused_by_name(folder, specs, said):
    (folder / "page.txt").write_text("<!DOCTYPE html><title>Not found</title>")
    (folder / "packed.txt").write_bytes(gzip.compress(b"User-agent: *"))
    (folder / "folder").mkdir()
    (folder / "folder" / "notes.md").write_text("")
    (folder / "empty").mkdir()

    with pytest.raises(UsageError) as refused:
        load(specs)

    assert said in str(refused.value)


def test_copies_of_one_file_are_read_once(folder):
    (folder / "again.txt").write_text((folder / "old.txt").read_text())
    old, again = load(["old.txt", "again.txt@2026-11-02"]).versions

    assert old.robots is again.robots


def test_a_path_that_exists_is_taken_whole(folder):
    (folder / "a=b@c.txt").write_text("User-agent: *\nDisallow: /\n")

    assert load(["a=b@c.txt"]).versions[0].host is None


@pytest.mark.parametrize(
    ("host", "normal"),
    [
        ("Example.ORG", "example.org"),
        ("example.org.:80", "example.org"),
        ("example.org:8080", "example.org:8080"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[::1]:443", "[::1]"),
        ("é" * 300, "é" * 300),
    ],
)
def test_host_normal_form(host, normal):
    assert normal_host(host) == normal


def test_document_row(folder):
    (folder / "odd.txt").write_bytes(b"\xef\xbb\xbfUser-agent: ant\nUser-agent: bee\nDisallow: /a\nAllow: /b\n")
    [row] = load(["odd.txt@2026-11-02T12:00Z"]).document()

    assert (row["name"], row["host"], row["in_force_from"]) == (
        "odd.txt@2026-11-02T12:00Z",
        None,
        "2026-11-02T12:00:00Z",
    )
    assert (row["lines"], row["groups"], row["rules"], len(row["sha256"])) == (4, 1, 2, 64)
    assert "byte order mark" in row["warnings"][0]


def answers(*rows):
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, ANSWER, strict=True)], schema=ANSWER
    )


def test_timeline_of_answers_by_host():
    rows = [(0, 0, 200, 7), (0, 1, 304, 7), (1, 1, 404, 8), (0, 2, 200, 9), (0, 3, 503, 9), (1, 4, 404, 8)]
    table = answers(*((host, hour * HOUR, status, client) for host, hour, status, client in rows))

    assert [tuple(run.values()) for run in timeline(table, ["a.example", "b.example"], [])] == [
        ("a.example", None, 200, "1970-01-01T00:00:00Z", "1970-01-01T02:00:00Z", 3, 2),
        ("a.example", None, 503, "1970-01-01T03:00:00Z", "1970-01-01T03:00:00Z", 1, 1),
        ("b.example", None, 404, "1970-01-01T01:00:00Z", "1970-01-01T04:00:00Z", 2, 1),
    ]


def test_timeline_without_hosts_or_answers():
    assert timeline(answers(), [], []) == []
    assert [run["host"] for run in timeline(answers((None, 0, 200, 0)), [], [])] == [None]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Shop.Example", "shop.example"),
        ("shop.example:80", "http://shop.example"),
        ("shop.example:443", "https://shop.example"),
        ("https://shop.example", "https://shop.example"),
        ("HTTPS://shop.example:443/", "https://shop.example"),
        ("https://shop.example:8443", "shop.example:8443"),
        ("[2001:db8::1]:443", "https://[2001:db8::1]"),
    ],
)
def test_a_place_is_named_by_what_tells_it_from_others(text, name):
    assert place(text).name == name


BOTH = ["https://shop.example=shop.txt", "shop.example:80=old.txt"]


@pytest.mark.parametrize(
    ("specs", "host", "name"),
    [
        (BOTH, "shop.example:443", BOTH[0]),
        (BOTH, "https://shop.example", BOTH[0]),
        (BOTH, "shop.example:80", BOTH[1]),
        (BOTH, "shop.example", None),  # the scheme is not logged, and the two differ
        (BOTH, "shop.example:8443", None),
        (BOTH[:1], "shop.example", BOTH[0]),  # the only one that is given
        (BOTH[:1], "shop.example:80", None),
        ([BOTH[0], "shop.example=old.txt"], "shop.example:80", "shop.example=old.txt"),
        ([BOTH[0], "shop.example=old.txt"], "shop.example", None),
        ([BOTH[0], "old.txt"], "other.example:443", "old.txt"),
        (["shop.example:8443=shop.txt"], "https://shop.example:8443", "shop.example:8443=shop.txt"),
    ],
)
def test_scheme_and_port_decide_which_file_counts(folder, specs, host, name):
    found = load(specs).at(host, NOON)

    assert (found and found.name) == name


def test_a_folder_of_hosts(folder):
    for place_, file in (("shop.example", "robots.txt"), ("b.example:8080", "2026-11-02.txt")):
        (folder / "hosts" / place_).mkdir(parents=True)
        (folder / "hosts" / place_ / file).write_text("User-agent: *\nDisallow: /x\n")

    history = load(["hosts"])

    assert [(version.host, version.in_force_from_us) for version in history.versions] == [
        ("b.example:8080", instant("2026-11-02")),
        ("shop.example", None),
    ]


@pytest.mark.parametrize("inner", ["a host", "a.example/deeper"])
def test_a_folder_that_is_no_hosts_is_refused(folder, inner):
    (folder / "hosts" / inner).mkdir(parents=True)
    (folder / "hosts" / inner / "robots.txt").write_text("")

    with pytest.raises(UsageError, match="a folder of a host is named by it"):
        load(["hosts"])
