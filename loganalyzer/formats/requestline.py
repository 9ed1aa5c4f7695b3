"""Request lines to method, target and protocol.

Most are three words. Those are cut at their blanks, all at once; the pattern is for the others: blanks inside the
target, no protocol, no HTTP at all.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# A method is a token (RFC 9110 section 5.6.2); the last word is a protocol only as HTTP/d or HTTP/d.d (section 2.5).
# Without one (HTTP/0.9, or cut by the server) only letters followed by a target make a request.
_PATTERN = (
    r"(?s)^(?:(?P<method>[!#$%&'*+.^_`|~0-9A-Za-z-]+) +(?P<target>[^ ].*?) +(?P<protocol>HTTP/\d(?:\.\d)?)"
    r"|(?P<verb>[A-Za-z]+) +(?P<bare>(?:/|https?://|\*).*?)) *$"
)
_METHOD, _PROTOCOL = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", r"^HTTP/\d(\.\d)?$"
_BLANK = ord(" ")


def parts(lines: pa.StringArray) -> dict[str, pa.StringArray]:
    """Method, target and protocol of distinct request lines; `request_raw` holds those that are not HTTP.

    Args:
        lines: after undoing the writer's escaping; null where none is logged.
    """
    words, plain = _three_words(lines)
    rest = pa.array(~plain)
    matched = _matched(lines.filter(rest))
    columns = {
        name: pc.replace_with_mask(words[name], rest, matched[name]) for name in ("method", "target", "protocol")
    }
    columns["request_raw"] = pc.if_else(columns["method"].is_null(), lines, pa.scalar(None, pa.string()))
    return columns


def _three_words(lines: pa.StringArray) -> tuple[dict[str, pa.StringArray], np.ndarray]:
    """Words of the lines that are a method, a target and a protocol, and which those are."""
    offsets = np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]
    text = lines.buffers()[2] or pa.py_buffer(b"")
    blanks = np.append(np.flatnonzero(np.frombuffer(text, np.uint8)[: offsets[-1]] == _BLANK), offsets[-1])
    starts, ends = offsets[:-1], offsets[1:]
    first = np.searchsorted(blanks, starts)
    plain = np.searchsorted(blanks, ends) - first == 2
    one, two = (np.where(plain, blanks[np.minimum(first + k, len(blanks) - 1)], starts) for k in range(2))
    plain &= (one > starts) & (two > one + 1) & (two + 1 < ends)
    one, two = np.where(plain, one, starts), np.where(plain, two, starts)
    method, method_fits = _short(text, starts, one, _METHOD)
    protocol, protocol_fits = _short(text, np.where(plain, two + 1, starts), np.where(plain, ends, starts), _PROTOCOL)
    target = _slices(text, np.where(plain, one + 1, starts), two)
    return {"method": method, "target": target, "protocol": protocol}, plain & method_fits & protocol_fits


def _short(text: pa.Buffer, starts: np.ndarray, ends: np.ndarray, pattern: str) -> tuple[pa.StringArray, np.ndarray]:
    """Words of which there are few distinct ones, and which fit a pattern."""
    words = _slices(text, starts, ends).dictionary_encode()
    fits: np.ndarray = pc.match_substring_regex(words.dictionary, pattern).to_numpy(zero_copy_only=False)
    return words.dictionary.take(words.indices), fits[words.indices.to_numpy()]


def _slices(text: pa.Buffer, starts: np.ndarray, ends: np.ndarray) -> pa.StringArray:
    """Texts between ascending places; they do not overlap, so every second value between all places is one of them."""
    places = np.empty(2 * len(starts) + 1, np.int32)
    places[0:-1:2], places[1::2], places[-1] = starts, ends, ends[-1] if len(ends) else 0
    pieces = pa.Array.from_buffers(pa.string(), 2 * len(starts), [None, pa.py_buffer(places), text])
    return pieces.take(pa.array(np.arange(0, 2 * len(starts), 2)))


def _matched(lines: pa.StringArray) -> dict[str, pa.StringArray]:
    """Parts by the pattern; null where it does not match."""
    found = pc.extract_regex(lines, _PATTERN)
    method, target, protocol, verb, bare = (found.field(k) for k in range(5))
    none = pa.scalar(None, pa.string())
    http, no_protocol = found.is_valid(), pc.equal(protocol, "")
    return {
        "method": pc.if_else(http, pc.if_else(no_protocol, verb, method), none),
        "target": pc.if_else(http, pc.if_else(no_protocol, bare, target), none),
        "protocol": pc.if_else(pc.and_(http, pc.invert(no_protocol)), protocol, none),
    }
