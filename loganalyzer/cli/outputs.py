"""What `report` writes besides its text, and `--fail-on`: options, and one function for before and after the read."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from loganalyzer.cli.given import Given
from loganalyzer.cli.options import options
from loganalyzer.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from loganalyzer.analysis import Analysis
    from loganalyzer.document import ReportDocument
    from loganalyzer.reports.tables import Take

EXIT_FOUND = 10


class _Alarms(click.ParamType[tuple[str, ...]]):
    """Names of alarms with commas between them."""

    name = "alarms"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Read the names."""
        from loganalyzer.reports.alarms import NAMES

        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        for name in names:
            if name not in NAMES:
                self.fail(f"{name!r} is none of {', '.join(NAMES)}", param, ctx)
        return names


OUTPUTS = options(
    click.option("--html", metavar="FILE", help="Also write one self-contained page."),
    click.option("--csv", metavar="DIR", help="Also write every table as CSV, with a manifest; no cell is a formula."),
    click.option("--parquet", metavar="DIR", help="Also write every table as Parquet, with a manifest."),
    click.option(
        "--fail-on",
        type=_Alarms(),
        metavar="WHAT[,WHAT]",
        help="Exit 10 where there are violations, ignored-429, impostor, disguise, suspects, rejects, or any of them.",
    ),
)


def check_outputs(
    given: Given, html: str | None, csv: str | None, parquet: str | None, alarms: Sequence[str] | None
) -> None:
    """Refuse before the read what could only fail, or never be found, after it.

    Raises:
        UsageError: an output is an input or named twice; an alarm could never be raised.
        OutputError: an output cannot be written.
    """
    from loganalyzer.reports import files

    files.check_writable(html, inputs=given.inputs)
    if csv is not None or parquet is not None:
        from loganalyzer.reports.exports import check_folders

        check_folders(csv, parquet, inputs=given.inputs, files=[html])
    if "violations" in (alarms or ()) and not given.robots:
        raise UsageError("--fail-on violations needs the robots.txt that was in force: --robots FILE")
    if "impostor" in (alarms or ()) and not (given.ranges or given.verify):
        raise UsageError("--fail-on impostor needs --ranges DIR or --verify: else nobody is verified")


def write_outputs(analysis: "Analysis", html: str | None, csv: str | None, parquet: str | None) -> None:
    """Write what was asked for.

    Raises:
        OutputError: one could not be written.
    """
    from loganalyzer.reports import RENDERERS, files

    if html is not None:
        files.write(html, RENDERERS["html"](analysis.to_dict()))
    for kind, folder in (("csv", csv), ("parquet", parquet)):
        if folder is not None:
            from loganalyzer.reports.exports import write

            write(folder, kind, analysis)


@contextmanager
def written(parquet: str | None, csv: str | None, raw: bool) -> Iterator["Take"]:
    """What takes the requests of `parse` piece by piece: JSON lines on stdout, unless files were asked for.

    Raises:
        OutputError: one could not be written.
    """
    from loganalyzer.reports import tables
    from loganalyzer.schema import REQUEST

    with ExitStack() as files:
        takes = [] if parquet is None else [files.enter_context(tables.parquet(parquet, REQUEST))]
        takes += [] if csv is None else [files.enter_context(tables.csv(csv, raw))]
        takes = takes or [tables.printer(sys.stdout.write)]

        def take(requests: "pa.Table") -> None:
            for into in takes:
                into(requests)

        yield take


def alarmed(document: "ReportDocument", alarms: Sequence[str] | None, status: int) -> int:
    """The exit code: 10 for what was found, told on stderr, where the report is complete; else `status` wins."""
    from loganalyzer.reports.alarms import raised

    found = raised(document, alarms or ())
    if found:
        told = ", ".join(f"{name} ({count:,})" for name, count in found.items())
        click.echo(f"loganalyzer: --fail-on: {told}", err=True)
    return status or (EXIT_FOUND if found else 0)
