"""A format of one's own, in a small TOML file that carries its samples: `--log-format shop.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from loganalyzer.errors import UsageError
from loganalyzer.formats.declarations import of_directive
from loganalyzer.formats.directives import parse
from loganalyzer.formats.explain import caret, trials
from loganalyzer.formats.jsonlines import Json
from loganalyzer.formats.model import Field, Format, Sample
from loganalyzer.formats.zones import in_zone, with_fields
from loganalyzer.schema import REQUEST, TEXT

_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
_ENTRIES = {"name": str, "directive": str, "keys": dict, "time_is": str, "duration": str, "zone": str, "samples": list}
_READ = {  # converters of columns that are no plain text
    "time": "any",
    "client_ip": "address",
    "request": "request",
    "status": "number",
    "bytes": "number",
    "host": "host",
    "request_time_s": "seconds",
}
_COLUMNS = {*_READ, *(field.name for field in REQUEST if field.type == TEXT)} - {"source", "request_raw"}


def load(path: str) -> Format:
    """The format that a file describes; its samples have passed.

    Raises:
        UsageError: the file, an entry or a sample of it is faulty; the text says which.
    """
    try:
        entries = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        return _checked(_format(entries))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except (UsageError, ValueError) as error:  # TOML and UTF-8 raise ValueError
        raise UsageError(f"{path}: {error}") from error


def _format(entries: Mapping[str, Any]) -> Format:
    for name, value in entries.items():
        if name not in _ENTRIES:
            raise UsageError(f"there is no entry {name}; entries are {', '.join(_ENTRIES)}")
        if not isinstance(value, _ENTRIES[name]):
            raise UsageError(f"{name} must be of the type {_ENTRIES[name].__name__}")
    if ("directive" in entries) == ("keys" in entries):
        raise UsageError("give either directive, for lines of text, or keys, for JSON lines")
    ends = _one_of(entries, "time_is", {"start": False, "end": True})
    unit = _one_of(entries, "duration", _UNITS)
    if "keys" in entries:
        form = Format("own", "", _json(entries["keys"]), time_is_end=True, escaped=False)
    else:
        form = of_directive(parse(entries["directive"]), given=True)
    if unit:
        form = with_fields(form, lambda field: replace(field, read=unit) if field.column == "request_time_s" else field)
    if "zone" in entries:
        form = in_zone(form, entries["zone"])
    return replace(
        form,
        name=entries.get("name", form.name),
        time_is_end=form.time_is_end if ends is None else ends,
        samples=tuple(_sample(item) for item in entries.get("samples", ())),
    )


def _one_of(entries: Mapping[str, Any], name: str, known: Mapping[str, Any]) -> Any:
    if name in entries and entries[name] not in known:
        raise UsageError(f'{name} = "{entries[name]}": it is one of {", ".join(known)}')
    return known.get(entries.get(name, ""))


def _json(keys: Mapping[str, Any]) -> Json:
    paths = []
    for column, named in keys.items():
        if column not in _COLUMNS:
            raise UsageError(f"keys: there is no column {column}; columns are {', '.join(sorted(_COLUMNS))}")
        given = [named] if isinstance(named, str) else named
        if not isinstance(given, list) or not all(isinstance(key, str) for key in given):
            raise UsageError(f"keys: {column} is a key or a list of keys, a dot going one level down")
        for rank, key in enumerate(given):
            paths.append((tuple(key.split(".")), Field(column, _READ.get(column, "text"), rank)))
    if "time" not in keys or not {"request", "target"} & set(keys):
        raise UsageError("keys: time, and request or target, are needed; nothing works without")
    return Json(tuple(paths))


def _sample(item: Any) -> Sample:
    line, row = (item.get("line"), item.get("row")) if isinstance(item, dict) else (None, None)
    if not isinstance(line, str) or not (row is None or isinstance(row, dict)):
        raise UsageError("samples: each has a line, and a row of what is to be read of it (none: it is to be rejected)")
    unknown = set(row or ()) - set(REQUEST.names)
    if unknown:
        raise UsageError(f"samples: there is no column {min(unknown)}; columns are {', '.join(REQUEST.names)}")
    return Sample(line, row)


def _checked(form: Format) -> Format:
    """The format itself, when every sample is read as it says."""
    if not any(sample.row for sample in form.samples):
        raise UsageError("samples: give at least one line with a row: only a format that has been tried is used")
    for number, sample in enumerate(form.samples, 1):
        line = sample.line.encode() if isinstance(sample.line, str) else sample.line
        (trial,) = trials(line, [form])
        if sample.row is None and trial.row is not None:
            raise UsageError(f"sample {number} is to be rejected, and was read\n  {sample.line!r}")
        if sample.row is not None and trial.row is None:
            raise UsageError(f"sample {number} is not read\n{caret(line, trial)}")
        for name, wanted in (sample.row or {}).items():
            got = (trial.row or {}).get(name)
            if got != wanted:
                said = f"{name} should be {wanted!r}, and is {'not there' if got is None else repr(got)}"
                raise UsageError(f"sample {number}: {said}\n  {sample.line!r}")
    return form
