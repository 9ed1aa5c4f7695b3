"""Start the dashboard on this machine: loopback only, known hosts only, no telemetry, no details of errors."""

import subprocess
import sys
import threading
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep

from loganalyzer.errors import UsageError

ADDRESS = "127.0.0.1"
HOSTS = ["localhost", ADDRESS]
# The same stand in .streamlit/config.toml for `streamlit run app.py`; a test holds the two together.
SETTINGS: dict[str, str | int | bool | list[str]] = {
    "server.address": ADDRESS,  # by default Streamlit listens on every interface
    "server.allowedHosts": HOSTS,  # by default any Host is let in, so a rebound name would be; see `guard`
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.enableStaticServing": False,
    "server.maxUploadSize": 200,  # megabytes, compressed; `uploads` bounds what comes out of them
    "server.fileWatcherType": "none",  # the log folder is not source code
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",  # a traceback shows paths and log text
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "theme.light.primaryColor": "#2f6690",
    "theme.dark.primaryColor": "#6aa5c8",
}
ENTRY = Path(__file__).parent / "entry" / "app.py"
PATIENCE_S = 30  # for the server to answer, before a browser is opened on it


def launch(
    paths: Sequence[str],
    robots: Sequence[str] = (),
    log_format: str | None = None,
    port: int = 8501,
    browser: bool = True,
    further: Sequence[str] = (),
) -> int:
    """Run the dashboard until it is stopped; returns its exit code.

    Args:
        paths: logs, as `loganalyzer report` takes them; none: the page invites to upload one.
        robots: robots.txt and its versions, as `--robots` takes them.
        log_format: a format's name or a directive.
        port: TCP port on the loopback address.
        browser: open the page in the operator's browser.
        further: more options of the dashboard's own, as its command line spells them.

    Raises:
        UsageError: Streamlit is not installed.
    """
    missing = [name for name in ("streamlit", "altair") if find_spec(name) is None]
    if missing:
        raise UsageError(f"the dashboard needs {missing[0]}: in the clone, .venv/bin/pip install '.[dashboard]'")
    if browser:
        threading.Thread(target=_open, args=(port,), daemon=True).start()
    try:
        return subprocess.run(command(paths, robots, log_format, port, further), check=False).returncode  # noqa: S603 # a list
    except KeyboardInterrupt:
        return 130


def command(
    paths: Sequence[str], robots: Sequence[str], log_format: str | None, port: int, further: Sequence[str] = ()
) -> list[str]:
    """Return the arguments that start Streamlit; what is the dashboard's stands after `--`."""
    flags = [f"--server.port={port}", "--server.headless=true"]
    for name, value in SETTINGS.items():
        values = value if isinstance(value, list) else [str(value).lower() if isinstance(value, bool) else str(value)]
        flags += [f"--{name}={part}" for part in values]
    own = [*(f"--robots={spec}" for spec in robots), *further]
    own += [f"--log-format={log_format}"] if log_format else []
    return [sys.executable, "-m", "streamlit", "run", str(ENTRY), *flags, "--", *own, "--", *paths]


def _open(port: int) -> None:
    """Open the page once the server answers: Streamlit itself would ask for an e-mail address first."""
    import socket

    end = monotonic() + PATIENCE_S
    while monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex((ADDRESS, port)) == 0:
                webbrowser.open(f"http://{ADDRESS}:{port}")
                return
        sleep(0.2)
