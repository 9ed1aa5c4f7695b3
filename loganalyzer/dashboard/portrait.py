"""The parts of the page of one client: each shows one side of it, with the numbers and the lines behind."""

from typing import Any

import streamlit as st

from loganalyzer.dashboard import charts, frames, loaders, questions, show
from loganalyzer.dashboard.loaders import Whose
from loganalyzer.document import ReportDocument
from loganalyzer.document.client import ClientDocument, EtiquetteDocument
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline, markdown
from loganalyzer.etiquette.facts import UNDECLARED
from loganalyzer.reports import collaterals, definitions, facts, refusal_effects, wording

TABS = ("Identity", "Etiquette", "robots.txt", "After 429", "Pace", "Addresses", "What would work", "Lines")
WIDTHS = {"requests": 78, "peak/s": 62, "peak/min": 68, "burst": 56, "at once": 62, "addresses": 78, "which is": 85}
DOSSIERS = {"text": "txt", "markdown": "md", "html": "html"}
LABELS = {"text": "Dossier as text", "markdown": "Dossier as Markdown", "html": "Dossier as HTML"}
MIME = {"text": "text/plain", "markdown": "text/markdown", "html": "text/html"}


def parts() -> dict[str, Any]:
    """The parts by their names; which is open stands in the address."""
    return dict(zip(TABS, st.tabs(TABS, key="tab", bind="query-params"), strict=True))


def over_time(client: ClientDocument) -> None:
    """Requests over time with the refusals marked, and the dossier to keep or to send."""
    course = questions.course(client["client"])
    if sum(course["requests"]):
        alt = "Requests of this client over time, refusals below the axis"
        mark = show.picked(charts.course(client["client"], course), f"course-{client['client']}", alt)
        if mark is not None:
            what, place, _ = mark
            counts = course["refusals"] if what == "refused" else course["requests"]
            show.open_evidence(Whose(client["client"]), what, sum(counts[:place]))
        st.caption("Choose a bar, or a triangle, to see its lines: the first stands on the page that opens.")
    if not client["automated"] or client["client"] == UNDECLARED:
        return
    for column, (kind, ending) in zip(st.columns(len(DOSSIERS)), DOSSIERS.items(), strict=True):
        label, write = LABELS[kind], questions.dossier(client["client"], kind)
        column.download_button(label, write, f"dossier.{ending}", MIME[kind], on_click="ignore", width="stretch")
    st.caption("To keep, or to send to its operator: queries, referers, users and other clients are cut out of it.")


def identity(client: ClientDocument) -> None:
    """Who it claims to be, how sure that is, and what it asked for."""
    left, right = st.columns(2)
    with left:
        st.subheader("Who it is")
        show.facts(facts.identity(client))
    with right:
        st.subheader("What it asked for")
        show.facts(facts.content(client))
    if not wording.verification(client) and client["automated"]:
        st.info("Nobody asked whose its addresses are. Name a folder of range lists when starting:")
        st.code("loganalyzer dashboard access.log --ranges DIR", language=None, wrap_lines=True)
    show.grid(frames.senders(client)[0], "agents", "Most frequent user agents")


def etiquette(client: ClientDocument) -> None:
    """Each row with its measure, the numbers that decided, and its lines."""
    for number, row in enumerate(client["etiquette"]):
        _row(client["client"], row, number)
    if client["etiquette"]:
        show.save(frames.etiquette(client), "etiquette")
    else:
        st.info("People are judged by no etiquette: these rows are for automated clients.")


def _row(client: str, row: EtiquetteDocument, number: int) -> None:
    told, why = st.columns([5, 1], vertical_alignment="center")
    with told:
        show.prose(f"{definitions.SHAPES.get(row['verdict'], '–')} {row['verdict']}: {row['title']}. {row['sentence']}")
    with why.popover("Why"):
        numbers = frames.numbers(row["evidence"])
        if numbers:
            show.facts(numbers)
        if row["observable_with"]:
            show.prose(f"Observable with {row['observable_with']}.")
        if st.button("Its lines", key=f"row-{number}"):
            show.open_evidence(Whose(client), row["lines"] or "all")


def robots(client: ClientDocument, document: ReportDocument) -> None:
    """How it stands to robots.txt, rule by rule."""
    if not document["robots_versions"]:
        st.info("No robots.txt was given, so it is not judged by it. Name the file that was in force when starting:")
        st.code("loganalyzer dashboard access.log --robots robots.txt", language=None, wrap_lines=True)
    show.prose(facts.robots(client))
    if not client["robots"]["rules"]:
        return
    alt = "Rules of robots.txt that requests of this client met"
    row = show.grid(frames.rules([client]).drop(["client"]), "rules", alt, select=True)
    st.caption("Choose a row to see its lines.")
    if row is not None:
        decision = client["robots"]["rules"][row]["decision"]
        show.open_evidence(Whose(client["client"]), "violations" if decision == "violation" else "grace")


def refusals(client: ClientDocument) -> None:
    """What it did when it was told to wait."""
    backoff = client["backoff"]
    if not backoff["refusals"]:
        st.info("It was never answered 429, nor 503 with Retry-After, so no reaction could be measured.")
        return
    show.prose(facts.refusals(client))
    if told := refusal_effects.sentence(client):
        show.prose(told)
    for counted, counts in (("address", backoff["per_address"]), ("token", backoff["per_token"])):
        show.prose(f"Episodes per {counted}: {frames.verdicts(counts) or 'none'}.")
    show.episodes(client)
    if st.button("Its early requests"):
        show.open_evidence(Whose(client["client"]), "early")


def pace(client: ClientDocument) -> None:
    """How fast it came, and how its gaps are spread."""
    show.facts(facts.rates(client))
    gaps = questions.course(client["client"])["gaps"]
    if gaps["gaps"]:
        name = client["client"]
        mark = show.picked(charts.gaps(gaps), f"gaps-{name}", "Gaps between its requests by length")
        if mark is not None:
            show.open_evidence(Whose(name), "all", gaps["first"][mark[1]] or 0)
        st.caption("Choose a bar: the page that opens has the request that ended the first gap so long.")
        show.prose(
            f"{wording.plural(gaps['gaps'], 'gap')} between the starts of its requests, /robots.txt left out; "
            f"the median is {wording.seconds(gaps['median_s'])}."
        )
    if client["rates_by_address"]:
        show.grid(frames.address_rates(client), "paces", "Pace at its busiest addresses", widths=WIDTHS)
        st.caption("Its busiest addresses; peaks are requests in any second and in any minute, wherever it starts.")


def addresses(client: ClientDocument, looked_at: bool) -> None:
    """Where it comes from, and whom a block of these addresses would meet: asked only when it is looked at."""
    left, right = st.columns(2)
    with left:
        show.grid(frames.senders(client)[1], "addresses", "Most frequent addresses")
    with right:
        show.grid(frames.networks(client), "networks", "Most frequent networks", widths=WIDTHS)
    if not (client["automated"] and looked_at):
        return
    st.subheader("Whom a block would meet")
    for number, block in enumerate(questions.collateral(client["client"])):
        for sentence in collaterals.sentences(block, client["client"]):
            show.prose(sentence)
        if block["others"]["requests"]:
            show.grid(frames.met(block), f"met-{number}", "Clients that a block would meet", widths=WIDTHS)
    show.prose(collaterals.CAVEAT)


def lever(client: ClientDocument, document: ReportDocument) -> None:
    """The mildest thing that will work on it."""
    if not client["automated"]:
        st.info("People need no lever.")
        return
    show.prose(client["lever"]["title"])
    show.prose(facts.lever(client, document["totals"]))
    if client["lever"]["text"]:
        show.copyable(client["lever"]["text"])


def lines(client: ClientDocument, document: ReportDocument) -> None:
    """The lines behind all of it."""
    name, names = client["client"], [one["client"] for one in document["clients"]]
    known = [what for what in loaders.WHAT if what != "impostor" or document["verification"]]
    what = show.remembered("lines", "Which lines", known, loaders.WHAT)
    page = int(st.number_input("Page", min_value=1, value=1, key=f"page-{what}-{names.index(name)}"))
    try:
        total, found = loaders.lines(Whose(name), what, (page - 1) * show.LINES, show.LINES)
    except UsageError as error:
        st.error(markdown(loaders.private(str(error))))
        st.stop()
    show.prose(f"{wording.plural(total, 'line')}; page {page:,} of {max(1, -(-total // show.LINES)):,}")
    if found:
        show.copyable("\n".join(inline(f"{place}: {text}") for place, text in found))
