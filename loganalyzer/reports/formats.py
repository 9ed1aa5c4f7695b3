"""The texts of `loganalyzer formats`: all formats, one line explained, one directive recommended."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import fill, indent

from loganalyzer.escape import inline, json_text
from loganalyzer.formats import FORMATS, Format
from loganalyzer.formats.explain import Trial, caret, trials
from loganalyzer.formats.recommended import RECOMMENDED
from loganalyzer.formats.zones import assumed

_WIDTH = 80
_OBSERVED = {  # what a report can say only where it is logged
    "retry_after": "the asked wait",
    "request_time_s": "how long a request took",
    "host": "the host",
    "accept": "what is preferred (Accept)",
    "if_none_match": "conditional requests (If-None-Match)",
    "if_modified_since": "conditional requests (If-Modified-Since)",
    "forwarded_for": "the client behind a proxy",
    "limit_status": "a limiter's 503 apart from an outage",
}


def table(as_json: bool) -> str:
    """Every format: its name, what writes it, whether its time is the start or the end, its zone, and what it fills."""
    if as_json:
        return _json([_item(form) for form in FORMATS])
    rows = []
    for form in FORMATS:
        filled = fill(" ".join(form.fills), _WIDTH, initial_indent="  fills ", subsequent_indent=" " * 8)
        rows.append(f"{form.name}: {form.title}; its time is {_when(form)}\n{filled}\n")
    more = "Any other: --log-format 'log_format ...;', 'LogFormat \"...\"' or '#Fields: ...'."
    return "\n".join([*rows, fill(more, _WIDTH)]) + "\n"


def _item(form: Format) -> dict[str, object]:
    zone = None if "time" not in form.fills else "UTC unless --tz" if assumed(form) else "logged"
    return {"format": form.name, "title": form.title, "time_is": _time_is(form), "zone": zone, "fills": form.fills}


def _when(form: Format) -> str:
    if "time" not in form.fills:
        return "not logged"
    return f"the {_time_is(form)} of a request{', in UTC unless --tz says otherwise' if assumed(form) else ''}"


def _time_is(form: Format) -> str:
    return "end" if form.time_is_end else "start"


def explanation(line: bytes, formats: Sequence[Format], as_json: bool) -> str:
    """What the formats make of one line: who reads it and what it says, or a caret where each of the nearest stops."""
    found = trials(line, formats)
    if as_json:
        return _json([asdict(trial) for trial in found])
    if not found[0].reason:
        return _read(found)
    return (
        "\n".join(["No format reads this line. The nearest:", *(f"\n{caret(line, trial)}" for trial in found)]) + "\n"
    )


def _read(found: Sequence[Trial]) -> str:
    first, *others = found
    values = [f"  {name:<17} {inline(str(value))}\n" for name, value in (first.row or {}).items() if name != "t"]
    also = f"It is read by {', '.join(trial.format for trial in others)} too.\n" if others else ""
    return f"{first.format} reads this line:\n{''.join(values)}{also}"


def recommendation(server: str) -> str:
    """The directive for one server, to be pasted: all else stands in comments."""
    item = RECOMMENDED[server]
    fills = next(form.fills for form in FORMATS if form.name == item.format)
    return "\n".join(_recommended(server, [said for name, said in _OBSERVED.items() if name not in fills]))


def _recommended(server: str, missing: Sequence[str]) -> Iterator[str]:
    item = RECOMMENDED[server]
    yield _comment(f"{server}: log what loganalyzer can observe. It reads the lines by itself, as {item.format}.")
    if missing:
        yield _comment(f"{server} cannot log {', '.join(missing)}.")
    for note in item.notes:
        yield _comment(note)
    yield f"\n{_comment(item.where)}\n{item.directive}"
    if item.use:
        yield f"{_comment(item.use_where)}\n{item.use}"
    yield f"# Test it, which changes nothing; and then let the server read it:\n#   {item.test}\n#   {item.reload}"
    yield _comment(f"To undo: {item.undo}.") + "\n"


def _comment(text: str) -> str:
    return indent(fill(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False), "# ")


def _json(value: object) -> str:
    return json_text(json.dumps(value, ensure_ascii=False, indent=2, default=str)) + "\n"
