"""From a log to its report: the only place that knows the order of things.

`analyse` narrows the requests to integers (`columns`), runs every measure once (`measures`), and keeps both in one
frozen `Analysis`; `describe` turns that into the document that every output is rendered from.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis import describe
from loganalyzer.analysis.columns import Columns, narrow
from loganalyzer.analysis.identity import Identity, identities
from loganalyzer.analysis.measures import Measures, run, span_us
from loganalyzer.backoff import Thresholds
from loganalyzer.backoff.thresholds import Key
from loganalyzer.clients.registry import Registry, shipped
from loganalyzer.document import ReportDocument
from loganalyzer.engine.choice import backend
from loganalyzer.errors import UsageError
from loganalyzer.robots import Policy
from loganalyzer.robots.grace import Grace
from loganalyzer.robots.grace import read as read_grace
from loganalyzer.robots.history import DAY_US, History, load
from loganalyzer.verification import Verification, Verifier
from loganalyzer.verification.places import Places

if TYPE_CHECKING:
    from loganalyzer.formats import Log

__all__ = ["Analysis", "analyse"]

SHOWN_LOGS = 4  # in a command line; more are meant by "..."


@dataclass(frozen=True)
class Analysis:
    """Everything a report can say, as Arrow tables (`measures`), the names behind their codes, and the log itself."""

    log: "Log"
    columns: Columns
    identities: tuple[Identity, ...]  # by client code
    policies: tuple[Policy, ...]  # what the replay knew of each
    history: History
    measures: Measures
    robots: tuple[str, ...] = ()  # as the operator named them
    limit_key: Key = "address"
    thresholds: Thresholds = field(default_factory=Thresholds)
    registry: Registry = field(default_factory=shipped)
    verifier: Verifier | None = None
    places: Places | None = None
    grace: Grace = field(default_factory=lambda: Grace({}))
    graces: tuple[str, ...] = ()  # as the operator wrote them

    def command(self, client: str, what: str | None = None, address: str | None = None) -> str:
        """The command line that prints the evidence lines of `client`, or those from one address."""
        logs = list(self.log.arguments) or [item.source for item in self.log.inputs]
        shown = logs if self.log.arguments or len(logs) <= SHOWN_LOGS else [logs[0], "..."]
        options = [part for spec in self.robots for part in ("--robots", spec)]
        options += [part for spec in self.graces for part in ("--grace-hours", spec)]
        options += [part for file in self.registry.files for part in ("--clients", file)]
        if self.log.log_format is not None:
            options += ["--log-format", self.log.log_format]
        if self.log.tz is not None:
            options += ["--tz", self.log.tz]
        options += self.log.options
        if self.limit_key != "address":
            options += ["--limit-key", self.limit_key]
        if what == "impostor" and self.verifier:
            options += self.verifier.arguments
        chosen = [f"--{what}"] if what else []
        chosen += ["--address", address] if address is not None else []
        return shlex.join(["loganalyzer", "lines", *shown, *options, "--client", client, *chosen])

    @cached_property
    def _document(self) -> ReportDocument:
        return describe.document(self)

    def to_dict(self) -> ReportDocument:
        """The report as plain values: equal to what `report --json` prints."""
        return self._document


def analyse(
    log: "Log",
    robots: Sequence[str] = (),
    limit_key: Key = "address",
    history: History | None = None,
    registry: Registry | None = None,
    engine: str | None = None,
    verifier: Verifier | None = None,
    places: Places | None = None,
    grace: Sequence[str] = (),
) -> Analysis:
    """Measure a log.

    Args:
        log: what `loganalyzer.read` returned.
        robots: the robots.txt in force, as `--robots` takes them: "FILE", "FILE@2026-11-02T10:00Z", a folder of
            versions, "host=...".
        history: the same, where it has been loaded already.
        limit_key: "address" or "token": what the site's limiter counts by; whose verdicts are the headline.
        registry: what is known of clients; null is the registry that comes with the package. With one's own files:
            `loganalyzer.clients.own.load(["shop.toml"])`.
        engine: what runs the measures; null is this process, else a Spark master (`spark://HOST:PORT`, `local[2]`).
        verifier: what may be asked whether clients come from their operators' addresses; null asks nobody.
        places: the operator's own files of networks and countries.
        grace: for how long clients may go by an older robots.txt, as `--grace` takes it: "GPTBot=72", "*=0".

    Raises:
        UsageError: a robots.txt cannot be read, or is an HTML page; the engine does not start; or there is nothing
            to verify by, for the addresses are hidden.
    """
    if verifier and {"truncate", "hash"} & set((log.hidden or "").split()):
        raise UsageError("the addresses of this log are hidden (--anonymize), and nobody can be verified without them")
    history = load(robots) if history is None else history
    registry = shipped() if registry is None else registry
    columns = narrow(log.request_rows, log.shelf, registry, log.earlier_rows)
    people = tuple(identities(columns.clients, columns.agents, columns.agent_requests))
    thresholds = Thresholds()
    verify = None if verifier is None else partial(_verify, verifier, columns, registry)
    allowance = read_grace(grace)
    policies = allowance.apply([person.policy() for person in people])
    columns = replace(columns, earlier=_still_held(columns.earlier, policies, log.since_us))
    started = backend(engine, log.shelf.memory, log.shelf.folder)
    measures = run(columns, history, policies, people, thresholds, started, log.shelf, verify)
    asked = tuple(robots)
    return Analysis(
        *(log, columns, people, policies, history, measures, asked, limit_key, thresholds, registry, verifier, places),
        allowance,
        tuple(grace),
    )


def _still_held(earlier: pa.Table, policies: Sequence[Policy], since_us: int | None) -> pa.Table:
    """Of the answers to /robots.txt before the period, those that their client may go by within it; or for a day."""
    if since_us is None or not earlier.num_rows:
        return earlier
    copy_us = pa.array([*(max(DAY_US, policy.copy_us) for policy in policies), DAY_US], pa.int64())  # -1: came before
    client = pc.fill_null(earlier["client"], -1).to_numpy()
    begins = pc.subtract(since_us, copy_us.take(pa.array(np.where(client < 0, len(policies), client))))
    return earlier.filter(pc.fill_null(pc.greater_equal(earlier["t"], begins), True))


def _verify(verifier: Verifier, columns: Columns, registry: Registry, claims: pa.Table) -> Verification:
    return verifier.verify(claims, columns.clients, columns.addresses, registry, span_us(columns)[1])
