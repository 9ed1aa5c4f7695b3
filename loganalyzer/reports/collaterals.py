"""Who else comes from some addresses, for `loganalyzer collateral`: text and JSON."""

import json
from collections.abc import Iterator, Sequence

from loganalyzer.analysis.collateral import CollateralDocument, PartDocument
from loganalyzer.escape import json_text
from loganalyzer.reports import layout, wording
from loganalyzer.reports.layout import Column, Line, span

MOST_CLIENTS = 20
MOST_RANGES = 6
COLUMNS = (
    Column("client", least=12),
    Column("requests", right=True),
    Column("bytes", right=True),
    Column("addresses", right=True),
)
CAVEAT = (
    "People are counted by their browsers' user agents: bots that pass for browsers are among them, and one address "
    "may be a whole company."
)


def as_json(found: Sequence[CollateralDocument]) -> str:
    """One document with every client, not the first ones only."""
    return json_text(json.dumps({"collateral": found}, ensure_ascii=False, indent=2)) + "\n"


def as_text(found: Sequence[CollateralDocument], client: str | None, width: int) -> str:
    """Whom each block would meet, no line wider than `width`."""
    met = [row["client"] for one in found for row in one["clients"]]
    client = next((name for name in met if client and name.casefold() == client.strip().casefold()), client)
    lines = [line for one in found for line in _block(one, client, width)]
    return layout.plain([*lines, *_paragraph(CAVEAT, width)])


def sentences(one: CollateralDocument, client: str | None) -> Iterator[str]:
    """What a block would refuse, and whom it would meet besides."""
    ranges = f" ({wording.some(one['ranges'], MOST_RANGES)})" if client else ""
    aimed, others, people = one["aimed_at"], one["others"], one["people"]
    yield (
        f"Blocking {one['blocked']}{ranges} refuses {wording.plural(one['addresses'], 'address', 'addresses')} of this "
        f"log and {wording.share(one['request_share'])} of its requests."
    )
    if aimed is not None:
        yield f"Meant: {_part(aimed)} of {client}."
    met = f"{_part(others)} of {wording.plural(others['clients'], 'client')}" if others["requests"] else "nobody"
    among = f"people among them: {_part(people)}" if people["requests"] else "no people among them"
    told = f"{met}; {among}" if others["requests"] else f"{met} else in this log" if client else f"{met} in this log"
    yield f"{'Met as well' if client else 'Met'}: {told}."


def _block(one: CollateralDocument, client: str | None, width: int) -> Iterator[Line]:
    for sentence in sentences(one, client):
        yield from _paragraph(sentence, width)
    rows = [
        tuple(
            span(text)
            for text in (
                f"{row['client']} (meant)" if row["client"] == client else row["client"],
                wording.count(row["requests"]),
                wording.size(row["bytes"]),
                wording.count(row["addresses"]),
            )
        )
        for row in one["clients"][:MOST_CLIENTS]
    ]
    yield from layout.table(COLUMNS, rows, width)
    if (left := len(one["clients"]) - MOST_CLIENTS) > 0:
        yield from _paragraph(f"and {left:,} more clients (--json has them all)", width)
    yield ()


def _part(part: PartDocument) -> str:
    return (
        f"{wording.plural(part['requests'], 'request')}, {wording.size(part['bytes'])}, from "
        f"{wording.plural(part['addresses'], 'address', 'addresses')}"
    )


def _paragraph(text: str, width: int) -> list[Line]:
    return [(layout.Span(line),) for line in layout.wrap(span(text).text, width, 6)]
