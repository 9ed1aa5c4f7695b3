"""One visit of all clients for all tests, whichever process of pytest comes first."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from live.site import served
from live.visitors import SCRAPY, VISITORS, address

TIMEOUT_S = 60  # of one client; a slow machine starts all of them at once


def installed(visitor):
    """Whether the client can be run here; in CI everything is."""
    found = shutil.which(visitor.program) and (visitor.commands[0][: len(SCRAPY)] != SCRAPY or find_spec("scrapy"))
    return bool(found) or "CI" in os.environ


def visit(visitor, site, folder):
    home = folder / "visitors" / visitor.token
    home.mkdir(parents=True)
    known = {"site": site, "address": address(visitor), "folder": home}
    environment = {**os.environ, "HOME": str(home), "no_proxy": "*"}
    for command in visitor.commands:
        process = subprocess.Popen(
            [argument.format(**known) for argument in command],
            cwd=home, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            process.wait(timeout=TIMEOUT_S)
        finally:
            with contextlib.suppress(ProcessLookupError):  # with what it started, as browsers do
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def report(folder, log):
    command = [sys.executable, "-m", "loganalyzer", "report", folder / log, "--robots", folder / "site/robots.txt"]
    done = subprocess.run([*command, "--json"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder / f"{log}.json").write_bytes(done.stdout)


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """Folder of the logs `recommended.log` and `combined.log` of one visit, and of the report on each."""
    if not shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") and "CI" not in os.environ:
        pytest.skip("no nginx here; CI installs it")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept = shared / "live"
    with (shared / "live.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            # Where the server's user may enter.
            with tempfile.TemporaryDirectory() as path:
                folder = Path(path)
                folder.chmod(0o755)
                with served(folder) as site, ThreadPoolExecutor(len(VISITORS)) as pool:
                    list(pool.map(lambda visitor: visit(visitor, site, folder), filter(installed, VISITORS)))
                report(folder, "recommended.log")
                report(folder, "combined.log")
                shutil.rmtree(folder / "visitors", ignore_errors=True)
                shutil.copytree(folder, kept)
    return kept


@pytest.fixture(scope="session")
def recommended(live):
    return json.loads((live / "recommended.log.json").read_bytes())


@pytest.fixture(scope="session")
def combined(live):
    return json.loads((live / "combined.log.json").read_bytes())
