"""An operator's own clients: added, corrected, and refused with file and line where they are faulty."""

import re
from dataclasses import fields
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from loganalyzer.analysis import analyse
from loganalyzer.cli import cli
from loganalyzer.clients import classify, identify, own, registry
from loganalyzer.errors import UsageError
from loganalyzer.formats import read

DOCUMENT = Path(__file__).parent.parent / "docs" / "own-clients.md"
ADDED = """
[Gannet]
kind = "monitor"
purpose = "monitoring"
operator = "The shop"
aliases = ["Gannet-Beta"]
"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="own.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def test_an_added_client_is_known_by_each_of_its_names(write):
    known = own.load([write(ADDED)])

    for name in ("Gannet", "gannet", "GANNET-BETA"):
        client = identify(f"{name}/1.0", known)
        assert (client.name, client.kind, client.purpose, client.operator) == (
            *("Gannet", "monitor", "monitoring", "The shop"),
        )


def test_an_added_name_is_found_inside_a_browser_where_an_unknown_one_is_none(write):
    header = (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Gannet/3"
    )

    assert identify(header).name == "browser"
    assert identify(header, own.load([write(ADDED)])).name == "Gannet"


def test_a_correction_changes_the_given_fields_alone(write):
    shipped = registry.shipped().lookup("GPTBot")
    changed = own.load([write('[gptbot]\noperator = "Somebody"\npurpose = ""\n')]).lookup("GPTBot")

    assert (changed.operator, changed.purpose) == ("Somebody", None)
    others = [field.name for field in fields(shipped) if field.name not in ("operator", "purpose")]
    assert [getattr(changed, name) for name in others] == [getattr(shipped, name) for name in others]


def test_a_later_file_corrects_an_earlier_one(write):
    files = [write(ADDED), write('[Gannet]\noperator = "Another"\n', "later.toml")]
    known = own.load(files)

    assert (known.lookup("Gannet").operator, known.lookup("Gannet").kind) == ("Another", "monitor")
    assert known.files == tuple(files)


def test_the_registry_of_the_package_never_changes(write):
    before = registry.shipped().entries
    own.load([write(ADDED + '[GPTBot]\nkind = "tool"\n')])

    assert registry.shipped().entries is before
    assert (identify("Gannet/1.0").kind, identify("GPTBot/1.0").kind) == (None, "crawler")


FAULTS = [
    ("[Gannet]\nkind = 'monitor'\ncolour = 'red'\n", 3, "there is no field colour"),
    ("[Gannet]\nkind = 'bird'\n", 2, 'kind = "bird": it is one of crawler'),
    ("\n\n[Gannet]\noperator = 'The shop'\n", 3, "needs a kind"),
    ("[GPTBot]\nuser_triggered = 'yes'\n", 2, "user_triggered must be true or false"),
    ("[GPTBot]\n\naliases = 'Other'\n", 3, "aliases must be a list of texts"),
    ("[GPTBot]\naliases = [1]\n", 2, "aliases must be a list of texts"),
    ("[GPTBot]\noperator = 7\n", 2, "operator must be a text"),
    ("[GPTBot]\nkind = ''\n", 2, 'kind = ""'),
    ("kind = 'tool'\n", 1, "stands outside of a table"),
    ("[shop.sync]\nkind = 'tool'\n", 1, "is written in quotes"),
    ("[Gannet]\nkind = 'tool'\n[Skua]\nkind = 'tool'\naliases = ['gannet']\n", 1, "is a name of"),
    ("[Gannet]\nkind = 'tool'\nexample = 'Skua/1.0'\n", 3, "the example is identified as Skua"),
]


@pytest.mark.parametrize(("text", "line", "said"), FAULTS, ids=[row[2] for row in FAULTS])
def test_a_fault_is_told_with_file_and_line(write, text, line, said):
    path = write(text)

    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        own.load([path])

    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("text", ["[Gannet\n", "a = \n", "\x00"])
def test_what_is_no_toml_is_told(write, text):
    path = write(text)

    with pytest.raises(UsageError, match="line 1") as caught:
        own.load([path])

    assert str(caught.value).startswith(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        own.load([str(tmp_path / "none.toml")])


def test_the_documented_sample_does_what_its_page_says(write):
    text = DOCUMENT.read_text(encoding="utf-8")
    known = own.load([write(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])])

    assert identify("ShopWatch-Beta/1.0", known).kind == "monitor"
    assert identify("shop.sync/1.0", known).kind == "library"
    assert identify("Bytespider/1.0", known).declares_robots == "no"
    documented = {
        name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert documented == {field.name for field in fields(registry.Entry)} - {"token"}
    for words in (registry.KINDS, registry.PURPOSES, registry.DECLARED):
        assert ", ".join(words) in text


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text(
        "".join(
            f'192.0.2.1 - - [02/Nov/2026:10:00:{second:02} +0000] "GET /p{second} HTTP/1.1" 200 9 "-" "Gannet/1.0"\n'
            for second in range(20)
        )
    )
    return str(path)


def test_a_report_and_the_commands_it_prints_know_them(write, log):
    file = write(ADDED)
    analysis = analyse(read([log]), registry=own.load([file]))

    (client,) = analysis.to_dict()["clients"]
    assert (client["client"], client["kind"], client["operator"]) == ("Gannet", "monitor", "The shop")
    assert f"--clients {file}" in analysis.command("Gannet")


@pytest.mark.parametrize(
    "command",
    [
        ["report", "{log}", "--json"],
        ["lines", "{log}", "--client", "Gannet"],
        ["identify", "Gannet/1.0"],
        ["identify", "--log", "{log}"],
        ["check", "{log}", "/", "--agent", "Gannet"],
        ["dashboard", "{log}"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_names_clients_refuses_a_faulty_file(write, log, command):
    path = write("[Gannet]\nkind = 'monitor'\ncolour = 'red'\n")
    result = CliRunner().invoke(cli, [part.format(log=log) for part in command] + ["--clients", path])

    assert isinstance(result.exception, UsageError)
    assert f"{path}:3: " in str(result.exception)


def test_star_binds_reaches_the_table_of_user_agents(write):
    known = own.load([write("[Gannet]\nkind = 'crawler'\nstar_binds = false\n")])

    table = classify(pa.array(["Gannet/1.0", "Skua/1.0"]), known)

    assert table["star_binds"].to_pylist() == [False, None]
