"""Cause and effect of a limit in words: what each client sent before and after its first refusal."""

from collections.abc import Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.document.client import ClientDocument
from loganalyzer.reports.wording import count, moment, plural, seconds, size

SHORTEST_S = 60.0  # of a window that says something
MOST_CLIENTS = 20
TITLES = ("client", "first refusal", "on both sides", "before>", "after>", "refused>", "bytes before>", "bytes after>")
CAVEAT = "What came after a refusal need not have come from it: a crawl may just have ended."


def sentence(client: ClientDocument) -> str:
    """What changed with the first refusal; empty for a client that had none."""
    effect = client["refusal_effect"]
    if effect is None:
        return ""
    if effect["window_s"] < SHORTEST_S:
        return f"First refused at {moment(effect['first_refusal'])}, too near an end of the log to compare both sides."
    before, after = effect["window_before"], effect["window_after"]
    return (
        f"In the {seconds(effect['window_s'])} before its first refusal ({moment(effect['first_refusal'])}) it sent "
        f"{plural(before['requests'], 'request')} and was sent {size(before['bytes'])}; in as long a time from then on "
        f"{plural(after['requests'], 'request')}, {count(after['refusals'])} of them refused, "
        f"and {size(after['bytes'])}. {CAVEAT}"
    )


def rows(document: ReportDocument) -> Iterator[tuple[str, ...]]:
    """The same as rows under TITLES, for the clients with most requests before."""
    found = [
        (client["client"], effect)
        for client in document["clients"]
        if (effect := client["refusal_effect"]) and effect["window_s"] >= SHORTEST_S
    ]
    found.sort(key=lambda pair: -pair[1]["window_before"]["requests"])
    for name, effect in found[:MOST_CLIENTS]:
        before, after = effect["window_before"], effect["window_after"]
        yield (
            name,
            moment(effect["first_refusal"]),
            seconds(effect["window_s"]),
            count(before["requests"]),
            count(after["requests"]),
            count(after["refusals"]),
            size(before["bytes"]),
            size(after["bytes"]),
        )
