"""What came of each change of robots.txt, in words: every report and the dashboard say the same."""

from collections.abc import Iterator

from loganalyzer.document import ReportDocument
from loganalyzer.document.robots import ChangedClientDocument, RobotsChangeDocument
from loganalyzer.reports.wording import count, moment, plural, seconds, size, some

TITLE = "robots.txt: what changes did (UTC)"
TITLES = ("client", "what changed for it", "before", "after", "read it", "what it did")
MOST = 3  # rules named in a sentence; JSON has them all


def sentences(change: RobotsChangeDocument) -> Iterator[str]:
    """What changed, between which windows, and what that did to all clients together."""
    where = f" of {change['host']}" if change["host"] else ""
    yield (
        f"{moment(change['at'])}: {change['new_file']} took the place of {change['old_file']}{where}. "
        f"Added: {some(change['added'], MOST) or 'nothing'}. Removed: {some(change['removed'], MOST) or 'nothing'}."
    )
    length = seconds(change["window_s"])
    yield (
        f"Compared: {length} before, from {moment(change['since'])}, with {length} after, to {moment(change['until'])}."
    )
    for words, (before, before_bytes, after, after_bytes) in (
        ("forbidden", change["forbidden"]),
        ("allowed", change["allowed"]),
    ):
        if before or after:
            yield (
                f"Newly {words}: {plural(before, 'request')} ({size(before_bytes)}) before, "
                f"{count(after)} ({size(after_bytes)}) after."
            )
    if change["never_noticed"]:
        yield f"Never noticed in this log: {some(change['never_noticed'], 10)}."


def cells(told: ChangedClientDocument) -> tuple[str, ...]:
    """One client, under TITLES."""
    return (
        told["client"],
        f"newly {told['effect']}",
        count(told["before"]),
        count(told["after"]),
        moment(told["read"]) if told["read"] else "not in this log",
        outcome(told),
    )


def outcome(told: ChangedClientDocument) -> str:
    """What the client did, with the figure that says so."""
    lag = seconds(told["lag_s"])
    words = {
        "went on": f"never noticed: {plural(told['late'], 'request')} past its grace",
        "stopped": f"stopped after {lag}" if told["since"] else "stopped at once",
        "too early to say": f"{plural(told['since'], 'request')} since; too early to say",
        "left": f"left after {lag}" if told["since"] else "left at once",
        "came": f"came for it after {lag}",
        "did not come": "came, but not for what is allowed now",
    }
    return words[told["outcome"]]


def rows(document: ReportDocument) -> Iterator[tuple[RobotsChangeDocument, ChangedClientDocument]]:
    """Every client under every change."""
    for change in document["robots_changes"]:
        yield from ((change, told) for told in change["clients"])
