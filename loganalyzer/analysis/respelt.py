"""Requests that a rule would forbid if the server reads their path more freely: listed apart, never as violations."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from loganalyzer.analysis.rows import Row
from loganalyzer.analysis.steps import Steps
from loganalyzer.document.robots import RespeltDocument
from loganalyzer.robots import History, Policy
from loganalyzer.robots.respelling import TREATMENTS, Respelling

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

EXAMPLES = 3
RESPELT = pa.schema(
    [
        ("client", pa.int32()),
        ("treatment", pa.string()),
        ("version", pa.int32()),
        ("rule_line", pa.int64()),
        ("target", pa.int32()),
        ("requests", pa.int64()),
        ("bytes", pa.int64()),
        ("id", pa.int64()),  # of the first
    ]
)


def respelt(steps: Steps, history: History, policies: Sequence[Policy], targets: pa.Array) -> pa.Table:
    """Rows of RESPELT; the steps before have registered `decision`."""
    ways = [Respelling(treatment, history, policies, targets) for treatment in TREATMENTS if history.versions]
    suspects = np.unique(np.concatenate([way.suspects for way in ways])) if ways else np.zeros(0, np.int64)
    if not len(suspects):
        return RESPELT.empty_table()
    steps.register("suspect_target", pa.table({"target": pa.array(suspects, pa.int32())}))
    rows = steps.sql("respelt").sort_by([("client", "ascending"), ("version", "ascending"), ("target", "ascending")])
    codes = [rows[name].to_numpy().astype(np.int64) for name in ("version", "client", "target")]
    found = []
    for way in ways:
        lines = way.lines(*codes)
        some = rows.filter(pa.array(lines > 0))
        told = {"treatment": [way.treatment.name] * some.num_rows, "rule_line": lines[lines > 0]}
        found.append(
            pa.table(
                {name: told.get(name, some[name] if name in some.column_names else None) for name in RESPELT.names}
            )
        )
    return pa.concat_tables([table.cast(RESPELT) for table in found])


def documents(analysis: "Analysis", place: Callable[[int], str]) -> dict[int, list[RespeltDocument]]:
    """What each client sent, by way and rule, most requests first; `place` gives the "source:line" of an id."""
    groups: dict[tuple[int, str, int, int], list[Row]] = {}
    for row in analysis.measures.compliance.respelt.to_pylist():
        groups.setdefault((row["client"], row["treatment"], row["version"], row["rule_line"]), []).append(row)
    found: dict[int, list[RespeltDocument]] = {}
    for (client, name, version, line), rows in groups.items():
        found.setdefault(client, []).append(_document(analysis, client, name, version, line, rows, place))
    return {client: sorted(told, key=lambda one: -one["requests"]) for client, told in found.items()}


def _document(
    analysis: "Analysis",
    client: int,
    name: str,
    version: int,
    line: int,
    rows: Sequence[Row],
    place: Callable[[int], str],
) -> RespeltDocument:
    robots = analysis.history.versions[version].robots
    cited = robots.cite(analysis.identities[client].robots_tokens, line)
    first = sorted(rows, key=lambda row: row["id"])[:EXAMPLES]
    return {
        "way": name,
        "words": next(treatment.words for treatment in TREATMENTS if treatment.name == name),
        "rule": cited.rule or "",
        "line": line,
        "version": analysis.history.versions[version].name,
        "file": analysis.history.labels[version],
        "requests": sum(row["requests"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows),
        "examples": [analysis.columns.targets[row["target"]].as_py() for row in first],
        "evidence": [place(row["id"]) for row in first],
    }
