"""One spelling of every path: percent-encoding of rules and targets, before any octet is compared.

RFC 9309 section 2.2.2 wants octets outside ASCII encoded and escaped unreserved characters decoded on both sides.
Google's parser encodes and upper-cases, but decodes nothing. All functions are linear in the octets.
"""

import re
from typing import Literal

Profile = Literal["rfc", "google"]

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986 section 2.3
NOT_ASCII = frozenset(range(0x80, 0x100))
UNSAFE = frozenset(b' "<>\\^`{|}\x7f') | frozenset(range(0x20)) | NOT_ASCII  # never raw in a URI
HEX = "0123456789ABCDEFabcdef"

_ESCAPE_OR_UNSAFE = re.compile(rb'%[0-9A-Fa-f]{2}|[\x00-\x20"<>\\^`{|}*$\x7f-\xff]')
_ABSOLUTE = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_KEPT_OCTET = re.compile(r"\\x([89a-fA-F][0-9a-fA-F])")


def _escaped(octets: frozenset[int]) -> dict[bytes, bytes]:
    return {bytes([octet]): b"%%%02X" % octet for octet in octets}


def _respelt_escapes(decoded: frozenset[int]) -> dict[bytes, bytes]:
    """Canonical spelling of every escape: upper case, or the octet itself where it is to be decoded."""
    escapes = [(int(high + low, 16), f"%{high}{low}") for high in HEX for low in HEX]
    return {text.encode(): bytes([octet]) if octet in decoded else text.upper().encode() for octet, text in escapes}


# What replaces what, by profile. RFC: the same for both sides, but that `*` and `$` are plain characters in a target
# and a rule names them as %2A and %24 (section 2.2.3).
_RULE: dict[Profile, dict[bytes, bytes]] = {
    "rfc": _escaped(UNSAFE) | _respelt_escapes(UNRESERVED),
    "google": _escaped(NOT_ASCII) | _respelt_escapes(frozenset()),
}
# google/robotstxt changes nothing in the target, not even the case of an escape.
_TARGET: dict[Profile, dict[bytes, bytes]] = {"rfc": _RULE["rfc"] | _escaped(frozenset(b"*$")), "google": {}}

# RE2 patterns of path and query that are canonical as they stand: the many targets that need no work.
PLAIN: dict[Profile, str] = {
    "rfc": r"^/(?:[A-Za-z0-9._~/?&=:;,+@!'()\[\]-]"
    r"|%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]))*$",
    "google": r"^/[!-\"$-\[\]-~]*$",
}


def octets(text: str | bytes) -> bytes:
    r"""Octets of a logged text, with `\\xHH` of a byte that was no UTF-8 (see schema) made that byte again."""
    if isinstance(text, bytes):
        return text
    if "\\x" in text:
        text = _KEPT_OCTET.sub(lambda found: chr(0xDC00 + int(found[1], 16)), text)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")


def path_and_query(target: bytes) -> bytes:
    """Path and query of a request target, from the first `/`; no scheme, authority or fragment.

    Forms without a path (`*`, `host:443`) get a `/` in front: the replay leaves them unjudged beforehand.
    """
    if not target.startswith(b"/") and (absolute := _ABSOLUTE.match(target)):
        target = target[absolute.end() :]
    target = target.partition(b"#")[0]
    return target if target.startswith(b"/") else b"/" + target


def canonical_target(target: str | bytes, profile: Profile) -> bytes:
    """Canonical path and query of a request target as logged."""
    table = _TARGET[profile]
    return _ESCAPE_OR_UNSAFE.sub(lambda found: table.get(found[0], found[0]), path_and_query(octets(target)))


def canonical_rule(pattern: bytes, profile: Profile) -> bytes:
    """Canonical pattern of an Allow or Disallow line; `*` and a last `$` keep their special meaning."""
    table = _RULE[profile]
    spelt = _ESCAPE_OR_UNSAFE.sub(lambda found: table.get(found[0], found[0]), pattern)
    if profile == "rfc" and b"$" in spelt[:-1]:
        spelt = spelt[:-1].replace(b"$", b"%24") + spelt[-1:]
    return spelt


def authority(target: str) -> str | None:
    """Host and port that an absolute-form target names (RFC 9112 section 3.2.2); null for any other form."""
    absolute = _ABSOLUTE.match(octets(target))
    return absolute[0].decode("utf-8", "replace").partition("://")[2].rpartition("@")[2] if absolute else None
