"""Each recommended directive: the real server takes it, and what the server then writes is read in full."""

import re
import socket
import tempfile
import time
from pathlib import Path

import pytest
from servers import apache, caddy, checked, free_port, haproxy, serving

import loganalyzer as la
from loganalyzer.formats import FORMATS
from loganalyzer.formats.recommended import RECOMMENDED
from loganalyzer.reports.formats import recommendation

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVES = (ROOT / "docs/server-directives.md").read_text(encoding="utf-8")
AGENT = 'ExampleBot/1.0 (+https://bot.example/) "quoted" b\\slash ]'
LINE = f"GET {{}} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: {AGENT}\r\n" + (
    'Accept: text/html\r\nIf-None-Match: "an \\"etag"\r\nIf-Modified-Since: Sun, 01 Nov 2026 10:15:00 GMT\r\n'
    "X-Forwarded-For: 192.0.2.7, 10.0.0.1\r\nReferer: https://shop.example/?a=%20b\r\nConnection: close\r\n\r\n"
)
SENT = {
    "host": "shop.example",
    "user_agent": AGENT,
    "accept": "text/html",
    "if_none_match": '"an \\"etag"',
    "if_modified_since": "Sun, 01 Nov 2026 10:15:00 GMT",
    "forwarded_for": "192.0.2.7, 10.0.0.1",
    "referer": "https://shop.example/?a=%20b",
}

NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; events {{ }}
http {{
{directive}
server {{
  listen 127.0.0.1:{port}; root {folder}; {use}
  location / {{ return 200 page; }}
  location = /limited {{ add_header Retry-After 30 always; return 429; }}
}}
}}
"""
REDIRECTS = """
Redirect 410 /page
Redirect 429 /limited
Header always set Retry-After 30 "expr=%{REQUEST_STATUS} == 429"
"""
TO_STDOUT = "\nglobal\n  log stdout len 8192 format raw local0\n"
ANSWERS = {"apache": 410}  # to a page; elsewhere 200


def nginx_conf(folder, port, directive, use):
    return NGINX.format(folder=folder, port=port, directive=directive, use=use)


def apache_conf(folder, port, directive, use):
    return apache(folder, port, ("authz_core", "alias", "headers"), f"{REDIRECTS}{directive}\n{use}")


def caddy_conf(folder, port, directive, use):
    return caddy(folder, port, f"{directive}\nheader /limited Retry-After 30\nrespond /limited 429")


def haproxy_conf(folder, port, directive, use):
    limited = "http-request return status 429 hdr Retry-After 30 if { path /limited }"
    return TO_STDOUT + haproxy(port, f"  log global\n{directive}\n  {limited}")


CONF = {"nginx": nginx_conf, "apache": apache_conf, "caddy": caddy_conf, "haproxy": haproxy_conf}


@pytest.fixture(params=CONF)
def server(request):
    """Name of a server, its configuration with the directive, a folder that its user may enter, and its port."""
    name, port = request.param, free_port()
    item = RECOMMENDED[name]
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        folder.chmod(0o755)
        written = {
            key: re.sub(r"(/var/log/\w+|\$\{APACHE_LOG_DIR\})(?=/access\.log)", path, text)
            for key, text in (("directive", item.directive), ("use", item.use))
        }
        yield name, CONF[name](folder, port, **written), folder, port


def ask(port, target):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(LINE.format(target).encode())
        while connection.recv(4096):
            pass


def until_written(path, records):
    """Wait for the records of our own requests: a server may answer first, and write when the connection has ended."""
    for _ in range(400):
        if path.exists() and path.read_bytes().count(AGENT.split("/")[0].encode()) >= records:
            return
        time.sleep(0.05)


def test_the_server_takes_the_directive(server):
    name, conf, folder, _ = server

    done = checked(name, conf, folder)

    assert done.returncode == 0, done.stderr


def test_what_the_server_writes_is_read_in_full(server):
    name, conf, folder, port = server
    with serving(name, conf, folder, port):
        ask(port, "/page?q=1")
        ask(port, "/limited")
        written = folder / ("stdout.log" if name == "haproxy" else "access.log")
        until_written(written, 2)
    log = la.read([written])
    page, limited = [row for row in log.requests.to_pylist() if row["user_agent"] == AGENT]

    assert (log.rejects.num_rows, log.inputs[0].format) == (0, RECOMMENDED[name].format)
    assert {key: page[key] for key in SENT} == {key: limited[key] for key in SENT} == SENT
    assert (page["target"], page["method"], page["status"]) == ("/page?q=1", "GET", ANSWERS.get(name, 200))
    assert (limited["target"], limited["status"], limited["retry_after"]) == ("/limited", 429, "30")
    assert page["retry_after"] is None
    assert page["client_ip"] == "127.0.0.1"
    assert all(0 <= row["request_time_s"] < 10 and abs(row["t"] - time.time() * 1e6) < 60e6 for row in (page, limited))


@pytest.mark.parametrize("name", RECOMMENDED)
def test_the_documentation_gives_the_same_directive(name):
    item = RECOMMENDED[name]

    assert f"{item.directive}```" in DIRECTIVES or f"{item.directive}{item.use}```" in DIRECTIVES
    assert f"{item.use}```" in DIRECTIVES
    assert item.test.split(" --config")[0].split(" -f")[0] in DIRECTIVES


@pytest.mark.parametrize("name", RECOMMENDED)
def test_what_is_printed_is_the_directive_and_comments(name):
    item = RECOMMENDED[name]
    printed = recommendation(name)
    pasted = [line for line in printed.splitlines() if line and not line.startswith("#")]

    assert pasted == [*item.directive.splitlines(), *item.use.splitlines()]
    assert all(f"#   {command}\n" in printed for command in (item.test, item.reload))
    assert "# To undo: " in printed
    assert ("a limiter's 503" in printed) == (
        "limit_status" not in next(form.fills for form in FORMATS if form.name == item.format)
    )
