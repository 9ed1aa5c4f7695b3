"""What came of each change of robots.txt: who stopped, who went on, who came back, and after how long."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from loganalyzer.analysis.rows import Row, instant_or_none
from loganalyzer.analysis.steps import Steps, any_of
from loganalyzer.document.robots import ChangedClientDocument, RobotsChangeDocument
from loganalyzer.epoch import iso
from loganalyzer.robots import Policy, Version
from loganalyzer.robots.answers import SERVED
from loganalyzer.robots.changes import ALLOWED, EFFECT, FORBIDDEN, Change, Effects
from loganalyzer.robots.replay import Replay
from loganalyzer.robots.verdicts import EXEMPT_KINDS

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

US = 1_000_000
UNBOUND = (*EXEMPT_KINDS, "undeclared")


def effects(steps: Steps, found: Sequence[Change], policies: Sequence[Policy], judge: Replay) -> pa.Table:
    """Rows of EFFECT, of the clients that robots.txt binds."""
    if not found:
        return EFFECT.empty_table()
    bound = any_of(code for code, policy in enumerate(policies) if policy.automated and policy.kind not in UNBOUND)
    kernel = Effects(found, policies, judge.targets, judge.scopes, judge.verdicts)
    since = min(change.at_us - change.window_us for change in found)
    return steps.kernel("changes", ["client"], kernel, EFFECT, clients=bound, since=since)


def changes(analysis: "Analysis", place: Callable[[int], str]) -> list[RobotsChangeDocument]:
    """Every change that falls into the log, in order of time; `place` gives the "source:line" of an id."""
    readings = _readings(analysis)
    rows = analysis.measures.compliance.effects.to_pylist()
    documents = [
        _change(analysis, change, [row for row in rows if row["change"] == number], readings, place)
        for number, change in enumerate(analysis.measures.compliance.changes)
    ]
    return sorted(documents, key=lambda document: (document["at"], document["host"] or ""))


def _readings(analysis: "Analysis") -> Mapping[tuple[int, int], list[int]]:
    """When each client got robots.txt, by timeline and client, in order of time."""
    hosts = analysis.columns.hosts.to_pylist()
    timelines = {code: analysis.history.scope(host, hosts) for code, host in enumerate(hosts)}
    timelines[None] = analysis.history.scope(None, hosts)  # type: ignore[index] # the code of a host that is not logged
    found: dict[tuple[int, int], list[int]] = {}
    for row in analysis.measures.answers.select(["t", "client", "host", "status"]).to_pylist():
        if row["status"] in SERVED:
            found.setdefault((timelines[row["host"]], row["client"]), []).append(row["t"])
    return found


def _change(
    analysis: "Analysis",
    change: Change,
    rows: Sequence[Row],
    readings: Mapping[tuple[int, int], list[int]],
    place: Callable[[int], str],
) -> RobotsChangeDocument:
    history = analysis.history
    old, new = history.versions[change.old], history.versions[change.new]
    describe = partial(_client, analysis, change, readings=readings, place=place)
    clients = [describe(row) for row in sorted(rows, key=lambda row: (-row["before"] - row["since"], row["client"]))]
    return {
        "host": new.host,
        "at": iso(change.at_us),
        "old": old.name,
        "new": new.name,
        "old_file": history.labels[change.old],
        "new_file": history.labels[change.new],
        "window_s": change.window_us / US,
        "since": iso(change.at_us - change.window_us),
        "until": iso(change.at_us + change.window_us),
        "added": sorted(set(_rules(new)) - set(_rules(old))),
        "removed": sorted(set(_rules(old)) - set(_rules(new))),
        "forbidden": _sums(rows, FORBIDDEN),
        "allowed": _sums(rows, ALLOWED),
        "never_noticed": [told["client"] for told in clients if told["outcome"] == "went on"],
        "clients": clients,
    }


def _rules(version: Version) -> Iterator[str]:
    for group in version.robots.groups:
        for rule in group.rules:
            yield from (f"User-agent: {name} / {rule.text}" for name in group.names)


def _sums(rows: Sequence[Row], effect: str) -> list[int]:
    chosen = [row for row in rows if row["effect"] == effect]
    return [sum(row[key] for row in chosen) for key in ("before", "before_bytes", "after", "after_bytes")]


def _client(
    analysis: "Analysis",
    change: Change,
    row: Row,
    *,
    readings: Mapping[tuple[int, int], list[int]],
    place: Callable[[int], str],
) -> ChangedClientDocument:
    person = analysis.identities[row["client"]]
    read = [t for t in readings.get((change.timeline, row["client"]), ()) if change.at_us <= t < change.until_us]
    reaction = row["last_us"] if row["effect"] == FORBIDDEN else row["first_us"]
    # Where all is forbidden it, reading robots.txt is all that a client that keeps it still does.
    seen = max((us for us in (row["seen_us"], *read[-1:]) if us is not None), default=None)
    enough = change.until_us - change.at_us > analysis.policies[row["client"]].copy_us
    same = ("effect", "before", "before_bytes", "after", "after_bytes", "since", "late")
    return {
        "client": person.name,
        **{name: row[name] for name in same},  # type: ignore[typeddict-item] # columns of the same names
        "read": instant_or_none(read[0] if read else None),
        "first": instant_or_none(row["first_us"]),
        "last": instant_or_none(row["last_us"]),
        "lag_s": None if reaction is None else (reaction - change.at_us) / US,
        "outcome": outcome({**row, "seen_us": seen}, enough=enough),
        "evidence": None if row["last_id"] is None else place(row["last_id"]),
    }


def outcome(row: Row, *, enough: bool) -> str:
    """What became of a row of EFFECT; `enough`: the log goes on for longer than an older copy may serve."""
    stayed = row["seen_us"] is not None
    if row["effect"] == ALLOWED:
        return "came" if row["since"] else "did not come" if stayed else "left"
    if row["late"]:
        return "went on"
    if not row["since"]:
        return "stopped" if stayed else "left"
    if not enough:
        return "too early to say"
    return "stopped" if row["seen_us"] > row["last_us"] else "left"
