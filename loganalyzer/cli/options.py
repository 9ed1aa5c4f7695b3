"""Arguments and options that several commands take."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.cli.memory import MEMORY
from loganalyzer.cli.unneeded import show_pandas

if TYPE_CHECKING:
    from loganalyzer.clients import Registry
    from loganalyzer.privacy import Privacy
    from loganalyzer.verification import Verifier
    from loganalyzer.verification.places import Places


def options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several decorators as one, the first outermost."""

    def apply(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


class _PerCent(click.FloatRange):
    """A share; "nan" is none, for nothing would ever be above it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


def _kept(context: click.Context, option: click.Parameter, value: Any) -> None:
    context.meta[f"loganalyzer.{option.name}"] = value


def manner() -> dict[str, Any]:
    """What MANNER was given to the command that runs, as keyword arguments of `formats.read`."""
    return {name: bool(_meta(name)) for name in ("force", "keep_duplicates")} | {"xff": client_rule()}


def client_rule() -> str:
    """Which address is the client's, as --xff of the command that runs says."""
    return str(_meta("xff") or "as-logged")


def privacy() -> "Privacy":
    """What PRIVACY was given to the command that runs.

    Raises:
        UsageError: as of `loganalyzer.privacy.privacy`.
    """
    from loganalyzer.privacy import privacy

    given = {name: _meta(name) for name in ("anonymize", "redact", "key")}
    return privacy(given["anonymize"], "query" in (given["redact"] or ()), given["key"])


def _meta(name: str) -> Any:
    return click.get_current_context().meta.get(f"loganalyzer.{name}")


def engine() -> str | None:
    """What ENGINE was given to the command that runs.

    Raises:
        UsageError: it is none.
    """
    from loganalyzer.engine.choice import checked

    master = checked(click.get_current_context().meta.get("loganalyzer.engine"))
    if master is not None:
        show_pandas()
    return master


def grace() -> tuple[str, ...]:
    """What `--grace` was given to the command that runs.

    Raises:
        UsageError: it is no TOKEN=HOURS.
    """
    from loganalyzer.robots.grace import read

    given = tuple(_meta("grace") or ())
    read(given)  # so that a mistake is told before a long read
    return given


def registry() -> "Registry":
    """What CLIENTS was given to the command that runs, read.

    Raises:
        UsageError: a file is faulty.
    """
    from loganalyzer.clients.own import load

    return load(_meta("clients") or ())


def verifier(registry: "Registry") -> "Verifier | None":
    """What VERIFY was given to the command that runs, ready to ask; null where nothing is to be verified.

    Raises:
        UsageError: a folder is missing, the resolver is no address, or a package that is needed.
    """
    folder, by_dns, resolver, timeout = map(_meta, ("ranges", "verify", "resolver", "dns_timeout"))
    if not folder and not by_dns:
        return None
    from loganalyzer.verification import Verifier
    from loganalyzer.verification.cache import Cache, default_file
    from loganalyzer.verification.folder import default_folder, load
    from loganalyzer.verification.reverse import ReverseDns

    if not folder and default_folder().is_dir():
        folder = str(default_folder())
    lists = load(folder, registry) if folder else None
    if not by_dns:
        return Verifier(lists)
    return Verifier(lists, ReverseDns(resolver, timeout, cache=Cache(default_file(resolver))))


def networks() -> list[str]:
    """What RANGES and MMDB were given, as options for another command line; read once, so that a mistake is told here.

    Raises:
        UsageError: a folder is missing, or a file is faulty.
    """
    verifier(registry())
    places()
    folder = _meta("ranges")
    return [*([f"--ranges={folder}"] if folder else []), *(f"--mmdb={file}" for file in _meta("mmdb") or ())]


def places() -> "Places | None":
    """What `--mmdb` named; null where it named nothing.

    Raises:
        UsageError: a file is faulty, or maxminddb is not installed.
    """
    files = _meta("mmdb")
    if not files:
        return None
    from loganalyzer.verification.places import Places

    return Places(files)


def _logs(context: click.Context, _: click.Parameter, logs: tuple[str, ...]) -> tuple[str, ...]:
    """The logs named, and with --recursive those in the folders named."""
    if not context.meta.get("loganalyzer.recursive"):
        return logs
    from loganalyzer.sources import walked

    return tuple(walked(logs))


LOGS = options(
    click.argument("logs", nargs=-1, metavar="LOG...", callback=_logs),
    click.option(
        "--recursive",
        is_flag=True,
        is_eager=True,  # before the logs
        expose_value=False,
        callback=_kept,
        help="Read all logs in the folders named, and in theirs.",
    ),
)


class _Anonymize(click.Choice[str]):
    """How addresses are hidden; without a value they are truncated, so that a log named behind the option is told."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read the word."""
        if value not in self.choices:
            self.fail(
                f"{value!r} is neither truncate nor hash; write --anonymize=truncate in front of a log", param, ctx
            )
        return str(value)


HIDING = options(  # kept in the context: whoever reads logs hides, no other command knows of it
    click.option(
        "--anonymize",
        is_flag=False,
        flag_value="truncate",
        type=_Anonymize(["truncate", "hash"]),
        metavar="[truncate|hash]",
        expose_value=False,
        callback=_kept,
        help="Keep of addresses the network (/24, /48) alone, or a keyed hash; users and rejected lines go as well.",
    ),
    click.option(
        "--redact",
        type=click.Choice(["query"]),
        multiple=True,
        expose_value=False,
        callback=_kept,
        help="Take the queries out of targets and referers.",
    ),
)
SECRET = click.option(
    "--key",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    expose_value=False,
    callback=_kept,
    help="Secret of the hash, so that it is the same in each run; else a random one.",
)
PRIVACY = options(HIDING, SECRET)
LOG_OPTIONS = options(  # all of READING but the secret of the hash, whose name `limits` needs
    LOGS,
    click.option(
        "--log-format",
        metavar="NAME|DIRECTIVE|@FILE",
        help="A format's name, or the log_format, LogFormat or #Fields line pasted verbatim, or @nginx.conf that it "
        "stands in, or my.toml (see docs/own-format.md); else found by itself.",
    ),
    click.option("--tz", metavar="ZONE", help="Of times that name no zone, as Europe/Zurich; else they are UTC."),
    click.option(
        "--max-rejects",
        type=_PerCent(0, 100),
        default=1.0,
        show_default=True,
        help="Per cent of lines; above: exit 3.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="No notes about the inputs on stderr."),
    HIDING,
)
READING = options(LOG_OPTIONS, SECRET)
XFF = click.option(
    "--xff",
    type=click.Choice(["as-logged", "rightmost-untrusted"]),
    default="as-logged",
    show_default=True,
    expose_value=False,
    callback=_kept,
    help="Whose request it is: the address logged, or the last of X-Forwarded-For that is not of a private "
    "network (behind proxies of your own, which write it).",
)
MANNER = options(  # how logs are read; kept in the context, for no command but the reading asks for them
    click.option(
        "--force",
        is_flag=True,
        expose_value=False,
        callback=_kept,
        help="Read on where --log-format fits less than 99 % of the first 10,000 lines.",
    ),
    click.option(
        "--keep-duplicates",
        is_flag=True,
        expose_value=False,
        callback=_kept,
        help="Count runs of lines that two logs have twice, not once.",
    ),
    XFF,
    MEMORY,
)
CLIENTS = click.option(
    "--clients",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    expose_value=False,
    callback=_kept,
    help="Clients of your own and corrections, in TOML (docs/own-clients.md); repeat.",
)
RANGES = click.option(
    "--ranges",
    metavar="DIR",
    type=click.Path(file_okay=False),
    expose_value=False,
    callback=_kept,
    help="Verify by the address ranges that operators publish, kept in DIR (loganalyzer ranges fetch); no network.",
)
VERIFY = options(  # kept in the context like CLIENTS
    RANGES,
    click.option(
        "--verify",
        is_flag=True,
        expose_value=False,
        callback=_kept,
        help="Verify by reverse DNS too: this asks the resolver for addresses of the log.",
    ),
    click.option(
        "--dns-timeout",
        type=click.FloatRange(0.1, 60),
        default=2.0,
        show_default=True,
        expose_value=False,
        callback=_kept,
        help="Seconds for one question; all together take 60 s at most.",
    ),
    click.option(
        "--resolver",
        metavar="ADDRESS[:PORT]",
        expose_value=False,
        callback=_kept,
        help="The DNS server to ask; else the system's.",
    ),
)
MMDB = click.option(
    "--mmdb",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    expose_value=False,
    callback=_kept,
    help="A MaxMind DB of yours, for the operators and countries of networks; repeat.",
)
STORE = options(
    click.option(
        "--store",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read what `ingest` keeps there instead of logs.",
    ),
    click.option(
        "--since", metavar="INSTANT", help="From then on: 2026-11-02, 2026-11-02T10:00Z, yesterday, 2h, 7d; UTC."
    ),
    click.option("--until", metavar="INSTANT", help="Before then."),
)


def _robots(*names: str) -> Callable[[Any], Any]:
    """What was in force, and for how long an older copy may serve; `names` are those of the second option."""
    return options(
        click.option(
            "--robots",
            multiple=True,
            metavar="FILE[@INSTANT]|DIR|HOST=...",
            help="robots.txt in force; repeat with @2026-11-02T10:00Z for its versions, with HOST=, HOST:PORT= or "
            "https://HOST= for each host, or name a folder of them.",
        ),
        click.option(
            *(*names, "grace"),
            multiple=True,
            metavar="TOKEN=HOURS",
            expose_value=False,
            callback=_kept,
            help="For how long a client may go by an older robots.txt; * is everybody. Else 24 (RFC 9309); repeat.",
        ),
    )


ROBOTS = _robots("--grace", "--grace-hours")
ROBOTS_OF_LINES = _robots("--grace-hours")  # there --grace chooses lines
ENGINE = click.option(
    "--engine",
    metavar="MASTER",
    expose_value=False,
    callback=_kept,
    help="Measure on Apache Spark: spark://HOST:PORT, yarn, k8s://..., local[N] (docs/spark.md); else in this process.",
)
EVIDENCE = {  # what of a client `lines` prints, by option
    "violations": "Requests that robots.txt forbade.",
    "grace": "Forbidden now, but not by the copy it may still hold.",
    "early": "Requests made inside a wait it was asked to keep.",
    "refused": "Requests answered 429, or 503 with a wait.",
    "fetches": "Requests for /robots.txt.",
    "impostor": "Requests from addresses that are not its operator's (with --ranges or --verify).",
}
LIMIT_KEY = click.option(
    "--limit-key",
    type=click.Choice(["address", "token"]),
    default="address",
    show_default=True,
    help="What your limiter counts by.",
)
WHAT = options(
    *(click.option(f"--{name}", "what", flag_value=name, multiple=True, help=text) for name, text in EVIDENCE.items())
)
