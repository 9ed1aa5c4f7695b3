r"""RE2 patterns of a layout: to the letter, and as real logs bend it.

Both are linear in the line: RE2 does not backtrack. Arrow matches binary values in Latin-1, so any byte passes; that is
why literals are spelled byte by byte. What stands around a capture decides what its value may hold:

=============  ==========================================  =======================================================
place          to the letter                               leniently
=============  ==========================================  =======================================================
`"$x"`         anything; a backslash guards the next byte  also raw quotes (Apache before 1.3.25, IIS converters)
`[$x]`         anything but `]`                            the same
tabs around    anything but a tab                          the same
`|` between    anything but it                             what clients send may hold it
bare           no blank                                    lists of addresses, a user with blanks, what upstreams gave
=============  ==========================================  =======================================================
"""

import re
from collections.abc import Iterator, Mapping

from loganalyzer.formats import strftime
from loganalyzer.formats.model import Capture, Field
from loganalyzer.formats.strftime import literal

Layout = tuple[str | Capture, ...]

# A byte order mark and the zero bytes that a file system leaves after a crash stand before a good line.
START = r"^(?:\xEF\xBB\xBF)?\x00*"
END = r"[ \t\r\n]*$"

_QUOTED = r'(?:[^"\\]|\\.)*'
# A raw quote inside a value touches text on both sides; a blank beside it is another value or another record.
_RAW_QUOTES = r'(?:[^"\\]|\\.|[^ "]"[^ "])*?'
# A raw quote in a request line is its end only before a status.
_RAW_REQUEST = r'(?:[^"\\]|\\.|"[^ ]|" [^0-9-])*?'
_BARE = r"[^ \r\n]+"
_BARE_OR_QUOTED = r'[^ "\r\n][^ \r\n]*'  # the bare alternative where a value may be quoted instead
# dd/Mon/yyyy:hh:mm:ss +hhmm outside brackets, or yyyy-mm-dd hh:mm:ss +hhmm.
_STAMP = r"[^ ]+(?: \d\d:[^ ]+)?(?: [+-]\d\d:?\d\d)?"
_BEFORE_CLIENT = r'(?:[^ "\[]+ +)??'
_BRACKETED = r"[^\]]*"
_CLF = r"\d\d/[A-Za-z]{3}/\d{4}:[^\]]*"
# Words of a user's name: no `-` and no address, which are values of their own; no colon (RFC 7617 section 2).
_NAME = r'(?:[^ \[\]":0-9-][^ \[\]":]*|[0-9][^ \[\]":.]*)'
_USER = f"(?:-|{_NAME}(?: +{_NAME})*)"
_ANY_USER = r'[^\[\]"]+?'
# A number in the place of ident (RFC 1413) is an address: another word stands before it that is not in the layout.
_IDENT = r"(?:-|[^ 0-9][^ ]*)"
_HOST = r'[^/ ,"\\\t\r\n]*'
_V4, _V6 = r"\d{1,3}(?:\.\d{1,3}){3}", r"[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[^ ]+)?"
# What stands where a name should and holds a colon, a quote or a bracket was put in front by somebody else.
_PORT = r"(?::\d{1,5})?"
_CLIENT = rf'(?:[^ \r\n":/()\[\]=]+{_PORT}|{_V6}|\[{_V6}\]{_PORT}|unix:)'
_PASSED_ON = rf"(?:{_V4}{_PORT}|{_V6}|\[{_V6}\]{_PORT}|unknown)"
_FORWARDED = rf"(?:{_PASSED_ON}(?:, ?{_PASSED_ON})*|-|)"
_VHOST = rf'(?:[^ \r\n",:/()\[\]=|]+|\[{_V6}\]){_PORT}'
# Values that are read over, whatever they hold.
ANYTHING = {"rest": r".*", "words": r".*?", "captures": r"(?:\{.*\} )?", "fwd": r'(?:fwd="[^"]*" )?'}
# Values that look like nothing else: they tell formats of many bare words apart.
_KNOWN = {
    ("time", "iso"): r"\d{4}-\d\d-\d\d[Tt_][^ \]]*",
    ("time", "epoch"): r"\d{1,19}(?:\.\d+)?",
    ("date", "text"): r"\d{4}-\d\d-\d\d",
    ("clock", "text"): r"\d\d:\d\d:\d\d[^ \t\r\n]*",
    ("host", "dotted"): r"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+|localhost)(?::\d{1,5})?",
    ("client_ip", "numeric"): rf"(?:{_V4}|{_V6})",
    ("host", "named"): r"(?:(?:[A-Za-z0-9_-]+\.)+[A-Za-z][A-Za-z0-9-]+|localhost)(?::\d{1,5})?",
    # A connection that carried none has a `-` for each of its parts.
    ("request", "http"): r'(?:[^"\\ -]|\\.|-[^" ]|- [^" -]|- - [^" -])(?:[^"\\]|\\.)*',
    # Of several, or one address: a name alone is a host, and so is an address with a port.
    ("forwarded_for", "list"): rf"(?:[^ ,\"]+(?:, ?[^ ,\"]+)+|{_V4}|{_V6}|-)",
    ("request_time_s", "pointed"): r"\d{1,6}\.\d{3}",  # $request_time of nginx
    ("", "code"): r"\d+",  # read over
    ("status", "code"): r"\d+",  # a load balancer writes - for a connection that is not HTTP
}
_LOOKS = ("numeric", "dotted", "named", "list", "pointed", "http")
TELLING = {pattern for (_, read), pattern in _KNOWN.items() if read in _LOOKS}
_SEPARATORS = "|;^~"
_SENT = {"request", "target", "path", "query", "referer", "user_agent"}  # columns that hold what clients send
_NAMED = r'(?:[^ ,"-][^ ,]*|-[^ ,]+)(?:(?:,| :) ?[^ ,]+)*,?'
_LIST = r"[^ ,]+(?:(?:,| :) ?[^ ,]+)*,?"
_CLIENTS = r'[^ ,"][^ ,]*(?:(?:,| :) ?[^ ,]+)*,?'


def separator(layout: Layout) -> str | None:
    """The character that stands apart all values of a layout; null where blanks, quotes and brackets do."""
    if "\t" in layout:
        return "\t"
    between = [piece for piece in layout[1:-1] if isinstance(piece, str)]
    return next((sign for sign in _SEPARATORS if between and all(sign in text for text in between)), None)


def strict(layout: Layout, names: Mapping[int, str], quotable: bool = False, looks: bool = False) -> Iterator[str]:
    """Pattern of each piece to the letter.

    Args:
        layout: literal texts and captures.
        names: group name of each capture that is wanted, by its index.
        quotable: whether any bare value may be quoted instead; its group is then `name` or `name2`.
        looks: whether a client, a host in front and a list of addresses must look like one. That tells formats apart;
            a line of a known format may hold anything there.
    """
    for index, piece in enumerate(layout):
        if isinstance(piece, str):
            yield literal(piece)
        else:
            value = (looks and _looking(layout, index)) or strict_value(layout, index, quotable)
            if names.get(index) == "time" and value == _BRACKETED and piece.field and piece.field.read == "clf":
                value = _CLF  # written dates are other formats; leniently all is taken, and what is no instant told of
            yield _grouped(names.get(index, ""), value, quotable)


def lenient(
    layout: Layout, names: Mapping[int, str], quotable: bool = False, given: bool = False, looks: bool = False
) -> Iterator[str]:
    """Pattern of each piece leniently; arguments as for `strict`.

    Args:
        layout: literal texts and captures.
        names: group names.
        quotable: as above.
        given: by the operator, who knows: what stands for the `-` of `$remote_addr - $remote_user` is read over.
        looks: whether a host in front must look like one.
    """
    who = _who(layout)
    parts = list(_bent(layout, names, quotable, given, looks))
    if who:  # in one part: a prefix of the pattern, which tells where reading stops, has to be a pattern too
        ident = "".join(parts[who.start : who[-1]]).removeprefix(" +")
        parts[who[-1]] = f"(?:(?:{ident})?{parts[who[-1]]} +)?"
        parts[who.start : who.stop - 1] = [" +", *[""] * (len(who) - 2)]
        parts[who.stop] = parts[who.stop].removeprefix(" +")
    yield from parts


def marks(layout: Layout, given: bool = False) -> Iterator[str]:
    """Texts that every line holds which a layout reads, to the letter or leniently, once runs of blanks are one."""
    who = _who(layout)
    for index, piece in enumerate(layout):
        if (
            not isinstance(piece, str)
            or index in who
            or _may_lack(layout, index)
            or (given and "-" in piece.split(" "))
        ):
            continue
        text = re.sub(" +", " ", piece.removeprefix(" ") if index == who.stop else piece)
        if text.strip():
            yield text


def _bent(layout: Layout, names: Mapping[int, str], quotable: bool, given: bool, looks: bool) -> Iterator[str]:
    """Lenient pattern of each piece by itself."""
    for index, piece in enumerate(layout):
        if piece == '"' and _may_lack(layout, index):
            yield r'(?:"|[ \t\r\n]*$)'
        elif _may_lack(layout, index):
            yield ":?"
        elif isinstance(piece, str):
            words = [r"[^ ]+" if given and word == "-" else literal(word) for word in piece.split(" ")]
            yield " +".join(words)
        elif _port(layout, index):
            yield r"\d*"
        else:
            before = _BEFORE_CLIENT if not given and _leads(layout, index) else ""
            look = _looking(layout, index) if looks and _hosted(layout, index) else None
            value = look or _lenient_value(layout, index, quotable, given)
            yield before + _grouped(names.get(index, ""), value, quotable)


def _may_lack(layout: Layout, index: int) -> bool:
    """Whether a line may lack this literal text: the last quote of a line that was cut, the colon before no port."""
    piece = layout[index]
    return (piece == '"' and _unclosed(layout, index)) or (piece == ":" and _port(layout, index + 1))


def _leads(layout: Layout, index: int) -> bool:
    """Whether a host may stand before the client: nginx writes an empty $host as nothing, so not on every line.

    Only where the format reads over things anyway; other formats leave such lines to those that know the host.
    """
    fields = [_field(layout, place) for place in range(len(layout))]
    first, last = fields[0], fields[-1]
    hosted = any(field.column == "host" for field in fields if field)
    return index == 0 and not hosted and bool(first and last and (first.column, last.read) == ("client_ip", "rest"))


def _who(layout: Layout) -> range:
    """The pieces behind the client up to the user: some servers leave out the ident, or both (`%h %t "%r"`).

    Only where the client comes first: else what stands before it would be the client, and the client a name.
    """
    fields = [_field(layout, index) for index in range(len(layout))]
    columns = [field.column if field else None for field in fields]
    if [column for column in columns if column][:1] != ["client_ip"] or "user" not in columns:
        return range(0)
    first, last = columns.index("client_ip") + 1, columns.index("user")
    between = [piece for piece, field in zip(layout[first:last], fields[first:last], strict=True) if field is None]
    blank = all(isinstance(piece, str) and piece.strip() in ("", "-") for piece in between)
    others = {field.read for field in fields[first:last] if field} - {"ident"}
    behind = layout[last + 1] if last + 1 < len(layout) else ""
    return range(first, last + 1) if first < last and blank and not others and behind == " [" else range(0)


def _port(layout: Layout, index: int) -> bool:
    """Whether a capture is the port behind a host (`%v:%p`): it is left out where it is the scheme's own."""
    if not 1 < index < len(layout) or layout[index - 1] != ":" or isinstance(layout[index], str):
        return False
    host = _field(layout, index - 2)
    return _field(layout, index) is None and host is not None and host.column == "host"


def _unclosed(layout: Layout, index: int) -> bool:
    """Whether a quote may be missing: it closes a request line that syslog may cut, and nothing else is behind it."""
    request, behind = _field(layout, index - 1), _field(layout, len(layout) - 1)
    return index == len(layout) - 2 and bool(request and request.column == "request" and behind is not None)


def strict_value(layout: Layout, index: int, quotable: bool) -> str:
    """Pattern of a capture's value to the letter."""
    before, after, inside = _around(layout, index)
    field = _field(layout, index)
    if _meets_target(layout, index):
        return _HOST
    if inside:
        return _told(field) or (_QUOTED if after == '"' else _QUOTED + "?")
    bare = _BARE_OR_QUOTED if quotable else _BARE
    return _placed(field, before, after) or _apart(layout) or bare


def _looking(layout: Layout, index: int) -> str | None:
    """Pattern of a client, a host in front or a list of addresses as nearly all are; null for another value."""
    before, after, inside = _around(layout, index)
    field = _field(layout, index)
    if field is None or field.read in _LOOKS:
        return None
    if inside:
        return _FORWARDED if field.column == "forwarded_for" and before == after == '"' else None
    if after != " ":
        return None
    return _VHOST if _hosted(layout, index) else _CLIENT if field.column == "client_ip" else None


def _hosted(layout: Layout, index: int) -> bool:
    """Whether a capture is a host in front."""
    field = _field(layout, index)
    return index == 0 and field is not None and field.column == "host"


def _lenient_value(layout: Layout, index: int, quotable: bool, given: bool) -> str:
    before, after, inside = _around(layout, index)
    field = _field(layout, index)
    column, read = (field.column, field.read) if field else ("", "")
    if _meets_target(layout, index):
        return _HOST
    if inside and read == "named":  # a request to an address, or without a host
        return rf"(?:{_told(field)}|{_V4}{_PORT}|\[{_V6}\]{_PORT}|-)"
    if inside:
        return _told(field) or (_RAW_REQUEST if column == "request" else _RAW_QUOTES)
    if placed := _placed(field, before, after):
        return placed
    if read == "number":
        return r"(?:\d+|-)"
    if apart := _apart(layout):
        return r"[^\r\n]*?" if column in _SENT else apart
    if read == "ident" and not given:
        return _IDENT
    if column == "user" and field and field.blanks:
        return _ANY_USER if given else _USER
    if column == "client_ip" and _who(layout):  # where less may follow it, ` - - [` is a line that lost its client
        return _NAMED
    if column == "client_ip":
        return _CLIENTS
    if field is None or column in ("forwarded_for", "request_time_s"):
        return _LIST
    return _BARE_OR_QUOTED if quotable else _BARE


def _told(field: Field | None) -> str | None:
    """Pattern of a value that is told by its look, in quotes too."""
    return _KNOWN[field.column, field.read] if field and field.read in _LOOKS else None


def _meets_target(layout: Layout, index: int) -> bool:
    """Whether a host is written right before a target (`$scheme://$host$request_uri`), which begins with a slash."""
    pair = [_field(layout, place) for place in (index, index + 1)] if index + 1 < len(layout) else [None, None]
    return [field and field.column for field in pair] in (["host", "target"], ["host", "path"])


def _placed(field: Field | None, before: str, after: str) -> str | None:
    """Pattern of a value that its place decides; nothing for a bare one."""
    if field and field.read in ANYTHING:
        return ANYTHING[field.read]
    if field and field.column == "time" and field.read.startswith(("%", "written")):
        return strftime.pattern(field.read)
    if field and (known := _KNOWN.get((field.column, field.read))) and not field.blanks:
        return known
    if before == "[" and after == "]":
        return _BRACKETED
    if field and (field.read == "clf" or (field.column == "time" and field.blanks)):
        return _STAMP
    return r"[^\t\r\n]*" if "\t" in (before, after) else None


def _apart(layout: Layout) -> str | None:
    """Pattern of a value where one character stands between all; tabs are a matter of their neighbours."""
    sign = separator(layout)
    return rf"[^{literal(sign)}\r\n]*" if sign and sign != "\t" else None


def _around(layout: Layout, index: int) -> tuple[str, str, bool]:
    """The characters before and after a capture, and whether it stands inside quotes."""
    texts = [piece if isinstance(piece, str) else "" for piece in layout]
    quotes = sum(text.count('"') for text in texts[:index])
    return "".join(texts[max(index - 1, 0) : index])[-1:], "".join(texts[index + 1 : index + 2])[:1], quotes % 2 == 1


def _field(layout: Layout, index: int) -> Field | None:
    piece = layout[index]
    return piece.field if isinstance(piece, Capture) else None


def _grouped(name: str, value: str, quotable: bool) -> str:
    if quotable:
        return f'(?:"{_grouped(name, _QUOTED, False)}"|{_grouped(name and name + "2", value, False)})'
    return f"(?P<{name}>{value})" if name else f"(?:{value})"
