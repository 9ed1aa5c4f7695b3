"""`loganalyzer client`: the dossier of one client, to keep or to send to its operator."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.options import CLIENTS, LIMIT_KEY, MANNER, READING, ROBOTS, STORE, VERIFY
from loganalyzer.cli.reading import analysed, read_log, status
from loganalyzer.errors import UsageError

if TYPE_CHECKING:
    from loganalyzer.backoff.thresholds import Key


@click.command()
@click.argument("token", metavar="CLIENT")
@READING
@MANNER
@STORE
@ROBOTS
@CLIENTS
@VERIFY
@LIMIT_KEY
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--md", "as_markdown", is_flag=True, help="As Markdown.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
def client(
    token: str,
    logs: tuple[str, ...],
    log_format: str | None,
    tz: str | None,
    max_rejects: float,
    quiet: bool,
    store: str | None,
    since: str | None,
    until: str | None,
    robots: tuple[str, ...],
    limit_key: "Key",
    as_json: bool,
    as_markdown: bool,
    html: str | None,
) -> int:
    """Write the dossier of one client, CLIENT being its name in the report: to keep, or to send to its operator.

    Queries, referers, names of users and other clients are cut out of it.
    """
    from loganalyzer.analysis.dossier import dossier
    from loganalyzer.reports import files
    from loganalyzer.reports.dossiers import RENDERERS

    if as_json and as_markdown:
        raise UsageError("--json and --md both want stdout; choose one")
    files.check_writable(html, inputs=[*logs, *robots])
    read = partial(read_log, logs, log_format, tz, quiet, store, since, until)
    analysis = analysed(read, robots, limit_key, store)
    page = dossier(analysis, token)
    if html is not None:
        files.write(html, RENDERERS["html"](page))
    written = RENDERERS["json" if as_json else "markdown" if as_markdown else "text"](page)
    sys.stdout.buffer.write(written.encode("utf-8", "backslashreplace"))
    return status(analysis.log, max_rejects)
