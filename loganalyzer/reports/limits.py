"""What a limit would have refused and which limits are proposed, for `loganalyzer limits`: text and JSON."""

import json
from collections.abc import Iterator

from loganalyzer.analysis.limits import (
    EffectDocument,
    LimitDocument,
    LimitsDocument,
    ProposalDocument,
    RefusedDocument,
)
from loganalyzer.escape import json_text
from loganalyzer.reports import layout, wording
from loganalyzer.reports.layout import Column, Line, Span, span

MOST_CLIENTS = 20
MOST_REASONS = 8
SMALLEST = ("0", "5", "20")  # bursts shown; JSON has all
CAVEAT = (
    "People are counted by their browsers' user agents: bots that pass for browsers are among them, and one address "
    "may be a whole company. The log is replayed as it is: whoever is refused may come back, or slow down."
)
WHOLE_SECONDS = (
    "The log knows whole seconds: requests of one second count as one moment, so that bursts look tighter than they "
    "were, and more is refused here than a server would. A log with milliseconds says it exactly (loganalyzer formats "
    "--recommend nginx)."
)


def as_json(document: LimitsDocument) -> str:
    """One document with every client, not the first ones only."""
    return json_text(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def as_text(document: LimitsDocument, width: int) -> str:
    """What the limit asked about would have done; or else what is proposed, and for whom nothing. No line too wide."""
    effect = document["effect"]
    lines = [*(_proposals(document, width) if effect is None else _effect(effect, width))]
    if document["whole_seconds"]:
        lines += _paragraph(WHOLE_SECONDS, width)
    return layout.plain([*lines, *_paragraph(CAVEAT, width)])


def words(limit: LimitDocument) -> str:
    """A limit in words: `1r/s with burst 5, by address`."""
    delay = "" if limit["at_once"] is None else f" (delay={limit['at_once']})"
    return f"{limit['rate']} with burst {limit['burst']}{delay}, by {limit['key']}"


def refused(effect: EffectDocument) -> str:
    """What a limit would have refused, in a sentence."""
    share = effect["refused"] / max(effect["requests"], 1)
    return (
        f"{words(effect['limit'])}, would have refused {wording.count(effect['refused'])} of "
        f"{wording.plural(effect['requests'], 'request')} ({wording.share(share)}), "
        f"{wording.size(effect['refused_bytes'])} of answers; /robots.txt stays open."
    )


def people(effect: EffectDocument) -> str:
    """How many people a limit would have met, in a sentence."""
    met = effect["people"]
    if not met["requests"]:
        return "No browser is under this limit: it counts by the names of automated clients."
    return (
        f"People among them: {wording.plural(met['refused'], 'request')} from "
        f"{wording.count(met['refused_addresses'])} of "
        f"{wording.plural(met['addresses'], 'address', 'addresses')} of browsers."
    )


def _effect(effect: EffectDocument, width: int) -> Iterator[Line]:
    yield from _paragraph(refused(effect), width)
    yield from _paragraph(people(effect), width)
    yield ()
    shown = [row for row in effect["clients"] if row["refused"] or row["delayed"]]
    yield from layout.table(
        (
            Column("client", least=12),
            *(Column(title, right=True) for title in ("requests", "refused", "share", "bytes")),
            Column("addresses", right=True, goes=1),
            Column("delayed", right=True, goes=2),
        ),
        [_row(row) for row in shown[:MOST_CLIENTS]],
        width,
    )
    if (left := len(shown) - MOST_CLIENTS) > 0:
        yield from _paragraph(f"and {left:,} more clients (--json has them all)", width)
    whole = len(effect["clients"]) - sum(1 for row in effect["clients"] if row["refused"])
    yield from _paragraph(f"Nothing refused: {wording.plural(whole, 'client')}.", width)
    yield ()


def _row(row: RefusedDocument) -> tuple[Span, ...]:
    return tuple(
        span(text)
        for text in (
            row["client"],
            wording.count(row["requests"]),
            wording.count(row["refused"]),
            wording.share(row["refused_share"]),
            wording.size(row["refused_bytes"]),
            wording.count(row["addresses"]),
            wording.count(row["delayed"]),
        )
    )


def _proposals(document: LimitsDocument, width: int) -> Iterator[Line]:
    rows = document["clients"]
    proposed = [row for row in rows if row["limit"] is not None]
    if not rows:
        yield from _paragraph("No automated client came, and a limit is proposed for no others.", width)
        return
    yield from _paragraph(_norm(document), width)
    yield ()
    yield from _paragraph("The smallest rate that 99 % of a client's requests pass, by burst:", width)
    yield from layout.table(
        (
            Column("client", least=12),
            Column("requests", right=True),
            *(Column(f"burst {burst}", right=True) for burst in SMALLEST),
            Column("lever", goes=1),
        ),
        [_smallest(row) for row in rows[:MOST_CLIENTS]],
        width,
    )
    if (left := len(rows) - MOST_CLIENTS) > 0:
        yield from _paragraph(f"and {left:,} more clients (--json has them all)", width)
    if document["left_out"]:
        yield from _paragraph(f"Not looked at: {document['left_out']:,} smaller clients.", width)
    yield ()
    yield from _paragraph(f"Proposed: {wording.plural(len(proposed), 'limit')}.", width)
    for row in proposed:
        yield from _paragraph(_proposal(row), width)
    if proposed:
        yield from _paragraph("To paste: the same command with --server nginx, or another.", width)
    yield ()
    yield from _reasons([row for row in rows if row["limit"] is None], width)


def _norm(document: LimitsDocument) -> str:
    clients, limit = wording.plural(document["behaved"], "client"), document["norm"]
    if limit is None:
        return f"{clients} came that need no lever: too few, or too far apart, to name a limit by their pace."
    return (
        f"Of the {clients} that need no lever, nine in ten pass {limit['rate']} with burst {limit['burst']} whole: "
        "no client is asked for less at first."
    )


def _smallest(row: ProposalDocument) -> tuple[Span, ...]:
    none = "none" if row["requests"] else "-"
    rates = (row["smallest"][burst] or none for burst in SMALLEST)
    return tuple(span(text) for text in (row["client"], wording.count(row["requests"]), *rates, row["lever"]))


def _proposal(row: ProposalDocument) -> str:
    limit = row["limit"]
    if limit is None:
        return ""
    known = "" if row["named"] == row["requests"] else f" It is known by its name in {row['named']:,} of them."
    others = "".join(f" Refused as well: {other['refused']:,} of {other['client']}." for other in row["others"])
    return (
        f"{row['client']}: {words(limit)}. It would have refused {row['refused']:,} of "
        f"{wording.plural(row['requests'], 'request')}, {wording.size(row['refused_bytes'])}."
        f"{known}{others} {row['why']}"
    )


def _reasons(rows: list[ProposalDocument], width: int) -> Iterator[Line]:
    """Why nothing is proposed: one by one where another lever is due, together where none is."""
    alone = [row for row in rows if row["lever"] == "leave-alone"]
    others = [row for row in rows if row["lever"] != "leave-alone"]
    if others:
        yield from _paragraph("No limit, but something else, for:", width)
    for row in others[:MOST_REASONS]:
        yield from _paragraph(f"{row['client']}: {row['why']}", width)
    if (left := len(others) - MOST_REASONS) > 0:
        yield from _paragraph(f"and {left:,} more, each with its reason (--json)", width)
    if others:
        yield ()
    if alone:
        named = wording.some([row["client"] for row in alone], MOST_REASONS)
        yield from _paragraph(
            "Nothing at all for those that cost little, or that somebody ordered, and that were not measured to go "
            f"against what they were told (each with its numbers by --json): {named}.",
            width,
        )
        yield ()


def _paragraph(text: str, width: int) -> list[Line]:
    return [(Span(line),) for line in layout.wrap(span(text).text, width, 8)]
