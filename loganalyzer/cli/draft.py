"""`loganalyzer draft`: what a new robots.txt would change, told beforehand on recorded traffic; or writing one."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.cli.options import CLIENTS, MANNER, READING, ROBOTS, STORE, options, registry
from loganalyzer.cli.reading import analysed, read_log, status
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.drafts.policy import Words
    from loganalyzer.reports.mistakes import Linted
    from loganalyzer.reports.sections import Answer
    from loganalyzer.robots import History

WHAT = options(
    click.option("--draft", "drafts", multiple=True, metavar="FILE|HOST=FILE", help="The new file; repeat for hosts."),
    click.option("--suggest", is_flag=True, help="Find rules where crawlers spend much and gain little."),
    click.option("--host", metavar="HOST", help="With --suggest and --policy: for this host of several."),
    click.option("--policy", "by_policy", is_flag=True, help="Write a robots.txt from the words that follow:"),
    click.option("--deny", multiple=True, metavar="PURPOSE|NAME,...", help="May fetch nothing: ai-training, GPTBot."),
    click.option("--allow", multiple=True, metavar="PURPOSE|NAME,...", help="May fetch what * may: search."),
    click.option("--keep-out", multiple=True, metavar="PATH,...", help="Where nobody may go: /search,/cart."),
    click.option("--crawl-delay", type=float, metavar="SECONDS", help="The pause that is asked for."),
    click.option("--all-known", is_flag=True, help="Name clients that the log has not seen, too."),
)
FORM = options(
    click.option("--json", "as_json", is_flag=True, help="One JSON document, with every client."),
    click.option("--md", "as_markdown", is_flag=True, help="Markdown on stdout instead of the text."),
    click.option("--html", metavar="FILE", help="Also write one self-contained page."),
)


@click.command()
@READING
@MANNER
@STORE
@ROBOTS
@CLIENTS
@WHAT
@FORM
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
    suggest: bool,
    host: str | None,
    by_policy: bool,
    as_json: bool,
    as_markdown: bool,
    html: str | None,
    **said: Any,
) -> int:
    """Say what a new robots.txt would change, per client, and what it would break; or write one from a policy."""
    from loganalyzer.reports import files

    if as_json and as_markdown:
        raise UsageError("--json and --md both want stdout; choose one")
    if bool(drafts) + by_policy + suggest != 1:
        raise UsageError("one of: --draft FILE, the new robots.txt; --policy, to have one written; --suggest")
    if not by_policy and any(value not in ((), None, False) for value in said.values()):
        raise UsageError(
            "--deny, --allow, --keep-out, --crawl-delay and --all-known are words of a policy: add --policy"
        )
    if host is not None and drafts:
        raise UsageError("--host goes with --policy and --suggest; a draft for one host is --draft HOST=FILE")
    files.check_writable(html, inputs=[*logs, *robots, *drafts])
    words = _words(**said) if by_policy else None
    new = _load(drafts)
    analysis = analysed(partial(read_log, logs, log_format, tz, quiet, store, since, until), robots, "address", store)
    if words is None:
        answer = _suggested(analysis, host) if suggest else _effect(analysis, new, drafts)
        _out(answer, as_json, as_markdown, html)
    else:
        _written(analysis, words, host, as_json, as_markdown, html)
    return status(analysis.log, max_rejects)


def _words(
    deny: tuple[str, ...],
    allow: tuple[str, ...],
    keep_out: tuple[str, ...],
    crawl_delay: float | None,
    all_known: bool,
) -> "Words":
    from loganalyzer.drafts.policy import words

    return words(registry(), deny, allow, keep_out, crawl_delay, all_known)


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


def _effect(analysis: "Analysis", new: "History", drafts: tuple[str, ...]) -> "Answer":
    from loganalyzer.analysis.drafting import simulation
    from loganalyzer.reports import effects

    bodies = {spec: Path(spec if Path(spec).exists() else spec.partition("=")[2]).read_bytes() for spec in drafts}
    linted = [_linted(analysis, spec, data) for spec, data in bodies.items()]
    return effects.answer(simulation(analysis).effect(new), analysis.robots, drafts, linted)


def _suggested(analysis: "Analysis", host: str | None) -> "Answer":
    from loganalyzer.analysis.drafting import one_host, present, suggested
    from loganalyzer.reports import suggestions

    host = one_host(analysis.history, host)
    return suggestions.answer(suggested(analysis, present(analysis.history, host), host), analysis.robots, host)


def _written(
    analysis: "Analysis", words: "Words", host: str | None, as_json: bool, as_markdown: bool, html: str | None
) -> None:
    """Print a file that a policy wrote, alone on stdout; what it would change on stderr."""
    from loganalyzer.analysis.drafting import drafted, one_host, present, simulation
    from loganalyzer.drafts.policy import write
    from loganalyzer.reports import effects

    host = one_host(analysis.history, host)
    prepared = simulation(analysis, host)
    done = write(words, present(analysis.history, host), prepared.traffic, analysis.registry)
    effect = prepared.effect(drafted(done.data, host))
    answer = effects.written(effect, analysis.robots, done, [_linted(analysis, "robots.txt", done.data)])
    if as_json or as_markdown:
        _out(answer, as_json, as_markdown, html)
        return
    if html is not None:
        _page(answer, html)
    for note in (*done.notes, *effects.sentences(effect)):
        click.echo(terminal(f"loganalyzer: {note}"), err=True)
    sys.stdout.buffer.write(done.data)


def _linted(analysis: "Analysis", name: str, data: bytes) -> "Linted":
    """The mistakes of one draft, looked at beside the log."""
    from loganalyzer.reports.mistakes import Linted
    from loganalyzer.robots.lint import Observed, Source

    return Linted.of(name, Source(data, analysis.registry, Observed.of(analysis.log.requests), name))


def _page(answer: "Answer", html: str) -> None:
    from loganalyzer.reports import files

    files.write(html, answer.as_html())


def _out(answer: "Answer", as_json: bool, as_markdown: bool, html: str | None) -> None:
    """Write the page, and the answer to stdout."""
    from shutil import get_terminal_size

    if html is not None:
        _page(answer, html)
    width = get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    text = answer.as_json() if as_json else answer.as_markdown() if as_markdown else answer.as_text(width)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
