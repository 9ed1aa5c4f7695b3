"""What the page Draft asks of the analysis: the same code as `loganalyzer draft`, prepared once for each log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from loganalyzer.dashboard import loaders
from loganalyzer.drafts import Effect
from loganalyzer.errors import UsageError
from loganalyzer.robots.lint import Finding, Observed, Source, lint

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.analysis.drafting import Suggested
    from loganalyzer.drafts import Simulation
    from loganalyzer.drafts.policy import Written

EVERY_HOST = "every host"


@dataclass(frozen=True)
class Desk:
    """A log ready to be asked about drafts."""

    analysis: "Analysis"
    simulation: "Simulation"
    observed: Observed


# A resource as the analysis is, and as safe to share: nothing of it changes.
@st.cache_resource(max_entries=2, show_spinner="Summing up the requests")
def _desk(key: object, _analysis: "Analysis") -> Desk:
    from loganalyzer.analysis.drafting import simulation

    observed = Observed.of(_analysis.log.request_rows.table(["target", "status"]))
    return Desk(_analysis, simulation(_analysis), observed)


def _here() -> tuple[object, Desk]:
    key = loaders.key()
    return key, _desk(key, loaders.analysis())


def hosts() -> dict[str, str | None]:
    """The hosts that have a robots.txt each, by what they are called on the screen; none where no file was given."""
    from loganalyzer.analysis.drafting import newest

    return {host or EVERY_HOST: host for host in newest(loaders.analysis().history)}


def in_force(host: str | None) -> bytes:
    """The robots.txt in force for a host at the end of the log; empty where none was given.

    Raises:
        UsageError: the file is not as it was read.
    """
    from loganalyzer.analysis.drafting import newest, octets

    version = newest(loaders.analysis().history).get(host)
    return b"" if version is None else octets(version)


@st.cache_resource(max_entries=32, show_spinner="Holding the draft against the log")
def _effect(key: object, _desk: Desk, data: bytes, host: str | None) -> Effect:
    from loganalyzer.analysis.drafting import drafted

    return _desk.simulation.effect(drafted(data, host, _desk.simulation.now))


def effect(data: bytes, host: str | None = None) -> Effect:
    """What a draft would change, as `loganalyzer draft --draft` says it."""
    key, desk = _here()
    return _effect(key, desk, data, host)


@st.cache_data(max_entries=32, show_spinner=False)
def _mistakes(key: object, _desk: Desk, data: bytes) -> list[Finding]:
    return lint(Source(data, _desk.analysis.registry, _desk.observed))


def mistakes(data: bytes) -> list[Finding]:
    """What is noticed in a robots.txt beside the log, as `loganalyzer lint --log` says it."""
    key, desk = _here()
    return _mistakes(key, desk, data)


@st.cache_resource(max_entries=4, show_spinner="Summing up the requests of the host")
def _of_host(key: object, _desk: Desk, host: str | None) -> Desk:
    """The same for the requests of one host alone."""
    from loganalyzer.analysis.drafting import simulation

    return _desk if host is None else replace(_desk, simulation=simulation(_desk.analysis, host))


def _meant(host: str | None) -> tuple[object, Desk, str | None]:
    """The key, the desk and the host of what is written into one file."""
    from loganalyzer.analysis.drafting import one_host

    key, desk = _here()
    host = one_host(desk.analysis.history, host)
    return key, _of_host(key, desk, host), host


@st.cache_data(max_entries=16, show_spinner="Writing and proving the draft")
def _written(
    key: object,
    _desk: Desk,
    said: Mapping[str, Sequence[str]],
    pause_s: float | None,
    all_known: bool,
    host: str | None,
) -> "Written":
    from loganalyzer.analysis.drafting import present
    from loganalyzer.drafts.policy import words, write

    registry = _desk.analysis.registry
    policy = words(registry, said["deny"], said["allow"], said["keep_out"], pause_s, all_known)
    return write(policy, present(_desk.analysis.history, host), _desk.simulation.traffic, registry)


def written(
    deny: Sequence[str],
    allow: Sequence[str],
    keep_out: str,
    pause: str,
    host: str | None = None,
    all_known: bool = False,
) -> "Written":
    """The robots.txt of a policy, proven on the log, as `loganalyzer draft --policy` writes it.

    Args:
        deny: purposes and names.
        allow: purposes and names.
        keep_out: paths, joined by commas.
        pause: seconds of Crawl-delay, as typed; empty for none.
        host: whose file it is.
        all_known: name clients that the log has not seen, too.

    Raises:
        UsageError: a word of the policy is none, or it is not known for which host the file is.
        LogAnalyzerError: the proof failed, and nothing is offered.
    """
    key, desk, host = _meant(host)
    try:
        pause_s = float(pause) if pause else None
    except ValueError:
        raise UsageError(f"--crawl-delay {pause!r} is no number of seconds") from None
    return _written(key, desk, {"deny": deny, "allow": allow, "keep_out": [keep_out]}, pause_s, all_known, host)


@st.cache_resource(max_entries=4, show_spinner="Looking for rules that are worth their lines")
def _suggested(key: object, _desk: Desk, host: str | None) -> "list[Suggested]":
    from loganalyzer.analysis.drafting import present, suggested

    return suggested(_desk.analysis, present(_desk.analysis.history, host), host, _desk.simulation)


def suggestions(host: str | None = None) -> "list[Suggested]":
    """Rules worth their lines, as `loganalyzer draft --suggest` says them.

    Raises:
        UsageError: it is not known for which host they would be.
    """
    return _suggested(*_meant(host))


def names() -> list[str]:
    """Automated clients of the log that a policy may name, most requests first."""
    from loganalyzer.drafts.policy.words import LEGAL_NAME

    clients = loaders.analysis().to_dict()["clients"]
    return [one["client"] for one in clients if one["automated"] and LEGAL_NAME.fullmatch(one["client"])]
