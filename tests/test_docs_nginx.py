"""The real nginx takes the directives of the documentation, refuses as they say, and what it logs is read in full."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import loganalyzer as la

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVES = (ROOT / "docs/server-directives.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
IN_SERVER = ("access_log", "limit_req ")  # what these blocks begin with stands in `server { }`, all else in `http { }`
BLOCKS = re.findall(r"```nginx\n(.*?)```", DIRECTIVES, flags=re.DOTALL)

pytestmark = pytest.mark.skipif(NGINX is None and "CI" not in os.environ, reason="no nginx here; CI installs it")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def site(tmp_path):
    """A folder with nginx.conf, made of the documentation's blocks, and one page to serve; and its port."""
    port = free_port()
    server = "".join(block for block in BLOCKS if block.startswith(IN_SERVER)).replace("/var/log/nginx", str(tmp_path))
    http = "".join(block for block in BLOCKS if not block.startswith(IN_SERVER))
    (tmp_path / "index.html").write_text("<p>a page</p>\n", encoding="utf-8")
    (tmp_path / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{ }}\n"
        f"http {{\n{(ROOT / 'sample_logs/api.conf').read_text(encoding='utf-8')}{http}\n"
        f"server {{\nlisten 127.0.0.1:{port};\nroot {tmp_path};\n{server}\n}}\n}}\n",
        encoding="utf-8",
    )
    return tmp_path, port


@contextlib.contextmanager
def serving(folder, port):
    """Nginx in the foreground, from the first connection that it takes."""
    process = subprocess.Popen([NGINX, "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)


def status(port, headers):
    """Ask for the page; the status of the answer."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_nginx_takes_every_directive(site):
    folder, _ = site
    done = subprocess.run(
        [NGINX, "-t", "-p", folder, "-c", folder / "nginx.conf"], capture_output=True, text=True, check=False
    )

    assert len(BLOCKS) == 5
    assert done.returncode == 0, done.stderr


def test_what_nginx_logs_is_read_in_full(site):
    folder, port = site
    headers = {
        "User-Agent": "ExampleBot/1.0 (+https://bot.example/)",
        "Accept": "text/html",
        "If-None-Match": '"an \\"etag"',
    }
    with serving(folder, port):
        answers = [status(port, headers)]
        while answers[-1] == 200 and len(answers) < 200:
            answers.append(status(port, headers))
    log = la.read([folder / "access.log"])
    rows = log.requests.to_pylist()

    assert answers[-1] == 429
    assert [row["status"] for row in rows] == answers
    assert (log.rejects.num_rows, log.inputs[0].format) == (0, "loganalyzer")
    assert {
        key: rows[-1][key] for key in ("host", "accept", "if_none_match", "retry_after", "limit_status", "referer")
    } == {
        "host": "127.0.0.1",
        "accept": "text/html",
        "if_none_match": '"an \\"etag"',
        "retry_after": "30",
        "limit_status": "REJECTED",
        "referer": None,
    }
    assert rows[0]["limit_status"] == "PASSED"
    assert all(row["request_time_s"] is not None and row["time"].microsecond % 1000 == 0 for row in rows)
