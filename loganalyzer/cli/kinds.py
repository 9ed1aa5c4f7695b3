"""Values that click does not know how to read."""

import re
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.cli.memory import LEAST, shown

if TYPE_CHECKING:
    _IntType = click.ParamType[int]
else:
    _IntType = click.ParamType  # generic from click 8.3 on

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,3})?)\s*(?:([kmgt])(i?)b?|b)?", re.IGNORECASE)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


class Size(_IntType):
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
        if size < LEAST:
            self.fail(f"{value!r} is too little: nothing is read with less than {shown(LEAST)}", param, ctx)
        return size


class PerCent(click.FloatRange):
    """A share; "nan" is none, for nothing would ever be above it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class Anonymize(click.Choice[str]):
    """How addresses are hidden; without a value they are truncated, so that a log named behind the option is told."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read the word."""
        if value not in self.choices:
            self.fail(
                f"{value!r} is neither truncate nor hash; write --anonymize=truncate in front of a log", param, ctx
            )
        return str(value)
