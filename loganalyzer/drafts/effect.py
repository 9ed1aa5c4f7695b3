"""What a draft changes, per client and in all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from loganalyzer.drafts.breaks import Break
from loganalyzer.drafts.parts import Changes, Ints
from loganalyzer.drafts.traffic import Traffic
from loganalyzer.drafts.weight import Weight
from loganalyzer.robots import History

EXAMPLES = 3
# One client of which something changes; shares are fractions of one, requests and bytes those of the log.
EFFECT = pa.schema(
    [
        ("client", pa.string()),
        ("kind", pa.string()),
        ("purpose", pa.string()),
        ("requests", pa.int64()),
        ("bytes", pa.int64()),
        ("forbidden_requests", pa.int64()),  # newly
        ("forbidden_bytes", pa.int64()),
        ("forbidden_examples", pa.list_(pa.string())),  # most requests first
        ("forbidden_by", pa.list_(pa.string())),  # lines of the draft, most requests first: "3: Disallow: /cart"
        ("allowed_requests", pa.int64()),  # newly: what came although it was forbidden; how much more would is unknown
        ("allowed_bytes", pa.int64()),
        ("allowed_examples", pa.list_(pa.string())),
        ("standing", pa.string()),  # keeps, violates, unknown, not bound
        ("why", pa.string()),
        ("judged", pa.int64()),
        ("violations", pa.int64()),
        ("weight", pa.float64()),  # share of what is newly forbidden that will stay away; null = unknown
        ("weight_low", pa.float64()),
        ("weight_high", pa.float64()),
        ("saves_requests", pa.float64()),  # expected; null = unknown
        ("saves_requests_low", pa.float64()),
        ("saves_requests_high", pa.float64()),
        ("saves_bytes", pa.float64()),
        ("saves_bytes_low", pa.float64()),
        ("saves_bytes_high", pa.float64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Saving:
    """An expected saving and its bounds, and the whole that it is a share of."""

    expected: float | None  # of the clients that can be weighed; null: none of those concerned can
    low: float
    high: float
    forbidden: int  # newly, whatever anybody will do
    of: int  # the whole log

    def share(self, amount: float) -> float:
        """An amount as a share of the whole log; 0 of nothing."""
        return amount / self.of if self.of else 0.0


@dataclass(frozen=True)
class Effect:
    """What one draft changes."""

    clients: pa.Table  # schema EFFECT, most bytes newly forbidden first
    requests: Saving
    bytes: Saving
    allowed_requests: int  # newly
    untold_requests: int  # of hosts that are unknown while several files differ: left out
    breaks: tuple[Break, ...]

    @property
    def changes(self) -> bool:
        """Whether anything changes for anybody in the log."""
        return bool(self.clients.num_rows)

    @property
    def unmoved(self) -> list[dict[str, Any]]:
        """Rows of the clients that will not care: measured to go against the rules so far."""
        rows: list[dict[str, Any]] = self.clients.to_pylist()
        return [row for row in rows if row["standing"] == "violates" and row["forbidden_requests"]]


def effect(
    traffic: Traffic, weights: Sequence[Weight], changes: Changes, draft: History, broken: tuple[Break, ...]
) -> Effect:
    """Sum up what changes for the clients of a log."""
    forbidden, allowed = changes.by_policy(changes.forbidden), changes.by_policy(changes.allowed)
    none = np.empty(0, np.int64)
    rows = [
        _row(traffic, weights[code], code, changes, draft, (forbidden.get(code, none), allowed.get(code, none)))
        for code in forbidden.keys() | allowed.keys()
    ]
    rows.sort(
        key=lambda row: (-row["forbidden_bytes"], -row["forbidden_requests"], -row["allowed_requests"], row["client"])
    )
    return Effect(
        pa.Table.from_pylist(rows, schema=EFFECT),
        _saving(rows, "requests", traffic.requests),
        _saving(rows, "bytes", traffic.bytes),
        sum(row["allowed_requests"] for row in rows),
        int(changes.part.requests[changes.untold].sum()),
        broken,
    )


def _row(
    traffic: Traffic, weight: Weight, code: int, changes: Changes, draft: History, changed: tuple[Ints, Ints]
) -> dict[str, Any]:
    """Row of one client; `changed` are the places of what is newly forbidden and newly allowed to it."""
    forbidden, allowed = changed
    record = traffic.record.slice(code, 1).to_pylist()[0]
    sums = {
        f"{name}_{what}": int(getattr(changes.part, what)[rows].sum())
        for name, rows in (("forbidden", forbidden), ("allowed", allowed))
        for what in ("requests", "bytes")
    }
    return {
        "client": traffic.policies[code].name,
        "kind": traffic.policies[code].kind,
        "purpose": traffic.purposes[code],
        **{name: record[name] for name in ("requests", "bytes", "judged", "violations")},
        **sums,
        "forbidden_examples": _examples(traffic, changes, forbidden),
        "allowed_examples": _examples(traffic, changes, allowed),
        "forbidden_by": _rules(traffic, code, changes, forbidden, draft),
        "standing": weight.standing,
        "why": weight.why,
        "weight": weight.expected,
        "weight_low": weight.low,
        "weight_high": weight.high,
        **_saves(weight, "requests", sums["forbidden_requests"]),
        **_saves(weight, "bytes", sums["forbidden_bytes"]),
    }


def _saves(weight: Weight, what: str, forbidden: int) -> dict[str, float | None]:
    return {
        f"saves_{what}": None if weight.expected is None else weight.expected * forbidden,
        f"saves_{what}_low": weight.low * forbidden,
        f"saves_{what}_high": weight.high * forbidden,
    }


def _examples(traffic: Traffic, changes: Changes, rows: Ints) -> list[str]:
    first = rows[np.lexsort((rows, -changes.part.requests[rows]))][:EXAMPLES]
    codes = dict.fromkeys(changes.part.target[first].tolist())
    return [traffic.targets[code].as_py() for code in codes]


def _rules(traffic: Traffic, code: int, changes: Changes, rows: Ints, draft: History) -> list[str]:
    """The lines that forbid, as `line: rule`, most requests first."""
    keys = np.stack([changes.will.version[rows], changes.will.line[rows]])
    found, place = np.unique(keys, axis=1, return_inverse=True)
    requests = np.bincount(place.ravel(), changes.part.requests[rows], found.shape[1])
    tokens = traffic.policies[code].robots_tokens
    lines = found[:, np.argsort(-requests, kind="stable")[:EXAMPLES]].T.tolist()
    return [f"{line}: {draft.versions[version].robots.cite(tokens, line).rule}" for version, line in lines]


def _saving(rows: Sequence[dict[str, Any]], what: str, whole: int) -> Saving:
    """Bounds of clients are added up, which is wider than 95 % for the sum: they need not be independent."""
    low, high = (sum(row[f"saves_{what}_{end}"] for row in rows) for end in ("low", "high"))
    known = [row[f"saves_{what}"] for row in rows if row[f"saves_{what}"] is not None and row["forbidden_requests"]]
    return Saving(sum(known, 0.0) if known else None, low, high, sum(row[f"forbidden_{what}"] for row in rows), whole)
