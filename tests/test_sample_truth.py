"""The report on the sample says what is true: what each actor was told to do, and nothing about anybody else."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import loganalyzer as la

SAMPLE = Path(__file__).resolve().parent.parent / "sample_logs"
TRUTH = json.loads((SAMPLE / "truth.json").read_text(encoding="utf-8"))
CLIENTS = [(part, client) for part, told in TRUTH.items() for client in told["clients"]]
CLASSES = ("allowed", "violation", "grace", "exempt", "unjudged")


@pytest.fixture(scope="session")
def reports():
    """The two reports, each on the files of its part."""
    robots = {"shop": [str(SAMPLE / "robots")], "api": []}
    return {
        part: la.analyse(la.read([SAMPLE / name for name in told["inputs"]]), robots=robots[part]).to_dict()
        for part, told in TRUTH.items()
    }


def verdicts(client):
    """Address -> verdict -> number of episodes."""
    found = defaultdict(Counter)
    for episode in client["backoff"]["episodes"]:
        if episode["key"] == "address":
            found[episode["address"]][episode["verdict"]] += 1
    return {address: dict(counts) for address, counts in found.items()}


def disguised(client):
    return any(row["row"] == "no-disguise" and row["verdict"] == "fail" for row in client["etiquette"])


def said(client):
    """What the report says of one client, in the terms of the truth."""
    robots = client["robots"]
    return {
        "requests": client["requests"],
        "bytes": client["bytes"],
        "addresses": client["addresses"],
        "refusals": client["backoff"]["refusals"],
        "robots": {name: robots[name] for name in ("fetches", "first_before_page", *CLASSES)},
        "verdicts": verdicts(client),
        "disguised": disguised(client),
    }


@pytest.mark.parametrize("part", TRUTH)
def test_no_client_is_missed_and_none_is_made_up(reports, part):
    assert sorted(client["client"] for client in reports[part]["clients"]) == sorted(TRUTH[part]["clients"])


@pytest.mark.parametrize(("part", "name"), CLIENTS, ids=lambda word: word)
def test_a_client_did_what_it_was_told(reports, part, name):
    client = next(client for client in reports[part]["clients"] if client["client"] == name)
    told = {key: value for key, value in TRUTH[part]["clients"][name].items() if key != "told"}

    assert said(client) == told


@pytest.mark.parametrize("part", TRUTH)
def test_every_line_is_accounted_for(reports, part):
    found = {Path(item["source"]).name: item for item in reports[part]["inputs"]}

    assert {
        name: {key: found[name][key] for key in account} for name, account in TRUTH[part]["inputs"].items()
    } == TRUTH[part]["inputs"]


def test_nobody_real_is_accused(reports):
    """Findings against somebody name only the invented clients."""
    invented = {name for name, client in TRUTH["shop"]["clients"].items() if client["robots"]["violation"]}
    invented |= {"HastyBot", "MaskBot"}

    assert {f["client"] for f in reports["shop"]["findings"] if f["severity"] == 3} == invented
