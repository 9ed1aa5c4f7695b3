"""Real clients on a real nginx, each told what to do: the report on its log must agree."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from live.conftest import installed
from live.visitors import MANY, VISITORS, table
from loganalyzer.cli import cli

ROOT = Path(__file__).resolve().parents[2]
EVERY = pytest.mark.parametrize("visitor", VISITORS, ids=lambda visitor: visitor.token)
CLASSES = ("allowed", "violation", "grace", "exempt", "unjudged")


def found(report, visitor):
    if not installed(visitor):
        pytest.skip(f"{visitor.program} is missing here; CI installs it")
    return next(client for client in report["clients"] if client["client"] == visitor.token)


def broken(client):
    """Requests against each rule, five or more being many."""
    counts = {rule["rule"]: rule["requests"] for rule in client["robots"]["rules"] if rule["decision"] == "violation"}
    return {rule: MANY if count >= 5 else count for rule, count in counts.items()}


def kept(backoff):
    if backoff["waits"] and backoff["kept"] <= backoff["waits"] / 2:
        return "few"
    return "all" if backoff["kept"] == backoff["waits"] >= 3 else None


@EVERY
def test_the_report_says_what_it_was_told(visitor, recommended):
    client = found(recommended, visitor)
    robots, backoff = client["robots"], client["backoff"]
    rows = {row["row"]: row["verdict"] for row in client["etiquette"]}
    said = {
        "automated": client["automated"],
        "kind": client["kind"],
        "addresses": client["addresses"],
        "reads": robots["fetches"] > 0,
        "classes": {name for name in CLASSES if robots[name]},
        "rules": broken(client),
        "worst": visitor.worst if backoff["worst"] in visitor.worst else backoff["worst"],
        "kept": kept(backoff) if visitor.kept else None,
        "patterns": tuple(one["pattern"] for one in backoff["patterns"] if one["pattern"] in visitor.patterns),
        "findings": tuple(one["kind"] for one in recommended["findings"] if one["client"] == visitor.token),
        "rows": {row: rows.get(row) for row in visitor.rows},
        "lever": client["lever"]["lever"],
    }

    assert said == {
        "automated": True,
        "kind": visitor.kind,
        "addresses": 1,
        "reads": visitor.reads,
        "classes": {visitor.robots} | ({"violation"} if visitor.rules else set()),
        "rules": visitor.rules,
        "worst": visitor.worst,
        "kept": visitor.kept,
        "patterns": visitor.patterns,
        "findings": visitor.findings,
        "rows": visitor.rows,
        "lever": visitor.lever,
    }


@EVERY
def test_the_lines_are_as_many_as_are_counted(visitor, recommended, live):
    client = found(recommended, visitor)
    counted = {
        "--violations": client["robots"]["violation"],
        "--refused": client["backoff"]["refusals"],
        "--early": client["backoff"]["early"],
        "--fetches": sum(client["robots"]["answers"].values()),
    }
    log, robots = str(live / "recommended.log"), str(live / "site/robots.txt")
    for option, count in counted.items():
        if count:
            done = CliRunner().invoke(cli, ["lines", log, "--robots", robots, "--client", visitor.token, option])
            assert len(done.stdout.splitlines()) == count, option


@EVERY
def test_a_combined_log_says_the_same_of_names_and_rules(visitor, combined, recommended):
    plain, full = found(combined, visitor), found(recommended, visitor)
    same = ("kind", "requests", "versions", "contact")

    assert {key: plain[key] for key in same} == {key: full[key] for key in same}
    assert broken(plain) == broken(full)
    assert plain["backoff"]["refusals"] == full["backoff"]["refusals"]
    assert plain["backoff"]["asked_known"] in (None, False)


def test_a_combined_log_accuses_nobody_who_waited_as_told(combined):
    waited = {v.token for v in VISITORS if v.limited and v.rows.get("waits-when-told") != "fail"}
    accused = {one["client"] for one in combined["findings"] if one["kind"] == "ignored-429"}

    assert not accused & waited


def test_every_line_is_read_and_is_of_a_client_that_was_sent(recommended, combined):
    for report in (recommended, combined):
        assert report["totals"]["rejects"] == 0
        assert {client["client"] for client in report["clients"]} - {v.token for v in VISITORS} == {"browser"}


def test_a_combined_log_names_the_directive_it_lacks(combined):
    assert any("Retry-After" in note for note in combined["notes"])


def test_the_table_of_the_documentation_is_this_one():
    assert table() in (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
