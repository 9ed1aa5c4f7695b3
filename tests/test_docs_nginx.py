"""The real nginx takes the directives of the documentation, refuses as they say, and what it logs is read in full."""

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from servers import checked, free_port, serving

import loganalyzer as la

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVES = (ROOT / "docs/server-directives.md").read_text(encoding="utf-8")
IN_SERVER = ("access_log", "limit_req ")  # what these blocks begin with stands in `server { }`, all else in `http { }`
BLOCKS = re.findall(r"```nginx\n(.*?)```", DIRECTIVES, flags=re.DOTALL)


@pytest.fixture
def site(tmp_path):
    """A configuration made of the documentation's blocks, a folder with one page to serve, and its port."""
    port = free_port()
    server = "".join(block for block in BLOCKS if block.startswith(IN_SERVER)).replace("/var/log/nginx", str(tmp_path))
    http = "".join(block for block in BLOCKS if not block.startswith(IN_SERVER))
    (tmp_path / "index.html").write_text("<p>a page</p>\n", encoding="utf-8")
    conf = (
        f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{ }}\n"
        f"http {{\n{(ROOT / 'sample_logs/api.conf').read_text(encoding='utf-8')}{http}\n"
        f"server {{\nlisten 127.0.0.1:{port};\nroot {tmp_path};\n{server}\n}}\n}}\n"
    )
    return conf, tmp_path, port


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
    conf, folder, _ = site
    done = checked("nginx", conf, folder)

    assert len(BLOCKS) == 5
    assert done.returncode == 0, done.stderr


def test_what_nginx_logs_is_read_in_full(site):
    conf, folder, port = site
    headers = {
        "User-Agent": "ExampleBot/1.0 (+https://bot.example/)",
        "Accept": "text/html",
        "If-None-Match": '"an \\"etag"',
    }
    with serving("nginx", conf, folder, port):
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
