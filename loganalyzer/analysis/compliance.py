"""What beside its class is to be known of requests and robots.txt: stale copies, escapes, and what changes did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.changes import effects
from loganalyzer.analysis.columns import MICROSECONDS, Columns
from loganalyzer.analysis.respelt import respelt
from loganalyzer.analysis.steps import Steps, any_of
from loganalyzer.robots import History, Policy
from loganalyzer.robots.answers import PROBABLY_READ_S, SERVED
from loganalyzer.robots.changes import Change, changes
from loganalyzer.robots.replay import STALE, Replay

LIBRARIES = ("library", "tool")


@dataclass(frozen=True)
class Compliance:
    """Small Arrow tables; codes are those of `Columns`."""

    changes: tuple[Change, ...]  # of robots.txt, that fall into the log
    effects: pa.Table  # schema EFFECT: what came of them
    stale: pa.Table  # schema STALE
    respelt: pa.Table  # schema RESPELT
    probably_read: pa.Table  # clients whose address read robots.txt moments before under the name of a library


def measure(
    steps: Steps,
    columns: Columns,
    history: History,
    policies: Sequence[Policy],
    judge: Replay,
    answers: pa.Table,
    span_us: tuple[int, int],
) -> Compliance:
    """Run the steps; those before have registered `decision`, and `answers` has every answer to /robots.txt."""
    found = changes(history, *span_us)
    readers = any_of(code for code in _readers(answers, columns.earlier) if policies[code].automated)
    libraries = any_of(code for code, policy in enumerate(policies) if policy.kind in LIBRARIES)
    return Compliance(
        changes=found,
        effects=effects(steps, found, policies, judge),
        stale=_summed(steps.fold("timed", ["client"], judge.stale_stream, STALE, clients=readers)),
        respelt=respelt(steps, history, policies, columns.targets),
        probably_read=steps.sql("probably_read", libraries=libraries, within=PROBABLY_READ_S * MICROSECONDS),
    )


def _readers(*answers: pa.Table) -> list[int]:
    """Codes of the clients that got robots.txt, in the day before too; who only came before has no code."""
    served: set[int] = set()
    for table in answers:
        got = table.filter(pc.is_in(table["status"], value_set=pa.array(SERVED, pa.int16())))
        served.update(got["client"].unique().to_pylist())
    return sorted(code for code in served if code >= 0)


def _summed(tables: Iterable[pa.Table]) -> pa.Table:
    """One row for each client."""
    whole = pa.concat_tables([STALE.empty_table(), *tables])
    counted = whole.group_by("client").aggregate([("requests", "sum"), ("oldest_us", "max")])
    return counted.select(["client", "requests_sum", "oldest_us_max"]).rename_columns(STALE.names).cast(STALE)
