import ast
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from documents import HOSTILE, hostile, site

from loganalyzer.dashboard import PAGES, loaders
from loganalyzer.dashboard.launch import ENTRY, SETTINGS, command
from loganalyzer.errors import UsageError

pytest.importorskip("streamlit")
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "loganalyzer" / "dashboard"
NAMES = [name for names in PAGES.values() for name in names]
LINES = [("access.log:17", '192.0.2.10 "GET /search HTTP/1.1" 200 "GreedyBot"'), ("access.log:42", "![x](y) \x1b[0m")]


@pytest.fixture
def start(monkeypatch):
    """Run the app as `streamlit run app.py -- ARGUMENTS` would, on a given document where there is one."""

    def run(*arguments, document=None, page=None, entry=ROOT / "app.py", **query):
        monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
        if document is not None:
            monkeypatch.setattr(loaders, "_load", lambda wanted: SimpleNamespace(to_dict=lambda: document))
            monkeypatch.setattr(loaders, "lines", lambda client, what, start, most: (len(LINES), LINES))
        app = AppTest.from_file(str(entry), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name] = value
        return app.switch_page(str(FOLDER / "pages" / f"{page}.py")).run() if page else app

    return run


def texts(app):
    return [text.value for text in app.text]


def test_pages_are_the_files():
    assert sorted(NAMES) == sorted(path.stem for path in (FOLDER / "pages").glob("*.py"))


@pytest.mark.parametrize("path", sorted((FOLDER / "pages").glob("*.py")), ids=lambda path: path.stem)
def test_pages_are_thin(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


ENTRIES = pytest.mark.parametrize("entry", [ROOT / "app.py", ENTRY], ids=["checkout", "package"])


@ENTRIES
def test_no_folder_of_pages_stands_beside_the_entry(entry):
    """Streamlit would open an address such as /client without the frame."""
    assert not (entry.parent / "pages").exists()


@ENTRIES
@pytest.mark.parametrize("name", NAMES)
def test_page_without_a_log_invites_one(start, name, entry):
    app = start(page=name, entry=entry)

    assert not app.exception
    assert "Choose a log file" in app.info[0].value
    assert app.code[0].value == loaders.COMMAND


@pytest.mark.parametrize("name", NAMES)
def test_page_of_a_report_has_no_error(start, name):
    app = start("access.log", document=site(), page=name)

    assert not app.exception
    assert not app.error
    assert len(app.title) == 1


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_is_never_markdown(start, name):
    app = start("access.log", document=hostile(), page=name)

    assert not app.exception
    kinds = ("markdown", "caption", "header", "subheader", "title", "info", "warning", "error", "success")
    rendered = [part.value for kind in kinds for part in app.get(kind)]
    outside = "".join("".join(text.split("`")[::2]) for text in rendered)
    assert [value for value in HOSTILE if value.isprintable() and value in outside and not value.isalpha()] == []


def test_period_zone_rejects_and_lines_are_always_in_view(start):
    app = start("access.log", document=site(), page="robots")

    (shown,) = [text.value for text in app.sidebar.text]
    assert {"120,000 requests", "12 rejects", "1-3 Nov 2026 UTC", "all times in UTC"} <= set(shown.splitlines())


def test_client_in_the_address_is_opened_with_its_lines(start):
    app = start("access.log", document=site(), page="client", client="ExampleBot", lines="refused")

    assert [box.value for box in app.selectbox] == ["ExampleBot", "refused"]
    assert (
        app.code[-1].value
        == 'access.log:17: 192.0.2.10 "GET /search HTTP/1.1" 200 "GreedyBot"\naccess.log:42: ![x](y) \\x1b[0m'
    )


@pytest.mark.parametrize("asked", ["<img src=x>", "nobody", "../../etc/passwd", ""])
def test_address_that_names_no_client_is_not_echoed(start, asked):
    app = start("access.log", document=site(), page="client", client=asked)

    assert not app.exception
    assert app.selectbox[0].value == site()["clients"][0]["client"]
    assert app.warning[0].value.startswith("The address names a client that is not in this log")


def test_choosing_another_client_keeps_the_address(start):
    app = start("access.log", document=site(), page="client")

    app.selectbox[0].select("GreedyBot").run()

    assert app.query_params["client"] in (["GreedyBot"], "GreedyBot")
    assert any("30,113 requests (25.1 % of all)" in text for text in texts(app))


def test_clients_are_filtered_by_name_and_purpose(start):
    app = start("access.log", document=site(), page="clients")

    app.text_input[0].input("GREEDY").run()

    assert app.dataframe[0].value["client"].tolist() == ["GreedyBot"]


def test_empty_states_say_the_one_thing_to_do(start):
    document = site() | {"robots_versions": [], "robots_answers": []}
    for client in document["clients"]:
        client["backoff"]["refusals"] = 0

    robots = start("access.log", document=document, page="robots")
    refusals = start("access.log", document=document, page="refusals")

    assert "--robots robots.txt" in robots.code[0].value
    assert "No 429" in refusals.info[0].value


def test_unknown_argument_is_told_and_ends_nothing(start):
    app = start("access.log", "--colour", "red")

    assert not app.exception
    assert "unrecognized" in app.error[0].value


def test_error_of_reading_is_told_without_a_traceback(start, monkeypatch):
    def fail(wanted):
        raise UsageError("access.log: line 3 <b>is</b> no request")

    monkeypatch.setattr(loaders, "_load", fail)
    app = start("access.log")

    assert not app.exception
    assert app.error[0].value == "`access.log`: line 3 `<b>is</b>` no request"


def test_settings_of_a_checkout_are_those_of_the_command():
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        config = tomllib.load(file)

    def flat(part, prefix=""):
        for key, value in part.items():
            yield from flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]

    assert SETTINGS.items() <= dict(flat(config)).items()


def test_command_binds_to_loopback_and_passes_names_as_names():
    line = command(["-rf.log", "$(id).log"], ["robots.txt"], "combined", 9000)

    assert {"--server.address=127.0.0.1", "--server.allowedHosts=localhost"} <= set(line)
    assert {"--browser.gatherUsageStats=false", "--client.showErrorDetails=none", "--server.port=9000"} <= set(line)
    assert line[line.index("--") :] == [
        *("--", "--robots=robots.txt", "--log-format=combined", "--"),
        *("-rf.log", "$(id).log"),
    ]


def test_missing_extra_is_named(monkeypatch):
    from loganalyzer.dashboard import launch

    monkeypatch.setattr(launch, "find_spec", lambda name: None)

    with pytest.raises(UsageError, match=r"pip install '\.\[dashboard\]'"):
        launch.launch(["access.log"])


# Streamlit reads the first argument of these as Markdown: it is a constant, or went through `markdown`.
MARKDOWN = {
    *("title", "header", "subheader", "caption", "markdown", "info", "warning", "error", "success", "toast", "badge"),
    *("write", "metric", "button", "download_button", "selectbox", "multiselect", "text_input", "number_input"),
    *("file_uploader", "expander", "popover", "tabs", "radio", "checkbox", "toggle"),
}


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_call_takes_log_text_as_markup(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    methods = [
        (call.func.attr, call)
        for call in calls
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("file", "writer")
    ]

    assert [name for name, _ in methods if name in ("html", "iframe", "components", "echo", "exception")] == []
    assert [k.arg for call in calls for k in call.keywords if k.arg in ("unsafe_allow_html", "help", "persist")] == []
    assert [ast.unparse(call) for name, call in methods if name in MARKDOWN and not harmless(call)] == []


def harmless(call: ast.Call) -> bool:
    first = call.args[0]
    if isinstance(first, ast.Call):
        return ast.unparse(first.func) in ("markdown", "wording.headline")  # the headline holds only our own words
    names = {node.id for node in ast.walk(first) if isinstance(node, ast.Name)}
    parts = any(isinstance(node, ast.Subscript) for node in ast.walk(first))
    return names <= {"name", "label", "INVITATION"} and not parts


def test_range_lists_named_at_start_verify_the_clients_of_a_log(start, tmp_path):
    agent = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
    request = '- - [02/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-"'
    (tmp_path / "access.log").write_text("".join(f'{ip} {request} "{agent}"\n' for ip in ("192.0.2.1", "203.0.113.1")))
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "GPTBot.txt").write_text("192.0.2.0/24\n")

    app = start("--ranges", str(tmp_path / "lists"), str(tmp_path / "access.log"), page="client", client="GPTBot")

    assert not app.exception
    assert any("verified for 1 request from 1 address" in text for text in texts(app))
    assert any(loaders.WHAT["impostor"] in choice.options for choice in app.selectbox)
