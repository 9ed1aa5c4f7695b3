"""Instants in any strftime, as `%{%d.%m.%Y %T}t` of Apache asks for, and the dates that some logs write out.

A format is made a pattern once; its parts are put together as an ISO 8601 stamp, which `times` reads and judges: there
is one place that knows which days exist. Names of months are English whatever the locale; no zone but UTC is known by
its letters, since they stand for several (CST, IST).
"""

import re
from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

_MONTHS = pa.array(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], pa.string())
_NAME = r"[A-Z][a-z]{2,8}"
# What glibc writes for each in the C locale (strftime(3)).
_WHOLE = {
    "T": "%H:%M:%S",
    "F": "%Y-%m-%d",
    "D": "%m/%d/%y",
    "R": "%H:%M",
    "r": "%I:%M:%S %p",
    "c": "%a %b %e %H:%M:%S %Y",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
    "h": "%b",
    "n": "\n",
    "t": "\t",
}
_PARTS = {  # part of an instant and pattern of its value; %f is a fraction, as Python has it
    "d": ("day", r"\d{1,2}"),
    "e": ("day", r"[ \d]?\d"),
    "m": ("month", r"\d{1,2}"),
    "b": ("named", _NAME),
    "B": ("named", _NAME),
    "Y": ("year", r"\d{4}"),
    "y": ("short", r"\d\d"),
    "H": ("hour", r"\d\d"),
    "k": ("hour", r"[ \d]?\d"),
    "I": ("twelfth", r"\d{1,2}"),
    "l": ("twelfth", r"[ \d]?\d"),
    "p": ("half", r"[AaPp][Mm]"),
    "P": ("half", r"[AaPp][Mm]"),
    "M": ("minute", r"\d\d"),
    "S": ("second", r"\d\d"),
    "f": ("fraction", r"\d{1,9}"),
    "z": ("zone", r"[+-]\d\d:?\d\d"),
    "Z": ("letters", r"[A-Za-z]{1,5}"),
    "a": ("", _NAME),
    "A": ("", _NAME),
    "j": ("", r"\d{3}"),
}
_NEEDED = ({"year", "short"}, {"month", "named"}, {"day"}, {"hour", "twelfth"}, {"minute"})
# Dates that are written out, seen in logs of panels and of hosters.
WRITTEN = ("%B %d, %YT%H:%M:%S %z", "%B %d, %Y %H:%M:%S %z", "%B %d, %Y %H:%M:%S", "%B - %d, %Y:%H:%M:%S")


def literal(text: str) -> str:
    """A literal text as a pattern, by its UTF-8 bytes."""
    return "".join(chr(byte) if byte < 128 and chr(byte).isalnum() else f"\\x{byte:02X}" for byte in text.encode())


def expanded(form: str) -> str:
    """A format without the items that stand for several others."""
    return re.sub("%([TFDRrcxXhnt])", lambda match: _WHOLE[match[1]], form)


def whole(form: str) -> bool:
    """Whether a format holds a day and a time of day, each part once, and nothing that is not known."""
    parts = [part for part, _ in _pieces(form) if part]
    held = set(parts)
    return "?" not in held and len(held) == len(parts) and all(needed & held for needed in _NEEDED)


def pattern(form: str) -> str:
    """RE2 pattern of the values of a format, without groups; of a written date any of its formats."""
    forms = WRITTEN if form == "written" else (form,)
    return f"(?:{'|'.join(''.join(f'(?:{value})' for _, value in _pieces(one)) for one in forms)})"


def stamps(form: str, values: pa.Array) -> pa.Array:
    """ISO 8601 stamps of binary values, as binary; null where a value is not in the format."""
    if form == "written":
        return pc.coalesce(*(stamps(one, values) for one in WRITTEN))
    found = pc.extract_regex(values, f"^{_grouped(form)}$")
    parts = {
        field.name: pc.if_else(found.is_valid(), found.field(k), None).cast(pa.string())
        for k, field in enumerate(found.type)
    }
    date = pc.binary_join_element_wise(_year(parts), _month(parts), _padded(parts["day"]), "-")
    clock = pc.binary_join_element_wise(_hour(parts), parts["minute"], parts.get("second", "00"), ":")
    stamp = pc.binary_join_element_wise(date, clock, "T")
    if "fraction" in parts:
        stamp = pc.binary_join_element_wise(stamp, parts["fraction"], ".")
    return pc.binary_join_element_wise(stamp, _zone(parts), "").cast(pa.binary())


def _pieces(form: str) -> Iterator[tuple[str, str]]:
    """Each item of a format: its part ("?" where it is not known) and its pattern."""
    for text, item in re.findall(r"([^%]+)|%(.?)", expanded(form), re.DOTALL):
        if text or item == "%":
            yield "", literal(text or "%")
        else:
            yield _PARTS.get(item, ("?", ""))


@cache
def _grouped(form: str) -> str:
    return "".join(f"(?P<{part}>{value})" if part else f"(?:{value})" for part, value in _pieces(form))


def _year(parts: dict[str, pa.Array]) -> pa.Array:
    """The year; two digits are those of POSIX: from 69 on the last century's."""
    if "year" in parts:
        return parts["year"]
    century = pc.if_else(pc.greater_equal(parts["short"], "69"), "19", "20")
    return pc.binary_join_element_wise(century, parts["short"], "")


def _month(parts: dict[str, pa.Array]) -> pa.Array:
    """Two digits; no number of a month where the name is none."""
    if "month" in parts:
        return _padded(parts["month"])
    names = pc.utf8_lower(pc.utf8_slice_codeunits(parts["named"], 0, 3))
    return _padded(pc.add(pc.index_in(names, _MONTHS), 1).cast(pa.string()))


def _hour(parts: dict[str, pa.Array]) -> pa.Array:
    if "hour" in parts:
        return _padded(parts["hour"])
    hour = pc.utf8_trim(parts["twelfth"], " ").cast(pa.int64())
    hour = pc.if_else(pc.equal(hour, 12), 0, hour)
    if "half" in parts:
        hour = pc.add(hour, pc.if_else(pc.equal(pc.utf8_lower(parts["half"]), "pm"), 12, 0))
    return _padded(hour.cast(pa.string()))


def _zone(parts: dict[str, pa.Array]) -> pa.Array | str:
    if "zone" in parts:
        return parts["zone"]
    if "letters" not in parts:
        return ""
    return pc.if_else(pc.is_in(parts["letters"], pa.array(["UTC", "GMT", "Z"])), "Z", "")


def _padded(values: pa.Array) -> pa.Array:
    return pc.utf8_lpad(pc.utf8_trim(values, " "), 2, "0")
