import socket
import sys

import pytest
from dashboards import ADDRESS, ROOT, running, serving
from servers import free_port

pytest.importorskip("streamlit")


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """The dashboard as `loganalyzer dashboard` starts it, on a free port."""
    with serving(tmp_path_factory.mktemp("home")) as port:
        yield port


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The same as `streamlit run app.py` starts it from anywhere."""
    free = free_port()
    line = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), f"--server.port={free}"]
    with running([*line, "--server.headless=true"], tmp_path_factory.mktemp("home"), free) as port:
        yield port


@pytest.fixture(params=["started", "checkout"])
def port(request):
    return request.getfixturevalue(request.param)


def status(port: int, request: str, *headers: str) -> int:
    lines = [f"{request} HTTP/1.1", *headers, "Connection: close" if "PUT" in request else "Connection: Upgrade"]
    with socket.create_connection((ADDRESS, port), timeout=20) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(64).split()[1])


def handshake(port: int, host: str, origin: str) -> int:
    return status(
        port,
        "GET /_stcore/stream",
        f"Host: {host}:{port}",
        f"Origin: http://{origin}:{port}",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )


@pytest.mark.parametrize(
    ("host", "origin", "answer"),
    [
        ("127.0.0.1", "127.0.0.1", 101),
        ("localhost", "localhost", 101),
        ("rebound.example", "rebound.example", 403),
        ("127.0.0.1", "elsewhere.example", 403),
        ("127.0.0.1", "localhost", 403),
    ],
)
def test_a_socket_is_opened_for_known_hosts_and_their_own_pages_alone(port, host, origin, answer):
    assert handshake(port, host, origin) == answer


PATHS = ["/", "/client", "/static/js/none.js", "/_stcore/health", "/_stcore/host-config", "/media/none", "/component/x"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["rebound.example", "127.0.0.1.example", "localhost.example", "127.0.0.1@evil.example", "[::1]", "", "*"]
)
def test_no_path_answers_to_a_foreign_host(port, path, host):
    assert status(port, f"GET {path}", f"Host: {host}") == 400
    assert status(port, f"GET {path}", f"Host: {host}:{port}") == 400


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", ["http://elsewhere.example", "null", "http://127.0.0.1", "http://localhost:1", ""])
def test_no_path_answers_to_a_foreign_page(port, path, origin):
    assert status(port, f"GET {path}", f"Host: 127.0.0.1:{port}", f"Origin: {origin}") == 403


def test_a_request_with_two_hosts_is_refused(port):
    assert status(port, "GET /", f"Host: 127.0.0.1:{port}", "Host: rebound.example") == 400


@pytest.mark.parametrize("path", ["/", "/client", "/_stcore/health"])
def test_own_pages_are_answered_with_a_policy_that_lets_nothing_in_or_out(port, path):
    for host in (f"127.0.0.1:{port}", f"LocalHost:{port}"):
        with socket.create_connection((ADDRESS, port), timeout=20) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            head = b"".join(iter(lambda: connection.recv(4096), b"")).split(b"\r\n\r\n")[0].decode().lower()
        assert head.startswith("http/1.1 200")
        assert "x-frame-options: deny" in head
        assert "default-src 'self'" in head
        assert "frame-ancestors 'none'" in head
        assert f"connect-src 'self' ws://{host.lower()} wss://{host.lower()}" in head


def test_an_upload_without_the_token_of_the_page_is_refused(port):
    assert status(port, "PUT /_stcore/upload_file/a/b", f"Host: 127.0.0.1:{port}", "Content-Length: 0") == 403


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's table of sockets")
def test_nobody_else_is_listened_to(port):
    from pathlib import Path

    wanted = f":{port:04X}"
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[1].endswith(wanted) and row[3] == "0A"}
    assert listening == {f"0100007F{wanted}"}


def test_first_page_is_found_under_its_name_too(port):
    with socket.create_connection((ADDRESS, port), timeout=20) as connection:
        lines = [
            "GET /overview?from=2026-11-02&x=%0d%0aEvil:1 HTTP/1.1",
            f"Host: {ADDRESS}:{port}",
            "Connection: close",
        ]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = connection.makefile("rb").read().decode()

    head = answer.lower()
    assert head.startswith("http/1.1 307")
    assert "\r\nlocation: ./?from=2026-11-02&x=%0d%0aevil:1\r\n" in head
    assert "\r\nevil" not in head
