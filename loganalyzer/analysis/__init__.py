"""From a log to its report: the only place that knows the order of things.

`analyse` narrows the requests to integers (`columns`), runs every measure once (`measures`), and keeps both in one
frozen `Analysis`; `describe` turns that into the document that every output is rendered from.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from loganalyzer.analysis import describe
from loganalyzer.analysis.columns import Columns, narrow
from loganalyzer.analysis.identity import Identity, identities
from loganalyzer.analysis.measures import Measures, run
from loganalyzer.backoff import Thresholds
from loganalyzer.backoff.thresholds import Key
from loganalyzer.clients.registry import Registry, shipped
from loganalyzer.document import ReportDocument
from loganalyzer.engine.choice import backend
from loganalyzer.robots.history import History, load

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
    history: History
    measures: Measures
    robots: tuple[str, ...] = ()  # as the operator named them
    limit_key: Key = "address"
    thresholds: Thresholds = field(default_factory=Thresholds)
    registry: Registry = field(default_factory=shipped)

    def command(self, client: str, what: str | None = None, address: str | None = None) -> str:
        """The command line that prints the evidence lines of `client`, or those from one address."""
        logs = list(self.log.arguments) or [item.source for item in self.log.inputs]
        shown = logs if self.log.arguments or len(logs) <= SHOWN_LOGS else [logs[0], "..."]
        options = [part for spec in self.robots for part in ("--robots", spec)]
        options += [part for file in self.registry.files for part in ("--clients", file)]
        if self.log.log_format is not None:
            options += ["--log-format", self.log.log_format]
        if self.log.tz is not None:
            options += ["--tz", self.log.tz]
        options += self.log.options
        if self.limit_key != "address":
            options += ["--limit-key", self.limit_key]
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

    Raises:
        UsageError: a robots.txt cannot be read, or is an HTML page; the engine does not start.
    """
    history = load(robots) if history is None else history
    registry = shipped() if registry is None else registry
    columns = narrow(log.request_rows, log.shelf, registry, log.earlier_rows)
    people = tuple(identities(columns.clients, columns.agents, columns.agent_requests))
    thresholds = Thresholds()
    policies = [person.policy() for person in people]
    started = backend(engine, log.shelf.memory, log.shelf.folder)
    measures = run(columns, history, policies, thresholds, started, log.shelf)
    return Analysis(log, columns, people, history, measures, tuple(robots), limit_key, thresholds, registry)
