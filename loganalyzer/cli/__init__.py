"""Arguments and exit codes, nothing else: each command calls one function of the package.

Exit codes: 0 all read; 1 a bug of ours; 2 usage or configuration; 3 report written, but an input was missing, cut or
unreadable, or too many lines were rejected; 4 nothing usable, no report; 5 an output could not be written; 10 findings
with --fail-on; 130 and 143 for SIGINT and SIGTERM; 141 when the reader of a pipe went away.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import click

from loganalyzer.cli import versions
from loganalyzer.cli.client import client
from loganalyzer.cli.collateral import collateral
from loganalyzer.cli.comparing import COMPARE, compared
from loganalyzer.cli.dashboard import dashboard
from loganalyzer.cli.draft import draft
from loganalyzer.cli.follow import print_following
from loganalyzer.cli.formats import formats
from loganalyzer.cli.given import (
    CLIENTS,
    ENGINE,
    LIMIT_KEY,
    MANNER,
    MMDB,
    READING,
    ROBOTS,
    STORE,
    VERIFY,
    XFF,
    Given,
    takes,
)
from loganalyzer.cli.identify import identify
from loganalyzer.cli.limits import limits
from loganalyzer.cli.lint import lint
from loganalyzer.cli.options import WHAT
from loganalyzer.cli.outputs import OUTPUTS, alarmed, check_outputs, write_outputs, written
from loganalyzer.cli.process import Commands, run
from loganalyzer.cli.questions import check
from loganalyzer.cli.ranges import ranges
from loganalyzer.cli.reading import EXIT_PARTLY, analysed, read_log, status, usable, usual_logs
from loganalyzer.cli.screen import COLOR, colours, out, width
from loganalyzer.errors import NothingUsableError, UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.store import Ingested

EPILOG = """\b
Exit codes: 0 all read · 2 usage · 3 report written, but an input was missing, cut or
unreadable, or too many lines were rejected · 4 nothing usable · 5 output not written ·
10 findings with --fail-on · 130, 143 interrupted · 1 a bug (run with --debug, report it)
"""


@click.group(
    cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=versions.show,
    help="Show versions, and exit.",
)
@click.option("--debug", is_flag=True, envvar="LOGANALYZER_DEBUG", help="Show the traceback of a failure.")
def cli(debug: bool) -> None:
    """Who the bots in your access logs are, what they keep, and the mildest lever that works on each.

    \b
    loganalyzer report /var/log/nginx/access.log* --robots robots.txt
    loganalyzer lines access.log --robots robots.txt --client ExampleBot --violations
    loganalyzer check robots.txt --agent GPTBot /private/ /
    """  # noqa: D301 - click's mark for "keep these lines" is the character itself


@cli.command()
@takes(READING, MANNER, STORE, ROBOTS, CLIENTS, VERIFY, MMDB, LIMIT_KEY, ENGINE)
@COMPARE
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout instead of the text.")
@click.option("--md", "as_markdown", is_flag=True, help="Markdown on stdout instead of the text.")
@OUTPUTS
@click.option("--all", "everything", is_flag=True, help="Every client and section, not the first screen only.")
@COLOR
def report(
    given: Given,
    others: tuple[str, ...],
    as_json: bool,
    as_markdown: bool,
    html: str | None,
    csv: str | None,
    parquet: str | None,
    fail_on: tuple[str, ...] | None,
    everything: bool,
    color: str,
) -> int:
    """Report who came, who kept the rules, who slowed down, and what would work."""
    from loganalyzer.reports import RENDERERS, text

    if as_json and as_markdown:
        raise UsageError("--json and --md both want stdout; choose one")
    check_outputs(replace(given, logs=(*given.logs, *others)), html, csv, parquet, fail_on)
    analysis = compared(given, others)
    document = analysis.to_dict()
    write_outputs(analysis, html, csv, parquet)
    if as_json or as_markdown:
        out(RENDERERS["json" if as_json else "markdown"](document))
    else:
        out(text.render(document, width=width(), colour=colours(color), full=everything))
    return alarmed(document, fail_on, status(analysis.log, given.max_rejects))


@cli.command()
@takes(READING, MANNER, STORE)
@click.option("--parquet", metavar="FILE", help="Write Parquet instead of NDJSON.")
@click.option("--csv", metavar="FILE", help="Write CSV instead of NDJSON; no cell of it is a formula.")
@click.option("--csv-raw", is_flag=True, help="Write texts into the CSV as they are: for programs, not spreadsheets.")
@click.option("--rejects", metavar="FILE", help="Write what could not be read here.")
@click.option("--follow", is_flag=True, help="Go on with what is appended, through rotation, until interrupted.")
def parse(
    given: Given,
    parquet: str | None,
    csv: str | None,
    csv_raw: bool,
    rejects: str | None,
    follow: bool,
) -> int:
    """Print the canonical requests, one JSON object a line."""
    from loganalyzer.reports import files
    from loganalyzer.reports.tables import reject_lines

    if follow:
        if parquet or csv or rejects or given.since or given.until:
            raise UsageError("--follow prints JSON lines: take away --parquet, --csv, --rejects and periods")
        print_following(given)
    files.check_writable(parquet, csv, rejects, inputs=given.inputs)
    with written(parquet, csv, csv_raw) as take:
        log = read_log(given, take)
        if rejects is not None:
            files.write(rejects, reject_lines(log.reject_rows))
        usable(log, given.store)
    return status(log, given.max_rejects)


@cli.command()
@takes(READING, MANNER, STORE, ROBOTS, CLIENTS, VERIFY, LIMIT_KEY, without=["--grace"])  # which chooses lines here
@click.option("--client", required=True, metavar="TOKEN", help="The client, as the report names it.")
@WHAT
@click.option("--address", metavar="ADDRESS", help="Only what came from there.")
@click.option("--raw", is_flag=True, help="The very bytes of the log, control characters and all.")
def lines(
    given: Given,
    client: str,
    what: tuple[str, ...],
    address: str | None,
    raw: bool,
) -> int:
    """Print the evidence: the original lines of one client, with file and line."""
    from loganalyzer.analysis import evidence

    if len(what) > 1:
        raise UsageError(f"--{what[0]} and --{what[1]} are different lines; choose one")
    if {"violations", "grace"} & set(what) and not given.robots:
        raise UsageError(f"--{what[0]} needs the robots.txt that was in force: --robots FILE")
    if address is not None and given.privacy.addresses == "truncate":
        address = given.privacy.address(address)
    analysis = analysed(given)
    found = evidence.lines(analysis, client, what[0] if what else "all", address)
    for source, line, text in found:
        if raw:
            sys.stdout.buffer.write(text + b"\n")
        else:
            sys.stdout.write(terminal(f"{source}:{line}: {text.decode('utf-8', 'backslashreplace')}") + "\n")
    for gone in getattr(analysis.log.originals, "gone", ()):
        click.echo(terminal(f"loganalyzer: {gone}"), err=True)
    return status(analysis.log, given.max_rejects)


@cli.command()
@takes(READING, XFF)
@click.option("--store", required=True, metavar="DIR", type=click.Path(file_okay=False), help="Made if there is none.")
@click.option("--wait", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds for another ingest.")
def ingest(given: Given, store: str, wait: float) -> int:
    """Add what is new in the logs to a store: rotated, compressed and copied ones are known by their content."""
    from loganalyzer.reports import ingests
    from loganalyzer.store import ingest as into

    inputs: list[Ingested] = []
    for item in into(
        list(given.logs) or usual_logs(), store, given.log_format, wait, given.tz, given.privacy, given.xff
    ):
        inputs.append(item)
        if not given.quiet or item.problem:
            click.echo(terminal(f"loganalyzer: {ingests.sentence(item)}"), err=True)
    if inputs and all(item.failed for item in inputs):
        return NothingUsableError.exit_code
    lines, rejects = (sum(numbers) for numbers in zip(*((i.lines, i.rejects) for i in inputs), strict=True))
    return EXIT_PARTLY if any(item.problem for item in inputs) or rejects * 100 > given.max_rejects * lines else 0


for command in (client, draft, limits, identify, check, lint, formats, collateral, ranges, dashboard):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point: run a command and end with its exit code."""
    run(cli, sys.argv[1:] if arguments is None else list(arguments))
