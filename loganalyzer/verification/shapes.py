"""The shapes in which operators publish the addresses of their clients: one declaration each, carrying its sample.

To read another shape, append one here; the first shape that finds a range in a document is the one that reads it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

EACH = "*"  # in a path: every element of a list, every value of an object


class Found(NamedTuple):
    """One range as it is written, and the service it is for, where the document serves several."""

    text: str
    service: str | None


@dataclass(frozen=True)
class Shape:
    """One shape of JSON document."""

    name: str
    publishers: str  # who is known to publish it
    paths: tuple[tuple[str, ...], ...]  # to the ranges
    created: str | None  # key of the instant at which the list was made
    service: str | None  # key beside a range that names what it is for
    sample: str
    holds: tuple[str, ...]  # the ranges of the sample

    def find(self, document: Any) -> list[Found]:
        """Every range of a document; none where it has another shape."""
        return [
            Found(text, None if self.service is None else _text(holder, self.service))
            for path in self.paths
            for holder, text in _walk(None, document, path)
        ]


def _walk(holder: Any, value: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """The texts that a path leads to, each with what holds it."""
    if not path:
        if isinstance(value, str):
            yield holder, value
        return
    key, rest = path[0], path[1:]
    if key == EACH:
        for element in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            yield from _walk(value, element, rest)
    elif isinstance(value, dict) and key in value:
        yield from _walk(value, value[key], rest)


def _text(holder: Any, key: str) -> str | None:
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else None


SHAPES = (
    Shape(
        name="prefixes",  # draft-illyes-aipref-jafar
        publishers="Google, Bing, OpenAI, Anthropic, Perplexity, Apple, Common Crawl, DuckDuckGo, Mistral",
        paths=(("prefixes", EACH, "ipv4Prefix"), ("prefixes", EACH, "ipv6Prefix")),
        created="creationTime",
        service=None,
        sample="""{"creationTime": "2026-11-01T15:00:33.000000",
                   "prefixes": [{"ipv6Prefix": "2001:db8:1::/64"}, {"ipv4Prefix": "192.0.2.0/27"}]}""",
        holds=("192.0.2.0/27", "2001:db8:1::/64"),
    ),
    Shape(
        name="services",
        publishers="Amazon",
        paths=(("prefixes", EACH, "ip_prefix"), ("ipv6_prefixes", EACH, "ipv6_prefix")),
        created="createDate",
        service="service",
        sample="""{"syncToken": "1793500000", "createDate": "2026-11-01-02-03-04",
                   "prefixes": [{"ip_prefix": "198.51.100.0/26", "region": "GLOBAL", "service": "HEALTH"}],
                   "ipv6_prefixes": [{"ipv6_prefix": "2001:db8:2::/56", "region": "GLOBAL", "service": "HEALTH"}]}""",
        holds=("198.51.100.0/26", "2001:db8:2::/56"),
    ),
    Shape(
        name="texts",
        publishers="Ahrefs",
        paths=(("prefixes", EACH), ("ips", EACH, "ip_address")),
        created="creationTime",
        service=None,
        sample='{"prefixes": ["203.0.113.0/28", "2001:db8:3::/48"], "ips": [{"ip_address": "203.0.113.77"}]}',
        holds=("203.0.113.0/28", "2001:db8:3::/48", "203.0.113.77"),
    ),
    Shape(
        name="families",
        publishers="Datadog",
        paths=((EACH, "prefixes_ipv4", EACH), (EACH, "prefixes_ipv6", EACH)),
        created="modified",
        service=None,
        sample="""{"version": 7, "modified": "2026-11-01-00-00-00",
                   "probes": {"prefixes_ipv4": ["192.0.2.64/32"], "prefixes_ipv6": ["2001:db8:4::7/128"]}}""",
        holds=("192.0.2.64/32", "2001:db8:4::7/128"),
    ),
    Shape(
        name="array",
        publishers="Checkly, and tables that were made JSON",
        paths=((EACH,), (EACH, "ip"), (EACH, "ip_address"), (EACH, "cidr")),
        created=None,
        service=None,
        sample='["192.0.2.9", {"ip": "192.0.2.10/32"}, {"cidr": "198.51.100.128/25"}]',
        holds=("192.0.2.9", "192.0.2.10/32", "198.51.100.128/25"),
    ),
)

# Documents of many services hold those of a client under this name; all others of the document are its operator's
# customers, and prove nothing.
SERVICES = {"Amazon-Route53-Health-Check-Service": "ROUTE53_HEALTHCHECKS"}
