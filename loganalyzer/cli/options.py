"""Options that several commands take, and that choose what is said rather than what is read (cli/given.py)."""

from collections.abc import Callable
from typing import Any

import click


def options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several decorators as one, the first outermost."""

    def apply(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


EVIDENCE = {  # what of a client `lines` prints, by option
    "violations": "Requests that robots.txt forbade.",
    "grace": "Forbidden now, but not by the copy it may still hold.",
    "early": "Requests made inside a wait it was asked to keep.",
    "refused": "Requests answered 429, or 503 with a wait.",
    "fetches": "Requests for /robots.txt.",
    "impostor": "Requests from addresses that are not its operator's (with --ranges or --verify).",
}
WHAT = options(
    *(click.option(f"--{name}", "what", flag_value=name, multiple=True, help=text) for name, text in EVIDENCE.items())
)
