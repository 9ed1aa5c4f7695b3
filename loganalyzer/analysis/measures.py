"""The order of steps: every SQL step and kernel of a report, run once, each giving a small Arrow table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.columns import Columns
from loganalyzer.analysis.rows import Row
from loganalyzer.backoff import CODED, Thresholds
from loganalyzer.backoff import kernel as react
from loganalyzer.clients.disguise import POPULAR_ADDRESSES, evidence
from loganalyzer.engine import Backend, Fold, Kernel
from loganalyzer.held import Rows, Shelf
from loganalyzer.levers import LIMIT_BURST, LIMIT_RATE
from loganalyzer.rates import crawl_delay_kept, measure, nginx_limit_req
from loganalyzer.rates import measured as pace
from loganalyzer.robots import History, Policy
from loganalyzer.robots import kernel as replay
from loganalyzer.robots.answers import ANSWER
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.replay import EXEMPT_KINDS
from loganalyzer.schema import DECISION, DISGUISE, RATE
from loganalyzer.suspects import FEW_PAGES, MOST_PAGES_UNSEEN, RHYTHM, rhythm, suspected

# How one client would fare under a limit, and the pauses between its requests where robots.txt asks for some.
RESTRAINT = pa.schema(
    [
        ("client", pa.int32()),
        ("limited", pa.int64()),  # requests over the limit that `levers` proposes
        ("delay_s", pa.float64()),  # Crawl-delay asked of it; null: none
        ("gaps", pa.int64()),
        ("violations", pa.int64()),  # gaps that were too short
        ("median_gap_s", pa.float64()),
        ("min_gap_s", pa.float64()),
    ]
)
BLOCKED = pa.schema([("id", pa.int64()), ("client", pa.int32())])
BUCKETS_S = (1, 10, 60, 300, 900, 3_600, 10_800, 21_600, 86_400, 604_800, 2_592_000)
CHART_BARS = 120  # at most, so that a bar stays wide enough to be seen
KEY = ["client"]
ADDRESS_KEY = ["client", "address"]
ORDER = ["t", "id"]


@dataclass(frozen=True)
class Measures:
    """What was measured, as Arrow tables; codes are those of `Columns`, instants epoch microseconds."""

    clients: pa.Table
    statuses: pa.Table
    addresses: pa.Table
    neighbours: pa.Table
    hosts: pa.Table
    target_kinds: pa.Table
    site: pa.Table  # one row
    distinct_pages: pa.Table  # of the clients that people send
    internal_referers: pa.Table
    repeats: pa.Table
    series: pa.Table
    bucket_s: int
    answers: pa.Table
    decisions: Rows  # one for each timed request of an automated client
    classes: pa.Table
    blocked_by_name: pa.Table
    rules: pa.Table
    rule_examples: pa.Table
    probably_read: pa.Table
    disguises: pa.Table
    suspects: pa.Table  # schema SUSPECT
    rates: pa.Table
    address_rates: pa.Table  # of the clients that people send
    restraint: pa.Table
    episodes: pa.Table  # key: client and address
    token_episodes: pa.Table  # key: client
    span_us: tuple[int, int]  # first start and last end
    whole_seconds: bool

    @cached_property
    def summary(self) -> dict[int, Row]:
        """The row of `clients` of each client code."""
        return {row["client"]: row for row in self.clients.to_pylist()}


def run(
    columns: Columns,
    history: History,
    policies: Sequence[Policy],
    thresholds: Thresholds,
    backend: Backend[Any],
    shelf: Shelf,
) -> Measures:
    """Run every step on one engine; `shelf` holds what has a row for each request."""
    steps = _Steps(columns, backend, shelf)
    span = span_us(columns)
    bucket_s = bucket(span)
    answers = steps.sql("robots_answers").sort_by([("t", "ascending"), ("id", "ascending")])
    decisions, blocked = _replayed(steps, columns, history, policies, answers)
    steps.register("decision", decisions)
    whole_seconds = _whole_seconds(columns.requests)
    react_to = partial(react, log_start_us=span[0], log_end_us=span[1], thresholds=thresholds)
    automated = _codes(policies, lambda policy: policy.automated)
    browsers = _codes(policies, lambda policy: policy.kind == "browser")
    libraries = _codes(policies, lambda policy: policy.kind in ("library", "tool"))
    fetchers = _codes(policies, lambda policy: policy.kind == "user-triggered")
    return Measures(
        clients=steps.sql("clients"),
        statuses=steps.sql("statuses"),
        addresses=steps.sql("addresses"),
        neighbours=steps.sql("neighbours", clients=automated),
        hosts=steps.sql("hosts"),
        target_kinds=steps.sql("target_kinds"),
        site=steps.sql("site"),
        distinct_pages=steps.sql("distinct_pages", clients=fetchers),
        internal_referers=steps.sql("internal_referers"),
        repeats=steps.sql("repeats", clients=automated),
        series=steps.sql("series", bucket=bucket_s * 1_000_000),
        bucket_s=bucket_s,
        answers=answers,
        decisions=decisions,
        classes=steps.sql("classes"),
        blocked_by_name=blocked,
        rules=steps.sql("rules"),
        rule_examples=steps.sql("rule_examples"),
        probably_read=steps.sql("probably_read", libraries=libraries),
        disguises=steps.kernel(
            "suspects", ["address"], partial(evidence, agents=columns.agents), DISGUISE, addresses=POPULAR_ADDRESSES
        ),
        suspects=_suspects(steps, browsers, whole_seconds),
        rates=pa.concat_tables([RATE.empty_table(), *steps.fold("pace", KEY, pace, RATE)]),
        address_rates=steps.kernel(
            "pace_by_address", ADDRESS_KEY, partial(measure, keys=ADDRESS_KEY), RATE, clients=fetchers
        ),
        restraint=_restraint(steps, history, policies, automated),
        episodes=steps.kernel("refused_clients", KEY, partial(react_to, by="address"), CODED),
        token_episodes=steps.kernel("refused_clients", KEY, partial(react_to, by="token"), CODED),
        span_us=span,
        whole_seconds=whole_seconds,
    )


def statement(name: str) -> str:
    """Text of one SQL step; it runs unchanged on DuckDB and Spark SQL."""
    return files("loganalyzer.analysis").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


def span_us(columns: Columns) -> tuple[int, int]:
    """First start and last end of the log, epoch microseconds; zeros where no time was logged."""
    rows = columns.requests
    starts = [first for table in rows.tables(["t"]) if (first := pc.min(table["t"]).as_py()) is not None]
    ends = [last for table in rows.tables(["end_us"]) if (last := pc.max(table["end_us"]).as_py()) is not None]
    return (min(starts), max(ends)) if starts else (0, 0)


def bucket(span: tuple[int, int]) -> int:
    """Seconds of a bar of a chart: the shortest of BUCKETS_S that needs no more than CHART_BARS bars."""
    seconds = (span[1] - span[0]) / 1e6
    return next((width for width in BUCKETS_S if seconds / width <= CHART_BARS - 1), BUCKETS_S[-1])


def _whole_seconds(requests: Rows) -> bool:
    """Whether the log knows no fraction of a second, so that overlaps are an upper bound."""
    ends = (table["end_us"].drop_null().to_numpy() for table in requests.tables(["end_us"]))
    return not any((end % 1_000_000).any() for end in ends)


def _target_kinds(columns: Columns) -> pa.Table:
    code = pa.array(range(len(columns.target_kinds)), pa.int32())
    return pa.table({"target": code, "kind": columns.target_kinds})


class _Steps:
    """The engine with one log in it, and the steps that run on it."""

    def __init__(self, columns: Columns, backend: Backend[Any], shelf: Shelf) -> None:
        self._backend, self._shelf = backend, shelf
        self.register("request", columns.requests)
        self.register("earlier", columns.earlier)
        self.register("target_kind", _target_kinds(columns))

    def register(self, name: str, rows: Rows | pa.Table) -> None:
        """Let later steps read them."""
        self._backend.register(name, rows)

    def sql(self, name: str, **values: object) -> pa.Table:
        """Run one SQL step."""
        return self._backend.to_arrow(self._backend.sql(statement(name).format(**values)))

    def kernel(self, name: str, keys: Sequence[str], kernel: Kernel, schema: pa.Schema, **values: object) -> pa.Table:
        """Run a kernel over the whole groups of what one SQL step selects."""
        relation = self._backend.sql(statement(name).format(**values))
        return pa.concat_tables([schema.empty_table(), *self._backend.by_key(relation, keys, ORDER, kernel, schema)])

    def fold(
        self, name: str, keys: Sequence[str], fold: Fold, schema: pa.Schema, **values: object
    ) -> Iterator[pa.Table]:
        """Run a fold over what one SQL step selects, in order of keys and time."""
        relation = self._backend.sql(statement(name).format(**values))
        return self._backend.fold(relation, keys, ORDER, fold, schema)

    def held(self, tables: Iterable[pa.Table], schema: pa.Schema) -> Rows:
        """Tables that have a row for each request, where there is room for them."""
        return Rows(schema, map(self._shelf.derived, tables))


def _replayed(
    steps: _Steps, columns: Columns, history: History, policies: Sequence[Policy], answers: pa.Table
) -> tuple[Rows, pa.Table]:
    """Every timed request of an automated client with its class; and those that came though blocked by name."""
    earlier = columns.earlier.select(ANSWER.names).filter(pc.is_valid(columns.earlier["t"]))
    known = pa.concat_tables([answers.select(ANSWER.names), earlier.cast(answers.select(ANSWER.names).schema)])
    judge = replay(policies, history, columns.targets, columns.hosts.to_pylist(), known)

    def blocked(requests: pa.Table) -> pa.Table:
        found = requests.filter(pc.is_in(requests["id"], value_set=judge.blocked_by_name(requests)))
        return found.select(BLOCKED.names)

    automated = _codes(policies, lambda policy: policy.automated)
    judged = steps.fold("timed", KEY, judge.stream, DECISION, clients=automated)
    decisions = steps.held((_counted(table, columns) for table in judged), DECISION)
    exempt = _codes(policies, lambda policy: policy.automated and policy.kind in EXEMPT_KINDS)
    return decisions, _counted(steps.kernel("timed", KEY, blocked, BLOCKED, clients=exempt), columns)


def _counted(rows: pa.Table, columns: Columns) -> pa.Table:
    """Rows of requests that count, not of those before the period asked for."""
    if not columns.earlier.num_rows:
        return rows
    return rows.filter(pc.invert(pc.is_in(rows["id"], value_set=columns.earlier["id"].combine_chunks())))


def _suspects(steps: _Steps, browsers: str, whole_seconds: bool) -> pa.Table:
    """Browsers' user agents that behave like a program; the rhythm of those alone that may be suspected."""
    visits = steps.sql("visits", clients=browsers, few=FEW_PAGES, pages=MOST_PAGES_UNSEEN)
    steps.register("visit", visits)
    beats = steps.kernel("visited_pages", ["address", "agent"], rhythm, RHYTHM)
    return suspected(visits, beats, 1.0 if whole_seconds else 0.0)


def _restraint(steps: _Steps, history: History, policies: Sequence[Policy], clients: str) -> pa.Table:
    """How each client would fare under the limit that `levers` proposes, and how it kept its Crawl-delay."""
    asked = {
        code: delay
        for code, policy in enumerate(policies)
        if policy.kind not in EXEMPT_KINDS
        for version in history.versions[-1:]
        if (delay := version.robots.crawl_delay(policy.robots_tokens or (EVERYBODY,)))
    }
    return steps.kernel("pages", KEY, partial(_restrained, asked=asked), RESTRAINT, clients=clients)


def _restrained(table: pa.Table, asked: Mapping[int, float]) -> pa.Table:
    """Kernel of RESTRAINT over the starts of each client."""
    codes, first = np.unique(table["client"].to_numpy(), return_index=True)
    rows = []
    for code, t in zip(codes.tolist(), np.split(table["t"].to_numpy(), first[1:]), strict=False):
        passed = nginx_limit_req(t // 1000, LIMIT_RATE, LIMIT_BURST)
        kept = crawl_delay_kept(t, asked[code])._asdict() if code in asked else {}
        rows.append({"client": code, "limited": len(t) - int(passed.sum()), "delay_s": asked.get(code), **kept})
    return pa.Table.from_pylist(rows, schema=RESTRAINT)


def _codes(policies: Sequence[Policy], chosen: Callable[[Policy], bool]) -> str:
    return _any_of(code for code, policy in enumerate(policies) if chosen(policy))


def _any_of(codes: Iterable[int]) -> str:
    """A list for SQL's IN; never empty, for that is no SQL."""
    return ", ".join(map(str, codes)) or "NULL"
