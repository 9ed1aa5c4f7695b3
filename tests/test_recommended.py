"""Each recommended directive: the real server takes it, and what the server then writes is read in full."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

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
APACHE = """
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
Mutex file:{folder} default
ErrorLog {folder}/error.log
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule headers_module {modules}/mod_headers.so
DocumentRoot {folder}
Redirect 410 /page
Redirect 429 /limited
Header always set Retry-After 30 "expr=%{{REQUEST_STATUS}} == 429"
{directive}
{use}
"""
CADDY = """
{{
  admin off
  auto_https off
  storage file_system {folder}/caddy
}}
http://:{port} {{
bind 127.0.0.1
{directive}
header /limited Retry-After 30
respond /limited 429
respond page
}}
"""
HAPROXY = """
global
  log stdout len 8192 format raw local0
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:{port}
  log global
{directive}
  http-request return status 429 hdr Retry-After 30 if {{ path /limited }}
  http-request return status 200 content-type text/plain string page
"""
# Program, configuration, arguments that test it, arguments that serve it in the foreground.
SERVERS = {
    "nginx": ("nginx", NGINX, ["-t", "-c"], ["-c"]),
    "apache": ("apache2", APACHE, ["-t", "-f"], ["-D", "FOREGROUND", "-f"]),
    "caddy": (
        "caddy",
        CADDY,
        ["validate", "--adapter", "caddyfile", "--config"],
        ["run", "--adapter", "caddyfile", "--config"],
    ),
    "haproxy": ("haproxy", HAPROXY, ["-c", "-f"], ["-f"]),
}
ANSWERS = {"apache": 410}  # to a page; elsewhere 200


@pytest.fixture(params=SERVERS)
def server(request):
    """Name and program of a server, a folder that its user may enter, and its configuration with the directive."""
    name = request.param
    program = shutil.which(SERVERS[name][0], path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None and "CI" not in os.environ:
        pytest.skip(f"no {name} here; CI installs it")
    item = RECOMMENDED[name]
    with tempfile.TemporaryDirectory() as path, socket.socket() as probe:
        folder = Path(path)
        folder.chmod(0o755)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        written = {
            key: re.sub(r"(/var/log/\w+|\$\{APACHE_LOG_DIR\})(?=/access\.log)", path, text)
            for key, text in (("directive", item.directive), ("use", item.use))
        }
        text = SERVERS[name][1].format(folder=path, port=port, modules="/usr/lib/apache2/modules", **written)
        (folder / "server.conf").write_text(text, encoding="utf-8")
        probe.close()
        yield name, program, folder, port


def run(program, arguments, folder):
    return subprocess.run(
        [program, *arguments, folder / "server.conf"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(folder),
    )


def environment(folder):
    return {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}


@contextlib.contextmanager
def serving(program, arguments, folder, port):
    """The server in the foreground, from the first connection that it takes; what it prints goes to a file."""
    with (folder / "stdout.log").open("wb") as out:
        process = subprocess.Popen(
            [program, *arguments, folder / "server.conf"],
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=environment(folder),
            start_new_session=True,
        )
    try:
        for _ in range(400):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


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
    name, program, folder, _ = server

    done = run(program, SERVERS[name][2], folder)

    assert done.returncode == 0, done.stderr


def test_what_the_server_writes_is_read_in_full(server):
    name, program, folder, port = server
    with serving(program, SERVERS[name][3], folder, port):
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
