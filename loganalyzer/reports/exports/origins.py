"""Tables of where clients come from: every address and network of each, not the busiest only."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.analysis.origins import networks_of
from loganalyzer.analysis.sharing import shared
from loganalyzer.reports.exports.table import Table, count, instant, text

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis

Rows = Iterator[Mapping[str, Any]]
KEY = ["client", "address"]


def by_address(analysis: "Analysis") -> pa.Table:
    """Requests of each client from each address, by code: bytes are null where none were logged."""
    wanted = [*KEY, "bytes", "t", "refusal"]
    parts = [_counted(table) for table in analysis.columns.requests.tables(wanted)]
    summed = [("requests", "sum"), ("bytes", "sum"), ("first", "min"), ("last", "max"), ("refusals", "sum")]
    whole = pa.concat_tables(parts).group_by(KEY).aggregate(summed)
    whole = whole.select([*KEY, *("_".join(pair) for pair in summed)]).rename_columns([*KEY, *(n for n, _ in summed)])
    return whole.sort_by([("requests", "descending"), ("client", "ascending"), ("address", "ascending")])


def _counted(table: pa.Table) -> pa.Table:
    """The same for one piece of the log."""
    table = table.set_column(
        table.schema.get_field_index("refusal"), "refusal", pc.fill_null(table["refusal"], False).cast(pa.int64())
    )
    found = table.group_by(KEY).aggregate(
        [([], "count_all"), ("bytes", "sum"), ("t", "min"), ("t", "max"), ("refusal", "sum")]
    )
    found = found.select([*KEY, "count_all", "bytes_sum", "t_min", "t_max", "refusal_sum"])
    return found.rename_columns([*KEY, "requests", "bytes", "first", "last", "refusals"])


def _addresses(analysis: "Analysis") -> Rows:
    columns = analysis.columns
    for batch in by_address(analysis).to_batches(50_000):
        addresses = columns.addresses.take(batch["address"]).to_pylist()
        for row, address in zip(batch.to_pylist(), addresses, strict=True):
            yield {**row, "client": columns.clients[row["client"]], "address": address}


def _networks(analysis: "Analysis") -> Rows:
    codes, names = networks_of(analysis.columns.addresses)
    table = by_address(analysis)
    table = table.filter(pc.is_valid(table["address"]))
    table = table.append_column("network", codes["network"].take(table["address"]))
    found = table.group_by(["client", "network"]).aggregate([("requests", "sum"), ("bytes", "sum"), ([], "count_all")])
    order = [("requests_sum", "descending"), ("client", "ascending"), ("network", "ascending")]
    for row in found.sort_by(order).to_pylist():
        network = names[row["network"]].as_py()
        place = analysis.places.of(network.partition("/")[0]) if analysis.places else None
        yield {
            "client": analysis.columns.clients[row["client"]],
            "network": network,
            "requests": row["requests_sum"],
            "bytes": row["bytes_sum"],
            "addresses": row["count_all"],
            "asn": place.asn if place else None,
            "organisation": place.organisation if place else None,
            "country": place.country if place else None,
        }


def _claims(analysis: "Analysis") -> Rows:
    rows = analysis.measures.origins.claims.to_pylist()
    named = ({**row, "client": analysis.columns.clients[row["client"]]} for row in rows)
    yield from sorted(named, key=lambda row: (row["client"], row["verdict"], row["way"] or ""))


def _shared(analysis: "Analysis") -> Rows:
    for one in shared(analysis, most=None):
        for name, requests in one["names"]:
            yield {**one, "client": name, "requests": requests}


def _company(analysis: "Analysis") -> Rows:
    rows = analysis.measures.origins.shared.to_pylist()
    named = ({**row, "client": analysis.columns.clients[row["client"]]} for row in rows)
    yield from sorted(named, key=lambda row: str(row["client"]))


TABLES = (
    Table(
        "addresses",
        "Each address that each client came from; null: no address was logged.",
        (
            *text("client", "address"),
            *count("requests", unit="requests"),
            *count("bytes", unit="bytes"),
            *count("refusals", unit="requests"),
            *instant("first", "last"),
        ),
        _addresses,
    ),
    Table(
        "networks",
        "Each /24 of IPv4 and /48 of IPv6 that each client came from; holder and country by --mmdb.",
        (
            *text("client", "network"),
            *count("requests", unit="requests"),
            *count("bytes", unit="bytes"),
            *count("addresses", unit="addresses"),
            *count("asn"),
            *text("organisation", "country"),
        ),
        _networks,
    ),
    Table(
        "shared_addresses",
        "Addresses that came under names of several operators: a row for each name.",
        (
            *text("address"),
            *count("operators", unit="operators"),
            *text("client"),
            *count("requests", unit="requests"),
            *text("evidence"),
        ),
        _shared,
    ),
    Table(
        "company",
        "What others sent from the addresses of each automated client.",
        (
            *text("client"),
            *count("requests", "people_requests", unit="requests"),
            *count("bytes", unit="bytes"),
            *count("people_addresses", unit="addresses"),
        ),
        _company,
    ),
    Table(
        "verification",
        "Requests of each client by what was found of their addresses; empty without --ranges and --verify.",
        (
            *text("client", "verdict", "way"),
            *count("requests", "violations", unit="requests"),
            *count("bytes", unit="bytes"),
            *count("addresses", unit="addresses"),
        ),
        _claims,
    ),
)
