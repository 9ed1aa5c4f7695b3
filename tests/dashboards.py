"""The dashboard for tests: in the test driver of Streamlit, or with its server as `loganalyzer dashboard` starts it."""

import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from servers import free_port

from loganalyzer.dashboard.launch import ADDRESS, command

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_logs"
LOGS = [str(SAMPLE / name) for name in ("access.log.2.gz", "access.log.1", "access.log")]
ROBOTS = [str(SAMPLE / "robots")]


@contextmanager
def opened(monkeypatch, usual=None):
    """A function that opens a page with these arguments of the command; what is cached holds for its logs alone."""
    from streamlit.testing.v1 import AppTest

    def run(*arguments, page=usual, period=(), **query):
        monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for name, value in zip(("from", "until"), period, strict=False):
            app.query_params[name] = value
        for name, value in query.items():
            app.query_params[name] = value
        return app.switch_page(f"loganalyzer/dashboard/pages/{page}.py").run() if page else app.run()

    yield run


def told(app):
    """The texts of a page."""
    return " ".join(part.value for kind in ("text", "subheader", "info", "warning", "error") for part in app.get(kind))


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
