"""From an analysis to what drafts of robots.txt are measured on."""

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.describe import window
from loganalyzer.analysis.evidence import place
from loganalyzer.analysis.ledger import answers_before, read_at
from loganalyzer.analysis.rows import by_client
from loganalyzer.analysis.steps import Steps, any_of
from loganalyzer.clients import Registry
from loganalyzer.codes import encode
from loganalyzer.drafts import Effect
from loganalyzer.drafts.engines import NO_ENGINE, engines_of
from loganalyzer.drafts.policy import Words, write
from loganalyzer.drafts.simulation import Simulation
from loganalyzer.drafts.suggestions import Spent, Suggestion, suggest
from loganalyzer.drafts.traffic import ARRIVAL, PAIR, PEOPLE, RECORD, Traffic
from loganalyzer.engine.choice import backend
from loganalyzer.errors import UsageError
from loganalyzer.robots import History, Version, parse
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.history import AMBIGUOUS

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

MOST_HOSTS = 5  # named in a message
_ARRIVED = pa.schema([("id", pa.int64()), ("engine", pa.int32())])


def simulation(analysis: "Analysis", host: str | None = None) -> Simulation:
    """The log and the robots.txt that is in force at its end, ready to be asked what drafts would change.

    Args:
        analysis: the log.
        host: whose requests alone count; null: those of all hosts.
    """
    return Simulation(traffic(analysis, host), analysis.history)


def one_host(history: History, asked: str | None = None) -> str | None:
    """The host that a single new file is for; null: whatever host there is.

    Args:
        history: the files in force.
        asked: the host that the operator names.

    Raises:
        UsageError: several hosts have a file each and none is named, or the scheme must be named too.
    """
    if asked is None:
        given = list(dict.fromkeys(version.host for version in history.versions))
        if len(given) < 2:
            return given[0] if given else None
        names = ", ".join(name or "(all others)" for name in given)
        raise UsageError(
            f"robots.txt was given for {len(given)} hosts ({names}) and one file is written: add --host HOST for the "
            f"one that it is for, and run again for each of the others"
        )
    if history.scope(asked) == AMBIGUOUS:
        raise UsageError(f"--host {asked}: robots.txt was given by scheme; name it with http:// or https:// in front")
    return history.key(asked)


class Suggested(NamedTuple):
    """A suggestion, what it would change, and `file:line` of an example each."""

    suggestion: Suggestion
    effect: Effect
    evidence: list[str]


def suggested(analysis: "Analysis", present: bytes, host: str | None = None) -> list[Suggested]:
    """Rules worth their lines, each with what it would change, were it written into every group of the present file.

    Args:
        analysis: the log.
        present: the file in force.
        host: whose file that is and whose requests alone count; null: those of all hosts.
    """
    prepared = simulation(analysis, host)
    found = suggest(Spent.of(prepared))
    places = _places(analysis, [target for one in found for target in one.examples])
    return [
        Suggested(
            one,
            prepared.effect(_with(one.paths, prepared, present, analysis.registry, host)),
            [places[target] for target in one.examples],
        )
        for one in found
    ]


def _places(analysis: "Analysis", targets: list[str]) -> dict[str, str]:
    """`file:line` of the first request of an automated client for each target."""
    columns = analysis.columns
    codes = pc.index_in(pa.array(targets, pa.string()), value_set=columns.targets).cast(pa.int32())
    automated = [code for code, person in enumerate(analysis.identities) if person.automated]
    ids: dict[int, int] = {}
    for table in columns.requests.tables(["client", "target", "id"]):
        theirs = pc.is_in(table["client"], value_set=pa.array(automated, pa.int32()))
        asked = table.filter(pc.and_(theirs, pc.is_in(table["target"], value_set=codes)))
        for row in asked.group_by("target").aggregate([("id", "min")]).to_pylist():
            ids[row["target"]] = min(row["id_min"], ids.get(row["target"], row["id_min"]))
    return {target: place(analysis, ids[code]) for target, code in zip(targets, codes.to_pylist(), strict=True)}


def _with(
    paths: tuple[str, ...], prepared: Simulation, present: bytes, registry: Registry, host: str | None
) -> History:
    return drafted(write(Words(keep_out=paths), present, prepared.traffic, registry).data, host)


def drafted(data: bytes, host: str | None = None) -> History:
    """A draft as a history of one version, for a host or for every host."""
    return History([Version("robots.txt", host, None, hashlib.sha256(data).hexdigest(), parse(data))])


def present(history: History, host: str | None = None) -> bytes:
    """The octets of the robots.txt in force at the end; empty where none was given.

    Raises:
        UsageError: several hosts have one each and none is named, or the file is not as it was read.
    """
    host = one_host(history, host)
    number = 0 if host is None and history.versions else history.scope(host)
    if number < 0:
        return b""
    timeline = history.timelines[number]
    version = history.versions[timeline.first + len(timeline.starts) - 1]
    bare = version.name.partition("=")[2]
    for name in (version.name, bare, version.name.rpartition("@")[0], bare.rpartition("@")[0]):
        if name and Path(name).is_file():
            data = Path(name).read_bytes()
            if hashlib.sha256(data).hexdigest() == version.sha256:
                return data
    raise UsageError(f"--robots {version.name}: the file has changed since it was read; run again")


def traffic(analysis: "Analysis", host: str | None = None) -> Traffic:
    """What of an analysed log bears on drafts; of one host alone, where it is named."""
    columns, people = analysis.columns, analysis.identities
    shelf = analysis.log.shelf
    steps = Steps(columns, backend(None, shelf.memory, shelf.folder), shelf)
    steps.register("decision", analysis.measures.decisions)
    steps.register("arrival", _arrivals(analysis))
    automated = any_of(code for code, person in enumerate(people) if person.automated)
    browsers = any_of(code for code, person in enumerate(people) if not person.automated)
    summary = analysis.measures.summary.values()
    whole = Traffic(
        pairs=steps.sql("pairs", clients=automated).cast(PAIR),
        policies=tuple(person.policy() for person in people),
        purposes=tuple(person.leading["purpose"] for person in people),
        record=_record(analysis, steps.sql("judged")),
        hosts=columns.hosts.to_pylist(),
        targets=columns.targets,
        kinds=columns.target_kinds,
        arrivals=steps.sql("arrivals", clients=browsers).cast(ARRIVAL),
        people=steps.sql("people", clients=browsers).cast(PEOPLE),
        requests=sum(row["requests"] for row in summary),
        bytes=sum(row["bytes"] for row in summary),
        period=window(analysis),
    )
    return whole if host is None else _of_host(analysis, whole, host)


def _of_host(analysis: "Analysis", whole: Traffic, host: str) -> Traffic:
    """The requests that a robots.txt of one host is for; how clients kept rules so far is known from all hosts."""
    logged = [name for name in whole.hosts if name is not None]
    meant = drafted(b"", host)
    chosen = np.array([meant.scope(name, logged) == 0 for name in (*whole.hosts, None)], np.bool_)
    pairs, arrivals, people = (_rows_of(table, chosen) for table in (whole.pairs, whole.arrivals, whole.people))
    requests = size = 0
    for table in analysis.columns.requests.tables(["host", "bytes"]):
        mine = _rows_of(table, chosen)
        requests, size = requests + mine.num_rows, size + (pc.sum(mine["bytes"]).as_py() or 0)
    if not requests:
        some = ", ".join(sorted(logged)[:MOST_HOSTS]) or "none is logged"
        raise UsageError(f"no request of the log is for {host}; hosts of the log: {some}")
    sums = pairs.group_by("client").aggregate([("requests", "sum"), ("bytes", "sum")]).to_pylist()
    asked = {row["client"]: {"requests": row["requests_sum"], "bytes": row["bytes_sum"]} for row in sums}
    record = [row | asked.get(code, {"requests": 0, "bytes": 0}) for code, row in enumerate(whole.record.to_pylist())]
    return replace(
        whole,
        pairs=pairs,
        arrivals=arrivals,
        people=people,
        record=pa.Table.from_pylist(record, schema=RECORD),
        requests=requests,
        bytes=size,
        host=host,
    )


def _rows_of(table: pa.Table, chosen: npt.NDArray[np.bool_]) -> pa.Table:
    """Rows whose host is chosen; the last of `chosen` stands for one that is not logged."""
    return table.filter(pa.array(chosen[pc.fill_null(table["host"].cast(pa.int64()), -1).to_numpy()]))


def _arrivals(analysis: "Analysis") -> pa.Table:
    """Ids of the requests whose referer is a page of a search engine."""
    pieces = zip(
        analysis.log.request_rows.tables(["referer"]), analysis.columns.requests.tables(["id"]), strict=True
    )  # one narrow piece for each that was read
    return pa.concat_tables([_ARRIVED.empty_table(), *(_arrived(logged, narrowed) for logged, narrowed in pieces)])


def _arrived(logged: pa.Table, narrowed: pa.Table) -> pa.Table:
    code, referers = encode(logged["referer"])
    engine = np.append(engines_of(referers).to_numpy(), NO_ENGINE)[code]
    rows = np.flatnonzero(engine != NO_ENGINE)
    return pa.table([narrowed["id"].take(pa.array(rows)), pa.array(engine[rows])], schema=_ARRIVED)


def _record(analysis: "Analysis", judged: pa.Table) -> pa.Table:
    """How each client stood to robots.txt so far; what forbade it nothing says nothing of how it keeps rules."""
    measures, counts, broken = analysis.measures, Counter[int](), Counter[int]()
    for row in judged.to_pylist():
        if _forbids(analysis.history, row["version"], analysis.identities[row["client"]].robots_tokens):
            counts[row["client"]] += row["requests"]
            broken[row["client"]] += row["violations"]
    answers, earlier = by_client(measures.answers), answers_before(analysis)
    rows = [
        {
            "requests": measures.summary[code]["requests"],
            "bytes": measures.summary[code]["bytes"],
            "reads": len(read_at([*earlier[code], *answers[code]])),
            "judged": counts[code],
            "violations": broken[code],
        }
        for code in range(len(analysis.identities))
    ]
    return pa.Table.from_pylist(rows, schema=RECORD)


def _forbids(history: History, version: int, tokens: tuple[str, ...]) -> bool:
    rules = history.versions[version].robots.binding(tokens or (EVERYBODY,)).rules
    return any(not rule.allow for rule in rules)
