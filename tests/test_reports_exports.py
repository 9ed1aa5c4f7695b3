"""`report --csv DIR`, `--parquet DIR` and `--fail-on`."""

import csv
import json
import os
import re
from pathlib import Path

import commands
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import loganalyzer as la
from loganalyzer.errors import OutputError, UsageError
from loganalyzer.reports.alarms import ALARMS, NAMES, raised
from loganalyzer.reports.exports import TABLES, check_folders, write
from loganalyzer.reports.exports.folder import replace_folder

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = sorted(map(str, (ROOT / "sample_logs").glob("access.log*")))
ROBOTS = str(ROOT / "sample_logs/robots")
LINE = '{} - - [02/Nov/2026:10:00:{:02} +0000] "GET /{} HTTP/1.1" 200 {} "-" "{}"\n'


@pytest.fixture(scope="module")
def analysis():
    return la.analyse(la.read(SAMPLE), robots=[ROBOTS])


@pytest.fixture(scope="module")
def parquet(analysis, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "tables"
    write(str(folder), "parquet", analysis)
    return folder


@pytest.fixture(scope="module")
def tables(parquet):
    return {table.name: pq.read_table(parquet / f"{table.name}.parquet") for table in TABLES}


def run(*arguments):
    return commands.run("report", *arguments, text=True)


def cells(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_manifest_says_what_is_in_each_file(parquet, tables):
    manifest = json.loads((parquet / "manifest.json").read_text())

    assert {path.name for path in parquet.iterdir()} == {"manifest.json", *(t["file"] for t in manifest["tables"])}
    for told in manifest["tables"]:
        table = tables[told["name"]]
        assert (told["rows"], [c["name"] for c in told["columns"]]) == (table.num_rows, table.column_names)
        assert [c["type"] for c in told["columns"]] == [str(kind) for kind in table.schema.types]
        assert all(c["unit"] for c in told["columns"] if c["type"] == "double")


def test_both_formats_hold_the_same_rows(analysis, tables, tmp_path):
    write(str(tmp_path / "csv"), "csv", analysis)

    for name, table in tables.items():
        rows = cells(tmp_path / "csv" / f"{name}.csv")
        assert len(rows) == table.num_rows, name
    clients = cells(tmp_path / "csv" / "clients.csv")
    assert [int(row["requests"]) for row in clients] == tables["clients"]["requests"].to_pylist()
    assert clients[0]["first"].endswith("Z")


def test_tables_agree_with_the_report(analysis, tables):
    document = analysis.to_dict()
    requests = {client["client"]: client["requests"] for client in document["clients"]}
    networks = {client["client"]: client["networks"] for client in document["clients"]}

    for name in ("clients", "statuses", "user_agents", "classes", "addresses", "networks"):
        summed = tables[name].group_by("client").aggregate([("requests", "sum")])
        assert dict(zip(*(summed[c].to_pylist() for c in ("client", "requests_sum")), strict=True)) == requests, name
    counted = tables["networks"].group_by("client").aggregate([("network", "count")])
    assert dict(zip(*(counted[c].to_pylist() for c in ("client", "network_count")), strict=True)) == networks
    assert tables["rejects"].num_rows == document["totals"]["rejects"] > 0
    assert tables["suspects"].num_rows == document["totals"]["suspected"] > 0
    assert tables["findings"]["kind"].to_pylist() == [finding["kind"] for finding in document["findings"]]
    assert tables["rules"].num_rows == sum(len(client["robots"]["rules"]) for client in document["clients"]) > 0
    series = tables["series"].filter(pc.not_equal(tables["series"]["purpose"], "refused"))
    assert pc.sum(series["requests"]).as_py() == document["totals"]["requests"] - document["totals"]["untimed"]


def test_no_table_is_cut_short(tmp_path):
    """More addresses, networks and episodes than the report shows of one client."""
    log = tmp_path / "a.log"
    refused = LINE.replace("200", "429")
    log.write_text("".join(refused.format(f"198.51.{n}.1", n, n, 1, "OneBot/1.0") for n in range(40)))
    write(str(tmp_path / "out"), "parquet", la.analyse(la.read([log])))
    rows = {name: pq.read_table(tmp_path / "out" / f"{name}.parquet") for name in ("addresses", "networks", "episodes")}

    assert rows["addresses"].num_rows == rows["networks"].num_rows == 40
    assert rows["episodes"]["key"].to_pylist().count("address") == 40


def test_a_log_of_more_clients_than_are_described_has_them_all(tmp_path, monkeypatch):
    monkeypatch.setattr("loganalyzer.analysis.describe.MOST_CLIENTS", 2)
    (tmp_path / "a.log").write_text("".join(LINE.format("192.0.2.1", n, n, 1, f"Some{n}Bot/1.0") for n in range(9)))
    write(str(tmp_path / "out"), "parquet", la.analyse(la.read([tmp_path / "a.log"])))
    clients = pq.read_table(tmp_path / "out" / "clients.parquet")

    assert clients.num_rows == 9
    assert clients["described"].to_pylist().count(True) == 2
    assert clients["violation"].null_count == 7


@pytest.mark.parametrize("agent", ["=HYPERLINK(1)Bot/1", "+1Bot/1", "-1Bot/1", "@SUM(1)Bot/1"])
def test_no_cell_is_a_formula(tmp_path, agent):
    (tmp_path / "a.log").write_text(LINE.format("192.0.2.1", 1, "a", 1, agent) + "=cmd|x\n")
    write(str(tmp_path / "out"), "csv", la.analyse(la.read([tmp_path / "a.log"])))

    assert [row["user_agent"] for row in cells(tmp_path / "out" / "user_agents.csv")] == [f"'{agent}"]
    for path in (tmp_path / "out").glob("*.csv"):
        found = [value for row in cells(path) for value in row.values() if value]
        texts = [value for value in found if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", value)]
        assert [value for value in texts if value[0] in "=+-@\t\r"] == []


def test_the_same_input_gives_the_same_bytes(analysis, parquet, tmp_path):
    write(str(tmp_path / "again"), "parquet", la.analyse(la.read(SAMPLE), robots=[ROBOTS]))

    for path in parquet.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def export(folder):
    """A folder as an export leaves it."""
    folder.mkdir()
    (folder / "manifest.json").write_text('{"tables": [{"file": "old.csv"}]}')
    (folder / "old.csv").write_text("old")
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_earlier_export_is_replaced_as_a_whole(tmp_path):
    folder = export(tmp_path / "out")
    replace_folder(str(folder), lambda new: (new / "new.csv").write_text("new"))

    assert (names(tmp_path), names(folder)) == (["out"], ["new.csv"])


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_where_writing_fails_the_old_folder_stays(tmp_path, failure):
    folder = export(tmp_path / "out")

    def fill(new):
        (new / "half.csv").write_text("half")
        raise failure

    with pytest.raises(OutputError if isinstance(failure, OSError) else KeyboardInterrupt):
        replace_folder(str(folder), fill)
    assert (names(tmp_path), names(folder)) == (["out"], ["manifest.json", "old.csv"])


def test_where_the_second_rename_fails_the_first_is_undone(tmp_path, monkeypatch):
    folder, rename = export(tmp_path / "out"), Path.rename

    def failing(path, target):
        if (path / "new.csv").exists():
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OutputError, match="untouched"):
        replace_folder(str(folder), lambda new: (new / "new.csv").write_text("new"))
    assert (names(tmp_path), names(folder)) == (["out"], ["manifest.json", "old.csv"])


def test_what_a_killed_run_left_is_removed_after_a_day(tmp_path):
    for name in (".out.0a1b2c3d.part", ".out.mine.part", ".out.01234567.part"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".out.0a1b2c3d.part", (0, 0))
    os.utime(tmp_path / ".out.mine.part", (0, 0))
    replace_folder(str(tmp_path / "out"), lambda new: (new / "new.csv").write_text("new"))

    assert names(tmp_path) == [".out.01234567.part", ".out.mine.part", "out"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (export(tmp_path / "out") / "mine.txt").write_text("mine")

    with pytest.raises(OutputError, match=r"mine\.txt"):
        check_folders(str(tmp_path / "out"))
    with pytest.raises(OutputError, match=r"mine\.txt"):  # it came while the logs were read
        replace_folder(str(tmp_path / "out"), lambda new: (new / "new.csv").write_text("new"))
    assert names(tmp_path / "out") == ["manifest.json", "mine.txt", "old.csv"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--csv", "out", "--parquet", "out"], 2),
        (["--csv", "out", "--parquet", "out/in"], 2),
        (["--csv", "out", "--html", "out/page.html"], 2),
        (["--csv", "logs"], 2),
        (["--csv", "logs/a.log"], 2),
        (["--csv", "file"], 5),
        (["--csv", "none/out"], 5),
        (["--csv", "full"], 5),
        (["--fail-on", "violatons"], 2),
        (["--fail-on", "rejects,"], 2),
        (["--fail-on", "violations"], 2),
        (["--fail-on", "impostor"], 2),
    ],
)
def test_a_mistake_is_told_before_the_logs_are_read(tmp_path, monkeypatch, arguments, code):
    monkeypatch.chdir(tmp_path)
    for name in ("logs", "out", "full"):
        Path(name).mkdir()
    Path("logs/a.log").write_text("no format reads this\n")  # read, it would end with 4
    Path("full/mine").write_text("mine")
    Path("file").write_text("mine")

    done = run("logs/a.log", *arguments)

    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr
    assert Path("full/mine").read_text() == Path("file").read_text() == "mine"


@pytest.mark.parametrize(
    ("asked", "code", "told"),
    [
        ("violations", 10, "violations (2)"),
        ("violations,ignored-429", 10, "violations (2), ignored-429"),
        ("rejects", 10, "rejects (3)"),
        ("any", 10, "violations (2)"),
    ],
)
def test_what_is_found_ends_with_10(asked, code, told):
    done = run(*SAMPLE, "--robots", ROBOTS, "--quiet", "--fail-on", asked)

    assert done.returncode == code, done.stderr
    assert f"--fail-on: {told}" in done.stderr
    assert "HarvestBot" in done.stdout


def test_what_is_not_found_ends_with_0_and_a_report_of_a_part_with_3(tmp_path):
    (tmp_path / "a.log").write_text(LINE.format("192.0.2.1", 1, "a", 1, "OneBot/1.0"))
    bad = tmp_path / "b.log"
    bad.write_text(LINE.format("192.0.2.1", 1, "a", 1, "OneBot/1.0") + "what is this\n")

    assert run(tmp_path / "a.log", "--fail-on", "any").returncode == 0
    assert run(bad, "--fail-on", "rejects", "--max-rejects", "100").returncode == 10
    partly = run(bad, "--fail-on", "rejects")
    assert (partly.returncode, "--fail-on: rejects (1)" in partly.stderr) == (3, True)


def test_every_alarm_is_one_that_findings_can_raise(analysis):
    from loganalyzer.analysis.findings import KINDS

    assert set(ALARMS) - {"suspects", "rejects"} <= {kind.name for kind in KINDS}
    found = raised(analysis.to_dict(), ["any"])
    assert found == raised(analysis.to_dict(), list(ALARMS))
    assert {"violations", "ignored-429", "disguise", "suspects", "rejects"} <= set(found)
    empty = {**analysis.to_dict(), "findings": []}
    assert set(raised(empty, NAMES)) == {"suspects", "rejects"}


def test_the_input_in_a_folder_keeps_it(tmp_path):
    with pytest.raises(UsageError, match="inputs"):
        check_folders(str(tmp_path), inputs=[str(export(tmp_path / "out") / "old.csv")])
