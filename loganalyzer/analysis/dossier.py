"""One client on one page, to keep or to send to its operator: what was measured, lines of the log, what is asked for.

It goes to strangers: names of other clients, what they sent, folders of this machine and queries stay here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer import __version__
from loganalyzer.analysis import describe, evidence, redacted
from loganalyzer.analysis.rows import Row
from loganalyzer.document import SCHEMA_VERSION
from loganalyzer.document.client import ClientDocument, EtiquetteDocument, LeverDocument
from loganalyzer.document.robots import RespeltDocument, RobotsVersionDocument, RuleDocument
from loganalyzer.epoch import iso
from loganalyzer.errors import NothingUsableError, UsageError
from loganalyzer.etiquette.facts import UNDECLARED

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis


class LineDocument(TypedDict):
    """One request as evidence."""

    place: str  # "access.log:12", without the folder
    why: str
    text: str


class FetchDocument(TypedDict):
    """One request for /robots.txt."""

    at: str
    status: int | None


class DossierDocument(TypedDict):
    """One client."""

    schema_version: int
    generator: str
    hosts: list[str]  # that the client asked for
    first: str | None  # of the log
    last: str | None
    client: ClientDocument  # as in the report, less its lever and what is about others
    robots_versions: list[RobotsVersionDocument]
    fetches: list[FetchDocument]  # the last ten
    lines: list[LineDocument]
    lines_rule: str  # what was cut out of them
    asked: list[str]  # what its operator is asked to do, each with what it rests on
    notes: list[str]  # what the log cannot say


MOST_LINES, FEWEST_LINES, MOST_FETCHES = 20, 10, 10
# What lines are shown of, how many, and why; a line of two kinds is shown once, under the first.
KINDS = {
    "violations": (8, "forbidden by robots.txt"),
    "early": (6, "inside a wait it was asked to keep"),
    "refused": (4, "asked to wait"),
    "fetches": (2, "asks for robots.txt"),
}
# What is asked for where a row of etiquette is not passed.
ASKED = {
    "names-itself": "Please send a user agent with {lacking}.",
    "addressable-token": "Please state the product token that robots.txt is to name, in letters, `_` and `-` alone "
    "(RFC 9309, section 2.2.1).",
    "reads-robots-first": "Please read /robots.txt before anything else, and again after 24 hours at the latest "
    "(RFC 9309, section 2.4).",
    "keeps-robots": "Please leave out what robots.txt disallows; the rules that were met stand above.",
    "no-disguise": "Please keep one name, above all after a refusal; what came under another is in our log.",
    "waits-when-told": "Please wait after 429 or 503 for as long as Retry-After says (RFC 9110, section 10.2.3), with "
    "all that fetch at the same time.",
    "resumes-slower": "Please come back slower than before once a wait is over.",
    "keeps-a-budget": "Please spread the requests: fewer at once, and a pause between them.",
    "caches": "Please send If-None-Match or If-Modified-Since (RFC 9110, section 13.1): an unchanged page is then "
    "answered 304, without its content.",
    "prefers-machine-formats": "Please take sitemaps and feeds: they name what is new, and save visits to each page.",
    "single-pages": "Please fetch the pages alone that a person asked for.",
    "follows-no-links": "Please follow no links in the name of a person who asked for one page.",
    "builds-no-index": "Please crawl under a name that robots.txt can address, if pages are kept.",
}
PEAK_LINES = ("peak_1s_line", "peak_60s_line", "burst_line")
NO_LEVER: LeverDocument = {
    "lever": "none",
    "title": "",
    "why": "",
    "saves_requests": 0,
    "saves_bytes": 0,
    "saves_requests_interval": None,
    "saves_bytes_interval": None,
    "base": "",
    "text": None,
    "collateral": None,
}
SHORT_OF = ("fail", "partly")
NAMED = {"token": "a name", "version": "a version", "contact": "a page or an address of who runs it"}
NOTHING = "Nothing: what could be measured is as one would wish."
OUR_FAULT = "Nothing of robots.txt, for our server did not give it when it was asked for: that is ours to put right."
CORRECTION = (
    "If any of this is not yours, or not so, please tell us: more lines are at your disposal. Thank you for reading."
)
_GRADE = re.compile(
    r" \([^()]*\bis (?:fail|partly|pass)\)|, (?:under|over) \d+ %(?=\))"
)  # how a row is graded is no matter of the reader's


def dossier(analysis: "Analysis", client: str) -> DossierDocument:
    """Everything about one client.

    Raises:
        NothingUsableError: no such client in the log, the text names near ones; or one that stands for many.
    """
    try:
        code = evidence.code_of(analysis, client)
    except UsageError as error:
        raise NothingUsableError(str(error)) from error
    found = describe.client(analysis, code)
    if not found["automated"] or found["client"] == UNDECLARED:
        raise NothingUsableError(
            f"{found['client']} stands for many who share no name, and a dossier would show them to one another; "
            f"their lines: {analysis.command(found['client'])}"
        )
    ends = describe.window(analysis)
    return {
        "schema_version": SCHEMA_VERSION,
        "generator": f"loganalyzer {__version__}",
        "hosts": _hosts(analysis, code),
        "first": ends[0],
        "last": ends[1],
        "client": _sendable(found),
        "robots_versions": [_version(version) for version in analysis.history.document()],
        "fetches": _fetches(analysis, code),
        "lines": list(_lines(analysis, found["client"])),
        "lines_rule": redacted.RULE,
        "asked": asked(found["etiquette"], found["robots"]["reading"] == "not given"),
        "notes": describe.gaps(analysis),
    }


def asked(rows: list[EtiquetteDocument], robots_kept_back: bool = False) -> list[str]:
    """What follows from the rows that were not passed, each with what was measured."""
    wishes = [f"{_asks(row)} Measured: {_GRADE.sub('', row['sentence'])}" for row in rows if row["verdict"] in SHORT_OF]
    ours = [OUR_FAULT] if robots_kept_back else []
    return [*ours, *(wishes or ([] if ours else [NOTHING])), CORRECTION]


def _asks(row: EtiquetteDocument) -> str:
    """What would pass the row; of what a user agent should say, the part that it lacks."""
    lacking = [words for name, words in NAMED.items() if not row["evidence"].get(name)]
    return ASKED[row["row"]].format(lacking=" and ".join(filter(None, (", ".join(lacking[:-1]), *lacking[-1:]))))


def _hosts(analysis: "Analysis", code: int) -> list[str]:
    """The hosts that a client asked for: others are no matter of its operator's."""
    found: set[int] = set()
    for table in analysis.columns.requests.tables(["client", "host"]):
        mine = table.filter(pc.equal(table["client"], pa.scalar(code, pa.int32())))
        found.update(mine["host"].unique().drop_null().to_pylist())
    return sorted(analysis.columns.hosts[host].as_py() for host in found)


def _sendable(client: ClientDocument) -> ClientDocument:
    """A client without its lever, which names neighbours, and with queries and folders cut."""
    robots = client["robots"]
    read: Any = {
        "rules": [_rule(rule) for rule in robots["rules"]],
        "respelt": [_rule(respelt) for respelt in robots["respelt"]],
        "last_version": None if robots["last_version"] is None else _name(robots["last_version"]),
    }
    rates: Any = client["rates"]
    lines = {name: _name(rates[name]) if rates[name] else None for name in PEAK_LINES}
    changed: Any = {
        "robots": {**robots, **read},
        "rates": {**rates, **lines},
        "shared": None,
        "lever": NO_LEVER,
    }
    return {**client, **changed}


def _rule(rule: RuleDocument | RespeltDocument) -> dict[str, Any]:
    return {
        **rule,
        "version": rule["file"],
        "examples": sorted({redacted.target(example) for example in rule["examples"]}),
        "evidence": [_name(place) for place in rule["evidence"]],
    }


def _version(version: RobotsVersionDocument) -> RobotsVersionDocument:
    return {**version, "name": _name(version["name"])}


def _name(place: str) -> str:
    """A file without its folder."""
    return place.replace("\\", "/").rpartition("/")[2]


def _fetches(analysis: "Analysis", code: int) -> list[FetchDocument]:
    answers = analysis.measures.answers
    mine = answers.filter(pc.equal(answers["client"], pa.scalar(code, pa.int32())))
    rows = mine.slice(max(0, mine.num_rows - MOST_FETCHES)).select(["t", "status"]).to_pylist()
    return [{"at": iso(row["t"]), "status": row["status"]} for row in rows]


def _lines(analysis: "Analysis", client: str) -> Iterator[LineDocument]:
    """Lines of each kind, in order of time; with others of the client where they are few."""
    why: dict[int, str] = {}
    for kind, (most, reason) in KINDS.items():
        for value in _spread(evidence.ids(analysis, client, kind), most):
            why.setdefault(value, reason)
    if len(why) < FEWEST_LINES:
        for value in _spread(evidence.ids(analysis, client), FEWEST_LINES):
            if len(why) < FEWEST_LINES:
                why.setdefault(value, "one of its requests")
    for value, row in sorted(_rows(analysis, list(why)), key=lambda pair: (pair[1]["t"] or 0, pair[0])):
        yield {"place": _name(evidence.place(analysis, value)), "why": why[value], "text": redacted.line(row)}


def _rows(analysis: "Analysis", ids: Sequence[int]) -> Iterator[tuple[int, Row]]:
    """Requests by id; the narrow rows stand as those of the log, piece by piece."""
    wanted = pa.array(ids, pa.int64())
    pieces = zip(analysis.columns.requests.tables(["id"]), analysis.log.request_rows.tables(), strict=True)
    for narrow, logged in pieces:
        at = pc.index_in(wanted, value_set=narrow["id"].combine_chunks())
        found = zip(ids, at.to_pylist(), strict=True)
        rows = logged.take(at.drop_null()).to_pylist()
        yield from zip((value for value, place in found if place is not None), rows, strict=True)


def _spread(found: npt.NDArray[np.int64], most: int) -> list[int]:
    """At most so many, from the first to the last at equal steps."""
    chosen = found[np.unique(np.linspace(0, len(found) - 1, min(most, len(found))).round().astype(int))]
    values: list[int] = chosen.tolist() if len(found) else []
    return values
