"""The robots.txt ledger: for each client what it read, and how its requests stand to the versions in force."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from loganalyzer.analysis.rows import Row, by_client
from loganalyzer.document import ClientRobotsDocument, RuleDocument
from loganalyzer.epoch import iso
from loganalyzer.robots.history import Version

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

HOUR_US = 3_600_000_000


def ledgers(analysis: "Analysis", codes: Sequence[int], place: Callable[[int], str]) -> dict[int, ClientRobotsDocument]:
    """One ledger for each of some client codes; `place` gives the "source:line" of an id."""
    measures = analysis.measures
    summary = measures.summary
    classes = by_client(measures.classes)
    answers = by_client(measures.answers)
    rules = _rules(analysis, place)
    probably = {row["client"] for row in measures.probably_read.to_pylist()}
    blocked = Counter(measures.blocked_by_name["client"].to_pylist())
    return {
        code: _ledger(
            summary[code],
            classes[code] if analysis.identities[code].automated else _not_bound(summary[code]),
            answers[code],
            rules.get(code, []),
            probably_read=code in probably,
            blocked_by_name=blocked[code],
        )
        for code in codes
    }


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
    rules: list[RuleDocument],
    *,
    probably_read: bool,
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
    fetched = read_at(answers)
    return {
        "fetches": len(fetched),
        "answers": _by_status(answers),
        "first_before_page": _first_before_page(summary, fetched),
        "longest_gap_h": _longest_gap_h(fetched),
        "probably_read": probably_read and not fetched,
        "allowed": counts["allowed"],
        "violation": counts["violation"],
        "grace": counts["grace"],
        "exempt": counts["exempt"],
        "unjudged": counts["unjudged"],
        "unjudged_reasons": dict(sorted(reasons["unjudged"].items())),
        "exempt_reasons": dict(sorted(reasons["exempt"].items())),
        "blocked_by_name": blocked_by_name,
        "rules": rules,
    }


def read_at(answers: Sequence[Row]) -> list[int]:
    """When a client got /robots.txt, or the word that its copy still holds: 200 and 304, as the replay counts them."""
    return sorted(row["t"] for row in answers if row["status"] in (200, 304))


def _by_status(answers: Sequence[Row]) -> dict[str, int]:
    statuses = Counter("-" if row["status"] is None else str(row["status"]) for row in answers)
    return dict(sorted(statuses.items()))


def _first_before_page(summary: Row, fetched: Sequence[int]) -> bool | None:
    if not fetched:
        return None
    return summary["first_page_us"] is None or fetched[0] <= summary["first_page_us"]


def _longest_gap_h(fetched: Sequence[int]) -> float | None:
    gaps = [later - earlier for earlier, later in pairwise(fetched)]
    return round(max(gaps) / HOUR_US, 2) if gaps else None


def _rules(analysis: "Analysis", place: Callable[[int], str]) -> dict[int, list[RuleDocument]]:
    """The rules that forbade something to each client, most requests first."""
    examples: dict[tuple[object, ...], list[Row]] = {}
    for row in analysis.measures.rule_examples.sort_by("id").to_pylist():
        examples.setdefault(_key(row), []).append(row)
    found: dict[int, list[RuleDocument]] = {}
    for code, rows in by_client(analysis.measures.rules).items():
        ordered = sorted(rows, key=lambda row: (row["class"] != "violation", -row["requests"], row["rule_line"]))
        found[code] = [_rule(analysis, row, examples[_key(row)], place) for row in ordered]
    return found


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
