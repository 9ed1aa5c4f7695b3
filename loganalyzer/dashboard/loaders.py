"""What is read, analysed and cached, keyed by what makes the data differ; `questions` asks further of it."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import streamlit as st

from loganalyzer.dashboard import uploads
from loganalyzer.dashboard.choice import Choice, choice
from loganalyzer.document import ReportDocument
from loganalyzer.errors import LogAnalyzerError, NothingUsableError, UnknownFormatError, UsageError
from loganalyzer.escape import markdown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from loganalyzer.analysis import Analysis
    from loganalyzer.analysis.counts import Count
    from loganalyzer.formats import Log


class Whose(NamedTuple):
    """Whose lines: those of one client, else of all of a purpose, else everybody's."""

    client: str | None = None
    purpose: str | None = None


State: TypeAlias = tuple[tuple[str, int, int], ...]  # path, size and modification time of files
MadeOf: TypeAlias = tuple[Choice, State, State]
INVITATION = "Choose a log file: name it when starting, as below, or upload one in the sidebar."
COMMAND = "loganalyzer dashboard /var/log/nginx/access.log* --robots robots.txt"
WHAT = {
    "all": "all",
    "violations": "forbidden by robots.txt",
    "grace": "in grace",
    "early": "early after 429",
    "refused": "refused",
    "fetches": "reads of robots.txt",
    "impostor": "from addresses that are not its operator's",
}
PERIOD = {"from": "since", "until": "until"}  # name in the address and of its field -> what Choice calls it
UPLOAD, UPLOAD_ROBOTS = "upload", "upload_robots"  # names in the session's state


def named() -> Choice:
    """Return what was named at start.

    Raises:
        UsageError: an unknown argument.
    """
    return choice(sys.argv[1:])


def chosen() -> Choice:
    """Return what to read: what was named at start, else this session's upload; of it this session's period.

    Raises:
        UsageError: an unknown argument, an upload that is no log, or no period.
    """
    start = _in_period(named())
    if not start.nothing:
        return start
    log, robots = (_uploaded(name) for name in (UPLOAD, UPLOAD_ROBOTS))
    given = (str(robots.path),) if robots else start.robots
    return replace(start, logs=(str(log.path),) if log else (), robots=given)


def _in_period(start: Choice) -> Choice:
    """The same with the period that the fields of the sidebar hold, which come to stand in the address."""
    from loganalyzer.store.loading import Window

    since, until = (
        (st.session_state.get(f"typed-{name}", getattr(start, of)) or "").strip() or None for name, of in PERIOD.items()
    )
    Window.of(since, until)
    return replace(start, since=since, until=until)


def _uploaded(name: str) -> uploads.Upload | None:
    """Keep the file of an uploader for as long as it is the same; a new one takes its place."""
    file = st.session_state.get(f"{name}_widget")
    if file is None:
        st.session_state.pop(name, None)
        return None
    held = st.session_state.get(name)
    if held is None or held[0] != file.file_id:
        upload = uploads.Upload(file.name, file)
        uploads.check(upload)
        st.session_state[name] = (file.file_id, upload)
    kept: uploads.Upload = st.session_state[name][1]
    return kept


def analysis() -> "Analysis":
    """Return the analysis of what was chosen; where there is none, say what to do and stop the page."""
    try:
        wanted = chosen()
        if wanted.nothing:
            st.info(INVITATION)
            st.code(COMMAND, language=None, wrap_lines=True)
            st.stop()
        return _load(wanted)
    except LogAnalyzerError as error:
        st.error(markdown(private(str(error))))
        st.stop()


def before() -> "Analysis":
    """Return the analysis of the time before the chosen period, as long as that.

    Raises:
        LogAnalyzerError: the period has no beginning, or nobody came before it.
    """
    from loganalyzer.store.loading import Window

    wanted, covered = chosen(), analysis().log.covered_us
    window = Window.of(wanted.since, wanted.until).previous(covered[1] if covered else 0)
    since, until = window.words
    return _load(replace(wanted, since=since, until=until))


def warm() -> None:
    """Read what was named at start before anybody asks; what goes wrong is told on the page, which tries again."""
    with suppress(LogAnalyzerError):
        if not (wanted := named()).nothing:
            _load(wanted).to_dict()


def document() -> ReportDocument:
    """Return the report document of what was chosen."""
    return _report(analysis())


def ready() -> ReportDocument | None:
    """Return the same without a word where there is none: the page says why."""
    try:
        wanted = chosen()
        return None if wanted.nothing else _report(_load(wanted))
    except LogAnalyzerError:
        return None


def key() -> tuple[Choice, object]:
    """What makes the data differ: what to read, and the state of its files.

    Raises:
        UsageError: an unknown argument, or an upload that is no log.
    """
    wanted = chosen()
    return wanted, (_state(wanted.files), _state(_beside(wanted)))


def meanwhile() -> "tuple[Count, ...] | None":
    """What this session's period holds, while its analysis is yet to be made; null where it is there or needs no time.

    Counted out of the analysis of the whole, where that is there.
    """
    from loganalyzer.analysis.counts import counted
    from loganalyzer.store.loading import Window

    with suppress(LogAnalyzerError):
        wanted = chosen()
        whole = _made().get(_made_of(replace(wanted, since=None, until=None)))
        if whole is not None and _made_of(wanted) not in _made():
            return counted(whole, Window.of(wanted.since, wanted.until))
    return None


def _load(wanted: Choice) -> "Analysis":
    made_of = _made_of(wanted)
    _made()[made_of] = found = _analysis(*made_of)
    return found


def _made_of(wanted: Choice) -> MadeOf:
    return wanted, _state(wanted.files), _state(_beside(wanted))


# To look into the cache: Streamlit's own cannot be asked what is in it.
@st.cache_resource
def _made() -> "WeakValueDictionary[MadeOf, Analysis]":
    """Analyses that are there, by what they were made of."""
    return WeakValueDictionary()


def _report(loaded: "Analysis") -> ReportDocument:
    """Return the document, in which an upload has its name and not the place where it is kept."""
    report: ReportDocument = loaded.to_dict()
    if UPLOAD not in st.session_state and UPLOAD_ROBOTS not in st.session_state:
        return report
    return _cleaned(tuple(folders()), key(), report)


@st.cache_resource(max_entries=8, show_spinner=False)
def _cleaned(hidden: tuple[str, ...], key: object, _report: ReportDocument) -> ReportDocument:
    cleaned: ReportDocument = json.loads(_without(hidden, json.dumps(_report)))
    return cleaned


def private(text: str) -> str:
    """Text without the name of the folder that an upload is kept in."""
    return _without(folders(), text)


def _without(hidden: Sequence[str], text: str) -> str:
    for folder in hidden:
        text = text.replace(folder, "")
    return text


def folders() -> list[str]:
    """Folders that this session's uploads are kept in, which are nobody's to see."""
    return [held[1].folder for name in (UPLOAD, UPLOAD_ROBOTS) if (held := st.session_state.get(name))]


def _beside(wanted: Choice) -> list[str]:
    """What is read besides the logs: other content makes another analysis."""
    lists = [wanted.ranges] if wanted.ranges else []
    return [*_files(wanted.robots), *wanted.clients, *lists, *wanted.mmdb]


def _files(specs: Sequence[str]) -> list[str]:
    """Return the file or folder in each `--robots`: [host=]FILE[@instant]."""
    wholes = [whole for spec in specs for whole in (spec, spec.partition("=")[2])]
    return [part for whole in wholes for part in (whole, whole.rpartition("@")[0])]


def _state(paths: Sequence[str]) -> State:
    """Path, size and modification time of each file there is: a log that has grown is another log."""
    from loganalyzer.sources import expand

    files = [source.path for source in expand([path for path in paths if path]) if source.path]
    states = [(path, path.stat()) for path in files if path.exists()]
    return tuple((str(path), state.st_size, state.st_mtime_ns) for path, state in states)


# A resource, not data: cached data would be pickled and copied at each call. The tables of an analysis are Arrow's and
# the analysis is frozen, so that sharing one object between sessions is safe.
@st.cache_resource(max_entries=4, show_spinner="Reading the log")
def _analysis(wanted: Choice, logs: State, rules: State) -> "Analysis":
    from loganalyzer.analysis import analyse
    from loganalyzer.clients import own
    from loganalyzer.store import within
    from loganalyzer.verification import Verifier
    from loganalyzer.verification.folder import load
    from loganalyzer.verification.places import Places

    registry = own.load(wanted.clients)
    if wanted.store is None:
        whole = _whole(replace(wanted, since=None, until=None), logs)
        log = within(whole, wanted.since, wanted.until, _copy_us(wanted))
    else:
        log = _read(wanted)
    if not log.request_rows.num_rows:
        where = "in this period: choose another in the sidebar" if wanted.since or wanted.until else "in the input"
        raise NothingUsableError(f"no request {where}")
    verifier = Verifier(load(wanted.ranges, registry)) if wanted.ranges else None
    places = Places(wanted.mmdb) if wanted.mmdb else None
    return analyse(
        *(log, wanted.robots, wanted.limit_key), registry=registry, verifier=verifier, places=places, grace=wanted.grace
    )


# Read once, whatever period of it is asked for.
@st.cache_resource(max_entries=2, show_spinner=False)
def _whole(wanted: Choice, logs: State) -> "Log":
    return _read(wanted)


def _read(wanted: Choice) -> "Log":
    """Read the logs, or the store, with what is to be hidden taken out."""
    from loganalyzer.formats import read
    from loganalyzer.held import Shelf
    from loganalyzer.privacy import privacy
    from loganalyzer.store import read as stored

    hidden, shelf = privacy(wanted.anonymize, wanted.redact, wanted.key), Shelf(wanted.memory)
    if wanted.store is not None:
        return hidden.log(stored(wanted.store, wanted.since, wanted.until, shelf, _copy_us(wanted)))
    try:
        log = read(
            *(list(wanted.logs), wanted.log_format, wanted.tz),
            force=wanted.force,
            keep_duplicates=wanted.keep_duplicates,
            xff=wanted.xff,
            shelf=shelf,
        )
    except UnknownFormatError as error:  # it shows a line
        raise UnknownFormatError(hidden.text(str(error))) from None
    return hidden.log(log)


# A resource: an array of millions would be copied at each call, and nobody changes it.
@st.cache_resource(max_entries=8, show_spinner="Looking up the lines")
def _ids(key: tuple[Choice, object], _analysis: "Analysis", whose: Whose, what: str) -> "npt.NDArray[np.int64]":
    return ids(_analysis, whose, what)


def ids(found: "Analysis", whose: Whose, what: str) -> "npt.NDArray[np.int64]":
    """Return the requests that `what` (a key of WHAT) names, in order of time.

    Raises:
        UsageError: no such client.
    """
    from loganalyzer.analysis import evidence

    if whose.client is not None:
        return evidence.ids(found, whose.client, what)
    return evidence.ids_of_many(found, whose.purpose, what)


def _copy_us(wanted: Choice) -> int:
    """For how long anybody may go by a copy of robots.txt."""
    from loganalyzer.robots.grace import read

    return read(wanted.grace).longest_us


# Data: one page of lines is small. The analysis is not hashed (underscore); its key is what it was made from.
@st.cache_data(max_entries=64, show_spinner="Looking up the lines")
def _lines(
    key: tuple[Choice, object], _analysis: "Analysis", whose: Whose, what: str, start: int, most: int
) -> tuple[int, list[tuple[str, str]]]:
    from loganalyzer.analysis import evidence

    found = _ids(key, _analysis, whose, what)
    return len(found), original(_analysis.log, list(evidence.places(_analysis, found[start : start + most])))


def lines(whose: Whose, what: str, start: int, most: int) -> tuple[int, list[tuple[str, str]]]:
    """Return how many lines `what` (a key of WHAT) names, and `most` of them from `start` as ("file:line", text).

    Raises:
        UsageError: a file is gone or has changed, or was standard input.
    """
    total, found = _lines(key(), analysis(), whose, what, start, most)
    return total, [(private(place), text) for place, text in found]


def original(log: "Log", places: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    """Return "file:line" and the original line of each (source, line) of a log, in the order given.

    Raises:
        UsageError: a file is gone or has changed, or was standard input.
    """
    texts: dict[tuple[str, int], str] = {}
    wanted: dict[str, list[int]] = {}
    for source, line in places:
        wanted.setdefault(source, []).append(line)
    for source, numbers in wanted.items():
        for line, text in log.originals(source, numbers):
            texts[source, line] = text.decode("utf-8", "backslashreplace")
    if missing := [place for place in places if place not in texts]:
        raise UsageError(f"{missing[0][0]} has changed since it was read: line {missing[0][1]} is gone")
    return [(f"{source}:{line}", texts[source, line]) for source, line in places]
