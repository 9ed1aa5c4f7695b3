"""How far a verdict hangs on the numbers that somebody chose: the same refusals judged by others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from loganalyzer.backoff.kernel import Part, cut
from loganalyzer.backoff.rows import refused_keys
from loganalyzer.backoff.summary import by_worker
from loganalyzer.backoff.thresholds import Key, Thresholds, micro
from loganalyzer.backoff.verdict import UNOBSERVED, VERDICTS
from loganalyzer.groups import Groups

# What is chosen, and what else might have been: a client that stays with its verdict through all of them has earned it.
VARIANTS: Mapping[str, tuple[float, ...]] = {"slow_ratio": (0.3, 0.7), "assumed_wait_s": (4.0, 10.0, 60.0, 300.0)}
# Four seconds are the shortest wait that a log of whole seconds can show to be broken.

# One client judged by one threshold that is not the chosen one.
SENSITIVITY = pa.schema(
    [
        ("client", pa.int32()),
        ("threshold", pa.string()),
        ("value", pa.float64()),
        ("worst", pa.string()),
        ("waits", pa.int64()),
        ("kept", pa.int64()),
        ("by_worker", pa.bool_()),  # workers that each wait; null where the threshold says nothing about it
    ]
)


def sensitivity(
    table: pa.Table, by: Key, log_start_us: int, log_end_us: int, thresholds: Thresholds | None = None
) -> pa.Table:
    """Judge each client again by each of VARIANTS; the arguments are those of `kernel`.

    Returns:
        Rows of schema SENSITIVITY. A client whose waits were all stated has none for `assumed_wait_s`.
    """
    rows, chosen = refused_keys(table, by), thresholds or Thresholds()
    assumed = np.isin(rows.client, np.unique(rows.client[rows.refusal & (rows.asked < 0)]))
    found = [SENSITIVITY.empty_table()]
    for name, values in VARIANTS.items():
        some = rows.take(assumed) if name == "assumed_wait_s" else rows
        for value in values:
            changed: Any = {name: value}
            limits = replace(chosen, **changed)
            found += [_judged(part, name, value) for part in cut(some, by, log_start_us, log_end_us, limits)]
    return pa.concat_tables(found)


def _judged(part: Part, name: str, value: float) -> pa.Table:
    """The clients of one part; addresses of one are put together."""
    verdict, worst, seen = part.verdicts
    first, episodes = part.waits.per_episode.first, part.refusals.episodes
    code = verdict[worst]
    asked = part.refusals.wait[episodes.first]
    unseen = (code == UNOBSERVED) | ((part.early_of_episode == 0) & (asked <= micro(part.limits.shortest_s(part.by))))
    waits = np.where(unseen, 0, np.add.reduceat(seen, first, dtype=np.int64))
    kept = np.where(unseen, 0, np.add.reduceat(seen & (part.waits.early == 0), first, dtype=np.int64))
    client = part.rows.client[part.refusals.row[episodes.first]]
    groups = Groups.of(client)
    columns = {
        "client": client[groups.first],
        "threshold": [name] * len(groups),
        "value": [value] * len(groups),
        "worst": [VERDICTS[worst] for worst in np.maximum.reduceat(code, groups.first).tolist()],
        "waits": np.add.reduceat(waits, groups.first),
        "kept": np.add.reduceat(kept, groups.first),
        "by_worker": _by_worker(part, groups) if name == "assumed_wait_s" else pa.nulls(len(groups)),
    }
    return pa.table([pa.array(columns[f.name]).cast(f.type) for f in SENSITIVITY], schema=SENSITIVITY)


def _by_worker(part: Part, groups: Groups) -> Any:
    """Over clients, whose episodes `groups` are: workers that each wait."""
    counts = (part.refusals.episodes.size, part.early_of_episode, part.same_target_early, part.same_target_later[1])
    return by_worker(*(np.add.reduceat(count, groups.first, dtype=np.int64) for count in counts))
