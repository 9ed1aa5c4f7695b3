"""What a command that reads logs is given on its command line: one value, and one field of it for each option.

A new option is one field; every command that takes the field's group has it then.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.cli.kinds import Anonymize, PerCent, Size
from loganalyzer.cli.memory import quarter, shown
from loganalyzer.cli.unneeded import show_pandas

if TYPE_CHECKING:
    from loganalyzer.backoff.thresholds import Key
    from loganalyzer.clients import Registry
    from loganalyzer.privacy import Anonymize as Mode
    from loganalyzer.privacy import Privacy
    from loganalyzer.store.loading import Window
    from loganalyzer.verification import Verifier
    from loganalyzer.verification.places import Places

# Groups of options: what a command names to have them, in this order in its help.
LOGS, FORMAT, ZONE, TOLERANCE, HIDING = ("logs",), ("format",), ("zone",), ("tolerance",), ("hiding",)
READING = LOGS + FORMAT + ZONE + TOLERANCE + HIDING
MEMORY = ("memory",)
XFF = ("xff",)
MANNER = ("manner", *XFF, *MEMORY)
STORE, ROBOTS, CLIENTS, MMDB = ("store",), ("robots",), ("clients",), ("mmdb",)
RANGES = ("ranges",)
VERIFY = (*RANGES, "verify")
LIMIT_KEY, ENGINE = ("limit key",), ("engine",)


def _option(group: tuple[str, ...], *names: str, default: Any = None, **settings: Any) -> Any:
    """A field that an option fills; `default` where a command does not take its group."""
    default = () if settings.get("multiple") else False if settings.get("is_flag") and default is None else default
    if default not in (None, (), False):
        settings["default"] = default
    return field(default=default, metadata={"group": group[0], "names": names, "settings": settings})


def _logs(context: click.Context, _: click.Parameter, logs: tuple[str, ...]) -> tuple[str, ...]:
    """The logs named, and with --recursive those in the folders named."""
    if not context.params.get("recursive"):
        return logs
    from loganalyzer.sources import walked

    return tuple(walked(logs))


@dataclass(frozen=True)
class Given:
    """What the command was given; methods read what an option only names, and raise UsageError where it is faulty."""

    logs: tuple[str, ...] = field(
        default=(), metadata={"group": "logs", "settings": {"nargs": -1, "metavar": "LOG...", "callback": _logs}}
    )
    recursive: bool = _option(
        *(LOGS, "--recursive"),
        is_flag=True,
        is_eager=True,  # before the logs
        help="Read all logs in the folders named, and in theirs.",
    )
    log_format: str | None = _option(
        *(FORMAT, "--log-format"),
        metavar="NAME|DIRECTIVE|@FILE",
        help="A format's name, or the log_format, LogFormat or #Fields line pasted verbatim, or @nginx.conf that it "
        "stands in, or my.toml (see docs/own-format.md); else found by itself.",
    )
    tz: str | None = _option(
        *(ZONE, "--tz"), metavar="ZONE", help="Of times that name no zone, as Europe/Zurich; else they are UTC."
    )
    max_rejects: float = _option(
        *(TOLERANCE, "--max-rejects"),
        type=PerCent(0, 100),
        default=1.0,
        show_default=True,
        help="Per cent of lines; above: exit 3.",
    )
    quiet: bool = _option(TOLERANCE, "-q", "--quiet", is_flag=True, help="No notes about the inputs on stderr.")
    anonymize: "Mode | None" = _option(
        *(HIDING, "--anonymize"),
        is_flag=False,
        flag_value="truncate",
        type=Anonymize(["truncate", "hash"]),
        metavar="[truncate|hash]",
        help="Keep of addresses the network (/24, /48) alone, or a keyed hash; users and rejected lines go as well.",
    )
    redact: tuple[str, ...] = _option(
        *(HIDING, "--redact"),
        type=click.Choice(["query"]),
        multiple=True,
        help="Take the queries out of targets and referers.",
    )
    key: str | None = _option(
        *(HIDING, "--key"),
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Secret of the hash, so that it is the same in each run; else a random one.",
    )
    force: bool = _option(
        *(MANNER, "--force"),
        is_flag=True,
        help="Read on where --log-format fits less than 99 % of the first 10,000 lines.",
    )
    keep_duplicates: bool = _option(
        *(MANNER, "--keep-duplicates"), is_flag=True, help="Count runs of lines that two logs have twice, not once."
    )
    xff: str = _option(
        *(XFF, "--xff"),
        type=click.Choice(["as-logged", "rightmost-untrusted"]),
        default="as-logged",
        show_default=True,
        help="Whose request it is: the address logged, or the last of X-Forwarded-For that is not of a private "
        "network (behind proxies of your own, which write it).",
    )
    memory: int | None = _option(
        *(MEMORY, "--memory"),
        metavar="SIZE",
        type=Size(),
        help="As 2GiB: a larger log goes through temporary files in TMPDIR. By default a quarter of the memory there "
        f"is, here {shown(quarter())}.",
    )
    store: str | None = _option(
        *(STORE, "--store"),
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read what `ingest` keeps there instead of logs.",
    )
    since: str | None = _option(
        *(STORE, "--since"),
        metavar="INSTANT",
        help="From then on: 2026-11-02, 2026-11-02T10:00Z, yesterday, 2h, 7d; UTC.",
    )
    until: str | None = _option(STORE, "--until", metavar="INSTANT", help="Before then.")
    robots: tuple[str, ...] = _option(
        *(ROBOTS, "--robots"),
        multiple=True,
        metavar="FILE[@INSTANT]|DIR|HOST=...",
        help="robots.txt in force; repeat with @2026-11-02T10:00Z for its versions, with HOST=, HOST:PORT= or "
        "https://HOST= for each host, or name a folder of them.",
    )
    grace: tuple[str, ...] = _option(
        *(ROBOTS, "--grace", "--grace-hours"),
        multiple=True,
        metavar="TOKEN=HOURS",
        help="For how long a client may go by an older robots.txt; * is everybody. Else 24 (RFC 9309); repeat.",
    )
    clients: tuple[str, ...] = _option(
        *(CLIENTS, "--clients"),
        multiple=True,
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Clients of your own and corrections, in TOML (docs/own-clients.md); repeat.",
    )
    ranges: str | None = _option(
        *(RANGES, "--ranges"),
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Verify by the address ranges that operators publish, kept in DIR (loganalyzer ranges fetch); no network.",
    )
    verify: bool = _option(
        *(("verify",), "--verify"),
        is_flag=True,
        help="Verify by reverse DNS too: this asks the resolver for addresses of the log.",
    )
    dns_timeout: float = _option(
        *(("verify",), "--dns-timeout"),
        type=click.FloatRange(0.1, 60),
        default=2.0,
        show_default=True,
        help="Seconds for one question; all together take 60 s at most.",
    )
    resolver: str | None = _option(
        *(("verify",), "--resolver"), metavar="ADDRESS[:PORT]", help="The DNS server to ask; else the system's."
    )
    mmdb: tuple[str, ...] = _option(
        *(MMDB, "--mmdb"),
        multiple=True,
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="A MaxMind DB of yours, for the operators and countries of networks; repeat.",
    )
    limit_key: "Key" = _option(
        *(LIMIT_KEY, "--limit-key"),
        type=click.Choice(["address", "token"]),
        default="address",
        show_default=True,
        help="What your limiter counts by.",
    )
    spark: str | None = _option(
        *(ENGINE, "--engine", "spark"),
        metavar="MASTER",
        help="Measure on Apache Spark: spark://HOST:PORT, yarn, k8s://..., local[N] (docs/spark.md); else in this "
        "process.",
    )

    def of(self, logs: tuple[str, ...], log_format: str | None) -> "Given":
        """The same for logs that are named beside what the command is about."""
        return replace(self, logs=logs, log_format=log_format)

    def instead(self, **changes: Any) -> "Given":
        """The same for other logs, which are held against these: a random key hides alike in both."""
        other = replace(self, **changes)
        vars(other).update((name, getattr(self, name)) for name in ("privacy", "registry"))
        return other

    @property
    def inputs(self) -> list[str]:
        """What is read, so that no output takes its place."""
        return [*self.logs, *self.robots, *([self.store] if self.store else [])]

    @property
    def manner(self) -> dict[str, Any]:
        """How logs are read, as keyword arguments of `formats.read`."""
        return {"force": self.force, "keep_duplicates": self.keep_duplicates, "xff": self.xff}

    @cached_property  # so that a random key is the same for everything that is hidden
    def privacy(self) -> "Privacy":
        """What is to be hidden."""
        from loganalyzer.privacy import privacy

        return privacy(self.anonymize, "query" in self.redact, self.key)

    def engine(self) -> str | None:
        """The Spark master; null: this process measures."""
        from loganalyzer.engine.choice import checked

        master = checked(self.spark)
        if master is not None:
            show_pandas()
        return master

    def allowance(self) -> tuple[str, ...]:
        """What `--grace` was given, looked at so that a mistake is told before a long read."""
        _ = self.copy_us
        return self.grace

    @cached_property
    def copy_us(self) -> int:
        """For how long anybody may go by a copy of robots.txt, in microseconds."""
        from loganalyzer.robots.grace import read

        return read(self.grace).longest_us

    @property
    def window(self) -> "Window":
        """The period asked for."""
        from loganalyzer.store.loading import Window

        return Window.of(self.since, self.until, self.copy_us)

    @cached_property
    def registry(self) -> "Registry":
        """What is known of clients, with the operator's own."""
        from loganalyzer.clients.own import load

        return load(self.clients)

    def verifier(self) -> "Verifier | None":
        """What may be asked for addresses; null where nothing is to be verified."""
        if not self.ranges and not self.verify:
            return None
        from loganalyzer.verification import Verifier
        from loganalyzer.verification.cache import Cache, default_file
        from loganalyzer.verification.folder import default_folder, load
        from loganalyzer.verification.reverse import ReverseDns

        folder = self.ranges or (str(default_folder()) if default_folder().is_dir() else None)
        lists = load(folder, self.registry) if folder else None
        if not self.verify:
            return Verifier(lists)
        cache = Cache(default_file(self.resolver))
        return Verifier(lists, ReverseDns(self.resolver, self.dns_timeout, cache=cache))

    def networks(self) -> list[str]:
        """RANGES and MMDB as options of another command line; read once, so that a mistake is told here."""
        self.verifier()
        self.places()
        return [*([f"--ranges={self.ranges}"] if self.ranges else []), *(f"--mmdb={file}" for file in self.mmdb)]

    def places(self) -> "Places | None":
        """The operator's own files of networks; null where none is named."""
        if not self.mmdb:
            return None
        from loganalyzer.verification.places import Places

        return Places(self.mmdb)


def takes(*groups: tuple[str, ...], without: Collection[str] = ()) -> Callable[[Any], Any]:
    """Give a command the options of these groups, and hand it their values as the one argument `given`.

    Args:
        groups: of options, in the order of the help.
        without: spellings that mean something else for this command; an option without another one is left out.
    """
    wanted = [name for group in groups for name in group]
    chosen = sorted((one for one in fields(Given) if one.metadata["group"] in wanted), key=_place(wanted))
    found = [(one.name, decorate) for one in chosen if (decorate := _parameter(one, without)) is not None]

    def apply(command: Callable[..., int]) -> Any:
        @wraps(command)
        def run(**values: Any) -> int:
            return command(given=Given(**{name: values.pop(name) for name, _ in found}), **values)

        decorated: Any = run
        for _, decorate in reversed(found):
            decorated = decorate(decorated)
        return decorated

    return apply


def _place(groups: list[str]) -> Callable[[Any], int]:
    return lambda one: groups.index(one.metadata["group"])


def _parameter(one: Any, without: Collection[str]) -> Callable[[Any], Any] | None:
    """The decorator that adds the option, or the argument, which has no names of its own; null: it is left out."""
    settings = one.metadata["settings"]
    if "names" not in one.metadata:
        return click.argument(one.name, **settings)
    names = [name for name in one.metadata["names"] if name not in without]
    if not any(name.startswith("-") for name in names):
        return None
    return click.option(*(name for name in names if name.startswith("-")), one.name, **settings)
