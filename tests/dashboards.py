"""The dashboard as `loganalyzer dashboard` starts it, for tests that need the server itself."""

import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from loganalyzer.dashboard.launch import ADDRESS, command

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_logs"
LOGS = [str(SAMPLE / name) for name in ("access.log.2.gz", "access.log.1", "access.log")]
ROBOTS = [str(SAMPLE / "robots")]


def free_port():
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return probe.getsockname()[1]


@contextmanager
def running(line, folder, port):
    """Run a command that serves `port`, with what it prints in a file of `folder`, until the block is left."""
    with (folder / "output").open("wb") as output:
        server = subprocess.Popen(line, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_for(port)
            yield port
        finally:
            server.terminate()
            server.wait(20)


@contextmanager
def serving(folder, logs=(), robots=(), further=()):
    """Run the dashboard and yield its port; `folder` is where it is started, and its home."""
    port = free_port()
    with running(command(list(logs), list(robots), None, port, further), folder, port):
        yield port


def wait_for(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((ADDRESS, port)) == 0:
                return port
        time.sleep(0.05)
    raise TimeoutError(f"no answer on port {port}")
