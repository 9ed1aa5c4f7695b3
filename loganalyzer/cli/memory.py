"""`--memory`: sizes as operators write them, and what a command takes where none is given."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.held import Shelf

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,3})?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}
_LEAST = 64 << 20
_CGROUP = Path("/sys/fs/cgroup/memory.max")  # cgroup version 2: what a container may take
_KEY = "loganalyzer.memory"


class Size(click.ParamType[int]):
    """Bytes: `2GiB`, `512M` (binary, as memory is sold), `800MB` (decimal), or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the size."""
        match = _SIZE.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is no size; give 2GiB, 512MiB or 800MB", param, ctx)
        number, unit, binary = match.groups()
        decimal = str(value).strip().lower().endswith("b") and not binary
        size = int(float(number) * (1000 if decimal else 1024) ** _POWERS.get((unit or "").lower(), 0))
        if size < _LEAST:
            self.fail(f"{value!r} is too little: nothing is read with less than {shown(_LEAST)}", param, ctx)
        return size


def quarter() -> int:
    """A quarter of this machine's memory, or of what its container may take."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or "max"
        whole = min(whole, int(_CGROUP.read_text()))
    return max(_LEAST, whole // 4)


def shown(size: int) -> str:
    """Bytes for people."""
    return f"{size / (1 << 30):.3g} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.0f} MiB"


def _kept(context: click.Context, _: click.Parameter, value: int | None) -> None:
    context.meta[_KEY] = value


MEMORY = click.option(
    "--memory",
    metavar="SIZE",
    type=Size(),
    expose_value=False,
    callback=_kept,
    help="As 2GiB: a larger log goes through temporary files in TMPDIR. By default a quarter of the memory there is, "
    f"here {shown(quarter())}.",
)


def asked() -> int | None:
    """What the command that runs was given."""
    size: int | None = click.get_current_context().meta.get(_KEY)
    return size


def shelf() -> "Shelf":
    """What holds the log of the command that runs."""
    from loganalyzer.held import Shelf

    def tell(text: str) -> None:
        click.echo(terminal(f"loganalyzer: {text}"), err=True)

    return Shelf(asked() or quarter(), tell)
