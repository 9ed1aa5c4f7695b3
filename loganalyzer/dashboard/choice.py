"""What the dashboard was told to read: the arguments after `--`, parsed without ever ending the process."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from loganalyzer.backoff.thresholds import Key
from loganalyzer.errors import UsageError
from loganalyzer.privacy import Anonymize


@dataclass(frozen=True)
class Choice:
    """Logs and how to read them, as `loganalyzer report` takes them."""

    logs: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    log_format: str | None = None
    limit_key: Key = "address"
    clients: tuple[str, ...] = ()
    anonymize: Anonymize | None = None
    redact: bool = False
    key: str | None = None
    ranges: str | None = None  # a folder of range lists
    mmdb: tuple[str, ...] = ()
    grace: tuple[str, ...] = ()
    store: str | None = None  # instead of logs
    since: str | None = None
    until: str | None = None
    memory: int | None = None  # bytes
    tz: str | None = None  # of times that name no zone
    force: bool = False
    keep_duplicates: bool = False
    xff: str = "as-logged"

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to read."""
        return not self.logs and self.store is None

    @property
    def files(self) -> tuple[str, ...]:
        """What changes when there is more to read: the logs, or the list of what a store holds."""
        return self.logs if self.store is None else (f"{self.store}/manifest.json",)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise: argparse would end the server."""
        raise UsageError(f"{message}; usage: streamlit run app.py -- LOG... | --store DIR [--robots FILE]")


def choice(arguments: Sequence[str]) -> Choice:
    """Parse the arguments that follow `streamlit run app.py --`.

    Raises:
        UsageError: an unknown option, standard input, or a store beside logs.
    """
    parser = _Parser(prog="app.py", add_help=False, allow_abbrev=False)
    parser.add_argument("logs", nargs="*")
    parser.add_argument("--robots", action="append", default=[])
    parser.add_argument("--clients", action="append", default=[])
    parser.add_argument("--anonymize", choices=["truncate", "hash"])
    parser.add_argument("--redact", choices=["query"])
    parser.add_argument("--key")
    parser.add_argument("--ranges")
    parser.add_argument("--mmdb", action="append", default=[])
    parser.add_argument("--grace", action="append", default=[])
    parser.add_argument("--log-format")
    parser.add_argument("--store")
    parser.add_argument("--since")
    parser.add_argument("--until")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--tz")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--keep-duplicates", action="store_true")
    parser.add_argument("--xff", default="as-logged")
    parser.add_argument("--limit-key", choices=["address", "token"], default="address")
    given = parser.parse_args(list(arguments))
    if "-" in given.logs:
        raise UsageError("standard input cannot be read twice, as a dashboard must: save the log to a file and name it")
    if given.store is not None and (given.logs or given.log_format or given.tz):
        raise UsageError(
            "--store stands for logs that were ingested: name no LOG, no --log-format and no --tz beside it"
        )
    return Choice(
        logs=tuple(given.logs),
        robots=tuple(given.robots),
        log_format=given.log_format,
        limit_key=given.limit_key,
        clients=tuple(given.clients),
        anonymize=given.anonymize,
        redact=given.redact is not None,
        key=given.key,
        ranges=given.ranges,
        mmdb=tuple(given.mmdb),
        store=given.store,
        since=given.since,
        until=given.until,
        memory=given.memory,
        grace=tuple(given.grace),
        tz=given.tz,
        force=given.force,
        keep_duplicates=given.keep_duplicates,
        xff=given.xff,
    )
