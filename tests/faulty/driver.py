"""Runs one command again and again, each time with another system call that fails; one line of JSON a run.

Started with the shim of shim.c loaded: `driver.py SHIM STAYS FOLDER PREPARED COMMAND...`. PREPARED is copied to FOLDER
before each run, `{}` in the command stands for FOLDER. Each run is a fork, for the imports are the slow part.
"""

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path

from loganalyzer import analysis, cli, formats, reports, store
from loganalyzer.reports import files, html, markdown, tables, text

LOADED = (analysis, formats, reports, store, files, html, markdown, tables, text)
ENOUGH = 400


def run(shim, command, folder, n, stays):
    """Exit code, what was said, and whether the call failed."""
    said = Path(f"{folder}.said")
    reader, writer = os.pipe()
    if not os.fork():
        handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 2)
        os.dup2(os.open(f"{folder}.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        status = 99
        try:
            shim.shim_arm(f"{folder}/".encode(), n, stays)
            cli.main(command)
        except SystemExit as end:
            status = end.code
        finally:
            os.write(writer, json.dumps([status, shim.shim_fired()]).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        status, fired = json.loads(pipe.read())
    os.wait()
    return status, bool(fired), said.read_text(errors="backslashreplace")


def main(library, stays, folder, prepared, *command):
    """Go on until no call is left that could fail."""
    shim = ctypes.CDLL(library)
    arguments = [argument.replace("{}", folder) for argument in command]
    for n in range(1, ENOUGH):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder)
        status, fired, said = run(shim, arguments, folder, n, int(stays))
        kept = Path(f"{folder}.{n}")
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        print(json.dumps({"n": n, "status": status, "fired": fired, "said": said, "folder": str(kept)}), flush=True)
        if not fired:
            return


main(*sys.argv[1:])
