import ast
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from documents import HOSTILE, collateral, course, drafted, hostile, limited, refused, site, verified

from loganalyzer.dashboard import PAGES, drafts, loaders, questions
from loganalyzer.dashboard.launch import ENTRY, SETTINGS, command
from loganalyzer.errors import UsageError
from loganalyzer.robots.lint import Source, lint

pytest.importorskip("streamlit")
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "loganalyzer" / "dashboard"
NAMES = [name for names in PAGES.values() for name in names]
LINES = [("access.log:17", '192.0.2.10 "GET /search HTTP/1.1" 200 "GreedyBot"'), ("access.log:42", "![x](y) \x1b[0m")]

EFFECT = limited(
    *(refused(name, 900, 90) for name in HOSTILE),
    refused("browser", 400, 3, automated=False),
    refused("PoliteBot", 20, 0),
    people=3,
)


@pytest.fixture
def start(monkeypatch):
    """Run the app as `streamlit run app.py -- ARGUMENTS` would, on a given document where there is one."""

    def run(*arguments, document=None, page=None, entry=ROOT / "app.py", **query):
        monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
        if document is not None:
            monkeypatch.setattr(loaders, "_load", lambda wanted: SimpleNamespace(to_dict=lambda: document))
            monkeypatch.setattr(loaders, "lines", lambda client, what, start, most: (len(LINES), LINES[start:]))
            monkeypatch.setattr(drafts, "hosts", dict)
            monkeypatch.setattr(
                drafts, "in_force", lambda host: "\n".join(f"Alow: /{text}" for text in HOSTILE).encode()
            )
            monkeypatch.setattr(drafts, "mistakes", lambda data: lint(Source(data)))
            monkeypatch.setattr(drafts, "effect", lambda data, host=None: drafted(*HOSTILE))
            monkeypatch.setattr(drafts, "names", lambda: list(HOSTILE))
            monkeypatch.setattr(questions, "course", lambda client: course())
            monkeypatch.setattr(questions, "collateral", lambda client: collateral(*HOSTILE))
            monkeypatch.setattr(questions, "dossier", lambda client, kind: bytes)
            monkeypatch.setattr(questions, "effect", lambda limit: EFFECT)
            monkeypatch.setattr(questions, "whole_seconds", lambda: True)
            monkeypatch.setattr(questions, "snippet", lambda limit, found, server: (f"# {server}", list(HOSTILE)))
        app = AppTest.from_file(str(entry), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name.rstrip("_")] = value
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
    names = {node.id for node in ast.walk(first) if isinstance(node, ast.Name) and not node.id.isupper()}  # constants
    parts = any(isinstance(node, ast.Subscript) for node in ast.walk(first))
    return names <= {"name", "label"} and not parts


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


def test_inputs_add_up_and_name_each_format_problem_and_first_reject(start):
    app = start("access.log", document=site(), page="inputs")

    accounting, formats, rejects = (grid.value for grid in app.dataframe)
    assert texts(app)[0] == "2 inputs: 120,013 lines = 120,000 requests + 12 rejects + 1 blank + 0 comments"
    assert list(accounting["compression"]) == ["none", "gzip"]
    assert list(zip(formats["format"], formats["lines"], formats["% of its lines"], strict=True)) == [
        ("nginx extended", 80_000, 99.99),
        ("combined", 39_000, 97.5),
        ("main", 1_000, 2.5),
    ]
    assert [found["examples"][0] for found in site()["rejects"]] == list(rejects["first line"])
    assert list(app.table[0].value["what"]) == ["problem", "note"]
    assert not app.error


def test_accounting_that_does_not_add_up_is_said(start):
    document = site()
    document["inputs"][0]["lines"] += 1

    assert "do not add up" in start("access.log", document=document, page="inputs").error[0].value


def test_inputs_without_anything_to_say_say_so(start):
    document = site() | {"rejects": [], "notes": []}
    for source in document["inputs"]:
        source.update(problem=None, notes=[])

    told = [info.value for info in start("access.log", document=document, page="inputs").info]

    assert [text.split(":")[0] for text in told] == [
        "Every input was read whole, and there is nothing to note.",
        "No line was rejected",
    ]


def test_evidence_in_the_address_is_opened(start):
    app = start("access.log", document=site(), page="evidence", client="GreedyBot", lines="early", page_="1")

    assert [box.value for box in app.selectbox] == ["one client", "GreedyBot", "early"]
    assert texts(app)[0] == "GreedyBot: 2 lines, early after 429; page 1 of 1, earliest first"
    assert app.code[0].value.splitlines()[1] == "access.log:42: ![x](y) \\x1b[0m"


@pytest.mark.parametrize(
    ("asked", "page"), [("3", 3), ("0", 1), ("-1", 1), ("", 1), ("1e9", 1), ("<b>", 1), ("9" * 40, 1)]
)
def test_page_in_the_address_is_a_number_or_the_first(start, asked, page):
    app = start("access.log", document=site(), page="evidence", page_=asked)

    assert not app.exception
    assert app.number_input[0].value == page
    assert bool(app.info) == (page > 1)  # past the last one


def test_other_lines_begin_at_their_first_page(start):
    app = start("access.log", document=site(), page="evidence", client="GreedyBot", lines="early", page_="3")

    app.selectbox[2].select("refused").run()

    assert app.number_input[0].value == 1
    assert [app.query_params[name] for name in ("lines", "page")] in (["refused", "1"], [["refused"], ["1"]])


@pytest.mark.parametrize(
    ("what", "document", "option"),
    [
        ("violations", site() | {"robots_versions": []}, "--robots"),
        ("grace", site() | {"robots_versions": []}, "--robots"),
        ("impostor", site(), "--ranges"),
    ],
)
def test_evidence_that_was_not_asked_for_names_its_option(start, what, document, option):
    app = start("access.log", document=document, page="evidence", lines=what)

    assert not app.exception
    assert option in app.code[0].value
    assert not app.number_input


def test_impostors_are_shown_where_they_are_known(start):
    assert start("access.log", document=verified(), page="evidence", lines="impostor").number_input


def test_client_that_is_described_nowhere_is_asked_for_by_name(start):
    document = site()
    document["totals"]["clients"] += 1

    app = start("access.log", document=document, page="evidence", other="RareBot")

    assert texts(app)[0].startswith("RareBot: 2 lines")


def test_limit_says_what_it_would_have_refused_and_to_how_many_people(start):
    app = start("access.log", document=site(), page="limits")

    shown = app.dataframe[0].value
    assert texts(app)[:2] == [
        "2r/s with burst 10, by address, would have refused 1,083 of 11,220 requests (9.7 %), 1.1 MB of answers; "
        "/robots.txt stays open.",
        "People among them: 3 requests from 2 of 9 addresses of browsers.",
    ]
    assert shown["which is"].tolist()[-1] == "browser"
    assert "PoliteBot" not in shown["client"].tolist()
    assert "Nothing refused: 1 client of 14 under the limit." in texts(app)
    assert app.code[0].value == "# nginx"


@pytest.mark.parametrize("rate", ["", "fast", "0r/s", "1r/h", "99999r/s", "<img src=x onerror=alert(1)>", "![x](y)"])
def test_rate_that_is_none_is_told_and_never_markup(start, rate):
    app = start("access.log", document=site(), page="limits", rate=rate)

    assert not app.exception
    assert not app.dataframe
    assert [mark for mark in ("<img", "![x]") if mark in "".join(app.error[0].value.split("`")[::2])] == []


def test_limit_that_nothing_is_under_is_told(start, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "EFFECT", limited())

    app = start("access.log", document=site(), page="limits")

    assert "No request is under this limit" in app.info[0].value


def test_large_table_is_shown_page_by_page_and_saved_whole(start, monkeypatch):
    from loganalyzer.dashboard import show

    monkeypatch.setattr(show, "MOST_ROWS", 4)
    app = start("access.log", document=site(), page="clients")
    names = [client["client"] for client in site()["clients"]]

    assert app.dataframe[0].value["client"].tolist() == names[:4]
    app.number_input[0].set_value(2).run()

    assert app.dataframe[0].value["client"].tolist() == names[4:8]
    assert any(text.startswith(f"{len(names)} rows on") for text in texts(app))
