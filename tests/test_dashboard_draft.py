"""The page Draft on the sample logs: the figures of `loganalyzer draft`, the mistakes of `loganalyzer lint`."""

import json
from pathlib import Path

import pytest
from dashboards import LOGS, SAMPLE, opened, told
from documents import HOSTILE as NAMES
from documents import drafted

from loganalyzer.dashboard import drafts

pytest.importorskip("streamlit")

from loganalyzer.dashboard import editor

NOW = SAMPLE / "robots" / "20261102T1000Z.txt"
ROBOTS = ["--robots", str(SAMPLE / "robots")]
DRAFT = (
    b"User-agent: *\nDisallow: /cart\nDisallow: /products/\n\n"
    b"User-agent: HastyBot\nUser-agent: HarvestBot\nDisallow: /\n"
)
HOSTILE = "User-agent: <img src=x onerror=alert(1)>\nDisallow: /![x](y)\n\x1b[31mAlow: /\n"


@pytest.fixture
def start(monkeypatch):
    with opened(monkeypatch, "draft") as run:
        yield run


def typed(app, text):
    """The app after a text was typed into the editor, which the test driver of Streamlit does not know."""
    desk = app.session_state[editor.STATE]
    desk.drafts[desk.now].text = text
    return app.run()


def text_of(app):
    desk = app.session_state[editor.STATE]
    return desk.drafts[desk.now].text


def printed(capfdbinary, *arguments, robots=ROBOTS):
    """What the command line prints for the sample."""
    from loganalyzer.cli import main

    with pytest.raises(SystemExit, match=r"^0$"):
        main(["draft", *LOGS, *robots, "--quiet", *arguments])
    return capfdbinary.readouterr()


def test_editor_begins_with_the_file_in_force(start):
    app = start(*LOGS, *ROBOTS)

    assert not app.exception
    assert text_of(app) == NOW.read_text()
    assert "The draft is the file in force" in told(app)
    assert not app.dataframe


def test_effect_is_that_of_the_command_line(start, capfdbinary, tmp_path):
    (tmp_path / "new.txt").write_bytes(DRAFT)
    document = json.loads(printed(capfdbinary, "--draft", str(tmp_path / "new.txt"), "--json").out)

    app = typed(start(*LOGS, *ROBOTS), DRAFT.decode())

    shown = app.dataframe[0].value
    expected = [(row["client"], row["forbidden_requests"], row["allowed_requests"]) for row in document["clients"]]
    assert expected
    assert list(zip(shown["client"], shown["forbidden"], shown["allowed"], strict=True)) == expected
    found = drafts.effect(DRAFT)
    assert found.clients.to_pylist() == document["clients"]
    assert found.requests.expected == document["totals"]["requests"]["expected"]
    text = printed(capfdbinary, "--draft", str(tmp_path / "new.txt"), "--md").out.decode()
    newly = document["totals"]["requests"]["forbidden"]
    assert f"It newly forbids {newly:,} requests" in told(app)
    assert f"It newly forbids {newly:,} requests" in text
    assert f"Will not care (measured): {', '.join(document['unmoved'])}" in told(app)


def test_mistakes_are_those_of_lint_with_the_line_to_paste(start, capfdbinary, tmp_path):
    text = NOW.read_text().replace("Disallow: /cart", "Alow: /cart")
    (tmp_path / "new.txt").write_text(text)
    document = json.loads(printed(capfdbinary, "--draft", str(tmp_path / "new.txt"), "--json").out)
    (linted,) = document["lint"]

    app = typed(start(*LOGS, *ROBOTS), text)

    assert [found.code for found in drafts.mistakes(text.encode())] == [found["code"] for found in linted["findings"]]
    assert "✕ error, line 5: a misspelt key" in told(app)
    assert "   5 | Alow: /cart\n     | ^^^^" in [code.value for code in app.code]

    place = next(n for n, found in enumerate(linted["findings"]) if found["code"] == "misspelt-key")
    app.button(f"mend-{place}").click().run()

    assert "Allow: /cart" in text_of(app).splitlines()
    assert "Alow" not in text_of(app)


@pytest.mark.parametrize(
    ("deny", "names", "keep_out", "pause"),
    [
        ("ai-training", "", "", ""),
        ("ai-training,seo", "HastyBot", "/reviews,/cart", "2.5"),
        ("", "", "/products/*.pdf", ""),
        ("", "", "", "10"),
    ],
)
def test_policy_is_written_as_the_command_line_writes_it(start, capfdbinary, deny, names, keep_out, pause):
    given = {"--deny": f"{deny},{names}" if deny else "", "--keep-out": keep_out, "--crawl-delay": pause}
    done = printed(
        capfdbinary, "--policy", *(part for option, said in given.items() if said for part in (option, said))
    )

    app = start(*LOGS, *ROBOTS, deny=deny, deny_names=names, keep_out=keep_out, pause=pause)
    app.button(key="put-policy").click().run()

    assert text_of(app).encode() == done.out
    kept = dict(app.query_params)
    assert [kept.get(name, "") for name in ("deny", "keep_out")] in ([deny, keep_out], [[deny], [keep_out]])


def test_policy_that_is_none_is_told(start):
    app = start(*LOGS, *ROBOTS, deny="ai-training", allow="ai-training")

    assert not app.exception
    assert "both denied and allowed" in app.error[0].value
    assert start(*LOGS, *ROBOTS, keep_out="no path").error[0].value.startswith("`--keep-out`")
    for pause in ("soon", "-1", "nan", "1e9"):
        assert start(*LOGS, *ROBOTS, pause=pause).error[0].value.startswith("`--crawl-delay`")


def test_policy_names_known_clients_too_where_that_is_switched_on(start, capfdbinary):
    done = printed(capfdbinary, "--policy", "--deny", "seo", "--all-known")

    app = start(*LOGS, *ROBOTS, deny="seo", all_known="yes")
    app.button(key="put-policy").click().run()

    assert text_of(app).encode() == done.out
    assert "User-agent: AhrefsBot" in text_of(app)


@pytest.mark.parametrize("asked", ["<img src=x>", "nobody", "seo,<b>", ","])
def test_names_in_the_address_are_only_looked_up(start, asked):
    app = start(*LOGS, *ROBOTS, deny=asked)

    assert not app.exception
    assert set(app.session_state["choice-deny"]) <= {"seo"}


def test_suggestions_are_those_of_the_command_line(start, capfdbinary, tmp_path):
    log = tmp_path / "access.log"
    line = '192.0.2.1 - - [01/Nov/2026:{h:02}:{m:02}:00 +0000] "GET /search?q={h}-{m} HTTP/1.1" 200 50 "-" "FarBot/1"\n'
    log.write_text("".join(line.format(h=h, m=m) for h in range(20) for m in range(10)))
    from loganalyzer.cli import main

    with pytest.raises(SystemExit, match=r"^0$"):
        main(["draft", str(log), "--quiet", "--suggest", "--json"])
    found = json.loads(capfdbinary.readouterr().out)["suggestions"]

    app = start(str(log), suggest="yes")

    assert found
    assert [list(one.suggestion.paths) for one in drafts.suggestions()] == [one["paths"] for one in found]
    assert [one.evidence for one in drafts.suggestions()] == [one["evidence"] for one in found]
    app.button(key="worth-1").click().run()
    assert app.text_input(key="typed-keep_out").value == ",".join(found[0]["paths"])
    assert "Put it into the editor" in [button.label for button in app.button]


def test_difference_is_shown_and_back_leads_to_the_file(start):
    app = typed(start(*LOGS, *ROBOTS), NOW.read_text() + "User-agent: SEOBot\nDisallow: /\n")

    (difference,) = [code.value for code in app.code if code.value.startswith("--- ")]
    assert (
        difference.splitlines()[-2:] == ["+User-agent: SEOBot", "+Disallow: /"] or "+User-agent: SEOBot" in difference
    )
    app.button(key="draft-back").click().run()

    assert text_of(app) == NOW.read_text()


def test_draft_without_a_file_in_force_says_how_to_name_one(start):
    app = start(*LOGS)

    assert not app.exception
    assert text_of(app) == ""
    assert "--robots robots.txt" in app.code[0].value


def test_hostile_draft_is_shown_as_text(start):
    app = typed(start(*LOGS, *ROBOTS), HOSTILE)

    assert not app.exception
    kinds = ("markdown", "caption", "subheader", "info", "warning", "error", "success")
    outside = "".join("".join(part.value.split("`")[::2]) for kind in kinds for part in app.get(kind))
    assert "<img" not in outside
    assert "](y)" not in outside
    assert "\x1b" not in "".join(code.value for code in app.code)


def test_hostile_names_in_an_effect_are_shown_as_text(start, monkeypatch):
    monkeypatch.setattr(drafts, "effect", lambda data, host=None: drafted(*NAMES))
    app = typed(start(*LOGS, *ROBOTS), "User-agent: *\nDisallow: /\n")

    assert not app.exception
    kinds = ("markdown", "caption", "subheader", "info", "warning", "error", "success")
    outside = "".join("".join(part.value.split("`")[::2]) for kind in kinds for part in app.get(kind))
    assert [name for name in NAMES if name.isprintable() and name in outside] == []
    assert {cell[:1] for cell in app.dataframe[0].value["client"]} & set("=+-@") == set()


def test_upload_has_a_draft_that_does_not_say_where_it_is_kept(start):
    app = start()
    robots = b"User-agent: *\nDisallow: /a\nSitemap: https://www.shop.example/sitemap.xml\n"
    app.file_uploader[0].upload("access.log", Path(LOGS[-1]).read_bytes(), "text/plain").run()
    app.file_uploader[1].upload("robots.txt", robots, "text/plain").run()

    app = typed(app, "User-agent: *\nDisallow: /\n")

    assert not app.exception
    assert "1 Sitemap line of robots.txt left out of the draft" in told(app)
    assert "loganalyzer-" not in told(app) + " ".join(code.value for code in app.code)


def two_hosts(folder):
    """A log of two hosts, and the options that name the robots.txt of each."""
    log = folder / "access.log"
    line = '{host} 192.0.2.1 - - [01/Nov/2026:00:00:{n:02} +0000] "GET /a/{n} HTTP/1.1" 200 10 "-" "FarBot/1.0"\n'
    log.write_text("".join(line.format(host=f"{'ab'[n % 2]}.example", n=n) for n in range(20)))
    specs = []
    for name in "ab":
        (folder / f"{name}.txt").write_text(f"User-agent: *\nDisallow: /{name}{name}\n")
        specs += ["--robots", f"{name}.example={folder / name}.txt"]
    return str(log), specs


def test_each_host_has_a_draft_of_its_own(start, tmp_path):
    log, specs = two_hosts(tmp_path)
    app = typed(start(log, *specs, host="b.example"), "User-agent: *\nDisallow: /\n")

    assert app.dataframe[0].value["forbidden"].tolist() == [10]
    app.selectbox[0].select("a.example").run()
    assert text_of(app) == "User-agent: *\nDisallow: /aa\n"
    app.selectbox[0].select("b.example").run()
    assert text_of(app) == "User-agent: *\nDisallow: /\n"


def test_policy_for_one_host_is_written_as_the_command_line_writes_it(start, capfdbinary, tmp_path):
    from loganalyzer.cli import main

    log, specs = two_hosts(tmp_path)
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["draft", log, *specs, "--quiet", "--policy", "--host", "b.example", "--deny", "FarBot"])
    done = capfdbinary.readouterr().out

    app = start(log, *specs, host="b.example", deny_names="FarBot")
    app.button(key="put-policy").click().run()

    assert text_of(app).encode() == done


@pytest.mark.parametrize(
    "data", [b"User-agent: *\r\nDisallow: /a\r\n", b"\xef\xbb\xbfUser-agent: *\nDisallow: /\xff\n", b""]
)
def test_file_that_nobody_edits_stays_as_it_is(data):
    held = editor.Draft(data, editor.shown(data))

    assert held.data == data
    assert held.changes == ""


def test_ends_of_lines_stay_those_of_the_file():
    held = editor.Draft(b"User-agent: *\r\nDisallow: /a\r\n", "User-agent: *\nDisallow: /b\n")

    assert held.data == b"User-agent: *\r\nDisallow: /b\r\n"
    assert "-Disallow: /a\n+Disallow: /b" in held.changes
