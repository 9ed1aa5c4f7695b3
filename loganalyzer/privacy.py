"""Privacy: what tells people apart is shortened, hashed or taken out right after reading, before anything uses it.

Nothing downstream sees the original, so no output can hold it: requests are changed value by value (each distinct one
once), the text of rejects is withheld, and `lines` shows the changed request in place of the log's bytes. A line
digest that is kept to know copies by is keyed: else whoever has the store could try the addresses one by one.
"""

import hmac
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.asjson import as_json
from loganalyzer.errors import UsageError
from loganalyzer.held import Rows
from loganalyzer.schema import REQUEST, TEXT

if TYPE_CHECKING:
    from loganalyzer.formats import Log

Anonymize = Literal["truncate", "hash"]
REDACTED = "?redacted"
WITHHELD = b"withheld for privacy"
SHORTEST_KEY = 16  # bytes
IPV4_BITS, IPV6_BITS = 24, 48  # that stay

_OCTET = r"(?:\d{1,3})"
_DOT = r"(?:\.|%(?:25)*2[Ee])"  # also encoded, and that encoded again
_COLON = r"(?::|%(?:25)*3[Aa])"
_IPV4 = re.compile(rf"(?<![\d.])({_OCTET}{_DOT}{_OCTET}{_DOT}{_OCTET}{_DOT}){_OCTET}(?![\d])")
_IPV6 = re.compile(r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{0,4}" + _COLON + r"){2,7}[0-9A-Fa-f]{0,4}(?![0-9A-Fa-f:])")
# What may hold an address; RE2, on distinct values, so that the patterns above see few.
_MAY_HOLD = rf"(?:[0-9]{{1,3}}{_DOT}){{3}}[0-9]|{_COLON}[0-9A-Fa-f]{{0,4}}{_COLON}"
_ENCODED_COLON = re.compile(_COLON)
_QUERY = re.compile(r"\?\S*")
_BEHIND_QUERY = ")]>;,\"'"  # closes what the URL stands in
_HOST = re.compile(r"(?:.*\.)?([^.]+\.[A-Za-z][A-Za-z-]*)")
_PORT = re.compile(r"(?:for=)?\"?(\[[^\]]*\]|[\d.]+)(?::\w+)?\"?", re.IGNORECASE)  # RFC 7239, and as Azure logs
_NOT_FREE = {"source", "method", "protocol", "limit_status", "retry_after", "client_ip", "forwarded_for", "user"}
_FREE = tuple(column.name for column in REQUEST if column.type == TEXT and column.name not in _NOT_FREE)


@dataclass(frozen=True)
class Privacy:
    """What is to be hidden.

    Attributes:
        addresses: "truncate" keeps networks of IPV4_BITS and IPV6_BITS, "hash" gives each address a name that only the
            key tells; null leaves them.
        queries: take the queries out of targets and referers.
        key: of the hash; random by default, so that no two runs give the same names.
        options: as the command line spells all of this.
    """

    addresses: Anonymize | None = None
    queries: bool = False
    key: bytes = field(default_factory=partial(secrets.token_bytes, 32), repr=False)
    options: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether anything is hidden."""
        return self.addresses is not None or self.queries

    @property
    def name(self) -> str | None:
        """What is hidden, for a store to remember; null where nothing is."""
        return " and ".join(filter(None, (self.addresses, "queries" if self.queries else None))) or None

    @property
    def digest_key(self) -> bytes:
        """Key of the line digests that a store keeps; none where it hides nothing."""
        return blake2b(b"lines", key=self.key).digest() if self.active else b""

    def log(self, log: "Log") -> "Log":
        """The same log with everything hidden."""
        if not self.active:
            return log
        requests = log.shelf.changed(log.request_rows, self.requests)
        return replace(
            log,
            request_rows=requests,
            earlier_rows=log.shelf.changed(log.earlier_rows, self.requests),
            reject_rows=log.shelf.changed(log.reject_rows, self.rejects),
            originals=partial(_shown, requests),
            options=(*log.options, *self.options),
            hidden=self.name,
        )

    def requests(self, table: pa.Table) -> pa.Table:
        """A table (schema REQUEST, and perhaps more columns) with everything hidden."""
        for name, change in self._changes().items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.field(place), _mapped(table[name], *change))
        return table

    def rejects(self, table: pa.Table) -> pa.Table:
        """A table (schema REJECT, and more columns) without texts: what is not understood cannot be redacted."""
        if not self.active:
            return table
        place = table.schema.get_field_index("text")
        return table.set_column(place, table.field(place), pa.array([WITHHELD] * table.num_rows, pa.binary()))

    def text(self, text: str) -> str:
        """Any other text, as of an error that shows a line."""
        text = _without_addresses(text) if self.addresses else text
        return _QUERY.sub(_redacted, text) if self.queries else text

    def address(self, address: str) -> str:
        """One address, or the name of a host."""
        return _hashed(address, self.key) if self.addresses == "hash" else _truncated(address)

    def _changes(self) -> dict[str, tuple[Callable[[str], str | None], str | None]]:
        """What is done to the distinct values of each column, and which values at all (RE2; null is all)."""
        changes: dict[str, tuple[Callable[[str], str | None], str | None]] = {}
        if self.addresses:
            changes["client_ip"] = self.address, None
            changes["forwarded_for"] = self._forwarded, None
            changes["user"] = (partial(_hashed, key=self.key) if self.addresses == "hash" else lambda _: None), None
        for name in _FREE if self.active else ():
            looked_at = [_MAY_HOLD] if self.addresses else []
            changes[name] = (
                partial(self._free, whole=name in ("target", "referer", "request_raw")),
                "|".join([*looked_at, *([r"\?"] if self.queries else [])]),
            )
        return changes

    def _forwarded(self, text: str) -> str:
        """X-Forwarded-For: addresses with commas between."""
        return ", ".join(self.address(part.strip()) for part in text.split(","))

    def _free(self, text: str, whole: bool) -> str:
        """A text that may hold addresses and queries; of a URL that is the whole text, all behind the `?` is query."""
        if self.queries and whole:
            path, mark, _ = text.partition("?")
            text = path + (REDACTED if mark else "")
        return self.text(text)


def privacy(anonymize: Anonymize | None, queries: bool, key_file: str | None = None) -> Privacy:
    """What the options of the command line ask for.

    Raises:
        UsageError: a key without a use, or one that cannot be read or is too short to be a secret.
    """
    options = [*(["--anonymize", anonymize] if anonymize else []), *(["--redact", "query"] if queries else [])]
    if key_file is None:
        return Privacy(anonymize, queries, options=tuple(options))
    if anonymize is None and not queries:
        raise UsageError("--key is the key of --anonymize and --redact; give one of them")
    try:
        key = Path(key_file).read_bytes().strip()
    except OSError as error:
        raise UsageError(f"{key_file}: {error.strerror or error}") from error
    if len(key) < SHORTEST_KEY:
        how = "head -c 32 /dev/urandom | base64 > FILE"
        raise UsageError(f"{key_file}: a key has at least {SHORTEST_KEY} bytes: {how}")
    return Privacy(anonymize, queries, blake2b(key).digest(), (*options, "--key", key_file))


def _shown(requests: Rows, source: str, lines: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Some requests of a source as JSON, in place of their original bytes."""
    wanted = pa.array(sorted(set(lines)), pa.int64())
    found = []
    for table in requests.tables():
        mine = pc.equal(table["source"].cast(pa.string()), source)
        found += table.filter(pc.and_(mine, pc.is_in(table["line"], value_set=wanted))).to_pylist()
    for row in sorted(found, key=lambda row: int(row["line"])):
        yield row["line"], as_json(row).encode()


def _mapped(column: pa.ChunkedArray, change: Callable[[str], str | None], where: str | None) -> pa.ChunkedArray:
    """A dictionary column with its distinct values changed; values that become equal become one."""
    chunks = pa.table([column], names=["value"]).unify_dictionaries()["value"].chunks
    if not chunks:
        return column
    values = chunks[0].dictionary
    old = values.to_pylist()
    at = range(len(old)) if where is None else pc.indices_nonzero(pc.match_substring_regex(values, where)).to_pylist()
    for index in at:
        old[index] = change(old[index])
    new = pa.array(old, pa.string()).dictionary_encode()
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(new.indices.take(chunk.indices), new.dictionary) for chunk in chunks], TEXT
    )


def _redacted(query: re.Match[str]) -> str:
    """What takes the place of a query in a text, in front of what closes the brackets around it."""
    return REDACTED + query[0][len(query[0].rstrip(_BEHIND_QUERY)) :]


def _hashed(text: str, key: bytes) -> str:
    return f"h{hmac.digest(key, text.encode(), 'sha256').hex()[:16]}"


def _truncated(address: str) -> str:
    """The network of an address; of the name of a host its domain, where it has more labels than two."""
    try:
        bare = found[1] if (found := _PORT.fullmatch(address)) else address
        known = ip_address(bare.strip("[]").partition("%")[0])
    except ValueError:
        domain = _HOST.fullmatch(address)
        return f"*.{domain[1]}" if domain and domain.start(1) else "*"
    return _network(known)


def _network(address: IPv4Address | IPv6Address) -> str:
    bits = IPV4_BITS if address.version == 4 else IPV6_BITS
    kept = int(address) >> (address.max_prefixlen - bits) << (address.max_prefixlen - bits)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return f"::ffff:{_network(address.ipv4_mapped)}"
    return str(type(address)(kept))


def _without_addresses(text: str) -> str:
    """A text in which every address has lost its last part; three numbers of a version (`rv:1.9.2`) are none."""

    def network(match: re.Match[str]) -> str:
        try:
            return _truncated(str(ip_address(_ENCODED_COLON.sub(":", match[0]))))
        except ValueError:  # a time of day
            return match[0]

    return _IPV6.sub(network, _IPV4.sub(r"\g<1>0", text))
