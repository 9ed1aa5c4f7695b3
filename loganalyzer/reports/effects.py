"""What a draft of robots.txt would change, in words: sections for people, and one JSON document for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from loganalyzer.drafts import Break, Effect, Saving
from loganalyzer.drafts.policy import Written
from loganalyzer.drafts.weight import INTERVAL
from loganalyzer.etiquette import fill
from loganalyzer.reports.layout import Column
from loganalyzer.reports.mistakes import Linted
from loganalyzer.reports.sections import Answer, Section
from loganalyzer.reports.wording import plural, share, size, some

SCHEMA_VERSION = 1
TITLE = "What the draft of robots.txt would change"
MOST_CLIENTS = 50  # JSON has them all
MOST_FINDINGS = 20
CLIENTS = (
    Column("client", least=12),
    Column("so far", least=8),
    Column("forbidden", right=True),
    Column("bytes", right=True, goes=1),
    Column("saves", right=True),
    Column("between", right=True, goes=2),
    Column("allowed", right=True, goes=3),
)
BASE = (
    "Each client is weighted by the judged requests in which it kept robots.txt so far, with its interval "
    f"({INTERVAL}); the ends for all are those of the clients added up. Who was measured to go against it "
    "is not counted on; of whom too little is known, or who is not bound, none to all may stay away."
)
_BREAKS = {
    "search pages": "{who} may no longer fetch {targets} that people reach from {through} ({requests:visits})",
    "rendering": "{who} may no longer fetch {targets} that pages load (people loaded them {requests:times}): it would "
    "see the pages without",
    "feeds": "{who} may no longer fetch {targets} with news for it ({requests:requests})",
    "sitemaps": "{who} may no longer fetch {targets} that it asked for as a sitemap ({requests:requests})",
    "sitemap lines": "{targets} of {who} left out of the draft",
}


def answer(effect: Effect, robots: Sequence[str], draft: Sequence[str], linted: Sequence[Linted]) -> Answer:
    """What a draft would change."""
    return Answer(TITLE, sections(effect, linted), document(effect, robots, draft, linted))


def written(effect: Effect, robots: Sequence[str], done: Written, linted: Sequence[Linted]) -> Answer:
    """A robots.txt written from a policy, and what it would change."""
    text = done.data.decode("utf-8", "backslashreplace")
    told = [Section("robots.txt", copy=text), Section("What it cannot say", done.notes), *sections(effect, linted)]
    policy = {"robots_txt": text, "notes": list(done.notes), "unnamed": list(done.unnamed)}
    return Answer("A draft of robots.txt", told, policy | document(effect, robots, ["robots.txt"], linted))


def sentences(effect: Effect) -> list[str]:
    """The effect in two sentences."""
    return [line for line in _summary(effect) if line != BASE]


def document(effect: Effect, robots: Sequence[str], draft: Sequence[str], linted: Sequence[Linted]) -> dict[str, Any]:
    """The effect as plain values: shares are fractions of one of the whole log."""
    return {
        "schema_version": SCHEMA_VERSION,
        "robots": list(robots),
        "draft": list(draft),
        "interval": INTERVAL,
        "totals": {"requests": saving(effect.requests), "bytes": saving(effect.bytes)}
        | {"allowed_requests": effect.allowed_requests, "untold_requests": effect.untold_requests},
        "clients": effect.clients.to_pylist(),
        "unmoved": [row["client"] for row in effect.unmoved],
        "breaks": [asdict(broken) for broken in effect.breaks],
        "lint": [
            {"file": one.file, "counts": one.counts, "findings": [asdict(finding) for finding in one.findings]}
            for one in linted
        ],
    }


def saving(amount: Saving) -> dict[str, float | None]:
    """A saving as plain values, with its share of the whole log."""
    return asdict(amount) | {"share": None if amount.expected is None else amount.share(amount.expected)}


def sections(effect: Effect, linted: Sequence[Linted]) -> list[Section]:
    """Everything that is to be told of a draft."""
    rows = effect.clients.to_pylist()
    return [
        Section("In all", list(_summary(effect))),
        Section("Clients", list(_more(rows)), CLIENTS, [_client(row) for row in rows[:MOST_CLIENTS]]),
        Section("Who will not care (measured)", [f"{row['client']}: {row['why']}" for row in effect.unmoved]),
        Section("What it breaks", [broken(one) for one in effect.breaks]),
        Section("Rules and examples", [line for row in rows[:MOST_CLIENTS] for line in examples(row)]),
        Section("Mistakes in the draft", [line for one in linted for line in _mistakes(one)]),
    ]


def _summary(effect: Effect) -> Iterator[str]:
    if not effect.changes:
        yield "Nothing changes for any automated client of this log."
    if effect.requests.forbidden:
        yield (
            f"It newly forbids {plural(effect.requests.forbidden, 'request')} "
            f"({share(effect.requests.share(effect.requests.forbidden))} of the log) and "
            f"{size(effect.bytes.forbidden)} ({share(effect.bytes.share(effect.bytes.forbidden))})."
        )
        yield (
            f"It would save {between(effect.requests)} of requests and {between(effect.bytes)} of bytes if clients "
            f"behave as before."
        )
        yield BASE
    if effect.allowed_requests:
        yield (
            f"It opens what {plural(effect.allowed_requests, 'request')} of the log asked for and the file in force "
            f"forbids; how many more would come is not known."
        )
    if effect.untold_requests:
        yield (
            f"{plural(effect.untold_requests, 'request')} left out: the log does not tell their host, and several "
            f"files differ."
        )


def between(saving: Saving) -> str:
    """An expected saving with its range, as shares of the whole log."""
    low, high = (share(saving.share(amount)) for amount in (saving.low, saving.high))
    expected = "an unknown part" if saving.expected is None else share(saving.share(saving.expected))
    return f"{expected} ({low} to {high})"


def _more(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if (left := len(rows) - MOST_CLIENTS) > 0:
        yield f"The first {MOST_CLIENTS:,} by bytes; {left:,} more clients change too (--json has them all)."


def saves(row: Mapping[str, Any]) -> str:
    """The bytes that a client is expected to leave, with the range; what is newly forbidden to it is the whole."""
    expected = "unknown" if row["saves_bytes"] is None else size(row["saves_bytes"])
    return f"{expected} ({ends(row)})"


def saves_briefly(row: Mapping[str, Any]) -> str:
    """The same with each unit once: "5.7 (5.1–6.0) MB"."""
    amounts = [row["saves_bytes"], row["saves_bytes_low"], row["saves_bytes_high"]]
    told = ["unknown" if amount is None else size(amount) if round(amount) else "0" for amount in amounts]
    units = {text.partition(" ")[2] for text in told if " " in text}
    if len(units) == 1:
        told, unit = [text.partition(" ")[0] for text in told], f" {units.pop()}"
    else:
        unit = ""
    return f"{told[0]} ({told[1]}–{told[2]}){unit}"  # a range


def ends(row: Mapping[str, Any]) -> str:
    """The range of the bytes that a client may leave."""
    return f"{size(row['saves_bytes_low'])} to {size(row['saves_bytes_high'])}"


def _client(row: Mapping[str, Any]) -> tuple[str, ...]:
    expected = row["saves_bytes"]
    forbids = row["forbidden_requests"]
    return (
        row["client"],
        row["standing"],
        f"{forbids:,}" if forbids else "",
        size(row["forbidden_bytes"]) if forbids else "",
        ("unknown" if expected is None else size(expected)) if forbids else "",
        ends(row) if forbids else "",
        f"{row['allowed_requests']:,}" if row["allowed_requests"] else "",
    )


def changed(row: Mapping[str, Any]) -> str:
    """What changes for one client, of how much, and what is expected of it."""
    parts = []
    if row["forbidden_requests"]:
        parts.append(
            f"newly forbidden {plural(row['forbidden_requests'], 'request')} and {size(row['forbidden_bytes'])}, of "
            f"which it is expected to leave {saves(row)}"
        )
    if row["allowed_requests"]:
        parts.append(f"newly allowed {plural(row['allowed_requests'], 'request')}, {size(row['allowed_bytes'])}")
    return (
        f"{row['client']} (so far: {row['standing']}): of {plural(row['requests'], 'request')} and "
        f"{size(row['bytes'])}, {'; '.join(parts)}."
    )


def examples(row: Mapping[str, Any]) -> Iterator[str]:
    """What is closed and opened to one client (a row of EFFECT), by which lines, and how far it can be counted on."""
    if row["forbidden_examples"]:
        by = some([f"line {rule}" for rule in row["forbidden_by"]])
        yield f"{row['client']}: {by} forbids {some(row['forbidden_examples'])}. {_capital(row['why'])}."
    if row["allowed_examples"]:
        yield f"{row['client']}: opened are {some(row['allowed_examples'])}."


def broken(one: Break) -> str:
    """One thing that the draft breaks, as a sentence."""
    noun = "Sitemap line" if one.kind == "sitemap lines" else "page" if one.kind == "search pages" else "file"
    words = {
        "who": one.who,
        "through": some(one.through),
        "requests": one.requests,
        "targets": plural(one.targets, noun),
    }
    return f"{fill(_BREAKS[one.kind], words)}: {some(one.examples)}."


def _mistakes(one: Linted) -> Iterator[str]:
    for finding in one.findings[:MOST_FINDINGS]:
        instead = "" if finding.instead is None else f" Instead: {some(finding.instead.splitlines())}"
        yield f"{one.file}:{finding.line}: {finding.level}: {finding.title}. {_capital(finding.says)}.{instead}"
    if (left := len(one.findings) - MOST_FINDINGS) > 0:
        yield f"{one.file}: {left:,} more (loganalyzer lint {one.file})"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".")
