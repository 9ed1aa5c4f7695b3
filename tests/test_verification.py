"""Claimed and verified in a whole report: by lists, by the DNS, and nobody blamed for what an impostor did."""

import json
from ipaddress import ip_address

import mmdb
import pytest
from dnsserver import SERVFAIL, DnsServer
from test_analysis import CHROME, line

import loganalyzer as la
from loganalyzer.analysis import evidence
from loganalyzer.analysis.collateral import of_client, of_ranges
from loganalyzer.cli import cli
from loganalyzer.clients.registry import shipped
from loganalyzer.errors import UsageError
from loganalyzer.reports import RENDERERS
from loganalyzer.verification import Verifier
from loganalyzer.verification.folder import load
from loganalyzer.verification.places import Places
from loganalyzer.verification.reverse import ReverseDns

GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
YETI = "Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)"
OWN = "ShopBot/1.0 (+https://shop.example/bot)"
LINES = [
    line(1, GPTBOT, "/robots.txt", ip="192.0.2.1"),
    line(2, GPTBOT, "/private/1", ip="192.0.2.1"),
    line(3, GPTBOT, "/a", ip="192.0.2.1"),
    line(4, GPTBOT, "/private/2", ip="198.51.100.9", size=700),
    line(5, GPTBOT, "/private/3", ip="198.51.100.9", size=300),
    line(6, CHROME, "/a", ip="198.51.100.9", size=50),
    line(7, CHROME, "/a", ip="198.51.100.80", size=50),
    line(8, GPTBOT, "/b", ip="10.0.0.1"),
    line(9, YETI, "/a", ip="203.0.113.1"),
    line(10, YETI, "/b", ip="203.0.113.2"),
    line(11, YETI, "/c", ip="203.0.113.3"),
    line(12, OWN, "/a", ip="203.0.113.200"),
    line(13, "curl/8.5.0", "/a", ip="198.51.100.9", size=10),
]


def listing(*ranges, created="2026-11-01T00:00:00"):
    return json.dumps({"creationTime": created, "prefixes": [{"ipv4Prefix": text} for text in ranges]})


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("".join(f"{text}\n" for text in LINES))
    return str(path)


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\nDisallow: /private/\n")
    return str(path)


@pytest.fixture
def ranges(tmp_path):
    folder = tmp_path / "ranges"
    folder.mkdir()
    (folder / "gptbot.json").write_text(listing("192.0.2.0/27"))
    return str(folder)


@pytest.fixture
def resolver():
    pointers = {n: ("PTR", ip_address(f"203.0.113.{n}").reverse_pointer) for n in (1, 2, 3)}
    server = DnsServer(
        {
            pointers[1]: ["crawl.203-0-113-1.web.naver.com"],
            ("A", "crawl.203-0-113-1.web.naver.com"): ["203.0.113.1"],
            pointers[2]: ["host-2.somebody.example"],
            pointers[3]: SERVFAIL,
        }
    )
    yield server
    server.close()


def analysed(log, robots=(), **ways):
    return la.analyse(la.read([log]), robots=robots, verifier=Verifier(**ways))


def clients(analysis):
    return {client["client"]: client for client in analysis.to_dict()["clients"]}


def counts(client):
    parts = client["verification"]
    return {name: (part["requests"], part["addresses"]) for name, part in parts.items()}


def test_nothing_is_verified_unless_asked(log):
    document = la.analyse(la.read([log])).to_dict()

    assert document["verification"] is None
    assert {client["verification"] for client in document["clients"]} == {None}
    assert "verified by" not in RENDERERS["text"](document)


def test_a_list_verifies_refutes_and_leaves_internal_addresses_open(log, ranges):
    analysis = analysed(log, lists=load(ranges, shipped()))
    client = clients(analysis)["GPTBot"]

    assert counts(client) == {"verified": (3, 1), "refuted": (2, 1), "unknown": (1, 1)}
    assert client["verification"]["refuted"]["ways"] == {"range list of 2026-11-01": 2}
    assert client["identity"] == (
        "GPTBot of OpenAI; verified for 3 requests from 1 address (range list of 2026-11-01); refuted for 2 requests "
        "from 1 address that are not its operator's (range list of 2026-11-01); not verified for 1 request (an address "
        "of an internal network, as a proxy has)"
    )


def test_the_three_always_add_up_to_the_requests(log, ranges, resolver):
    analysis = analysed(log, lists=load(ranges, shipped()), reverse=ReverseDns(resolver.place))

    for client in clients(analysis).values():
        if client["verification"]:
            for name in ("requests", "bytes"):
                assert sum(part[name] for part in client["verification"].values()) == client[name]


def test_the_dns_confirms_refutes_and_says_when_it_did_not_answer(log, resolver):
    analysis = analysed(log, reverse=ReverseDns(resolver.place, timeout_s=0.5))
    found = clients(analysis)

    assert counts(found["Yeti"]) == {"verified": (1, 1), "refuted": (1, 1), "unknown": (1, 1)}
    assert found["Yeti"]["verification"]["unknown"]["ways"] == {"no answer from the DNS in time": 1}
    assert found["ShopBot"]["verification"]["unknown"]["ways"] == {"nobody publishes a way": 1}
    assert found["browser"]["verification"] is None
    assert analysis.to_dict()["verification"] == {
        "ranges": None, "dns": True, "questions": 3, "unanswered": 1, "notes": [],
    }  # fmt: skip


def test_only_addresses_of_clients_with_names_in_the_dns_are_asked_for(log, resolver):
    analysed(log, reverse=ReverseDns(resolver.place, timeout_s=0.5)).to_dict()

    asked = {name for kind, name in resolver.asked if kind == "PTR"}
    assert asked == {ip_address(f"203.0.113.{n}").reverse_pointer for n in (1, 2, 3)}


@pytest.mark.parametrize("created", ["2026-10-02T00:00:00", "2027-11-03T00:00:00"], ids=["old", "new"])
def test_a_list_of_another_time_than_the_log_verifies_and_refutes_nobody(log, ranges, tmp_path, created):
    (tmp_path / "ranges" / "gptbot.json").write_text(listing("192.0.2.0/27", created=created))

    analysis = analysed(log, lists=load(ranges, shipped()))

    assert counts(clients(analysis)["GPTBot"]) == {"verified": (3, 1), "refuted": (0, 0), "unknown": (3, 2)}
    assert "refutes nobody" in analysis.to_dict()["verification"]["notes"][0]


@pytest.mark.parametrize("created", ["2026-10-04T00:00:00", "2027-11-01T00:00:00"])
def test_a_list_of_about_the_time_of_the_log_refutes(log, ranges, tmp_path, created):
    (tmp_path / "ranges" / "gptbot.json").write_text(listing("192.0.2.0/27", created=created))

    assert counts(clients(analysed(log, lists=load(ranges, shipped())))["GPTBot"])["refuted"] == (2, 1)


def test_an_impostors_violations_are_not_the_operators(log, robots, ranges):
    analysis = analysed(log, [robots], lists=load(ranges, shipped()))
    sentences = [found["sentence"] for found in analysis.to_dict()["findings"] if found["client"] == "GPTBot"]

    assert any(
        said.startswith("2 requests that claim to be GPTBot came from 1 address that are not OpenAI's")
        and "2 of them against robots.txt: somebody else uses the name" in said
        for said in sentences
    )
    assert any(said.endswith("2 of them from addresses that are not its operator's, and so not its operator's doing")
               for said in sentences)  # fmt: skip
    row = next(row for row in clients(analysis)["GPTBot"]["etiquette"] if row["row"] == "no-disguise")
    assert row["verdict"] != "fail"  # most of it is the operator's, who disguises nothing


def test_the_lines_of_an_impostor_are_found_again_by_the_printed_command(log, robots, ranges, capsysbinary):
    analysis = analysed(log, [robots], lists=load(ranges, shipped()))
    command = next(f["evidence"] for f in analysis.to_dict()["findings"] if f["evidence"].endswith("--impostor"))

    status = cli.main(command.split()[1:], standalone_mode=False)

    printed = capsysbinary.readouterr().out.decode().splitlines()
    assert status == 0
    assert [text.split(":", 2)[1] for text in printed] == ["4", "5"]


def test_impostors_are_not_known_without_verification(log):
    with pytest.raises(UsageError, match="--ranges"):
        evidence.ids(la.analyse(la.read([log])), "GPTBot", "impostor")


def test_a_client_of_which_nothing_is_the_operators_is_an_impostor(log, ranges, tmp_path):
    (tmp_path / "ranges" / "gptbot.json").write_text(listing("203.0.113.64/27"))
    client = clients(analysed(log, lists=load(ranges, shipped())))["GPTBot"]

    row = next(row for row in client["etiquette"] if row["row"] == "no-disguise")
    assert row["verdict"] == "fail"
    assert client["identity"].startswith("claims to be GPTBot of OpenAI; refuted for 5 requests")
    assert client["lever"]["lever"] != "write"  # its contact is somebody else's


@pytest.mark.parametrize(
    ("verified", "sentence"),
    [(False, "What claims to be GPTBot made 3 of its 6 requests"), (True, "GPTBot made 3 of its 6 requests")],
)
def test_a_finding_says_claims_to_be_unless_all_is_verified(log, robots, tmp_path, verified, sentence):
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "GPTBot.txt").write_text("192.0.2.0/24\n198.51.100.0/24\n10.0.0.0/9\n")
    lists = load(str(folder), shipped()) if verified else None

    document = analysed(log, [robots], lists=lists).to_dict()

    assert any(found["sentence"].startswith(sentence) for found in document["findings"])


@pytest.mark.parametrize("renderer", ["text", "markdown", "html"])
def test_every_report_keeps_claimed_and_verified_apart(log, robots, ranges, renderer):
    document = analysed(log, [robots], lists=load(ranges, shipped())).to_dict()

    shown = RENDERERS[renderer](document, full=True) if renderer == "text" else RENDERERS[renderer](document)

    assert "verified by range lists" in " ".join(shown.split())
    assert "refuted 2" in shown


def test_the_command_verifies_by_lists_alone_and_by_both(log, ranges, resolver, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    options = ["report", log, "--json", "-q", "--ranges", ranges]

    assert cli.main(options, standalone_mode=False) == 0
    by_list = json.loads(capsys.readouterr().out)
    assert resolver.asked == []
    both = cli.main([*options, "--verify", "--resolver", resolver.place, "--dns-timeout", "0.5"], standalone_mode=False)
    by_both = json.loads(capsys.readouterr().out)

    assert (both, by_list["verification"]["dns"], by_both["verification"]["dns"]) == (0, False, True)
    assert len(list((tmp_path / "cache" / "loganalyzer").iterdir())) == 1


def test_networks_are_counted_with_their_share(log):
    client = clients(la.analyse(la.read([log])))["GPTBot"]

    assert client["networks"] == 3
    assert [(n["network"], n["requests"], n["request_share"], n["addresses"]) for n in client["top_networks"]] == [
        ("192.0.2.0/24", 3, 0.5, 1),
        ("198.51.100.0/24", 2, 0.333333, 1),
        ("10.0.0.0/24", 1, 0.166667, 1),
    ]


def test_networks_carry_what_the_operators_own_files_know(log, tmp_path):
    asn = mmdb.write(tmp_path / "asn.mmdb", {"192.0.2.0/24": {
        "autonomous_system_number": 64_500, "autonomous_system_organization": "Example Networks"}})  # fmt: skip
    country = mmdb.write(tmp_path / "country.mmdb", {"192.0.2.0/25": {"country": {"iso_code": "NZ"}}})

    analysis = la.analyse(la.read([log]), places=Places([asn, country]))

    first, second, _ = clients(analysis)["GPTBot"]["top_networks"]
    assert (first["asn"], first["organisation"], first["country"]) == (64_500, "Example Networks", "NZ")
    assert (second["asn"], second["organisation"], second["country"]) == (None, None, None)


@pytest.mark.parametrize("content", [b"", b"not a database"])
def test_a_file_that_is_no_mmdb_is_said_so(tmp_path, content):
    path = tmp_path / "x.mmdb"
    path.write_bytes(content)

    with pytest.raises(UsageError, match=r"x\.mmdb"):
        Places([str(path)])


def test_collateral_of_a_client_is_what_the_report_says_of_it(log):
    shared = clients(la.analyse(la.read([log])))["GPTBot"]["shared"]
    addresses, networks = of_client(la.read([log]), "gptbot")

    assert shared == {"requests": 2, "bytes": 60, "people_requests": 1, "people_addresses": 1}
    assert (addresses["others"]["requests"], addresses["others"]["bytes"]) == (2, 60)
    assert (addresses["people"]["requests"], addresses["people"]["addresses"]) == (1, 1)
    assert addresses["aimed_at"]["requests"] == 6
    assert (networks["addresses"], networks["people"]["addresses"]) == (4, 2)
    assert networks["others"] == {"clients": 2, "requests": 3, "bytes": 110, "addresses": 2}


def test_collateral_of_a_range_names_everybody_there(log):
    (found,) = of_ranges(la.read([log]), ["198.51.100.0/24", "203.0.113.0/30"])

    assert found["aimed_at"] is None
    assert [(met["client"], met["requests"]) for met in found["clients"]] == [
        ("Yeti", 3), ("GPTBot", 2), ("browser", 2), ("curl", 1),
    ]  # fmt: skip
    assert found["people"]["addresses"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "either --range CIDR"),
        (["--range", "192.0.2.0/24", "--client", "GPTBot"], "either --range CIDR"),
        (["--range", "here"], "here"),
        (["--client", "NoSuchBot"], "no client"),
    ],
)
def test_collateral_says_what_it_needs(log, arguments, said):
    with pytest.raises(UsageError, match=said):
        cli.main(["collateral", log, *arguments], standalone_mode=False)


def test_the_collateral_command_prints_people_and_their_caveat(log, capsys):
    assert cli.main(["collateral", log, "--client", "gptbot"], standalone_mode=False) == 0

    printed = " ".join(capsys.readouterr().out.split())
    assert "GPTBot (meant)" in printed
    assert "Blocking its addresses (10.0.0.1, 192.0.2.1, 198.51.100.9) refuses 3 addresses" in printed
    assert "bots that pass for browsers are among them" in printed


def test_a_block_that_meets_nobody_says_so(log, capsys):
    assert cli.main(["collateral", log, "--range", "233.252.0.0/24"], standalone_mode=False) == 0

    assert "Met: nobody in this log." in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("hide", ["truncate", "hash"])
def test_hidden_addresses_are_not_verified(log, ranges, hide):
    with pytest.raises(UsageError, match="--anonymize"):
        cli.main(["report", log, "--ranges", ranges, f"--anonymize={hide}"], standalone_mode=False)


def test_addresses_that_a_store_hid_are_not_verified(log, ranges, tmp_path):
    store = str(tmp_path / "store")
    assert cli.main(["ingest", log, "--store", store, "--anonymize", "-q"], standalone_mode=False) == 0

    with pytest.raises(UsageError, match="hidden"):
        cli.main(["report", "--store", store, "--ranges", ranges], standalone_mode=False)
