"""The command line for tests: each command is a process of its own, forked from one that has imported everything.

Importing takes most of the second that a small report takes, and hundreds are made. What depends on how a process
starts (limits, signals, what it imports) is tested with `python -m loganalyzer` itself.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_S = 60
STREAMS = ("stdin", "stdout", "stderr")
OPTIONAL = ("loganalyzer.dashboard", "loganalyzer.engine.spark", "loganalyzer.__main__")


def run(*arguments, input=b"", cwd=None, env=None, text=False):
    """As `subprocess.run` of `loganalyzer ARGUMENTS` with its output captured.

    Args:
        input: what is on stdin, bytes or text.
        cwd: where it runs; else where the test does.
        env: its whole environment; else that of the test.
        text: whether output is given as text.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / name) for name in STREAMS}
        Path(paths["stdin"]).write_bytes(input.encode() if isinstance(input, str) else input)
        arguments = [os.fsdecode(argument) for argument in arguments]
        order = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
        starter = _starter()
        starter.stdin.write(json.dumps(order | {"paths": paths}).encode() + b"\n")
        starter.stdin.flush()
        code = json.loads(starter.stdout.readline())
        output = [Path(paths[name]).read_bytes() for name in ("stdout", "stderr")]
    return subprocess.CompletedProcess(arguments, code, *((part.decode() for part in output) if text else output))


@cache
def _starter():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    atexit.register(process.stdin.close)  # at the end of its orders it ends
    return process


def _serve():
    """Fork a command for each order on stdin, and say how it ended."""
    _import_everything()
    # A fork takes one thread along; the other one is Arrow's, which minds forks.
    assert len(list(Path("/proc/self/task").iterdir())) <= 2
    for line in sys.stdin.buffer:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(order)
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


def _import_everything():
    import importlib
    import pkgutil

    import loganalyzer
    from loganalyzer.cli import memory
    from loganalyzer.cli.unneeded import hide_pandas

    memory.prepare()
    hide_pandas()
    for module in pkgutil.walk_packages(loganalyzer.__path__, "loganalyzer."):
        if not module.name.startswith(OPTIONAL):
            importlib.import_module(module.name)


def _become(order):
    """The command of an order; does not return."""
    for number, name in enumerate(STREAMS):
        opened = os.open(order["paths"][name], os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    signal.alarm(LONGEST_S)
    # New ones: in the buffer of the starter's stdin may be its next order.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors="surrogateescape")  # noqa: PTH123, SIM115 - a number; as long as it lives
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    from loganalyzer.cli import main

    code = 1
    try:
        main(order["arguments"])
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
