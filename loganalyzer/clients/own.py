"""An operator's own additions to the registry and corrections of it, in TOML: `--clients shop.toml`.

A table is a product token: one that the registry has is corrected in the fields that are given, another is added.
An empty text is "unknown". A token with a dot or a blank is written in quotes.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from loganalyzer.clients.identification import identify
from loganalyzer.clients.registry import DECLARED, KINDS, PURPOSES, Entry, Registry, names, shipped
from loganalyzer.errors import UsageError

_WORDS = {"kind": KINDS, "purpose": PURPOSES, "declares_robots": DECLARED}
_FLAGS = ("user_triggered", "star_binds", "control_only")
_LISTS = ("aliases", "fallbacks", "rdns_suffixes", "contact_hosts", "verified_fields")
_FIELDS = tuple(field.name for field in fields(Entry) if field.name != "token")
_UNKNOWN: dict[str, Any] = dict.fromkeys(_FIELDS) | dict.fromkeys(_LISTS, ()) | {"control_only": False}


def load(paths: Sequence[str]) -> Registry:
    """The shipped registry with what these files say; a later file corrects an earlier one.

    Raises:
        UsageError: a file, a field or an example of it is faulty; the text has file and line.
    """
    registry = shipped()
    for path in paths:
        registry = _with(registry, path)
    return registry


def _with(registry: Registry, path: str) -> Registry:
    try:
        text = Path(path).read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # TOML and UTF-8; TOML's says line and column
        raise UsageError(f"{path}: {error}") from error
    try:
        changed = registry.changed([_entry(registry, token, table, path) for token, table in tables.items()], path)
        _check_names(changed, tables)
        _check_examples(changed, tables)
    except _FaultyError as fault:
        raise UsageError(f"{path}:{_line(text, fault.token, fault.field)}: {fault}") from fault
    return changed


class _FaultyError(Exception):
    """What is wrong with one field of one token, or with the token where the field is null."""

    def __init__(self, token: str, field: str | None, text: str) -> None:
        super().__init__(f"[{token}] {text}")
        self.token, self.field = token, field


def _entry(registry: Registry, token: str, table: Any, path: str) -> Entry:
    """The entry of one table."""
    if not isinstance(table, dict):
        raise _FaultyError(token, token, f"stands outside of a table; a token is a table, and has {', '.join(_FIELDS)}")
    given = {field: _value(token, field, value) for field, value in table.items()}
    known = registry.lookup(token)
    if known is None:
        if "kind" not in given:
            raise _FaultyError(token, None, f"is no token of the registry, so it needs a kind: {', '.join(KINDS)}")
        return Entry(token=token, **_UNKNOWN | {"source": path} | given)
    if known.token.casefold() != token.casefold():
        raise _FaultyError(token, None, f"is another name of {known.token}; correct [{known.token}]")
    return replace(known, **given)


def _value(token: str, field: str, value: Any) -> Any:
    """One field's value as an entry holds it."""
    if field not in _FIELDS:
        hint = "; a token with a dot is written in quotes" if isinstance(value, dict) else ""
        raise _FaultyError(token, field, f"there is no field {field}; fields are {', '.join(_FIELDS)}{hint}")
    if field in _FLAGS:
        return _typed(token, field, value, bool, "true or false")
    if field in _LISTS:
        return tuple(_typed(token, field, item, str, "a list of texts") for item in _items(token, field, value))
    text = _typed(token, field, value, str, "a text") or None
    if field in _WORDS and text not in (*_WORDS[field], *([] if field == "kind" else [None])):
        raise _FaultyError(token, field, f'{field} = "{value}": it is one of {", ".join(_WORDS[field])}')
    return text


def _items(token: str, field: str, value: Any) -> list[Any]:
    return list(_typed(token, field, value, list, "a list of texts"))


def _typed(token: str, field: str, value: Any, wanted: type, said: str) -> Any:
    if not isinstance(value, wanted):
        raise _FaultyError(token, field, f"{field} must be {said}")
    return value


def _check_names(registry: Registry, tables: Mapping[str, Any]) -> None:
    """No name may stand for two entries: which one it meant would hang on their order."""
    own = {token.casefold() for token in tables}
    holders: dict[str, str] = {}
    for entry in registry.entries:
        for name in names(entry):
            other = holders.setdefault(name, entry.token)
            if other != entry.token and own & {other.casefold(), entry.token.casefold()}:
                token = next(
                    token for token in tables if token.casefold() in (entry.token.casefold(), other.casefold())
                )
                raise _FaultyError(token, "aliases", f"{name} is a name of {other} and of {entry.token}")


def _check_examples(registry: Registry, tables: Mapping[str, Any]) -> None:
    """An example that a file gives is identified as its token, else nothing in a log would be."""
    for token, table in tables.items():
        if example := table.get("example"):
            client = identify(example, registry)
            if client.name.casefold() != token.casefold():
                raise _FaultyError(token, "example", f"the example is identified as {client.name}, not as {token}")


def _line(text: str, token: str, field: str | None) -> int:
    """Number of the line on which a field of a token stands, else the token's own; tomllib does not tell."""
    at, table = 1, None
    for number, line in enumerate(text.splitlines(), 1):
        if (heading := _heading(line)) is not None:
            table = heading
            at = number if table == token else at
        name = line.partition("=")[0].strip().strip("\"'")
        if field is not None and name == field and table in (token, None):
            return number
    return at


def _heading(line: str) -> str | None:
    """Token of the table that a line begins, if it does."""
    if not line.lstrip().startswith("["):
        return None
    try:
        return next(iter(tomllib.loads(line)), None)
    except ValueError:  # a list over several lines
        return None
