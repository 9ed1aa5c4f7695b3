"""Which findings end `report --fail-on` with 10: a table of what may be asked for, and what the report has of it."""

from collections.abc import Callable, Sequence

from loganalyzer.document import ReportDocument

ANY = "any"


def _of_kind(kind: str) -> Callable[[ReportDocument], int]:
    return lambda document: sum(finding["kind"] == kind for finding in document["findings"])


# Each counts what the report shows under that name: clients with such a finding, suspects, lines.
ALARMS: dict[str, Callable[[ReportDocument], int]] = {
    "violations": _of_kind("violations"),
    "ignored-429": _of_kind("ignored-429"),
    "impostor": _of_kind("impostor"),
    "disguise": _of_kind("disguise"),
    "suspects": lambda document: document["totals"]["suspected"],
    "rejects": lambda document: document["totals"]["rejects"],
}
NAMES = (*ALARMS, ANY)


def raised(document: ReportDocument, names: Sequence[str]) -> dict[str, int]:
    """How many there are of each that was asked for, those with none left out; `any` asks for all."""
    asked = ALARMS if ANY in names else names
    counts = {name: ALARMS[name](document) for name in ALARMS if name in asked}
    return {name: count for name, count in counts.items() if count}
