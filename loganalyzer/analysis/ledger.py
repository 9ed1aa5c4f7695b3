"""The robots.txt ledger: for each client what it read, and how its requests stand to the versions in force."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from loganalyzer.analysis.respelt import documents
from loganalyzer.analysis.rows import Row, by_client
from loganalyzer.epoch import iso
from loganalyzer.robots.answers import PROBABLY_READ_S, REFUSED, SERVED, UNREACHABLE
from loganalyzer.robots.history import DAY_US, Version
from loganalyzer.robotsdocument import ClientRobotsDocument, RespeltDocument, RuleDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

HOUR_US = 3_600_000_000
NONE_THERE = (404, 410)
THRESHOLDS = {"probably_read_s": PROBABLY_READ_S, "robots_copy_h": DAY_US // HOUR_US}


def ledgers(analysis: "Analysis", codes: Sequence[int], place: Callable[[int], str]) -> dict[int, ClientRobotsDocument]:
    """One ledger for each of some client codes; `place` gives the "source:line" of an id."""
    measures = analysis.measures
    summary = measures.summary
    classes = by_client(measures.classes)
    answers, earlier = by_client(measures.answers), answers_before(analysis)
    forbidden, respelt = rules(analysis, place), documents(analysis, place)
    probably = {row["client"] for row in measures.compliance.probably_read.to_pylist()}
    stale = {row["client"]: row for row in measures.compliance.stale.to_pylist()}
    blocked = Counter(measures.blocked_by_name["client"].to_pylist())
    return {
        code: _ledger(
            summary[code],
            classes[code] if analysis.identities[code].automated else _not_bound(summary[code]),
            answers[code],
            earlier[code],
            forbidden.get(code, []),
            respelt.get(code, []),
            copies=_copies(analysis, code, [*earlier[code], *answers[code]], stale.get(code)),
            reading=_reading(analysis, [*earlier[code], *answers[code]], probably_read=code in probably),
            blocked_by_name=blocked[code],
        )
        for code in codes
    }


def answers_before(analysis: "Analysis") -> dict[int, list[Row]]:
    """What was answered before the period and may still serve: where its order is known, as of those of the period."""
    earlier = analysis.columns.earlier
    return by_client(earlier.filter(pc.is_valid(earlier["t"])))


def _not_bound(summary: Row) -> list[Row]:
    """People are never judged, so their requests are not replayed; their five classes add up all the same."""
    return [
        {"class": "allowed", "reason": None, "requests": summary["robots_asked"]},
        {"class": "exempt", "reason": "kind:browser", "requests": summary["requests"] - summary["robots_asked"]},
    ]


def _ledger(
    summary: Row,
    classes: Sequence[Row],
    answers: Sequence[Row],
    earlier: Sequence[Row],
    rules: list[RuleDocument],
    respelt: list[RespeltDocument],
    *,
    copies: dict[str, Any],
    reading: str,
    blocked_by_name: int,
) -> ClientRobotsDocument:
    counts = Counter[str]()
    reasons: dict[str, dict[str, int]] = {"exempt": {}, "unjudged": {}}
    for row in classes:
        counts[row["class"]] += row["requests"]
        if row["class"] in reasons and row["reason"]:
            reasons[row["class"]][row["reason"]] = row["requests"]
    if untimed := summary["requests"] - sum(counts.values()):
        counts["unjudged"] += untimed  # nothing can be replayed without its time
        reasons["unjudged"]["no-time"] = untimed
    before, fetched = read_at(earlier), read_at(answers)
    return {
        "fetches": len(fetched),
        "fetches_before": len(before),
        "answers": _by_status(answers),
        "first_before_page": _first_before_page(summary, [*before, *fetched]),
        "longest_gap_h": _gap_h([*before[-1:], *fetched], max),
        "median_gap_h": _gap_h([*before[-1:], *fetched], median),
        "reading": reading,
        **copies,  # type: ignore[typeddict-item] # `_copies` has the very fields
        "probably_read": reading == "probably read",
        "allowed": counts["allowed"],
        "violation": counts["violation"],
        "grace": counts["grace"],
        "exempt": counts["exempt"],
        "unjudged": counts["unjudged"],
        "unjudged_reasons": dict(sorted(reasons["unjudged"].items())),
        "exempt_reasons": dict(sorted(reasons["exempt"].items())),
        "blocked_by_name": blocked_by_name,
        "rules": rules,
        "respelt": respelt,
    }


def read_at(answers: Sequence[Row]) -> list[int]:
    """When a client got /robots.txt, or the word that its copy still holds: 200 and 304, as the replay counts them."""
    return sorted(row["t"] for row in answers if row["status"] in SERVED)


def _by_status(answers: Sequence[Row]) -> dict[str, int]:
    statuses = Counter("-" if row["status"] is None else str(row["status"]) for row in answers)
    return dict(sorted(statuses.items()))


def _first_before_page(summary: Row, fetched: Sequence[int]) -> bool | None:
    if not fetched:
        return None
    return summary["first_page_us"] is None or fetched[0] <= summary["first_page_us"]


def _gap_h(fetched: Sequence[int], of: Callable[[list[int]], float]) -> float | None:
    gaps = [later - earlier for earlier, later in pairwise(fetched)]
    return round(of(gaps) / HOUR_US, 2) if gaps else None


def _reading(analysis: "Analysis", answers: Sequence[Row], *, probably_read: bool) -> str:
    """What is known of its reading; who asked and was not served has not refused to read."""
    if read_at(answers):
        return "read"
    if any(_kept_back(analysis, row) for row in answers):
        return "not given"
    if probably_read:
        return "probably read"
    return "asked" if answers else "never read"


def _kept_back(analysis: "Analysis", answer: Row) -> bool:
    """Whether an answer kept the file from the client: a redirect need not, nor 404 while there was none to give."""
    status = answer["status"]
    if status in NONE_THERE:
        return analysis.history.at(_host(analysis, answer), answer["t"]) is not None
    return status in REFUSED or status in UNREACHABLE


def _copies(analysis: "Analysis", code: int, answers: Sequence[Row], stale: Row | None) -> dict[str, Any]:
    """What it last got, and how long it went by it."""
    read = [row for row in answers if row["status"] in SERVED]
    last = max(read, key=lambda row: (row["t"], row["id"])) if read else None
    version = analysis.history.at(_host(analysis, last), last["t"]) if last else None
    return {
        "last_read": None if last is None else iso(last["t"]),
        "last_version": None if version is None else version.name,
        "stale": stale["requests"] if stale else 0,
        "stale_h": round(stale["oldest_us"] / HOUR_US, 2) if stale else None,
        "grace_h": analysis.policies[code].copy_us / HOUR_US,
    }


def _host(analysis: "Analysis", answer: Row) -> str | None:
    return None if answer["host"] is None else analysis.columns.hosts[answer["host"]].as_py()


def rules(analysis: "Analysis", place: Callable[[int], str]) -> dict[int, list[RuleDocument]]:
    """The rules that forbade something to each client, most requests first."""
    examples: dict[tuple[object, ...], list[Row]] = {}
    for row in analysis.measures.rule_examples.sort_by("id").to_pylist():
        examples.setdefault(_key(row), []).append(row)
    found: dict[int, list[RuleDocument]] = {}
    for code, rows in by_client(analysis.measures.rules).items():
        ordered = sorted(rows, key=_order)
        found[code] = [_rule(analysis, row, examples[_key(row)], place) for row in ordered]
    return found


def _order(row: Row) -> tuple[object, ...]:
    return row["class"] != "violation", -row["requests"], row["rule_line"], row["version"]


def _key(row: Row) -> tuple[object, ...]:
    return row["client"], row["class"], row["version"], row["rule_line"]


def _rule(analysis: "Analysis", row: Row, examples: Sequence[Row], place: Callable[[int], str]) -> RuleDocument:
    version: Version = analysis.history.versions[row["version"]]
    cited = version.robots.cite(analysis.identities[row["client"]].robots_tokens, row["rule_line"])
    targets = analysis.columns.targets
    return {
        "rule": cited.rule or "",
        "group": cited.group or "",
        "line": row["rule_line"],
        "version": version.name,
        "file": analysis.history.labels[row["version"]],
        "decision": row["class"],
        "requests": row["requests"],
        "bytes": row["bytes"],
        "first": iso(row["first_us"]),
        "last": iso(row["last_us"]),
        "examples": list(dict.fromkeys(targets[example["target"]].as_py() for example in examples)),
        "evidence": [place(example["id"]) for example in examples],
    }
