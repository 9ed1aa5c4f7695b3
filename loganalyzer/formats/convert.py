r"""Raw values to REQUEST: undo the writer's escaping, split request lines, read numbers. Distinct values only.

Escaping: nginx writes `\xHH`, Apache `\" \\ \n \t \r \b \v \xhh`; the second rule reads both, since nginx never writes
another backslash. A logged `-` is null. Bytes that are not UTF-8 are written `\xHH`.
"""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.formats import requestline
from loganalyzer.formats.model import Field, spelled
from loganalyzer.schema import REQUEST, TEXT

_ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"v": b"\v", b'"': b'"', b"\\": b"\\"}
_DEFAULT_PORT = r"^(.*?):(?:80|443)$"  # says no more than no port (RFC 9110 sections 4.2.1 and 4.2.2)
_HOST_PORT = r"^(\[[0-9A-Fa-f:.%]+\]|.*?):\d{1,5}$"
_ADDRESS_PORT = r"^(?:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})|\[([0-9A-Fa-f:.]+)\]):\d{1,5}$"
_CONTROL = r"[\x00-\x1F\x7F]"
_DURATION = r"^\+?(?P<number>\d{1,19}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?)(?P<unit>|s|ms|us|\xC2\xB5s|ns)$"
_ABSOLUTE = r"^https?://(?:[^/?#@]*@)?(?P<host>\[[^\]/?#]*\]|[^/?#:]+)"
_NOT_KNOWN = pa.array([None, b"", b"-", b"-1"], pa.binary())  # HAProxy writes -1 for what never happened
_LONGEST_S = 10.0 * 365 * 86_400  # a longer duration is none
# How many make a second: of a number, and of one with a decimal point; null where the writer does not say.
_PER_SECOND: dict[str, tuple[float | None, float | None]] = {
    "seconds": (1.0, 1.0),
    "milliseconds": (1e3, 1e3),
    "microseconds": (1e6, 1e6),
    "nanoseconds": (1e9, 1e9),
    "until": (1e6, 1e6),  # an instant; `times.lasting` has taken the start off
    "pointed": (None, 1.0),
    "duration": (None, 1.0),  # nobody writes fractions of anything but seconds
    "suffixed": (None, None),  # Go writes the unit, Ruby's lograge milliseconds without one
    "gateway": (1e3, 1.0),  # Azure Application Gateway: milliseconds in version 1, seconds in version 2
}
_SUFFIX = {"s": 1.0, "ms": 1e3, "us": 1e6, "\N{MICRO SIGN}s": 1e6, "ns": 1e9}  # as Go writes durations
_BACKSLASH = ord("\\")

Values: TypeAlias = pa.DictionaryArray


def unescape(value: bytes) -> bytes:
    r"""Undo the escaping of nginx and Apache; a backslash before any other character stays."""
    return _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _LETTERS.get(m[2], m[0]), value)


def requests(
    raw: Mapping[str, Values], fields: Mapping[str, Field], escaped: bool, absolute: bool
) -> dict[str, pa.Array]:
    """Columns of REQUEST that the raw values give, without the place of the line and its instants.

    Args:
        raw: dictionary arrays of binary values as logged.
        fields: what each of them is.
        escaped: by backslashes.
        absolute: targets are written absolute, and so hold the host.
    """
    columns = {name: _converted(values, fields[name].read, escaped) for name, values in raw.items()}
    if "request" in columns:
        lines = columns.pop("request")
        for name, texts in requestline.parts(lines.dictionary).items():
            part = _encoded(lines.indices, texts)
            columns[name] = _coalesced(part, columns[name]) if name in columns else part
    if "path" in columns:
        path, query = columns.pop("path"), columns.pop("query", None)
        joined = _joined(path, query)
        columns["target"] = _coalesced(columns["target"], joined) if "target" in columns else joined
    columns.pop("query", None)
    parts = [columns.pop(name) for name in sorted(columns) if name.startswith("elapsed_")]
    if parts:  # the time in the queue, at the server and so on; unknown where one of them is
        columns["request_time_s"] = pc.round(reduce(pc.add, parts), 9)
    if "client_ip" not in columns and "forwarded_for" in columns:
        columns["client_ip"] = columns["forwarded_for"]
    if absolute and "target" in columns:
        columns["host"] = _host_of_target(columns["target"], columns.get("host"))
    return columns


def no_numbers(raw: Values, column: pa.Array | None) -> np.ndarray:
    """Rows of a column of numbers in which something stands that is none, and that are null for it."""
    if column is None or not pa.types.is_primitive(column.type) or not column.null_count:
        return np.empty(0, np.int64)
    written = pc.invert(pc.is_in(raw.dictionary, value_set=_NOT_KNOWN)).take(raw.indices)
    rows: np.ndarray = pc.indices_nonzero(pc.and_(pc.fill_null(written, False), column.is_null())).to_numpy()
    return rows


def table(columns: Mapping[str, pa.Array], length: int) -> pa.Table:
    """REQUEST of these columns; the others are null."""
    nulls = {kind: pa.nulls(length, kind) for kind in {f.type for f in REQUEST}}  # one for all: they take room
    arrays = [columns[f.name] if f.name in columns else nulls[f.type] for f in REQUEST]
    return pa.table(arrays, schema=REQUEST)


def _converted(values: Values, read: str, escaped: bool) -> pa.Array:
    distinct = pc.if_else(pc.equal(values.dictionary, b"-"), pa.scalar(None, pa.binary()), values.dictionary)
    if read in ("number", "code"):
        return _numbers(distinct).take(values.indices)
    if read in _PER_SECOND:
        return _durations(distinct, *_PER_SECOND[read]).take(values.indices)
    return _encoded(values.indices, _texts(distinct, read, escaped))


def _encoded(codes: pa.Array, texts: pa.Array) -> Values:
    """A dictionary array of texts by code; texts that have become equal share a code."""
    encoded = texts.dictionary_encode()
    if len(encoded.dictionary) == len(texts):  # none has become equal to another, nor null
        return pa.DictionaryArray.from_arrays(codes, texts)
    return pa.DictionaryArray.from_arrays(encoded.indices.take(codes), encoded.dictionary)


def _texts(values: pa.Array, read: str, escaped: bool) -> pa.Array:
    """Distinct texts as the client sent them."""
    if escaped and (spelled(values)[1] == _BACKSLASH).any():
        values = _mapped(values, pc.match_substring(values, "\\"), unescape)
    if read == "plus":
        values = pc.replace_substring(values, "+", " ")
    elif read == "percent":  # CloudFront has encoded twice until 2019
        values = _mapped(values, pc.match_substring(values, "%"), lambda v: unquote_to_bytes(unquote_to_bytes(v)))
    elif read in ("host", "dotted", "named"):
        values = pc.replace_substring_regex(values, _HOST_PORT, r"\1")
    elif read == "authority":
        values = pc.replace_substring_regex(values, _DEFAULT_PORT, r"\1")
    elif read == "first":
        values = pc.replace_substring_regex(values, r"^([^, ]+),.*$", r"\1")
    elif read == "fwd":  # Heroku's, with its name, so that it may be missing
        values = pc.replace_substring_regex(values, r'^fwd="([^", ]*).*$', r"\1")
    elif read == "bracketed":
        values = pc.replace_substring_regex(values, r"^\[([0-9A-Fa-f:.%]+)\]$", r"\1")
    elif read == "address":  # no name and no address holds control bytes: what stands there is rubbish
        values = pc.if_else(pc.match_substring_regex(values, _CONTROL), pa.scalar(None, pa.binary()), values)
        values = pc.replace_substring_regex(values, _ADDRESS_PORT, r"\1\2")
    if read in ("word", "fwd"):  # not there, where the line leaves it out
        values = pc.if_else(pc.equal(values, b""), pa.scalar(None, pa.binary()), values)
    return _decoded(values)


def _mapped(values: pa.Array, where: pa.Array, change: Callable[[bytes], bytes]) -> pa.Array:
    """Values with some of them changed."""
    chosen = values.filter(where)
    if not len(chosen):
        return values
    changed = pa.array([change(value) for value in chosen.to_pylist()], pa.binary())
    return pc.replace_with_mask(values, pc.fill_null(where, False), changed)


def _decoded(values: pa.Array) -> pa.Array:
    r"""Strings; bytes that are not UTF-8 as `\xHH`."""
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        # A replacement character per bad byte would merge different values.
        wide = pc.match_substring_regex(values, r"[\x80-\xFF]")
        return _mapped(values, wide, lambda v: v.decode("utf-8", "backslashreplace").encode()).cast(pa.string())


def _numbers(values: pa.Array) -> pa.Array:
    good = pc.match_substring_regex(values, r"^\d{1,18}$")
    return pc.if_else(good, values, pa.scalar(None, pa.binary())).cast(pa.string()).cast(pa.int64())


def _durations(values: pa.Array, whole: float | None, pointed: float | None) -> pa.Array:
    """Seconds; a suffix says the unit, else the kind of number does."""
    found = pc.extract_regex(values, _DURATION)
    none = pa.scalar(None, pa.float64())
    number = pc.if_else(found.is_valid(), found.field(0), pa.scalar(None, pa.binary()))
    number = number.cast(pa.string()).cast(pa.float64())
    has_point = pc.match_substring(values, ".")
    parted, counted = (pc.divide(number, unit) if unit else none for unit in (pointed, whole))
    seconds = pc.if_else(has_point, parted, counted)
    for suffix, parts in _SUFFIX.items():
        seconds = pc.if_else(pc.equal(found.field(1), suffix.encode()), pc.divide(number, parts), seconds)
    return pc.if_else(pc.less_equal(seconds, _LONGEST_S), seconds, None)


def _coalesced(first: Values, second: Values) -> Values:
    return pc.coalesce(first.cast(pa.string()), second.cast(pa.string())).dictionary_encode()


def _joined(path: Values, query: Values | None) -> Values:
    """Target of a path and a query that are logged apart; the query may begin with its question mark (Apache's %q)."""
    if query is None:
        return path
    pairs = pa.table({"path": path.indices, "query": query.indices}).group_by(["path", "query"]).aggregate([])
    stem = path.dictionary.take(pairs["path"].combine_chunks())
    rest = pc.replace_substring_regex(query.dictionary, r"^\?", "").take(pairs["query"].combine_chunks())
    has = pc.and_(pc.fill_null(pc.not_equal(rest, ""), False), pc.invert(_asked(stem, rest)))
    texts = pc.if_else(has, pc.binary_join_element_wise(stem, rest, "?"), stem)
    wide = len(query.dictionary) + 1
    keys, rows = (
        _pair(codes["path"], codes["query"], wide) for codes in (pairs, {"path": path.indices, "query": query.indices})
    )
    order = np.argsort(keys)
    return _encoded(pa.array(order[np.searchsorted(keys[order], rows)]), texts)


def _asked(stems: pa.StringArray, queries: pa.StringArray) -> pa.BooleanArray:
    """Which paths end in their query already: what a log calls a path may be the whole target."""
    asked = pc.fill_null(pc.match_substring(stems, "?"), False).to_numpy(zero_copy_only=False).copy()
    for index in np.flatnonzero(asked).tolist():
        asked[index] = stems[index].as_py().endswith(f"?{queries[index].as_py()}")
    return pa.array(asked)


def _pair(path: pa.Array, query: pa.Array, wide: int) -> np.ndarray:
    """Two codes as one number; null is a code of its own."""
    first, second = (pc.fill_null(pc.cast(codes, pa.int64()), -1).to_numpy() + 1 for codes in (path, query))
    pair: np.ndarray = first * wide + second
    return pair


def _host_of_target(target: Values, host: Values | None) -> Values:
    """The host; that of the target where the target is absolute (RFC 9110 section 7.2: it overrides Host)."""
    found = pc.extract_regex(target.dictionary, _ABSOLUTE)
    if not found.is_valid().to_numpy(zero_copy_only=False).any():
        return host if host is not None else pa.nulls(len(target), TEXT)
    named = pc.if_else(found.is_valid(), found.field(0), pa.scalar(None, pa.string())).take(target.indices)
    own = pa.nulls(len(target), pa.string()) if host is None else host.cast(pa.string())
    return pc.coalesce(named, own).dictionary_encode()
