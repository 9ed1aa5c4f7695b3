"""What pages ask of the analysis beyond the report: limits, how a client came, whom a block would meet, its lines."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from loganalyzer.dashboard import loaders
from loganalyzer.dashboard.loaders import Whose
from loganalyzer.drafts.limits import SERVERS, Limit
from loganalyzer.drafts.limits import snippet as written
from loganalyzer.errors import UsageError
from loganalyzer.escape import terminal

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis
    from loganalyzer.analysis.collateral import CollateralDocument
    from loganalyzer.analysis.course import CourseDocument
    from loganalyzer.analysis.limits import EffectDocument, Limits
    from loganalyzer.document.compare import CompareDocument

MOST_SAVED = 100_000  # lines in one file: a browser holds it in memory


# A resource as the analysis is, and as safe to share: it only keeps what it found out. Few, for it holds each request.
@st.cache_resource(max_entries=2, show_spinner="Sorting the requests")
def _limits(key: object, _analysis: "Analysis") -> "Limits":
    from loganalyzer.analysis.limits import Limits

    return Limits(_analysis)


@st.cache_data(max_entries=64, show_spinner="Replaying the limit")
def _effect(key: object, _limits: "Limits", limit: Limit) -> "EffectDocument":
    return _limits.effect(limit)


def effect(limit: Limit) -> "EffectDocument":
    """What a limit would have done to the requests of the log, as `loganalyzer limits --rate` says it.

    Raises:
        UsageError: the log does not have what the limit counts by.
    """
    key = loaders.key()
    return _effect(key, _limits(key, loaders.analysis()), limit)


def whole_seconds() -> bool:
    """Whether the log knows whole seconds alone, so that more is refused here than a server would."""
    return loaders.analysis().measures.whole_seconds


def snippet(limit: Limit, found: "EffectDocument", server: str) -> tuple[str, list[str]]:
    """Return the text to paste into a server (a key of SERVERS), and the remarks that its syntax has no place for.

    Raises:
        UsageError: there is nobody to write it for, or the server cannot do it.
    """
    from loganalyzer.analysis.limits import figures

    rules = _limits(loaders.key(), loaders.analysis()).rules(limit)
    if not rules:
        raise UsageError(
            "this limit would refuse no client that has a name to know it by, so there is nothing to paste"
        )
    measured = figures(found["clients"], rules)
    try:
        text = written(server, rules, measured)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return text, [] if SERVERS[server].comments else SERVERS[server].notes(measured)


# Data: small, and the analysis is not hashed (underscore); its key is what it was made from.
@st.cache_data(max_entries=64, show_spinner="Following the client")
def _course(key: object, _analysis: "Analysis", client: str) -> "CourseDocument":
    from loganalyzer.analysis.course import course

    return course(_analysis, client)


def course(client: str) -> "CourseDocument":
    """How one client came: over time, and the gaps between its requests."""
    return _course(loaders.key(), loaders.analysis(), client)


@st.cache_data(max_entries=64, show_spinner="Looking for its neighbours")
def _collateral(key: object, _analysis: "Analysis", client: str) -> "list[CollateralDocument]":
    from loganalyzer.analysis.collateral import of_analysed

    return of_analysed(_analysis, client)


def collateral(client: str) -> "list[CollateralDocument]":
    """Whom a block of a client's addresses would meet, as `loganalyzer collateral --client` says it."""
    return _collateral(loaders.key(), loaders.analysis(), client)


# Data: the document is small, and describing the period anew takes a moment.
@st.cache_data(max_entries=8, show_spinner="Comparing")
def _compared(key: object, _now: "Analysis", _before: "Analysis") -> "CompareDocument | None":
    return _now.compared_with(_before).to_dict()["compare"]


def compared() -> "CompareDocument":
    """What changed since the time before the chosen period, as `loganalyzer report --compare previous` says it.

    Raises:
        LogAnalyzerError: The period has no beginning, or there is no request before it.
    """
    found = _compared(loaders.key(), loaders.analysis(), loaders.before())
    assert found is not None  # noqa: S101 - two analyses were given
    return found


def dossier(client: str, kind: str) -> Callable[[], bytes]:
    """Return what writes the dossier of a client, as `loganalyzer client` does; `kind` is one of its RENDERERS.

    It runs when somebody saves, outside of the page, and so is given all that it needs.
    """
    return partial(_dossier, loaders.analysis(), client, kind)


def _dossier(analysis: "Analysis", client: str, kind: str) -> bytes:
    from loganalyzer.analysis.dossier import dossier
    from loganalyzer.reports.dossiers import RENDERERS

    written: str = RENDERERS[kind](dossier(analysis, client))
    return written.encode("utf-8", "backslashreplace")


def saved(whose: Whose, what: str) -> Callable[[], bytes]:
    """Return what writes the first MOST_SAVED lines that `what` names, as `loganalyzer lines` prints them.

    It runs when somebody saves, outside of the page, and so is given all that it needs.

    Raises:
        UsageError: an unknown argument, or an upload that is no log.
    """
    return partial(_saved, loaders.analysis(), whose, what, loaders.folders())


def _saved(analysis: "Analysis", whose: Whose, what: str, folders: list[str]) -> bytes:
    from loganalyzer.analysis import evidence

    first = np.sort(loaders.ids(analysis, whose, what)[:MOST_SAVED])
    found = loaders.original(analysis.log, list(evidence.places(analysis, first)))
    text = "".join(terminal(f"{place}: {line}") + "\n" for place, line in found)
    for folder in folders:
        text = text.replace(folder, "")
    return text.encode()
