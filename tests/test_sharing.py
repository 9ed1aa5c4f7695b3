"""One address under several names is to know, and accuses nobody; what a name itself gives away is counted."""

import json

import pytest
from click.testing import CliRunner

from loganalyzer.analysis import analyse
from loganalyzer.analysis.findings import TO_KNOW
from loganalyzer.cli import cli
from loganalyzer.formats import read

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IMESSAGE = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 "
    "Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0"
)


@pytest.fixture
def log(tmp_path):
    def written(*rows):
        path = tmp_path / "access.log"
        path.write_text(
            "".join(
                f'{address} - - [02/Nov/2026:10:00:{second:02} +0000] "GET /p HTTP/1.1" 200 9 "-" "{agent}"\n'
                for second, (address, agent) in enumerate(rows)
            )
        )
        return str(path)

    return written


def document(path):
    return analyse(read([path])).to_dict()


def test_three_names_of_three_operators_are_told_with_their_lines(log):
    path = log(
        ("a", "TidyBot/1.0"), ("a", "TidyBot/1.0"), ("a", "QuarryBot/1.0"), ("a", "GPTBot/1.0"), ("b", "GPTBot/1")
    )

    (found,) = document(path)["shared_addresses"]
    assert (found["address"], found["operators"]) == ("a", 3)
    assert found["names"] == [["TidyBot", 2], ["GPTBot", 1], ["QuarryBot", 1]]
    command = found["evidence"].split()
    assert command[:2] == ["loganalyzer", "lines"]
    lines = CliRunner().invoke(cli, command[1:]).stdout.splitlines()
    assert [line.rpartition('"-" ')[2] for line in lines] == ['"TidyBot/1.0"'] * 2


ALONE = {
    "two operators": [("a", "TidyBot/1.0"), ("a", "QuarryBot/1.0")],
    "several names of one operator": [("a", f"{name}/1.0") for name in ("GPTBot", "OAI-SearchBot", "ChatGPT-User")],
    "libraries and tools": [("a", agent) for agent in ("curl/8", "python-requests/2", "Wget/1", "TidyBot/1.0")],
    "people": [("a", FIREFOX.replace("140", str(n))) for n in range(100, 130)],
    "no names": [("a", "-"), ("a", "TidyBot/1.0"), ("a", FIREFOX)],
    "a header with three names": [("a", IMESSAGE)] * 5,
    "several addresses": [("a", "TidyBot/1.0"), ("b", "QuarryBot/1.0"), ("c", "GPTBot/1.0")],
}


@pytest.mark.parametrize("rows", ALONE.values(), ids=ALONE)
def test_nobody_is_told_of_for_less(log, rows):
    assert document(log(*rows))["shared_addresses"] == []


def test_sharing_an_address_makes_nobody_fail(log):
    rows = [("a", f"{name}/1.0") for name in ("TidyBot", "QuarryBot", "GPTBot")]

    for client in document(log(*rows))["clients"]:
        (row,) = (row for row in client["etiquette"] if row["row"] == "no-disguise")
        assert row["verdict"] == "not observable"


FLAGGED = [
    ("GPTBot/1.0 (+https://somebody.example/bot)", "GPTBot", "foreign-contact", "contact of a host"),
    ("Mozilla/5.0 (compatible; Google-Extended/1.0)", "Google-Extended", "control-only-token", "does not send"),
]


@pytest.mark.parametrize(("agent", "client", "flag", "words"), FLAGGED, ids=[row[2] for row in FLAGGED])
def test_what_a_name_gives_away_is_counted_and_to_know(log, agent, client, flag, words):
    told = document(log(("a", agent), ("a", agent), ("b", f"{client if flag[0] == 'f' else 'TidyBot'}/2.0")))

    (described,) = (one for one in told["clients"] if one["client"] == client)
    assert described["flagged"] == {flag: 2}
    (found,) = (found for found in told["findings"] if words in found["sentence"])
    assert (found["client"], found["severity"], found["count"]) == (client, TO_KNOW, 2)


def test_the_three_names_of_imessage_accuse_nobody(log):
    told = document(log(*[("a", IMESSAGE)] * 4))

    assert told["findings"] == []
    assert told["shared_addresses"] == []
    assert "several-identities" in json.dumps(told["clients"])
