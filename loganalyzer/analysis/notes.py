"""What the log cannot say, and the directive that would make it so; each note is one row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from loganalyzer.document import TotalsDocument
from loganalyzer.etiquette import fill
from loganalyzer.robots.history import AMBIGUOUS, History
from loganalyzer.robots.hosts import normal_host, place
from loganalyzer.robotsdocument import RobotsSizeDocument

MOST_SIZES = 3  # changes of size told in notes


@dataclass(frozen=True)
class Note:
    """One gap of the log: shown where `applies`."""

    applies: Callable[[TotalsDocument, History], bool]
    sentence: str | Callable[[TotalsDocument, History], str]


def _held_against(totals: TotalsDocument, history: History) -> int:
    """How many hosts of the log are judged by versions given without a host."""
    if all(version.host for version in history.versions):
        return 0
    everybody = history.scope("")  # no host has an empty name, so none has versions under it
    return sum(history.scope(host) == everybody for host in _hosts(totals))


def _hosts(totals: TotalsDocument) -> set[str]:
    return set(map(normal_host, totals["hosts"]))


def _which(totals: TotalsDocument, history: History) -> str:
    held, hosts = _held_against(totals, history), len(_hosts(totals))
    return (
        f"robots.txt was given without a host and is held against {'all' if held == hosts else f'{held:,} of'} "
        f"{hosts:,} hosts of the log: --robots HOST=FILE"
    )


def _assumed(_: TotalsDocument, history: History) -> str:
    """What a log without hosts is held against."""
    directive = "add $host (nginx) or %v (Apache)"
    if history.scope(None) == AMBIGUOUS:
        return f"the host is not logged, so robots.txt of a single host cannot be matched to requests: {directive}"
    host = history.versions[0].host
    whose = f"be for {host}" if host else "be for one host, scheme and port"
    return f"the host is not logged: every request is taken to {whose}, whose robots.txt was given; {directive}"


def _schemeless(totals: TotalsDocument, history: History) -> list[str]:
    """Hosts of the log with a robots.txt by scheme, where the log does not say the scheme."""
    by_scheme = {
        place(version.host).host for version in history.versions if version.host and place(version.host).scheme
    }
    logged = sorted(map(place, totals["hosts"]), key=lambda asked: asked.host)
    return [asked.host for asked in logged if asked.host in by_scheme and not asked.scheme]


def _which_scheme(totals: TotalsDocument, history: History) -> str:
    """What is assumed of hosts whose scheme is not logged."""
    hosts = _schemeless(totals, history)
    said = "cannot be judged" if history.scope(hosts[0]) == AMBIGUOUS else "are held against the only one given"
    return (
        f"robots.txt was given by scheme and the log does not say the scheme of {hosts[0]}, so its requests {said}: "
        f"report on the logs of each scheme apart, each with --robots HOST=FILE"
    )


def _ruleless(_: TotalsDocument, history: History) -> list[str]:
    """Versions in which no rule can be read: an error page as text, another encoding, or nothing at all."""
    return [version.name for version in history.versions if not any(group.rules for group in version.robots.groups)]


def _without_rules(totals: TotalsDocument, history: History) -> str:
    names = _ruleless(totals, history)
    more = f" (and {len(names) - 1:,} more)" if len(names) > 1 else ""
    return (
        f"--robots {names[0]}{more}: no rule can be read in it, so it forbids nobody anything; "
        "loganalyzer lint says why"
    )


NOTES = (
    Note(
        lambda totals, history: not history.versions,
        "no robots.txt given, so nobody is judged by it: --robots FILE, repeated with FILE@2026-11-02T10:00Z for its "
        "earlier versions",
    ),
    Note(lambda totals, history: bool(_ruleless(totals, history)), _without_rules),
    # RFC 9309 section 2.3: each host has rules of its own, a subdomain inherits none.
    Note(lambda totals, history: _held_against(totals, history) > 1, _which),
    Note(
        lambda totals, _: totals["refusals"] > 0 and not totals["logged"]["retry_after"],
        "Retry-After is not logged, so each wait is assumed to be 60 s: add $sent_http_retry_after (nginx) or "
        "%{Retry-After}o (Apache) to the log format",
    ),
    Note(
        lambda totals, _: totals["refusals"] == 0,
        "no 429 and no 503 with Retry-After in the log, so no reaction to being slowed could be measured",
    ),
    Note(
        lambda totals, _: not totals["logged"]["request_time"],
        "the request time is not logged, so starts are taken to be the logged times, and concurrency is unknown: add "
        "$request_time (nginx) or %D (Apache)",
    ),
    Note(lambda totals, history: bool(history.versions) and not totals["logged"]["host"], _assumed),
    Note(lambda totals, history: bool(_schemeless(totals, history)), _which_scheme),
    Note(
        lambda totals, _: not totals["logged"]["user_agent"],
        "the user agent is not logged, so no client can be told from another: use the combined format",
    ),
    Note(
        lambda totals, _: 0 < totals["untimed"] < totals["requests"],
        "some requests have no time, or one more than ten years from the rest: they are counted, and left out of "
        "whatever needs time (totals.untimed says how many)",
    ),
    Note(
        lambda totals, _: totals["described"] < totals["clients"],
        "more clients came than are described one by one: those with the fewest requests that broke no rule are in the "
        "totals alone (totals.clients against totals.described)",
    ),
    Note(
        lambda totals, _: totals["first"] is None,
        "no time is logged, so no rate, order or reaction could be measured: add $time_iso8601 (nginx) or %t (Apache)",
    ),
)


def notes(totals: TotalsDocument, history: History) -> list[str]:
    """The sentences that apply, in the order of NOTES."""
    applying = [note.sentence for note in NOTES if note.applies(totals, history)]
    return [said if isinstance(said, str) else said(totals, history) for said in applying]


def size_notes(sizes: Sequence[RobotsSizeDocument]) -> Iterator[str]:
    """Changes of the file that no version was given for: verdicts after them may be against a file that was gone."""
    unknown = [change for change in sizes if not change["given"]]
    for change in unknown[:MOST_SIZES]:
        where = f" of {change['host']}" if change["host"] else ""
        yield fill(
            "between {last} and {first} the size of robots.txt{where} changed from {old:,} to {new:bytes} "
            "({user_agents:user agents} got both); the version then was not given: --robots FILE@{first}",
            {**change, "where": where},
        )
    more = len(unknown) - MOST_SIZES
    if more > 0:
        yield f"the size of robots.txt changed {more:,} more times: robots_sizes in --json has them"
