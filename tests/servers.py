"""Real servers for tests: their programs, how each is checked and run, and a port that nobody has."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

MODULES = Path("/usr/lib/apache2/modules")
# Program, arguments that test a configuration, arguments that serve it in the foreground.
PROGRAMS = {
    "nginx": ("nginx", ["-t", "-c"], ["-c"]),
    "apache": ("apache2", ["-t", "-f"], ["-D", "FOREGROUND", "-f"]),
    "haproxy": ("haproxy", ["-c", "-f"], ["-f"]),
    "caddy": (
        "caddy",
        ["validate", "--adapter", "caddyfile", "--config"],
        ["run", "--adapter", "caddyfile", "--config"],
    ),
}
APACHE = """
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
Mutex file:{folder} default
ErrorLog {folder}/error.log
User www-data
Group www-data
{modules}
DocumentRoot {folder}
{text}
"""
CADDY = """
{{
  admin off
  auto_https off
  storage file_system {folder}/caddy
}}
http://:{port} {{
bind 127.0.0.1
{text}
respond page
}}
"""
HAPROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:{port}
{frontend}
  http-request return status 200 content-type text/plain string page
{tables}
"""


def apache(folder, port, modules, text):
    """A configuration with these modules; the test is skipped where one is missing, but for CI."""
    if missing := [name for name in modules if not (MODULES / f"mod_{name}.so").exists()]:
        assert "CI" not in os.environ, missing
        pytest.skip(f"Apache has no {', '.join(missing)} here; CI installs it")
    load = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in ("mpm_event", *modules))
    return APACHE.format(folder=folder, port=port, modules=load, text=text)


def caddy(folder, port, text):
    """A configuration whose site answers every request."""
    return CADDY.format(folder=folder, port=port, text=text)


def haproxy(port, frontend, tables=""):
    """A configuration whose frontend answers every request."""
    return HAPROXY.format(port=port, frontend=frontend, tables=tables)


def program(name):
    """Where a program stands; the test is skipped where it is missing, but for CI, which installs it."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None and "CI" not in os.environ:
        pytest.skip(f"no {name} here; CI installs it")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(folder):
    return {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}


def run(command, folder):
    """A program that ends by itself, at home in this folder."""
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment(folder))


def checked(name, conf, folder):
    """What a server says of a configuration."""
    command, test, _ = PROGRAMS[name]
    (folder / "server.conf").write_text(conf, encoding="utf-8")
    return run([program(command), *test, folder / "server.conf"], folder)


@contextlib.contextmanager
def serving(name, conf, folder, port):
    """The server in the foreground, from the first connection that it takes; what it prints goes to a file."""
    command, _, serve = PROGRAMS[name]
    (folder / "server.conf").write_text(conf, encoding="utf-8")
    with (folder / "stdout.log").open("wb") as out:
        process = subprocess.Popen(
            [program(command), *serve, folder / "server.conf"],
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
