"""Forward-confirmed reverse DNS against a real server on loopback: only an answer refutes, never a silence."""

import json
import sys
import time
from ipaddress import ip_address

import pytest
from dnsserver import NOERROR, SERVFAIL, SILENT, DnsServer

from loganalyzer.errors import UsageError
from loganalyzer.verification import reverse
from loganalyzer.verification.cache import Cache
from loganalyzer.verification.reverse import ReverseDns, split

SUFFIX = (".bot.example",)


def pointer(address):
    return ip_address(address).reverse_pointer


RECORDS = {
    ("PTR", pointer("192.0.2.1")): ["crawl-1.bot.example"],
    ("A", "crawl-1.bot.example"): ["192.0.2.1", "192.0.2.99"],
    ("PTR", pointer("2001:db8::1")): ["crawl-6.bot.example"],
    ("AAAA", "crawl-6.bot.example"): ["2001:db8:0::1"],
    ("PTR", pointer("192.0.2.2")): ["crawl-1.bot.example"],  # whoever holds it may write so
    ("PTR", pointer("192.0.2.3")): ["host.evilbot.example"],
    ("A", "host.evilbot.example"): ["192.0.2.3"],
    ("PTR", pointer("192.0.2.4")): ["bot.example.evil.example"],
    ("A", "bot.example.evil.example"): ["192.0.2.4"],
    ("PTR", pointer("192.0.2.6")): SERVFAIL,
    ("PTR", pointer("192.0.2.7")): SILENT,
    ("PTR", pointer("192.0.2.8")): ["lost.bot.example"],
    ("A", "lost.bot.example"): SERVFAIL,
    ("PTR", pointer("192.0.2.9")): NOERROR,
    ("PTR", pointer("192.0.2.10")): ["other.example", "CRAWL-10.Bot.Example"],
    ("A", "crawl-10.bot.example"): ["192.0.2.10"],
    ("PTR", pointer("192.0.2.11")): ["gone.bot.example"],
    # a part of a /24 is delegated by an alias (RFC 2317)
    ("PTR", pointer("192.0.2.12")): (
        (pointer("192.0.2.12"), "CNAME", "12.0-127.2.0.192.in-addr.arpa"),
        ("12.0-127.2.0.192.in-addr.arpa", "PTR", "crawl-12.bot.example"),
    ),
    ("A", "crawl-12.bot.example"): (
        ("crawl-12.bot.example", "CNAME", "edge.cloud.example"),
        ("edge.cloud.example", "A", "192.0.2.12"),
    ),
    ("PTR", pointer("192.0.2.13")): (
        (pointer("192.0.2.13"), "CNAME", "a.example"),
        ("a.example", "CNAME", "b.example"),
        ("b.example", "CNAME", "a.example"),
    ),
    ("PTR", pointer("192.0.2.14")): b"\x81\x80 no packet of the DNS",
    ("PTR", pointer("192.0.2.15")): ((pointer("192.0.2.99"), "PTR", "crawl-1.bot.example"),),
    ("PTR", pointer("192.0.2.16")): [f"crawl-{n}.bot.example" for n in range(100, 130)],
}


@pytest.fixture
def server():
    server = DnsServer(RECORDS)
    yield server
    server.close()


@pytest.mark.parametrize(
    ("address", "confirmed"),
    [
        pytest.param("192.0.2.1", True, id="its name leads back"),
        pytest.param("2001:db8::1", True, id="over IPv6"),
        pytest.param("192.0.2.10", True, id="the second of its names, in other case"),
        pytest.param("192.0.2.2", False, id="the name leads to others"),
        pytest.param("192.0.2.3", False, id="the suffix is no whole label"),
        pytest.param("192.0.2.4", False, id="the suffix stands at the front"),
        pytest.param("192.0.2.5", False, id="no name"),
        pytest.param("192.0.2.9", False, id="no pointer under its name"),
        pytest.param("192.0.2.11", False, id="a name that is not there"),
        pytest.param("192.0.2.12", True, id="by aliases"),
        pytest.param("192.0.2.15", False, id="an answer to another question"),
        pytest.param("192.0.2.16", False, id="thirty names that are not there"),
        pytest.param("192.0.2.13", None, id="aliases in a circle"),
        pytest.param("192.0.2.14", None, id="no packet at all"),
        pytest.param("192.0.2.6", None, id="the server failed"),
        pytest.param("192.0.2.7", None, id="no answer in time"),
        pytest.param("192.0.2.8", None, id="the forward answer failed"),
    ],
)
def test_an_address_is_confirmed_by_its_operator_alone(server, address, confirmed):
    question = (ip_address(address), SUFFIX)

    assert ReverseDns(server.place, timeout_s=0.3).confirm([question]) == {question: confirmed}


def test_questions_are_asked_at_once_and_end_at_the_limit_of_all():
    silent = DnsServer({("PTR", pointer(f"198.51.100.{n}")): SILENT for n in range(100)})
    questions = [(ip_address(f"198.51.100.{n}"), SUFFIX) for n in range(100)]
    asker = ReverseDns(silent.place, timeout_s=0.4, total_s=1.0)

    begun = time.monotonic()
    found = asker.confirm(questions)
    took = time.monotonic() - begun
    silent.close()

    assert set(found.values()) == {None}
    assert asker.unanswered == 100
    assert took < 20  # one after another they would take 40 s
    assert 16 <= len({name for _, name in silent.asked}) < 100


def test_the_busiest_is_asked_first(server, monkeypatch):
    monkeypatch.setattr(reverse, "WORKERS", 1)  # two workers may be overtaken on the way to the server
    addresses = ("192.0.2.11", "192.0.2.5", "192.0.2.1", "192.0.2.3")

    ReverseDns(server.place).confirm([(ip_address(address), SUFFIX) for address in addresses])

    assert [name for kind, name in server.asked if kind == "PTR"] == [pointer(address) for address in addresses]


def test_answers_are_kept_between_runs_and_failures_are_not(server, tmp_path):
    questions = [(ip_address(address), SUFFIX) for address in ("192.0.2.1", "192.0.2.5", "192.0.2.6")]
    file = tmp_path / "new" / "dns.json"
    first = ReverseDns(server.place, cache=Cache(file)).confirm(questions)
    server.asked.clear()

    again = ReverseDns(server.place, cache=Cache(file)).confirm(questions)

    assert again == first
    assert {name for _, name in server.asked} == {pointer("192.0.2.6")}


def test_an_answer_that_has_expired_is_asked_for_again(server, tmp_path):
    file = tmp_path / "dns.json"
    file.write_text(json.dumps({f"PTR {pointer('192.0.2.1')}": [time.time() - 1, ["old.example"]]}))
    question = (ip_address("192.0.2.1"), SUFFIX)

    assert ReverseDns(server.place, cache=Cache(file)).confirm([question]) == {question: True}


@pytest.mark.parametrize("held", ["", "{", "[]", '{"PTR x": 3}', '{"PTR x": ["soon", []]}'])
def test_a_damaged_cache_costs_time_and_nothing_else(server, tmp_path, held):
    file = tmp_path / "dns.json"
    file.write_text(held)
    question = (ip_address("192.0.2.1"), SUFFIX)

    assert ReverseDns(server.place, cache=Cache(file)).confirm([question]) == {question: True}
    assert len(json.loads(file.read_text())) == 2


def test_a_cache_that_cannot_be_written_is_no_failure(server, tmp_path):
    (tmp_path / "taken").write_text("")
    question = (ip_address("192.0.2.1"), SUFFIX)

    assert ReverseDns(server.place, cache=Cache(tmp_path / "taken" / "dns.json")).confirm([question]) == {
        question: True
    }


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("192.0.2.53", ("192.0.2.53", 53)),
        ("192.0.2.53:5353", ("192.0.2.53", 5353)),
        ("2001:db8::53", ("2001:db8::53", 53)),
        ("[2001:db8::53]:5353", ("2001:db8::53", 5353)),
        ("[2001:db8::53]", ("2001:db8::53", 53)),
    ],
)
def test_a_resolver_is_named_by_its_address(place, expected):
    assert split(place) == expected


@pytest.mark.parametrize(
    "place", ["", "dns.example", "192.0.2.53:", "192.0.2.53:0", "192.0.2.53:99999", "192.0.2.53:٣"]
)
def test_a_resolver_that_is_no_address_is_refused(place):
    with pytest.raises(UsageError, match="--resolver"):
        split(place)


def test_without_dnspython_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dns.exception", None)
    monkeypatch.setitem(sys.modules, "dns.resolver", None)

    with pytest.raises(UsageError, match=r"loganalyzer\[verify\].*--ranges DIR"):
        ReverseDns()
