"""Tables of the report as a whole: its findings, what was read and what was not, and what it was measured by."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from loganalyzer.reports.exports.table import Table, count, instant, number, text
from loganalyzer.reports.exports.when import moment, moment_or_none

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Rows = Iterator[Mapping[str, Any]]
REJECTS = 1_000  # at once: each may have 64 KiB of its line
REFUSALS = "refused"  # in the series; no purpose has this name


def _totals(analysis: "Analysis") -> Rows:
    totals = analysis.to_dict()["totals"]
    yield {**totals, "first": moment_or_none(totals["first"]), "last": moment_or_none(totals["last"])}


def _findings(analysis: "Analysis") -> Rows:
    yield from analysis.to_dict()["findings"]


def _inputs(analysis: "Analysis") -> Rows:
    for item in analysis.to_dict()["inputs"]:
        yield {**item, "notes": "; ".join(item["notes"])}


def _formats(analysis: "Analysis") -> Rows:
    for item in analysis.to_dict()["inputs"]:
        for name, lines in item["formats"]:
            yield {"source": item["source"], "format": name, "lines": lines}


def _rejects(analysis: "Analysis") -> Rows:
    for table in analysis.log.reject_rows.tables():
        for batch in table.to_batches(REJECTS):
            for row in batch.to_pylist():
                yield {**row, "text": None if row["text"] is None else row["text"].decode("utf-8", "backslashreplace")}


def _versions(analysis: "Analysis") -> Rows:
    for version in analysis.to_dict()["robots_versions"]:
        since = moment_or_none(version["in_force_from"])
        yield {**version, "in_force_from": since, "warnings": "; ".join(version["warnings"])}


def _answers(analysis: "Analysis") -> Rows:
    for answer in analysis.to_dict()["robots_answers"]:
        yield {**answer, "first": moment(answer["first"]), "last": moment(answer["last"])}


def _series(analysis: "Analysis") -> Rows:
    series = analysis.to_dict()["series"]
    start, width = moment(series["start"]), series["bucket_s"]
    for purpose, bars in series["purposes"].items():
        for bar, requests in enumerate(bars):
            yield {"start": start + timedelta(seconds=bar * width), "purpose": purpose, "requests": requests}
    for bar, requests in enumerate(series["refusals"]):
        yield {"start": start + timedelta(seconds=bar * width), "purpose": REFUSALS, "requests": requests}


def _thresholds(analysis: "Analysis") -> Rows:
    for name, value in analysis.to_dict()["thresholds"].items():
        yield {"name": name, "value": json.dumps(value)}


def _notes(analysis: "Analysis") -> Rows:
    document = analysis.to_dict()
    for note in (*document["notes"], *(document["verification"] or {"notes": []})["notes"]):
        yield {"note": note}


TABLES = (
    Table(
        "totals",
        "One row: the whole log, or the period of it that was asked for.",
        (
            *count("lines", "rejects", unit="lines"),
            *count("requests", "automated_requests", "suspected_requests", "untimed", "refusals", unit="requests"),
            *count("bytes", "automated_bytes", unit="bytes"),
            *count(
                "clients", "described", "automated_clients", "violating_clients", "ignoring_clients", unit="clients"
            ),
            *count("suspected", unit="user agents at an address"),
            *instant("first", "last"),
            *number("window_s", unit="s"),
        ),
        _totals,
    ),
    Table(
        "findings",
        "What to know first, worst first; `evidence` is the command that lists the lines.",
        (
            *text("kind", "client"),
            *count("severity", unit="3 worst, 1 to know"),
            *count("count"),
            *text("sentence", "evidence"),
        ),
        _findings,
    ),
    Table(
        "inputs",
        "Each source and its accounting: lines = requests + rejects + blank + comments.",
        (
            *text("source", "format", "compression"),
            *count("lines", "requests", "rejects", "blank", "comments", unit="lines"),
            *count("bytes", unit="bytes, uncompressed"),
            *text("problem"),
            *text("notes", unit="semicolon-separated"),
        ),
        _inputs,
    ),
    Table(
        "formats",
        "Lines of each source by the format that read them.",
        (*text("source", "format"), *count("lines", unit="lines")),
        _formats,
    ),
    Table(
        "rejects",
        "Every line that is no request, with the reason.",
        (
            *text("source"),
            *count("line"),
            *count("offset", "length", unit="bytes"),
            *text("reason", "field", "text"),
        ),
        _rejects,
        at_once=REJECTS,
    ),
    Table(
        "robots_versions",
        "Each robots.txt as given by the operator.",
        (
            *text("name", "host", "sha256"),
            *instant("in_force_from"),
            *count("lines", unit="lines"),
            *count("groups", "rules"),
            *text("warnings", unit="semicolon-separated"),
        ),
        _versions,
    ),
    Table(
        "robots_answers",
        "Runs of equal answers to /robots.txt, read off the log.",
        (
            *text("host"),
            *count("status"),
            *instant("first", "last"),
            *count("requests", unit="requests"),
            *count("clients", unit="clients"),
        ),
        _answers,
    ),
    Table(
        "series",
        f"Requests over time by purpose; the purpose `{REFUSALS}` counts the refusals among them once more.",
        (*instant("start"), *text("purpose"), *count("requests", unit="requests")),
        _series,
    ),
    Table("thresholds", "What verdicts were given by, as JSON values.", text("name", "value"), _thresholds),
    Table("notes", "What the log cannot say.", text("note"), _notes),
)
