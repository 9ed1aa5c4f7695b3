"""The order of steps: every SQL step and kernel of a report, run once, each giving a small Arrow table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.columns import Columns
from loganalyzer.analysis.compliance import Compliance
from loganalyzer.analysis.compliance import measure as comply
from loganalyzer.analysis.identity import Identity
from loganalyzer.analysis.lanes import Lanes
from loganalyzer.analysis.origins import Origins, Verify
from loganalyzer.analysis.origins import measure as origins
from loganalyzer.analysis.restraint import RESTRAINT, restrained
from loganalyzer.analysis.rows import Row
from loganalyzer.analysis.sharing import FEWEST, NO_NAMES
from loganalyzer.analysis.steps import Steps, any_of
from loganalyzer.backoff import CODED, SENSITIVITY, Thresholds, sensitivity
from loganalyzer.backoff import kernel as react
from loganalyzer.backoff.thresholds import Key
from loganalyzer.clients.disguise import POPULAR_ADDRESSES, evidence
from loganalyzer.clients.evasion import FOLLOWING, evasions, following, in_order
from loganalyzer.engine import Backend
from loganalyzer.held import Rows, Shelf
from loganalyzer.rates import TICK_US, measure
from loganalyzer.rates import measured as pace
from loganalyzer.robots import History, Policy
from loganalyzer.robots import kernel as replay
from loganalyzer.robots.answers import ANSWER
from loganalyzer.robots.delays import Delays
from loganalyzer.robots.replay import Replay
from loganalyzer.robots.verdicts import EXEMPT_KINDS
from loganalyzer.schema import DECISION, DISGUISE, RATE
from loganalyzer.suspects import FEW_PAGES, MOST_PAGES_UNSEEN, RHYTHM, rhythm, suspected

BLOCKED = pa.schema([("id", pa.int64()), ("client", pa.int32())])
BUCKETS_S = (1, 10, 60, 300, 900, 3_600, 10_800, 21_600, 86_400, 604_800, 2_592_000)
CHART_BARS = 120  # at most, so that a bar stays wide enough to be seen
CLIENT_KEY = ["client"]
ADDRESS_KEY = ["client", "address"]


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
    compliance: Compliance
    rules: pa.Table
    rule_examples: pa.Table
    disguises: pa.Table
    suspects: pa.Table  # schema SUSPECT
    shared_addresses: pa.Table
    rates: pa.Table
    address_rates: pa.Table  # of the clients that people send
    busy_rates: pa.Table  # of the busiest addresses of each automated client
    restraint: pa.Table
    episodes: pa.Table  # key: client and address
    token_episodes: pa.Table  # key: client
    refusal_effects: pa.Table  # of the clients that were refused
    sensitivity: pa.Table  # of the first; of the second
    token_sensitivity: pa.Table
    origins: Origins
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
    people: Sequence[Identity],
    thresholds: Thresholds,
    backend: Backend[Any],
    shelf: Shelf,
    verify: Verify | None = None,
) -> Measures:
    """Run every step on one engine.

    Args:
        columns: the log.
        history: the robots.txt in force.
        policies: what robots.txt is to the client of each code.
        people: the client of each code.
        thresholds: of the reaction to refusals.
        backend: the engine.
        shelf: holds what has a row for each request.
        verify: is asked for the addresses of clients; null asks nobody.
    """
    steps = Steps(columns, backend, shelf)
    span = span_us(columns)
    bucket_s = bucket(span)
    answers = steps.sql("robots_answers").sort_by([("t", "ascending"), ("id", "ascending")])
    judge = _judge(columns, history, policies, answers)
    delays = Delays(policies, history, columns.hosts.to_pylist())
    whole_seconds = _whole_seconds(columns.requests)
    tick_us = 1_000_000 if whole_seconds else TICK_US
    people_sent = _codes(policies, lambda policy: policy.kind == "user-triggered")
    automated = _codes(policies, lambda policy: policy.automated)
    with Lanes(steps.lanes) as lanes:
        replayed = lanes.start(partial(_replayed, steps, columns, judge, policies))
        others = [
            lanes.start(partial(_restraint, steps, delays, automated)),
            lanes.start(partial(_paces, steps, people_sent, automated, tick_us)),
            lanes.start(partial(_contents, steps, people_sent, automated)),
            lanes.start(partial(_reactions, steps, span, thresholds)),
            lanes.start(partial(_hidden, steps, columns, judge, policies, whole_seconds)),
            lanes.start(partial(_counts, steps, automated, bucket_s, span)),
        ]
        decisions, blocked = replayed()
        steps.register("decision", decisions)
        others.append(lanes.start(partial(_forbidden, steps)))
        compliance = lanes.start(partial(comply, steps, columns, history, policies, judge, answers, span))
        came_from = lanes.start(partial(origins, steps, columns, people, verify))
        return Measures(
            bucket_s=bucket_s,
            answers=answers,
            decisions=decisions,
            blocked_by_name=blocked,
            compliance=compliance(),
            origins=came_from(),
            span_us=span,
            whole_seconds=whole_seconds,
            **{name: table for tables in others for name, table in tables().items()},
        )


def _counts(steps: Steps, automated: str, bucket_s: int, span: tuple[int, int]) -> dict[str, pa.Table]:
    """Who came, how often, from where, and when."""
    return {
        "clients": steps.sql("clients"),
        "statuses": steps.sql("statuses"),
        "neighbours": steps.sql("neighbours", clients=automated),
        "hosts": steps.sql("hosts"),
        "series": steps.sql("series", bucket=bucket_s * 1_000_000),
        "refusal_effects": steps.sql("refusal_effect", start=span[0], stop=span[1]),
    }


def _forbidden(steps: Steps) -> dict[str, pa.Table]:
    """How robots.txt was kept, by class and by rule."""
    return {name: steps.sql(name) for name in ("classes", "rules", "rule_examples")}


def _restraint(steps: Steps, delays: Delays, automated: str) -> dict[str, pa.Table]:
    kernel = partial(restrained, delays=delays)
    return {"restraint": steps.kernel("pages", CLIENT_KEY, kernel, RESTRAINT, clients=automated)}


def _contents(steps: Steps, fetchers: str, automated: str) -> dict[str, pa.Table]:
    """What was asked for: by kind, and again."""
    return {
        "target_kinds": steps.sql("target_kinds"),
        "site": steps.sql("site"),
        "distinct_pages": steps.sql("distinct_pages", clients=fetchers),
        "internal_referers": steps.sql("internal_referers"),
        "repeats": steps.sql("repeats", clients=automated),
    }


def _hidden(
    steps: Steps, columns: Columns, judge: Replay, policies: Sequence[Policy], whole_seconds: bool
) -> dict[str, pa.Table]:
    """Who may be somebody else than its user agent says."""
    named = _codes(policies, lambda policy: policy.kind not in NO_NAMES)
    browsers = _codes(policies, lambda policy: policy.kind == "browser")
    return {
        "disguises": _disguises(steps, columns, judge, named, browsers),
        "shared_addresses": steps.sql("shared_addresses", clients=named, fewest=FEWEST),
        "suspects": _suspects(steps, browsers, whole_seconds),
    }


def _paces(steps: Steps, fetchers: str, automated: str, tick_us: int) -> dict[str, pa.Table]:
    """The pace of each client, of each address of some, and of the busiest addresses of others."""
    by_address = partial(measure, keys=ADDRESS_KEY, tick_us=tick_us)
    by_client = partial(pace, tick_us=tick_us)
    addresses = steps.sql("addresses")
    steps.register("busy_address", addresses)
    return {
        "addresses": addresses,
        "rates": pa.concat_tables([RATE.empty_table(), *steps.fold("pace", CLIENT_KEY, by_client, RATE)]),
        "address_rates": steps.kernel("pace_by_address", ADDRESS_KEY, by_address, RATE, clients=fetchers),
        "busy_rates": steps.kernel("pace_by_busy_address", ADDRESS_KEY, by_address, RATE, clients=automated),
    }


def _reactions(steps: Steps, span: tuple[int, int], thresholds: Thresholds) -> dict[str, pa.Table]:
    """Episodes by both keys, and their verdicts by other thresholds."""
    window: dict[str, Any] = {"log_start_us": span[0], "log_end_us": span[1], "thresholds": thresholds}
    keys: dict[str, Key] = {"": "address", "token_": "token"}
    found = {}
    for prefix, by in keys.items():
        found[f"{prefix}episodes"] = steps.kernel("refused_clients", CLIENT_KEY, partial(react, by=by, **window), CODED)
        varied = partial(sensitivity, by=by, **window)
        found[f"{prefix}sensitivity"] = steps.kernel("refused_clients", CLIENT_KEY, varied, SENSITIVITY)
    return found


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
    return any(
        not any((table[name].drop_null().to_numpy() % 1_000_000).any() for table in requests.tables([name]))
        for name in ("t", "end_us")  # one of them is as it was logged
    )


def _disguises(steps: Steps, columns: Columns, judge: Replay, named: str, browsers: str) -> pa.Table:
    """Signs that clients came under another name: after a refusal, or for what robots.txt closes to them."""
    look = partial(evidence, agents=columns.agents)
    returned = steps.kernel("suspects", ["address"], look, DISGUISE, addresses=POPULAR_ADDRESSES)
    return pa.concat_tables([returned, _evasions(steps, columns, judge, named, browsers)])


def _evasions(steps: Steps, columns: Columns, judge: Replay, named: str, browsers: str) -> pa.Table:
    """Pages that a browser asked for after a client at one address, and that are closed to the client."""
    after = partial(following, agents=columns.agents)
    pages = in_order(
        steps.kernel(
            *("readers", ["address"], after, FOLLOWING), clients=named, browsers=browsers, addresses=POPULAR_ADDRESSES
        )
    )
    return evasions(pages, pc.equal(judge(pages)["class"].cast(pa.string()), "violation"))


def _judge(columns: Columns, history: History, policies: Sequence[Policy], answers: pa.Table) -> Replay:
    """What classes requests by the answers to /robots.txt that were given, in the day before the log too."""
    answers = answers.select(ANSWER.names)
    earlier = columns.earlier.select(ANSWER.names).filter(pc.is_valid(columns.earlier["t"]))
    known = pa.concat_tables([answers, earlier.cast(answers.schema)])
    return replay(policies, history, columns.targets, columns.hosts.to_pylist(), known)


def _replayed(steps: Steps, columns: Columns, judge: Replay, policies: Sequence[Policy]) -> tuple[Rows, pa.Table]:
    """Every timed request of an automated client with its class; and those that came though blocked by name."""

    def blocked(requests: pa.Table) -> pa.Table:
        found = requests.filter(pc.is_in(requests["id"], value_set=judge.blocked_by_name(requests)))
        return found.select(BLOCKED.names)

    automated = _codes(policies, lambda policy: policy.automated)
    judged = steps.fold("timed", CLIENT_KEY, judge.stream, DECISION, clients=automated)
    decisions = steps.held((_counted(table, columns) for table in judged), DECISION)
    exempt = _codes(policies, lambda policy: policy.automated and policy.kind in EXEMPT_KINDS)
    return decisions, _counted(steps.kernel("timed", CLIENT_KEY, blocked, BLOCKED, clients=exempt), columns)


def _counted(rows: pa.Table, columns: Columns) -> pa.Table:
    """Rows of requests that count, not of those before the period asked for."""
    if not columns.earlier.num_rows:
        return rows
    return rows.filter(pc.invert(pc.is_in(rows["id"], value_set=columns.earlier["id"].combine_chunks())))


def _suspects(steps: Steps, browsers: str, whole_seconds: bool) -> pa.Table:
    """Browsers' user agents that behave like a program; the rhythm of those alone that may be suspected."""
    visits = steps.sql("visits", clients=browsers, few=FEW_PAGES, pages=MOST_PAGES_UNSEEN)
    steps.register("visit", visits)
    beats = steps.kernel("visited_pages", ["address", "agent"], rhythm, RHYTHM)
    return suspected(visits, beats, 1.0 if whole_seconds else 0.0)


def _codes(policies: Sequence[Policy], chosen: Callable[[Policy], bool]) -> str:
    return any_of(code for code, policy in enumerate(policies) if chosen(policy))
