"""From a verdict to its lines: which (source, line) a finding about one client stands on."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.columns import LINE_BITS
from loganalyzer.backoff import early_ids
from loganalyzer.errors import UsageError
from loganalyzer.escape import code as markdown
from loganalyzer.escape import inline
from loganalyzer.held import Rows
from loganalyzer.verification import REFUTED

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

# Columns that a choice looks at, besides id, t, client and address; those of None: all.
NEEDED = {
    "early": None,
    "refused": ["id", "t", "client", "address", "refusal"],
    "fetches": ["id", "t", "client", "address", "robots"],
}
_NONE = pa.schema([("id", pa.int64()), ("t", pa.int64())]).empty_table()
ONE_BY_ONE = ("early", "impostor")  # judged client by client
WHAT = ("all", "violations", "grace", "early", "refused", "fetches", "impostor")


def ids(analysis: "Analysis", client: str, what: str = "all", address: str | None = None) -> npt.NDArray[np.int64]:
    """Ids of the requests of `client` that `what` (one of WHAT) names, in (t, id) order; of one address if it is given.

    Raises:
        UsageError: no such client in the log, the text names near ones; or no such address.
    """
    chosen = _chosen(analysis, [code_of(analysis, client)], what)
    if address is not None:
        chosen = chosen.filter(pc.equal(chosen["address"], _address(analysis, address)))
    return _in_order(chosen)


def ids_of_many(analysis: "Analysis", purpose: str | None, what: str = "all") -> npt.NDArray[np.int64]:
    """The same of all clients of a purpose, as the series of the report have it; null is everybody's.

    Raises:
        UsageError: which addresses are not a client's operator's was not asked.
    """
    people = enumerate(analysis.identities)
    codes = [code for code, person in people if purpose is None or person.purpose == purpose]
    if what not in ONE_BY_ONE:
        return _in_order(_chosen(analysis, codes, what))
    summary = analysis.measures.summary
    told = [code for code in codes if what != "early" or summary[code]["refusals"]]
    return _in_order(
        pa.concat_tables([_NONE, *(_chosen(analysis, [code], what).select(_NONE.column_names) for code in told)])
    )


def _chosen(analysis: "Analysis", codes: Sequence[int], what: str) -> pa.Table:
    """Requests of some clients that `what` names; of one client alone where that is to be looked at by itself."""
    mine = _of(analysis.columns.requests, codes, NEEDED.get(what, ["id", "t", "client", "address"]))
    return mine.filter(_mask(analysis, mine, codes, what))


def _in_order(chosen: pa.Table) -> npt.NDArray[np.int64]:
    """Ids in (t, id) order, which a log mostly is in; what has no time comes last."""
    t, found = chosen["t"].fill_null(np.iinfo(np.int64).max).to_numpy(), chosen["id"].to_numpy()
    later = (t[1:] > t[:-1]) | ((t[1:] == t[:-1]) & (found[1:] > found[:-1]))
    ordered: npt.NDArray[np.int64] = found if later.all() else found[np.lexsort((found, t))]
    return ordered


def places(analysis: "Analysis", wanted: npt.NDArray[np.int64]) -> Iterator[tuple[str, int]]:
    """(source, line) of each id, in the given order."""
    for value in wanted.tolist():
        yield analysis.columns.sources[value >> LINE_BITS], value & ((1 << LINE_BITS) - 1)


def lines(
    analysis: "Analysis", client: str, what: str = "all", address: str | None = None
) -> Iterator[tuple[str, int, bytes]]:
    """(source, line, original bytes) of the evidence, in the order of the log's files.

    Raises:
        UsageError: no such client or address in the log.
    """
    by_source: dict[str, list[int]] = {}
    for source, line in places(analysis, np.sort(ids(analysis, client, what, address))):
        by_source.setdefault(source, []).append(line)
    for source, numbers in by_source.items():
        for line, text in analysis.log.originals(source, numbers):
            yield source, line, text


def place(analysis: "Analysis", value: int) -> str:
    """`source:line` of one id."""
    source, line = next(places(analysis, np.array([value], np.int64)))
    return f"{source}:{line}"


def code_of(analysis: "Analysis", client: str) -> int:
    """Code of a client by its name, in any case.

    Raises:
        UsageError: no such client in the log; the text names near ones.
    """
    names = analysis.columns.clients
    wanted = client.strip().casefold()
    folded = {name.casefold(): code for code, name in enumerate(names)}
    if wanted in folded:
        return folded[wanted]
    # A report shows what hides in a name by its number, and so do the commands that it prints.
    shown = {
        spelt.casefold(): code for code, name in enumerate(names) for spelt in (markdown(name)[1:-1], inline(name))
    }
    if wanted in shown:
        return shown[wanted]
    from difflib import get_close_matches

    near = get_close_matches(wanted, folded, 3, 0.5)
    hint = f"; did you mean {', '.join(names[folded[name]] for name in near)}?" if near else ""
    raise UsageError(f"no client {client!r} in these logs{hint}")


def _address(analysis: "Analysis", address: str) -> pa.Scalar:
    code = pc.index(analysis.columns.addresses, pa.scalar(address)).as_py()
    if code < 0:
        raise UsageError(f"no address {address!r} in these logs")
    return pa.scalar(code, pa.int32())


def _mask(analysis: "Analysis", mine: pa.Table, codes: Sequence[int], what: str) -> pa.Array:
    if what == "violations":
        return _of_class(analysis, mine, codes, "violation")
    if what == "grace":
        return _of_class(analysis, mine, codes, "grace")
    if what == "refused":
        return mine["refusal"]
    if what == "fetches":
        return mine["robots"]
    if what == "impostor":
        return pc.is_in(mine["address"], value_set=_refuted(analysis, *codes))
    if what == "early":
        ordered = mine.sort_by([("t", "ascending"), ("id", "ascending")])
        found = early_ids(ordered, analysis.limit_key, *analysis.measures.span_us, analysis.thresholds)
        return pc.is_in(mine["id"], value_set=pa.array(found, pa.int64()))
    return pc.is_valid(mine["id"])


def _refuted(analysis: "Analysis", code: int) -> pa.Array:
    """Codes of the addresses of one client that are not its operator's.

    Raises:
        UsageError: nobody asked.
    """
    verification = analysis.measures.origins.verification
    if verification is None:
        raise UsageError("which addresses are not a client's operator's is known only with --ranges DIR or --verify")
    rows = verification.verdicts
    mine = pc.and_(pc.equal(rows["client"], pa.scalar(code, pa.int32())), pc.equal(rows["verdict"], REFUTED))
    return rows.filter(mine)["address"].combine_chunks()


def _of_class(analysis: "Analysis", mine: pa.Table, codes: Sequence[int], name: str) -> pa.Array:
    decisions = _of(analysis.measures.decisions, codes, ["id", "client", "class"])
    return pc.is_in(mine["id"], value_set=decisions.filter(pc.equal(decisions["class"], name))["id"].combine_chunks())


def _of(rows: Rows, codes: Sequence[int], columns: list[str] | None = None) -> pa.Table:
    """Those of some clients, with some columns or all."""
    none, wanted = rows.schema.empty_table(), pa.array(codes, pa.int32())
    tables = (table.filter(pc.is_in(table["client"], value_set=wanted)) for table in rows.tables(columns))
    return pa.concat_tables([none if columns is None else none.select(columns), *tables]).unify_dictionaries()
