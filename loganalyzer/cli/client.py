"""`loganalyzer client`: the dossier of one client, to keep or to send to its operator."""

import click

from loganalyzer.cli.given import CLIENTS, LIMIT_KEY, MANNER, READING, ROBOTS, STORE, VERIFY, Given, takes
from loganalyzer.cli.reading import analysed, status
from loganalyzer.cli.screen import out
from loganalyzer.errors import UsageError


@click.command()
@click.argument("token", metavar="CLIENT")
@takes(READING, MANNER, STORE, ROBOTS, CLIENTS, VERIFY, LIMIT_KEY)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--md", "as_markdown", is_flag=True, help="As Markdown.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
def client(given: Given, token: str, as_json: bool, as_markdown: bool, html: str | None) -> int:
    """Write the dossier of one client, CLIENT being its name in the report: to keep, or to send to its operator.

    Queries, referers, names of users and other clients are cut out of it.
    """
    from loganalyzer.analysis.dossier import dossier
    from loganalyzer.reports import files
    from loganalyzer.reports.dossiers import RENDERERS

    if as_json and as_markdown:
        raise UsageError("--json and --md both want stdout; choose one")
    files.check_writable(html, inputs=given.inputs)
    analysis = analysed(given)
    page = dossier(analysis, token)
    if html is not None:
        files.write(html, RENDERERS["html"](page))
    written = RENDERERS["json" if as_json else "markdown" if as_markdown else "text"](page)
    out(written)
    return status(analysis.log, given.max_rejects)
