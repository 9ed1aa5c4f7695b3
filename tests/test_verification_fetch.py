"""`ranges fetch` against a real server on loopback: the manners asked of others, and no good list lost."""

import dataclasses
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loganalyzer.cli import cli
from loganalyzer.clients.registry import shipped
from loganalyzer.errors import UsageError
from loganalyzer.verification import fetching
from loganalyzer.verification.folder import load, state

GOOD = json.dumps({"creationTime": "2026-11-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}).encode()


class Server(ThreadingHTTPServer):
    """Answers each path as `answers` says: (status, headers, body)."""

    def __init__(self):
        self.answers, self.asked = {}, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        status, headers, body = self.server.answers.get(self.path, (404, {}, b""))
        if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()
    server.server_close()


def registry(**urls):
    """The shipped registry with lists at other places, and of no other client."""
    known = shipped()
    entries = [known.lookup(token.replace("_", "-")) for token in urls]
    changed = [dataclasses.replace(e, ip_ranges_url=url) for e, url in zip(entries, urls.values(), strict=True)]
    return dataclasses.replace(known, entries=tuple(changed))


def outcomes(folder, known, *tokens, **options):
    return [(found.file, found.outcome) for found in fetching.fetch(folder, known, tokens, **options)]


def test_a_list_is_brought_whole_and_asked_for_on_condition_the_next_time(server, tmp_path):
    server.answers["/gptbot.json"] = (200, {"ETag": '"one"', "Last-Modified": "Sun, 01 Nov 2026 00:00:00 GMT"}, GOOD)
    known = registry(GPTBot=f"{server.url}/gptbot.json")

    assert outcomes(tmp_path, known, contact="https://shop.example/about") == [("gptbot.json", "fetched")]
    assert outcomes(tmp_path, known) == [("gptbot.json", "unchanged")]

    first, second = (headers for _, headers in server.asked)
    assert first["User-Agent"].startswith("loganalyzer/")
    assert "+https://shop.example/about" in first["User-Agent"]
    assert "If-None-Match" not in first
    assert second["If-None-Match"] == '"one"'
    assert second["If-Modified-Since"] == "Sun, 01 Nov 2026 00:00:00 GMT"
    assert (tmp_path / "gptbot.json").read_bytes() == GOOD
    assert load(str(tmp_path), known).of("GPTBot").as_of.year >= 2026


def test_an_unchanged_list_is_good_for_the_later_day(server, tmp_path):
    server.answers["/gptbot.json"] = (200, {"ETag": '"one"'}, GOOD)
    known = registry(GPTBot=f"{server.url}/gptbot.json")
    outcomes(tmp_path, known)
    old = dataclasses.replace(state(tmp_path)["gptbot.json"], fetched="2026-01-01T00:00:00+00:00")
    fetching.remember(tmp_path, {"gptbot.json": old})

    outcomes(tmp_path, known)

    assert state(tmp_path)["gptbot.json"].fetched > old.fetched
    assert state(tmp_path)["gptbot.json"].etag == '"one"'


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((200, {}, b"<html>we have moved</html>"), id="a page"),
        pytest.param((200, {}, b'{"prefixes": []}'), id="an empty list"),
        pytest.param((200, {}, GOOD[:40]), id="half a list"),
        pytest.param((200, {}, b"[" * 200_000), id="brackets without end"),
        pytest.param((200, {"Location": "x"}, b"PK\x03\x04" + bytes(100)), id="an archive"),
        pytest.param((302, {"Location": "/gptbot.json"}, b""), id="a redirect in a circle"),
        pytest.param((200, {"Content-Length": "9999"}, GOOD), id="a body cut short"),
        pytest.param((500, {}, b""), id="a failure"),
        pytest.param((404, {}, b""), id="gone"),
        pytest.param((302, {"Location": "http://192.0.2.1/gptbot.json"}, b""), id="a redirect off https"),
        pytest.param((302, {"Location": "file:///etc/hostname"}, b""), id="a redirect to a file"),
    ],
)
def test_a_good_list_is_never_replaced_by_a_bad_one(server, tmp_path, answer):
    (tmp_path / "gptbot.json").write_bytes(GOOD)
    server.answers["/gptbot.json"] = answer

    (found,) = fetching.fetch(tmp_path, registry(GPTBot=f"{server.url}/gptbot.json"))

    assert (found.outcome, found.told.endswith("the list that was there is kept")) == ("failed", True)
    assert (tmp_path / "gptbot.json").read_bytes() == GOOD
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []


def test_a_redirect_is_followed_to_the_list(server, tmp_path):
    server.answers["/gptbot.json"] = (301, {"Location": "/new/place.json"}, b"")
    server.answers["/new/place.json"] = (200, {}, GOOD)

    assert outcomes(tmp_path, registry(GPTBot=f"{server.url}/gptbot.json")) == [("gptbot.json", "fetched")]


def test_a_list_larger_than_any_is_not_taken(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "MOST_BYTES", 1000)
    server.answers["/gptbot.json"] = (200, {}, GOOD + b" " * 2000)

    assert outcomes(tmp_path, registry(GPTBot=f"{server.url}/gptbot.json")) == [("gptbot.json", "failed")]
    assert not (tmp_path / "gptbot.json").exists()


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_to_wait_is_left_alone_by_this_run_and_the_next(server, tmp_path, status):
    server.answers["/gptbot.json"] = (status, {"Retry-After": "600"}, b"")
    server.answers["/searchbot.json"] = (200, {}, GOOD)
    known = registry(GPTBot=f"{server.url}/gptbot.json", OAI_SearchBot=f"{server.url}/searchbot.json")

    first = outcomes(tmp_path, known)
    second = outcomes(tmp_path, known)

    assert first == [("gptbot.json", "failed"), ("searchbot.json", "not asked")]
    assert second == [("gptbot.json", "not asked"), ("searchbot.json", "not asked")]
    assert len(server.asked) == 1


def test_a_wait_that_is_over_is_over(server, tmp_path):
    server.answers["/gptbot.json"] = (429, {"Retry-After": "0"}, b"")
    known = registry(GPTBot=f"{server.url}/gptbot.json")
    outcomes(tmp_path, known)
    server.answers["/gptbot.json"] = (200, {}, GOOD)

    assert outcomes(tmp_path, known) == [("gptbot.json", "fetched")]


@pytest.mark.parametrize("url", ["http://lists.example/gptbot.json", "ftp://lists.example/gptbot.json"])
def test_nothing_is_asked_that_could_be_changed_on_the_way(tmp_path, url):
    (found,) = fetching.fetch(tmp_path, registry(GPTBot=url))

    assert (found.outcome, "not https" in found.told) == ("failed", True)


@pytest.mark.parametrize(("token", "said"), [("NoSuchBot", "no client"), ("SemrushBot", "nobody publishes")])
def test_a_client_without_a_list_is_said_so_before_anything_is_asked(tmp_path, token, said):
    with pytest.raises(UsageError, match=said):
        list(fetching.fetch(tmp_path, shipped(), [token]))


def test_the_commands_fetch_and_list(server, tmp_path, capsys):
    server.answers["/own.json"] = (200, {}, GOOD)
    own = tmp_path / "own.toml"
    own.write_text(f'[ShopBot]\nkind = "crawler"\nip_ranges_url = "{server.url}/own.json"\n')
    folder = tmp_path / "lists"

    fetched = cli.main(
        ["ranges", "fetch", "--ranges", str(folder), "--clients", str(own), "ShopBot"], standalone_mode=False
    )
    assert (fetched, capsys.readouterr().out) == (0, f"fetched: own.json (ShopBot): 1 ranges, {len(GOOD)} bytes\n")

    listed = cli.main(
        ["ranges", "list", "--ranges", str(folder), "--clients", str(own), "--json"], standalone_mode=False
    )
    document = json.loads(capsys.readouterr().out)
    assert listed == 0
    (row,) = document["lists"]
    assert (row["file"], row["clients"], row["networks"]) == ("own.json", ["ShopBot"], 1)
