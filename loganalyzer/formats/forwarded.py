"""Whose request it is where a proxy passes it on: which address of X-Forwarded-For is taken for the client's.

Each proxy appends the address that it was called from; what stands before that, the caller wrote itself. So only the
end of the list can be trusted, as far back as one's own proxies go.
"""

from ipaddress import ip_address, ip_network

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.errors import UsageError
from loganalyzer.schema import TEXT

RULES = {
    "as-logged": "the address that the server logged as the client's",
    "rightmost-untrusted": "the last address of X-Forwarded-For that is not of a private network",
}
# RFC 1918, 6598, 3927, 4193, 4291: nobody calls from there through the Internet.
_PRIVATE = [
    ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
]


def notes(rule: str) -> list[str]:
    """What a reader of the log should know, where the client is not the one that was logged."""
    return [] if rule == "as-logged" else [f"of each request the client is {RULES[rule]} (--xff)"]


def check(rule: str) -> None:
    """Refuse a rule that there is not, before anything is read.

    Raises:
        UsageError: there is no such rule.
    """
    if rule not in RULES:
        raise UsageError(f"there is no rule {rule} for X-Forwarded-For; rules are {', '.join(RULES)}")


def clients(requests: pa.Table, rule: str) -> pa.Table:
    """The requests (schema REQUEST) with `client_ip` by a rule; as logged where the list has no such address."""
    if rule == "as-logged" or not requests.num_rows:
        return requests
    lists = requests["forwarded_for"].unify_dictionaries().combine_chunks()
    if isinstance(lists, pa.ChunkedArray):  # pyarrow keeps some columns in chunks
        lists = pa.concat_arrays(lists.chunks)
    found = pa.array([text and rightmost(text) for text in lists.dictionary.to_pylist()], pa.string())
    taken = found.take(lists.indices)
    logged = requests["client_ip"].cast(pa.string())
    column = pc.coalesce(taken, logged.combine_chunks()).dictionary_encode().cast(TEXT)
    place = requests.schema.get_field_index("client_ip")
    return requests.set_column(place, requests.schema.field(place), column)


def rightmost(forwarded_for: str) -> str | None:
    """The last address of a list that is not of a private network; null for none, or if what follows it is no address.

    An address may stand in brackets and have a port (RFC 7239 writes it so, and some proxies follow).
    """
    for part in reversed(forwarded_for.split(",")):
        text = _bare(part.strip())
        try:
            address = ip_address(text)
        except ValueError:
            return None  # a name, `unknown`, or what somebody made up
        if not any(address in network for network in _PRIVATE):
            return text
    return None


def _bare(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
