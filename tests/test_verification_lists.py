"""Published range lists: every shape by its own sample, plain text, what is refused, and whose file is whose."""

import json
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.clients.registry import shipped
from loganalyzer.errors import UsageError
from loganalyzer.verification.folder import Fetched, file_names, load, remember
from loganalyzer.verification.rangelist import read
from loganalyzer.verification.shapes import SHAPES

MADE = datetime(2026, 11, 1, tzinfo=UTC)


def google(*ranges, created="2026-11-01T15:00:33.000000"):
    prefixes = [{"ipv6Prefix" if ":" in text else "ipv4Prefix": text} for text in ranges]
    return json.dumps({"creationTime": created, "prefixes": prefixes})


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_each_shape_reads_its_own_sample(shape):
    found = read("list.json", shape.sample.encode())

    assert found.shape == shape.name
    assert found.networks == tuple(map(ip_network, shape.holds))
    assert (found.created is not None) == (shape.created is not None and shape.created in shape.sample)


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("192.0.2.0/24\n2001:db8::/32\n", ["192.0.2.0/24", "2001:db8::/32"]),
        ("# ours\n192.0.2.7 ; the second\r\n\n198.51.100.0/25  # new\n// old\n", ["192.0.2.7/32", "198.51.100.0/25"]),
        ("192.0.2.0/24,NZ,NZ-AUK,Auckland,\n", ["192.0.2.0/24"]),
        ("\ufeff192.0.2.1/24\n", ["192.0.2.0/24"]),
    ],
    ids=["plain", "comments", "geofeed", "mark and host bits"],
)
def test_plain_lists_are_read_line_by_line(text, networks):
    assert list(map(str, read("list.txt", text.encode()).networks)) == networks


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<!doctype html><html>no</html>", "HTML"),
        (b'{"prefixes": []}', "no address range"),
        (b'{"prefixes": [', "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b"", "no address range"),
        (b"\x00\xff\xfe", "no address range"),
        (b'["0.0.0.0/0", "::/0"]', "no address range"),
        (b"hello world\n", "no address range"),
    ],
    ids=["page", "empty", "cut", "deep", "nothing", "binary", "the whole world", "prose"],
)
def test_what_is_no_list_is_refused(data, said):
    with pytest.raises(UsageError, match=said):
        read("bad.json", data)


def test_an_entry_that_is_no_range_is_left_out_and_kept_for_the_note():
    found = read("list.json", b'["192.0.2.0/24", "here", "8.0.0.0/7"]')

    assert (len(found.networks), found.left_out) == (1, ("here", "8.0.0.0/7"))


addresses = st.integers(0, 2**32 - 1).map(ip_address) | st.integers(0, 2**128 - 1).map(ip_address)
networks = st.builds(
    lambda address, bits: ip_network((address, address.max_prefixlen - bits), strict=False),
    addresses,
    st.integers(0, 12),
)


@given(st.lists(networks, min_size=1, max_size=9), addresses)
def test_bisection_finds_what_asking_every_network_finds(held, other):
    found = read("list.txt", "\n".join(map(str, held)).encode())
    edges = [edge for network in held for edge in (network[0], network[-1], *_beyond(network))]

    for address in (other, *edges):
        assert (address in found) == any(address in network for network in held)


def _beyond(network):
    for number in (int(network[0]) - 1, int(network[-1]) + 1):
        if 0 <= number < 2**network.max_prefixlen:
            yield type(network[0])(number)


@pytest.mark.parametrize(
    ("file", "tokens"),
    [
        ("gptbot.json", {"GPTBot"}),
        ("GPTBot.txt", {"GPTBot"}),
        ("bingbot.json", {"bingbot", "adidxbot", "BingPreview", "MicrosoftPreview"}),
        ("claudebot.txt", {"ClaudeBot"}),
    ],
)
def test_a_file_is_known_by_the_name_in_its_url_or_by_the_token(tmp_path, file, tokens):
    (tmp_path / file).write_text("192.0.2.0/24\n")

    lists = load(str(tmp_path), shipped())

    assert [(name, set(owners)) for name, owners, _ in lists.files] == [(file, tokens)]
    assert lists.of("gptbot" if "GPTBot" in tokens else next(iter(tokens))) is not None


def test_no_two_urls_share_a_file():
    names = file_names(shipped().entries)

    assert len({name.casefold() for name in names.values()}) == len(names)
    assert all(name and "/" not in name for name in names.values())


def test_a_file_of_nobody_and_a_faulty_one_are_told_of_and_the_rest_is_used(tmp_path):
    (tmp_path / "gptbot.json").write_text(google("192.0.2.0/24"))
    (tmp_path / "searchbot.json").write_text("<html>")
    (tmp_path / "neighbour.txt").write_text("192.0.2.0/24")

    lists = load(str(tmp_path), shipped())

    assert {note.partition(":")[0] for note in lists.notes} == {"searchbot.json", "neighbour.txt"}
    assert lists.of("GPTBot").as_of.date() == MADE.date()
    assert lists.of("OAI-SearchBot") is None


def test_a_list_that_its_server_still_serves_is_good_for_the_day_it_was_fetched(tmp_path):
    (tmp_path / "bingbot.json").write_text(google("192.0.2.0/24", created="2024-01-03T10:00:00"))
    remember(tmp_path, {"bingbot.json": Fetched("https://example.com/bingbot.json", "2026-11-20T00:00:00+00:00")})

    listed = load(str(tmp_path), shipped()).of("bingbot")

    assert (listed.ranges.created.year, listed.as_of.date().isoformat()) == (2024, "2026-11-20")


def test_of_a_list_of_many_services_only_the_clients_own_counts(tmp_path):
    ours, customers = "192.0.2.0/25", "192.0.2.128/25"
    rows = [{"ip_prefix": ours, "service": "ROUTE53_HEALTHCHECKS"}, {"ip_prefix": customers, "service": "EC2"}]
    (tmp_path / "ip-ranges.json").write_text(json.dumps({"createDate": "2026-11-01-00-00-00", "prefixes": rows}))

    listed = load(str(tmp_path), shipped()).of("Amazon-Route53-Health-Check-Service")

    assert (ip_address("192.0.2.1") in listed.ranges, ip_address("192.0.2.200") in listed.ranges) == (True, False)
    assert listed.as_of == MADE


@pytest.mark.parametrize("created", ["0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "soon", ""])
def test_a_day_that_is_none_is_unknown(created):
    assert read("gptbot.json", google("192.0.2.0/24", created=created).encode()).created is None


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(UsageError, match="ranges fetch"):
        load(str(tmp_path / "none"), shipped())
