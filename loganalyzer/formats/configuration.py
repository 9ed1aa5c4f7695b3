"""The log formats that stand in a server's own configuration file: `--log-format @nginx.conf`."""

import re
from collections.abc import Iterator
from pathlib import Path

from loganalyzer.errors import UsageError
from loganalyzer.formats.directives import Directive, parse

_LARGEST = 4 << 20  # bytes: no configuration is larger, but a log that was named by mistake is

# Comments, quoted strings, punctuation and words of nginx.conf; every character is in exactly one.
_TOKEN = re.compile(r"""#[^\n]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[;{}]|(?:[^\s;{}'"\\]|\\.)+|['"\\]""", re.DOTALL)
_APACHE = re.compile(r'^[ \t]*LogFormat[ \t]+"(?:[^"\\\n]|\\.)*"[^\n]*', re.MULTILINE | re.IGNORECASE)
_APACHE_INCLUDE = re.compile(r"^[ \t]*Include(?:Optional)?[ \t]+(\S+)", re.MULTILINE | re.IGNORECASE)


def directives(path: str) -> tuple[list[Directive], str]:
    """The log formats in a file, and what is to be said about it: which they are, and what was left out.

    Args:
        path: nginx.conf, httpd.conf or a part of one; what it includes is not followed.

    Raises:
        UsageError: it cannot be read, or no format of requests stands in it.
    """
    text = _text(path)
    found, left_out = [], []
    texts = list(_nginx(text, "log_format")) or [_apache(match[0]) for match in _APACHE.finditer(text)]
    for directive in texts:
        try:
            found.append(parse(directive))
        except UsageError as error:  # LogFormat "%{Referer}i -> %U" referer, of older Apaches: no time in it
            left_out.append(f"{' '.join(directive.split())[:60]}: {str(error).splitlines()[0]}")
    includes = [f"included files were not looked into ({item})" for item in _includes(text)[:1]]
    if not found:
        why = "; ".join([*left_out, *includes]) or "only what differs from combined and common needs a directive"
        raise UsageError(f"{path}: there is no log_format and no LogFormat of requests in it; {why}")
    names = f"{path} holds {', '.join(directive.name for directive in found)}"
    return found, "; ".join([names, *(f"left out: {item}" for item in left_out), *includes])


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    if len(data) > _LARGEST:
        raise UsageError(f"{path}: is over 4 MiB, and no configuration file")
    return data.decode("utf-8", "backslashreplace")


def _nginx(text: str, name: str) -> Iterator[str]:
    """Each simple directive of this name, without comments, up to its semicolon."""
    statement: list[str] = []
    for token in _TOKEN.findall(text):
        if token.startswith("#"):
            continue
        if token in ("{", "}"):
            statement = []
            continue
        statement.append(token)
        if statement[-1] == ";":
            if statement[0] == name:
                yield " ".join(statement)
            statement = []


def _apache(line: str) -> str:
    """The directive as it is spelled in the manual; names of directives are in any case."""
    return re.sub(r"^\s*LogFormat", "LogFormat", line.strip(), flags=re.IGNORECASE)


def _includes(text: str) -> list[str]:
    return [item.removesuffix(" ;") for item in _nginx(text, "include")] + _APACHE_INCLUDE.findall(text)
