"""What stdout is: how wide, and whether it takes colours."""

import os
import sys
from shutil import get_terminal_size
from typing import Any

import click

COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)


def width(otherwise: int = 80) -> int:
    """Columns of the terminal; `otherwise` where there is none."""
    return get_terminal_size((otherwise, 24)).columns if sys.stdout.isatty() else otherwise


def colours(color: str) -> bool:
    """Whether to write colours, as --color says."""
    tty = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ
    return color == "always" or (color == "auto" and tty)


def out(text: Any) -> None:
    """Write a text to stdout, whatever its encoding."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
