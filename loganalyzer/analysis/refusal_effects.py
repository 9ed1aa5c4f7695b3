"""Cause and effect of a limit: what each client sent before and after its first refusal, as the document shows it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loganalyzer.analysis.rows import Row, instant_or_none
from loganalyzer.document.client import RefusalEffectDocument

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

US = 1_000_000


def effects(analysis: "Analysis", codes: Sequence[int]) -> dict[int, RefusalEffectDocument]:
    """One for each of some client codes that was refused at least once."""
    rows = {row["client"]: row for row in analysis.measures.refusal_effects.to_pylist()}
    return {code: _effect(rows[code]) for code in codes if code in rows}


def _effect(row: Row) -> RefusalEffectDocument:
    return {
        "first_refusal": instant_or_none(row["t0"]),
        "before": {"requests": row["requests_before"], "bytes": row["bytes_before"], "refusals": 0},
        "after": {"requests": row["requests_after"], "bytes": row["bytes_after"], "refusals": row["refusals"]},
        "window_s": max(row["width"], 0) / US,
        "window_before": {"requests": row["near_requests_before"], "bytes": row["near_bytes_before"], "refusals": 0},
        "window_after": {
            "requests": row["near_requests_after"],
            "bytes": row["near_bytes_after"],
            "refusals": row["near_refusals"],
        },
    }
