"""How well-mannered a client is: ten rows, each one measure and one sentence with its numbers.

To add a row, declare one `Row` (its numbers, its cases in order, a sample for each case) in the module of its subject
and name it in ROWS. A sentence tells what was measured, with base and threshold, and guesses no motive; what the log
cannot say is "not observable", never "pass". A fetcher that a person sends has three rows of its own in place of those
about crawling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from loganalyzer.document.client import EtiquetteDocument, MannersDocument
from loganalyzer.etiquette.content import CACHES, PREFERS_MACHINE_FORMATS
from loganalyzer.etiquette.facts import Facts
from loganalyzer.etiquette.fetchers import BUILDS_NO_INDEX, FOLLOWS_NO_LINKS, SINGLE_PAGES
from loganalyzer.etiquette.naming import ADDRESSABLE_TOKEN, NAMES_ITSELF, NO_DISGUISE
from loganalyzer.etiquette.pace import KEEPS_A_BUDGET, RESUMES_SLOWER, WAITS_WHEN_TOLD
from loganalyzer.etiquette.robots import KEEPS_ROBOTS, READS_ROBOTS_FIRST
from loganalyzer.etiquette.row import Case, Row, Sample, fill

__all__ = ["ROWS", "Case", "Facts", "Row", "Sample", "etiquette", "fill", "manners"]

ROWS = (
    NAMES_ITSELF,
    ADDRESSABLE_TOKEN,
    READS_ROBOTS_FIRST,
    KEEPS_ROBOTS,
    SINGLE_PAGES,
    FOLLOWS_NO_LINKS,
    BUILDS_NO_INDEX,
    NO_DISGUISE,
    WAITS_WHEN_TOLD,
    RESUMES_SLOWER,
    KEEPS_A_BUDGET,
    CACHES,
    PREFERS_MACHINE_FORMATS,
)


def etiquette(facts: Facts) -> list[EtiquetteDocument]:
    """Judge one client by every row that is about such a client; browsers are judged by none."""
    return [row.judge(facts) for row in ROWS if row.applies(facts)] if facts.automated else []


FEWEST_ROWS = 3  # observable; fewer are no score


def manners(rows: Sequence[EtiquetteDocument]) -> MannersDocument | None:
    """Count the rows of one client, for lists to be sorted by; null where it is judged by none."""
    if not rows:
        return None
    counts = Counter(row["verdict"] for row in rows)
    observable = len(rows) - counts["not observable"]
    score = (counts["pass"] + counts["partly"] / 2) / observable if observable >= FEWEST_ROWS else None
    return {
        "passed": counts["pass"],
        "partly": counts["partly"],
        "failed": counts["fail"],
        "not_observable": counts["not observable"],
        "score": None if score is None else round(score, 3),
    }
