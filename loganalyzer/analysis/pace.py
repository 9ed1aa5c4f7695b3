"""Rates and reactions of each client, as the document shows them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis import evidence
from loganalyzer.analysis.rows import Row, by_client, instant_or_none
from loganalyzer.backoff import Thresholds, patterns, summarise
from loganalyzer.document.client import (
    AddressRatesDocument,
    BackoffDocument,
    EpisodeDocument,
    RatesDocument,
    SensitivityDocument,
)
from loganalyzer.epoch import iso

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

PEAKS = ("peak_1s_at_us", "peak_60s_at_us", "burst_at_us")
SHOWN = 20  # episodes of a client; the counts are of all
US = 1_000_000


def rates(analysis: "Analysis", codes: Sequence[int], window_s: float) -> dict[int, RatesDocument]:
    """One for each of some client codes; `window_s` is the length of the log."""
    rows = {row["client"]: row for row in analysis.measures.rates.to_pylist()}
    delays = {row["client"]: row for row in analysis.measures.restraint.to_pylist() if row["delay_s"]}
    lines = _lines(analysis, [rows[code] for code in codes if code in rows])
    return {code: _rates(rows.get(code), delays.get(code), lines, window_s) for code in codes}


def address_rates(analysis: "Analysis", codes: Sequence[int]) -> dict[int, list[AddressRatesDocument]]:
    """Those of the busiest addresses of some client codes, most requests first."""
    rows, names = by_client(analysis.measures.busy_rates), analysis.columns.addresses
    return {
        code: [
            _address_rates(row, names[row["address"]].as_py())
            for row in sorted(rows[code], key=lambda row: (-row["requests"], row["address"]))
        ]
        for code in codes
    }


def _address_rates(row: Row, address: str) -> AddressRatesDocument:
    return {
        "address": address,
        "requests": row["requests"],
        "peak_1s": row["peak_1s"],
        "peak_60s": row["peak_60s"],
        "peak_60s_at": iso(row["peak_60s_at_us"]),
        "mean_active": row["mean_active"],
        "burst": row["burst"],
        "concurrency": row["concurrency"],
    }


def _lines(analysis: "Analysis", rows: Sequence[Row]) -> dict[tuple[int, int], str]:
    """Where the first request of each client stands that begins at one of its peaks, by client and instant."""
    instants = pa.array(sorted({row[name] for row in rows for name in PEAKS}), pa.int64())
    tables = analysis.columns.requests.tables(["client", "t", "id"])
    begun = [table.filter(pc.is_in(table["t"], value_set=instants)) for table in tables]
    wanted = {(row["client"], row[name]) for row in rows for name in PEAKS}
    firsts = pa.concat_tables(begun).group_by(["client", "t"]).aggregate([("id", "min")]) if begun else pa.table({})
    first = {(row["client"], row["t"]): row["id_min"] for row in firsts.to_pylist()}
    return {key: evidence.place(analysis, first[key]) for key in wanted if key in first}


def _rates(row: Row | None, delay: Row | None, lines: Mapping[tuple[int, int], str], window_s: float) -> RatesDocument:
    requests = row["requests"] if row else 0
    concurrency, least = (row["concurrency"], row["concurrency_least"]) if row else (None, None)
    return {
        "peak_1s": row["peak_1s"] if row else 0,
        "peak_1s_at": instant_or_none(row["peak_1s_at_us"] if row else None),
        "peak_60s": row["peak_60s"] if row else 0,
        "peak_60s_at": instant_or_none(row["peak_60s_at_us"] if row else None),
        "mean_active": row["mean_active"] if row else None,
        "mean_window": requests / window_s if window_s else None,
        "burst": row["burst"] if row else 0,
        "burst_at": instant_or_none(row["burst_at_us"] if row else None),
        "burst_s": row["burst_us"] / US if row else 0.0,
        "concurrency": concurrency,
        "concurrency_is": None if concurrency is None else "measured" if concurrency == least else "upper bound",
        "concurrency_least": least,
        "crawl_delay_s": delay["delay_s"] if delay else None,
        "crawl_delay_gaps": delay["gaps"] if delay else None,
        "crawl_delay_short": delay["violations"] if delay else None,
        "crawl_delay_windows": delay["windows"] if delay else None,
        "crawl_delay_crowded": delay["crowded"] if delay else None,
        "peak_1s_line": lines.get((row["client"], row["peak_1s_at_us"])) if row else None,
        "peak_60s_line": lines.get((row["client"], row["peak_60s_at_us"])) if row else None,
        "burst_line": lines.get((row["client"], row["burst_at_us"])) if row else None,
    }


def backoffs(analysis: "Analysis", codes: Sequence[int]) -> dict[int, BackoffDocument]:
    """One for each of some client codes."""
    summary = analysis.measures.summary
    address, token = by_client(analysis.measures.episodes), by_client(analysis.measures.token_episodes)
    names = analysis.columns.addresses
    key = analysis.limit_key
    varied = by_client(analysis.measures.sensitivity if key == "address" else analysis.measures.token_sensitivity)
    return {
        code: _backoff(
            key, summary[code]["refusals"], address[code], token[code], names, varied[code], analysis.thresholds
        )
        for code in codes
    }


def _backoff(
    key: str,
    refusals: int,
    address: Sequence[Row],
    token: Sequence[Row],
    names: Sequence[object],
    varied: Sequence[Row],
    limits: Thresholds,
) -> BackoffDocument:
    by_key = {
        "address": summarise(address, limits.shortest_s("address")),
        "token": summarise(token, limits.shortest_s("token")),
    }
    headline, rows = by_key[key], address if key == "address" else token
    ordered = sorted(rows, key=lambda row: (row["t0"], -1 if row["address"] is None else row["address"]))
    return {
        "refusals": refusals,
        "per_address": by_key["address"].verdicts,
        "per_token": by_key["token"].verdicts,
        "headline": key,
        "verdict": headline.verdict,
        "worst": headline.worst,
        "waits": headline.waits,
        "kept": headline.kept,
        "too_short": headline.too_short,
        "kept_interval": None if headline.kept_interval is None else list(headline.kept_interval),
        "asked_known": headline.asked_known,
        "asked_s": headline.asked_s,
        "first_return_s": headline.first_return_s,
        "early": headline.early,
        "same_target_early": headline.same_target_early,
        "same_target_later": headline.same_target_later,
        "same_target_soon": headline.same_target_soon,
        "spread": by_key["token"].spread,
        "rotated": by_key["token"].rotated,
        "resumes": headline.resumes,
        "resume_ratio": headline.resume_ratio,
        "patterns": patterns(headline, by_key["token"]),
        "sensitivity": [_variant(row) for row in sorted(varied, key=lambda row: (row["threshold"], row["value"]))],
        "episodes": [_episode(key, row, names) for row in ordered[:SHOWN]],
    }


def _variant(row: Row) -> SensitivityDocument:
    return {
        "threshold": row["threshold"],
        "value": row["value"],
        "worst": row["worst"],
        "waits": row["waits"],
        "kept": row["kept"],
        "by_worker": row["by_worker"],
    }


def _episode(key: str, row: Row, names: Sequence[object]) -> EpisodeDocument:
    address = row["address"]
    return {
        "key": key,
        "address": None if address is None else str(names[address]),
        "first": iso(row["t0"]),
        "last": iso(row["t1"]),
        "verdict": row["verdict"],
        "refusals": row["refusals"],
        "waits": row["waits"],
        "kept": row["kept"],
        "asked_s": row["asked_s"],
        "asked_known": row["asked_known"],
        "early": row["early"],
        "same_target_early": row["same_target_early"],
        "same_target_later": row["same_target_later"],
        "same_target_soon": row["same_target_soon"],
        "in_flight": row["in_flight"],
        "first_return_s": row["first_return_s"],
        "pace_before": row["pace_before"],
        "pace_in_wait": row["pace_in_wait"],
        "ratio": row["ratio"],
        "pace_after": row["pace_after"],
        "shape": row["shape"],
        "course": row["course"],
        "elsewhere": row["elsewhere"],
        "addresses_before": row["addresses_before"],
        "addresses_after": row["addresses_after"],
        "spread": row["spread"],
        "rotated": row["rotated"],
    }
