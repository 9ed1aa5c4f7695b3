"""The documentation is true: links lead somewhere, commands parse, directives load, numbers are the program's."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

import loganalyzer as la
from loganalyzer.formats import FORMATS

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path
    for folder in ("", "docs", "sample_logs", "benchmarks")
    for path in sorted((ROOT / folder).glob("*.md"))
}
TEXT = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
DIRECTIVES = TEXT["docs/server-directives.md"]


def joined(text):
    """Text with the lines put together that a backslash continues."""
    return re.sub(r"\\\n *", "", text)


def commands():
    """Each command that a page shows, in a block of its own or between backticks."""
    shown = re.compile(r"(?:^ *|`|&& \.venv/bin/)(loganalyzer [a-z]+ [^`\n]*)", flags=re.MULTILINE)
    return sorted({command.strip() for text in TEXT.values() for command in shown.findall(joined(text))})


@pytest.mark.parametrize("page", TEXT)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT[page])

    assert [t for t in targets if "://" not in t and not (PAGES[page].parent / t).exists()] == []


def test_the_readme_links_to_every_page():
    assert [page for page in TEXT if page != "README.md" and f"]({page}" not in TEXT["README.md"]] == ["CHANGELOG.md"]


def test_each_fault_is_shown_by_a_test():
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").glob("test_*.py")))
    known = set(re.findall(r"^def (test_\w+)\(", source, flags=re.MULTILINE))
    rows = re.findall(r"^\| (\d+) \|.*\| (`test_.*`) \|$", TEXT["docs/faults.md"], flags=re.MULTILINE)

    assert [int(number) for number, _ in rows] == [*range(1, 58), *range(66, 70)]
    assert set(re.findall(r"`(test_\w+)`", TEXT["docs/faults.md"])) - known == set()
    for number, tests in rows:  # a test of many kinds of file has one of this number
        assert "`test_a_file_of_this_kind`" not in tests or f'id="{number} ' in source


@pytest.mark.parametrize("command", commands())
def test_a_command_shown_is_one_that_exists(command):
    from loganalyzer.cli import cli

    _, name, *arguments = shlex.split(command)
    shown = cli.commands[name]
    while hasattr(shown, "commands"):  # a group: its command is the next word
        shown = shown.commands[arguments.pop(0)]
    context = shown.make_context(name, arguments)

    assert context.params


def test_every_command_is_shown_in_the_readme():
    from loganalyzer.cli import cli

    assert [name for name in cli.commands if f"loganalyzer {name} " not in TEXT["README.md"]] == []


def test_the_readme_names_every_format():
    assert [form.name for form in FORMATS if f"`{form.name}`" not in TEXT["README.md"]] == []


def test_the_report_shown_is_true():
    """Each row of its table: the client, its requests, and what robots.txt forbade."""
    shown = re.search(r"```text\n(.*?)```", TEXT["README.md"], flags=re.DOTALL)[1]
    rows = re.findall(
        r"^(\S+) +[\w-]+ +([\d,]+) .*? (violated ([\d,]+)|kept|grace|not bound|not judged)", shown, re.MULTILINE
    )
    told = json.loads((ROOT / "sample_logs/truth.json").read_text(encoding="utf-8"))["shop"]["clients"]

    assert len(rows) >= 6
    assert {name: (int(requests.replace(",", "")), int(broken or 0)) for name, requests, _, broken in rows} == {
        name: (told[name]["requests"], told[name]["robots"]["violation"]) for name, *_ in rows
    }


@pytest.mark.parametrize("row", re.findall(r"^\| an? .*|^\| something .*", TEXT["CONTRIBUTING.md"], flags=re.MULTILINE))
def test_what_is_added_is_added_where_the_page_says(row):
    _, _, place, names, *_ = row.split("|")
    path = ROOT / re.search(r"`([\w/.]+)`", place)[1]
    text = (path / "__init__.py" if path.is_dir() else path).read_text(encoding="utf-8")

    assert [
        name for name in re.findall(r"`(\w+)`", names) if not re.search(rf"^{name}\b.* = ", text, re.MULTILINE)
    ] == []


def test_the_python_shown_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = {}
    exec(re.search(r"```python\n(.*?)```", TEXT["README.md"], flags=re.DOTALL)[1], shown)

    assert shown["report"]["totals"]["requests"] == shown["log"].requests.num_rows > 0


def test_the_comparison_shown_is_true(monkeypatch):
    """What the page shows is what its command begins with, and its Python runs."""
    from click.testing import CliRunner

    from loganalyzer.cli import cli

    monkeypatch.chdir(ROOT)
    page = TEXT["docs/comparing.md"]
    shown = re.search(r"```text\n(.*?)```", page, flags=re.DOTALL)[1]
    command = re.search(r"^loganalyzer (report sample_logs.*)$", page, flags=re.MULTILINE)[1]
    done = CliRunner().invoke(cli, shlex.split(command))
    values = {}
    exec(re.search(r"```python\n(.*?)```", page, flags=re.DOTALL)[1], values)

    assert done.output.startswith(shown.rstrip("\n"))
    assert values["compared"]["before"]["requests"] == 2310


def test_the_first_steps_work_in_their_order(tmp_path):
    """Each block of commands ends with 0; the text behind one stands in what it prints, its lines in their order."""
    import os
    import subprocess
    import sys

    (tmp_path / "sample_logs").symlink_to(ROOT / "sample_logs")
    alias = f'set -e; loganalyzer() {{ "{sys.executable}" -m loganalyzer "$@"; }}; '
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    printed, blocks = "", re.findall(r"```(sh|text)\n(.*?)```", TEXT["docs/getting-started.md"], flags=re.DOTALL)
    for kind, text in blocks:
        if kind == "sh":
            command = ["bash", "-c", alias + text]
            done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)
            printed = done.stdout
            assert done.returncode == 0, (text, done.stderr)
        else:
            assert re.search(".*".join(map(re.escape, text.splitlines())), printed, flags=re.DOTALL), (text, printed)

    assert len(blocks) >= 10


def test_the_picture_of_the_architecture_is_that_of_the_code(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/pictures"))
    from make_architecture import drawn, imports, page
    from test_layers import LAYERS

    edges = imports()
    assert TEXT["docs/architecture.md"] == page(TEXT["docs/architecture.md"], LAYERS), "run make_architecture.py"
    assert {used for _, used in drawn(edges)} | {part for part, _ in drawn(edges)} >= {"cli", "analysis", "sources"}
    assert all(f"`{part}`" in TEXT["docs/architecture.md"] for part in edges if part != "__main__")


def test_the_declarations_shown_read_their_samples(monkeypatch, tmp_path):
    shown = {}
    exec(re.search(r"```python\n(.*?)```", TEXT["docs/own-format.md"], flags=re.DOTALL)[1], shown)

    assert len(shown["SHOP"]) == 3
    for form in shown["SHOP"]:
        monkeypatch.setattr("loganalyzer.formats.reader.FORMATS", (form,))
        (tmp_path / "a.log").write_text("".join(f"{sample.line}\n" for sample in form.samples), encoding="utf-8")
        log = la.read([tmp_path / "a.log"])
        rows = log.requests.to_pylist()
        assert log.inputs[0].format == form.name
        assert [{key: row[key] for key in sample.row} for row, sample in zip(rows, form.samples, strict=True)] == [
            dict(sample.row) for sample in form.samples
        ]


def test_thresholds_are_those_of_the_program():
    from loganalyzer.backoff import Thresholds

    written = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", TEXT["docs/definitions.md"], flags=re.MULTILINE))

    assert {name: float(value) for name, value in written.items()} == {
        field.name: pytest.approx(field.default, abs=0.001) for field in fields(Thresholds)
    }


def test_the_directive_is_the_one_of_the_sample():
    assert f"```nginx\n{(ROOT / 'sample_logs/loganalyzer.conf').read_text(encoding='utf-8')}```" in DIRECTIVES


@pytest.mark.parametrize(
    ("name", "directive"),
    [
        ("loganalyzer", re.search(r"^log_format loganalyzer.*?;$", DIRECTIVES, flags=re.DOTALL | re.MULTILINE)[0]),
        ("loganalyzer_apache", re.search(r"^LogFormat .*$", DIRECTIVES, flags=re.MULTILINE)[0]),
    ],
    ids=["nginx", "apache"],
)
def test_a_directive_is_read_alike_by_its_name_and_pasted(tmp_path, name, directive):
    """The program has them built in; what is built in is what the page gives."""
    samples = next(form.samples for form in FORMATS if form.name == name)
    (tmp_path / "access.log").write_text("".join(f"{sample.line}\n" for sample in samples), encoding="utf-8")
    pasted, built_in = (la.read([tmp_path / "access.log"], log_format=which) for which in (directive, name))

    assert pasted.requests.num_rows == len(samples)
    assert pasted.requests.equals(built_in.requests)
