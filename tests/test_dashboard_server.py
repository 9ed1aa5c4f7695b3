import socket
import subprocess
import sys
import time

import pytest
from servers import free_port

from loganalyzer.dashboard.launch import ADDRESS, command

pytest.importorskip("streamlit")


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The dashboard as `loganalyzer dashboard` starts it, on a free port."""
    free = free_port()
    home = tmp_path_factory.mktemp("home")
    output = (home / "output").open("wb")
    server = subprocess.Popen(command([], [], None, free), cwd=home, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield wait_for(free)
    finally:
        server.terminate()
        server.wait(20)
        output.close()


def wait_for(port: int) -> int:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((ADDRESS, port)) == 0:
                return port
        time.sleep(0.1)
    raise TimeoutError(f"no answer on port {port}")


def status(port: int, request: str, *headers: str) -> int:
    lines = [f"{request} HTTP/1.1", *headers, "Connection: close" if "PUT" in request else "Connection: Upgrade"]
    with socket.create_connection((ADDRESS, port), timeout=20) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(64).split()[1])


def handshake(port: int, host: str) -> int:
    return status(
        port,
        "GET /_stcore/stream",
        f"Host: {host}:{port}",
        f"Origin: http://{host}:{port}",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )


@pytest.mark.parametrize(("host", "answer"), [("127.0.0.1", 101), ("localhost", 101), ("rebound.example", 403)])
def test_only_known_hosts_are_let_in(port, host, answer):
    assert handshake(port, host) == answer


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
