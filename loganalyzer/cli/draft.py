"""`loganalyzer draft`: what a new robots.txt would change, told beforehand on recorded traffic."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loganalyzer.cli.options import CLIENTS, MANNER, READING, ROBOTS, STORE, registry
from loganalyzer.cli.reading import analysed, read_log, status
from loganalyzer.errors import UsageError

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.reports.mistakes import Linted
    from loganalyzer.robots import History


@click.command()
@READING
@MANNER
@STORE
@ROBOTS
@CLIENTS
@click.option(
    "--draft", "drafts", multiple=True, metavar="FILE|HOST=FILE", help="The new robots.txt; repeat for hosts."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document, with every client.")
@click.option("--md", "as_markdown", is_flag=True, help="Markdown on stdout instead of the text.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
def draft(
    logs: tuple[str, ...],
    log_format: str | None,
    tz: str | None,
    max_rejects: float,
    quiet: bool,
    store: str | None,
    since: str | None,
    until: str | None,
    robots: tuple[str, ...],
    drafts: tuple[str, ...],
    as_json: bool,
    as_markdown: bool,
    html: str | None,
) -> int:
    """Say what a draft of robots.txt would change, per client, and what it would break."""
    from loganalyzer.reports import files

    if as_json and as_markdown:
        raise UsageError("--json and --md both want stdout; choose one")
    if not drafts:
        raise UsageError("name the new robots.txt: --draft FILE")
    files.check_writable(html, inputs=[*logs, *robots, *drafts])
    new = _load(drafts)
    analysis = analysed(partial(read_log, logs, log_format, tz, quiet, store, since, until), robots, "address", store)
    _tell(analysis, new, drafts, as_json, as_markdown, html)
    return status(analysis.log, max_rejects)


def _load(drafts: tuple[str, ...]) -> "History":
    """The drafts, each in force for the whole log.

    Raises:
        UsageError: one cannot be read, is a web page, or has an instant.
    """
    from loganalyzer.robots import load

    try:
        history = load(drafts)
    except UsageError as error:
        raise UsageError(str(error).replace("--robots", "--draft")) from error
    if dated := [version.name for version in history.versions if version.in_force_from_us is not None]:
        raise UsageError(f"--draft {dated[0]}: a draft is one file without an instant")
    return history


def _tell(
    analysis: "Analysis",
    new: "History",
    drafts: tuple[str, ...],
    as_json: bool,
    as_markdown: bool,
    html: str | None,
) -> None:
    from shutil import get_terminal_size

    from loganalyzer.analysis.drafting import simulation
    from loganalyzer.reports import effects, files, sections

    effect, linted = simulation(analysis).effect(new), [_linted(analysis, spec) for spec in drafts]
    told = effects.sections(effect, linted)
    if html is not None:
        files.write(html, sections.as_html(effects.TITLE, told))
    if as_json:
        text = effects.as_json(effect, analysis.robots, drafts, linted)
    elif as_markdown:
        text = sections.as_markdown(effects.TITLE, told)
    else:
        text = sections.as_text(effects.TITLE, told, get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def _linted(analysis: "Analysis", spec: str) -> "Linted":
    """The mistakes of one draft, looked at beside the log."""
    from loganalyzer.reports.mistakes import Linted
    from loganalyzer.robots.lint import Observed, Source

    path = Path(spec if Path(spec).exists() else spec.partition("=")[2])
    observed = Observed.of(analysis.log.requests)
    return Linted.of(spec, Source(path.read_bytes(), registry(), observed, spec))
