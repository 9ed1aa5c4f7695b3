"""What user agents claim to be, for `loganalyzer identify`: sentences, a table, JSON lines, and how it was found."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.clients import Client, Registry, identify
from loganalyzer.clients.evidence import WEIGHTS, is_evident, marks
from loganalyzer.clients.identification import Reading, reading
from loganalyzer.escape import inline, json_text
from loganalyzer.reports import layout
from loganalyzer.reports.layout import Column, span

COLUMNS = (
    Column("requests", right=True),
    Column("client", least=12),
    Column("kind", goes=2),
    Column("operator", least=8, goes=3),
    Column("user agent", least=24),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A user agent (null = not sent), and how many requests of a log it came with."""

    user_agent: str | None
    requests: int | None = None


def of_requests(requests: pa.Table) -> list[Asked]:
    """Every distinct user agent of a table (schema REQUEST), most requests first."""
    counts = pc.value_counts(requests["user_agent"].cast(pa.string()))
    found = zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
    return [Asked(*pair) for pair in sorted(found, key=lambda pair: (-pair[1], pair[0] or ""))]


def table(asked: Sequence[Asked], registry: Registry, width: int) -> str:
    """The user agents of a log, one a row, no row wider than `width`."""
    rows = []
    for one in asked:
        client = identify(one.user_agent, registry)
        named = f"{client.name} {client.version or ''}".rstrip() if client.token else client.name
        texts = (f"{one.requests:,}", named, client.kind or "-", client.operator or "-", one.user_agent or "-")
        rows.append([span(text) for text in texts])
    return layout.plain(layout.table(COLUMNS, rows, width))


def line(asked: Asked, registry: Registry, as_json: bool, why: bool = False) -> str:
    """One user agent: a sentence, or a JSON object on one line; with `why`, how it was found (as more lines of text).

    Args:
        asked: the user agent.
        registry: what is known of tokens.
        as_json: an object, of one line whatever it holds.
        why: tell the rule, and each name that was weighed with what spoke for it.
    """
    client = identify(asked.user_agent, registry)
    read = reading(asked.user_agent, registry) if why else None
    if as_json:
        counted = {} if asked.requests is None else {"requests": asked.requests}
        told = {"user_agent": asked.user_agent, **counted, "client": client.name, **asdict(client)}
        return json_text(json.dumps(told | (_why(read) if read else {}), ensure_ascii=False))
    return "\n".join([_sentence(client), *(_weighed(read) if read else ())])


def _sentence(client: Client) -> str:
    facts = [
        f"{client.kind or 'kind unknown'}, {client.purpose or 'purpose unknown'}",
        f"operator {client.operator or 'unknown'}",
        f"version {client.version or 'none'}",
        f"contact {client.contact or 'none'}",
        f"robots.txt name {' then '.join(client.robots_tokens) or 'none'}",
        *(["not a legal robots.txt name by RFC 9309"] if client.token and not client.legal_token else []),
        *client.flags,
    ]
    return inline(f"{client.name}: {'; '.join(facts)}")


def _why(read: Reading) -> dict[str, Any]:
    """How a name was found, as plain values."""
    candidates = []
    for c in read.parsed.candidates:
        weights = {mark: WEIGHTS[mark] for mark in marks(c, read.parsed, read.known)}
        entry = read.known.get(c.order)
        candidates.append(
            {
                "name": c.name,
                "version": c.version,
                "weight": round(sum(weights.values()), 1),
                "marks": weights,
                "part_of_browser": not is_evident(c, read.parsed, read.known),
                "registry": entry.token if entry else None,
                "registry_source": entry.source if entry else None,
            }
        )
    return {"found_by": read.rule, "candidates": candidates}


def _weighed(read: Reading) -> Iterator[str]:
    told = _why(read)
    yield f"  found by: {told['found_by']}"
    for one in told["candidates"]:
        shown = ", ".join(f"{mark} {weight:+g}" for mark, weight in one["marks"].items()) or "nothing speaks for it"
        left = "; left out, as a part of the browser" if one["part_of_browser"] else ""
        known = f"; registry: {one['registry']}, {one['registry_source']}" if one["registry"] else ""
        yield inline(f"  {one['name']}: {one['weight']:g} = {shown}{known}{left}")
