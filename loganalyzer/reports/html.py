"""The report as one HTML file that needs nothing else: no script, no reference outside, charts as inline SVG.

Log text is escaped by Jinja wherever it is printed, and what HTML lets through (direction marks, control characters)
by `finalize`, so that no template can forget either. The page's policy allows its own style sheet and nothing else.
"""

import base64
import hashlib
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from loganalyzer.document import ReportDocument
from loganalyzer.document.client import ClientDocument
from loganalyzer.escape import inline, terminal
from loganalyzer.reports import changes, charts, comparison, definitions, facts, refusal_effects, wording
from loganalyzer.reports.sections import Section

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_SECTIONS = 40  # about 10 kB each; the table has every client
MOST_FINDINGS = 100
MOST_ROWS = 1000


def render(document: ReportDocument) -> str:
    """Write the report as one page of HTML."""
    return page(
        "report.html.j2",
        document=document,
        sections=_sections(document),
        compared=_compared(document),
        changed=comparison.changed(document["compare"]) if document["compare"] else [],
        costs=facts.costs(document),
        stacked=_stacked(document),
        levers=wording.levers_to_try(document, MOST_SECTIONS),
        most_findings=MOST_FINDINGS,
        most_rows=MOST_ROWS,
    )


def page(template: str, **values: Any) -> str:
    """Fill a template of a whole page, with the style sheet and the policy that lets it and nothing else in."""
    css = (files("loganalyzer.reports") / "templates" / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return _environment().get_template(template).render(css=_markup(css), policy=policy, **values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("loganalyzer.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawn = {name: _drawn(draw) for name, draw in _DRAWN.items()}
    words = {
        "w": wording,
        "changes": changes,
        "facts": facts,
        "refusal_effects": refusal_effects,
        "definitions": definitions.DEFINITIONS,
        "shapes": definitions.SHAPES,
    }
    environment.globals.update(words | drawn)
    environment.filters["copyable"] = _copyable
    return environment


_DRAWN: dict[str, Callable[..., str]] = {
    "activity": charts.activity,
    "requests_over_time": charts.requests_over_time,
    "share_bar": charts.share_bar,
    "before_and_now": charts.before_and_now,
    "refusal_timeline": charts.refusal_timeline,
}


def _drawn(draw: Callable[..., str]) -> Callable[..., Any]:
    """Let a chart through as markup: it was built as a tree, in which log text is text."""
    return lambda *args: _markup(draw(*args))


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 # our own style sheet and our own drawings, never a stranger's text


def _finalize(value: Any) -> Any:
    if value is None:
        return "unknown"
    return inline(value) if type(value) is str else value  # not Markup, which has been made safe


def _copyable(text: str) -> Any:
    """Text to copy: the only kind that keeps its line ends."""
    from markupsafe import escape

    return escape(terminal(text))


def _sections(document: ReportDocument) -> list[dict[str, Any]]:
    """Return the clients with something to say, worst first, with their findings."""
    found = defaultdict(list)
    for finding in document["findings"]:
        found[finding["client"]].append(finding)
    by_name = {client["client"]: client for client in document["clients"]}
    named = [by_name[name] for name in found if name in by_name]
    moved = [client for client in document["clients"] if client["client"] not in found and _is_told(client)]
    return [
        {"client": client, "findings": found.get(client["client"], []), "id": f"client-{number}"}
        for number, client in enumerate((named + moved)[:MOST_SECTIONS], 1)
    ]


def _compared(document: ReportDocument) -> list[Section]:
    told = comparison.sections(document["compare"]) if document["compare"] else []
    return [section for section in told if not section.is_empty]


def _is_told(client: ClientDocument) -> bool:
    return client["automated"] and (client["lever"]["lever"] != "leave-alone" or client["backoff"]["refusals"] > 0)


def _stacked(document: ReportDocument) -> list[tuple[str, str, int]]:
    """Return (series, shade, requests) of the chart over time, for its legend."""
    stacked = charts.stack(document["series"]["purposes"])
    shades = charts.shades(list(stacked))
    return [(name, shades[name], sum(counts)) for name, counts in stacked.items()]
