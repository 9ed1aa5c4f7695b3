"""Tables for the screen: pure functions from the report document to Arrow, every text neutralised.

The grid's own CSV button writes cells as they are, so a cell may never be a formula (`csv_cell`); numbers stay numbers.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from loganalyzer.analysis.collateral import CollateralDocument
from loganalyzer.analysis.limits.documents import RefusedDocument
from loganalyzer.document import ReportDocument
from loganalyzer.document.client import ClientDocument, VerdictsDocument
from loganalyzer.escape import csv_cell, json_text
from loganalyzer.reports import changes as changed
from loganalyzer.reports import facts, wording
from loganalyzer.reports.definitions import SHAPES

FILES, LONGEST = {"input", "version", "first line"}, 38  # columns that name files; characters shown


def frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Build a table of titled columns; texts are neutralised here, so that no caller can forget."""
    body = [[csv_cell(value) if isinstance(value, str) else value for value in row] for row in rows]
    return pa.table({title: [row[i] for row in body] for i, title in enumerate(columns)})


def shortened(table: pa.Table) -> pa.Table:
    """The same with long names of files cut in the middle: the grid would cut off what tells them apart."""
    for place, name in enumerate(table.column_names):
        if name in FILES:
            cells = [
                f"{cell[: LONGEST // 3]}…{cell[LONGEST // 3 + 1 - LONGEST :]}" if len(cell) > LONGEST else cell
                for cell in table[name].to_pylist()
            ]
            table = table.set_column(place, name, pa.array(cells, pa.string()))
    return table


def to_csv(table: pa.Table) -> bytes:
    """Write a whole table as CSV, UTF-8."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(csv_cell(name) for name in table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return file.getvalue().encode()


def to_json(table: pa.Table) -> bytes:
    """Write a whole table as a list of objects, texts as they stand on the screen."""
    return (json_text(json.dumps(table.to_pylist(), ensure_ascii=False, indent=1)) + "\n").encode()


def to_parquet(table: pa.Table) -> bytes:
    """Write a whole table as Parquet, texts as they stand on the screen."""
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(table, file)
    return file.getvalue()


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def clients(chosen: Sequence[ClientDocument]) -> pa.Table:
    """One row for each client, in the order given."""
    columns = ("client", "purpose", "requests", "% of all", "bytes", "peak/s")
    return frame(
        (*columns, "robots.txt", "after 429", "verified", "lever"),
        (
            (
                client["client"],
                wording.purpose(client),
                client["requests"],
                round(100 * client["request_share"], 2),
                client["bytes"],
                client["rates"]["peak_1s"],
                wording.robots_verdict(client),
                wording.refusal_verdict(client),
                wording.verification(client) or "not asked",
                client["lever"]["title"] if client["automated"] else "",
            )
            for client in chosen
        ),
    )


def costs(document: ReportDocument) -> pa.Table:
    """Clients, requests and bytes by purpose, most bytes first."""
    totals = document["totals"]
    rows = (
        (name, clients, requests, _percent(requests, totals["requests"]), size, _percent(size, totals["bytes"]))
        for name, clients, requests, size in facts.costs(document)
    )
    return frame(("purpose", "clients", "requests", "% of requests", "bytes", "% of bytes"), rows)


def levers(document: ReportDocument) -> pa.Table:
    """Return the lever for each client that needs one, mildest first."""
    rows = (
        (
            *(client["client"], client["lever"]["title"]),
            wording.saving(client["lever"], document["totals"]) or "none counted",
            client["lever"]["why"],
        )
        for client in wording.levers_to_try(document, len(document["clients"]))
    )
    return frame(("client", "lever", "saving", "why"), rows)


def findings(document: ReportDocument) -> pa.Table:
    """Findings, worst first."""
    rows = ((found["client"], found["sentence"], found["count"]) for found in document["findings"])
    return frame(("client", "what was measured", "count"), rows)


def suspected(document: ReportDocument) -> pa.Table:
    """Browsers that behave like programs, with what was measured."""
    rows = (
        (
            *(found["address"], found["user_agent"], found["requests"], found["pages"], found["peak_60s"]),
            "; ".join(found["signs"].values()),
            *(wording.some(found["examples"]), found["evidence"]),
        )
        for found in document["suspected"]
    )
    columns = ("address", "user agent", "requests", "pages", "pages in 60 s", "what was measured", "first lines")
    return frame((*columns, "command for all"), rows)


def shared_addresses(document: ReportDocument) -> pa.Table:
    """Addresses that came under names of several operators."""
    rows = ((found["address"], found["operators"], wording.shared(found)) for found in document["shared_addresses"])
    return frame(("address", "operators", "what was measured"), rows)


def etiquette(client: ClientDocument) -> pa.Table:
    """Return the rows of etiquette of one client, with the numbers they stand on."""
    rows = (
        (
            f"{SHAPES.get(row['verdict'], '–')} {row['verdict']}",
            row["title"],
            row["sentence"],
            ", ".join(f"{name}: {value}" for name, value in numbers(row["evidence"]).items()),
        )
        for row in client["etiquette"]
    )
    return frame(("verdict", "row", "measured", "numbers"), rows)


def senders(client: ClientDocument) -> tuple[pa.Table, pa.Table]:
    """Return the most frequent user agents and addresses of one client."""
    agents = ((agent or "(none sent)", number) for agent, number in client["user_agents"])
    return frame(("user agent", "requests"), agents), frame(("address", "requests"), client["top_addresses"])


def networks(client: ClientDocument) -> pa.Table:
    """The busiest networks of one client, and what is known of whose they are."""
    columns = ("network", "requests", "% of its requests", "addresses", "AS", "organisation", "country")
    rows = (
        (
            *(found["network"], found["requests"], round(100 * found["request_share"], 2), found["addresses"]),
            *("" if found["asn"] is None else str(found["asn"]), found["organisation"] or "", found["country"] or ""),
        )
        for found in client["top_networks"]
    )
    return _known(frame(columns, rows))


def _known(table: pa.Table) -> pa.Table:
    """A table without the columns of texts in which nothing stands."""
    return table.select(
        [field.name for field in table.schema if field.type != pa.string() or any(table[field.name].to_pylist())]
    )


def numbers(evidence: Mapping[str, Any]) -> dict[str, str]:
    """The numbers of a row of etiquette; a float to four figures, for nobody reads more."""
    short = {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in evidence.items()}
    return {name.replace("_", " "): str(value) for name, value in short.items() if value is not None}


def rules(chosen: Sequence[ClientDocument]) -> pa.Table:
    """Rules of robots.txt that requests met, by client."""
    columns = ("client", "rule", "where it stands", "decision", "requests", "bytes", "for example", "group")
    rows = (
        (
            *(client["client"], rule["rule"], f"{rule['file']}:{rule['line']}", rule["decision"]),
            *(rule["requests"], rule["bytes"], wording.some(rule["examples"], 1), rule["group"]),
            *(wording.moment(rule["first"]), wording.moment(rule["last"])),
        )
        for client in chosen
        for rule in client["robots"]["rules"]
    )
    return frame((*columns, "first (UTC)", "last (UTC)"), rows)


def versions(document: ReportDocument) -> pa.Table:
    """Versions of robots.txt."""
    columns = ("version", "host", "in force from (UTC)", "lines", "groups", "rules", "noticed")
    rows = (
        (
            version["name"],
            version["host"] or "every host",
            wording.moment(version["in_force_from"]) if version["in_force_from"] else "the whole log",
            *(version["lines"], version["groups"], version["rules"]),
            "; ".join(version["warnings"]) or "nothing",
        )
        for version in document["robots_versions"]
    )
    return frame(columns, rows)


def respelt(document: ReportDocument) -> pa.Table:
    """Requests that are no violations as sent, but would be if the server reads paths freely."""
    columns = ("client", "rule", "where it stands", "if the server", "requests", "bytes", "for example")
    rows = (
        (
            *(client["client"], told["rule"], f"{told['file']}:{told['line']}", told["words"]),
            *(told["requests"], told["bytes"], wording.some(told["examples"], 1)),
        )
        for client in document["clients"]
        for told in client["robots"]["respelt"]
    )
    return frame(columns, rows)


def changes(document: ReportDocument) -> pa.Table:
    """What each client did after each change of robots.txt, in equal windows before and after."""
    columns = ("client", "newly", "what it did", "before", "after", "bytes before", "bytes after", "read it (UTC)")
    rows = (
        (
            *(told["client"], told["effect"], changed.outcome(told), told["before"], told["after"]),
            *(told["before_bytes"], told["after_bytes"], wording.moment(told["read"]) if told["read"] else ""),
            *(told["lag_s"], told["since"], wording.moment(change["at"]), change["host"] or "every host"),
            *(change["old_file"], change["new_file"]),
        )
        for change, told in changed.rows(document)
    )
    return frame((*columns, "lag (s)", "since", "at (UTC)", "host", "old", "new"), rows)


def answers(document: ReportDocument) -> pa.Table:
    """Return the runs of equal answers to /robots.txt."""
    columns = ("host", "to", "status", "first (UTC)", "last (UTC)", "requests", "clients")
    rows = (
        (
            *(answer["host"] or "every host", answer["client"] or "all who asked", answer["status"]),
            *(wording.moment(answer["first"]), wording.moment(answer["last"])),
            *(answer["requests"], answer["clients"]),
        )
        for answer in document["robots_answers"]
    )
    return frame(columns, rows)


def refused(chosen: Sequence[ClientDocument]) -> pa.Table:
    """Clients that were told to slow down: what they did, with their episodes by address and by token."""
    columns = ("client", "after 429", "per address", "per token", "refusals", "kept", "waits", "early")
    rows = (
        (
            *(client["client"], wording.refusal_verdict(client)),
            *(verdicts(client["backoff"]["per_address"]), verdicts(client["backoff"]["per_token"])),
            *(client["backoff"][key] for key in ("refusals", "kept", "waits", "early", "asked_s")),
            "assumed" if client["backoff"]["asked_known"] is False else "logged",
        )
        for client in chosen
    )
    return frame((*columns, "wait, s", "which is"), rows)


def verdicts(counts: VerdictsDocument) -> str:
    """Write how many episodes ended in which way."""
    return ", ".join(f"{verdict.replace('_', ' ')} {number}" for verdict, number in counts.items() if number)


def inputs(document: ReportDocument) -> pa.Table:
    """Inputs and their accounting."""
    keys = ("lines", "requests", "rejects", "blank", "comments", "bytes")
    rows = (
        (
            *(source["source"], wording.formats(source)),
            *(source[key] for key in keys),  # type: ignore[literal-required] # keys of counts
            "; ".join(filter(None, (source["problem"], *source["notes"]))),
        )
        for source in document["inputs"]
    )
    return _known(frame(("input", "format", *keys, "problems and notes"), rows))


def accounting(document: ReportDocument) -> pa.Table:
    """Inputs by line: lines = requests + rejects + blank + comments."""
    keys = ("lines", "requests", "rejects", "blank", "comments", "bytes")
    rows = (
        (source["source"], source["compression"] or "none", *(source[key] for key in keys))  # type: ignore[literal-required] # keys of counts
        for source in document["inputs"]
    )
    return frame(("input", "compression", *keys), rows)


def formats(document: ReportDocument) -> pa.Table:
    """Formats of each input, in the order of first use, with the lines that each read."""
    rows = (
        (source["source"], name, lines, _percent(lines, source["lines"]))
        for source in document["inputs"]
        for name, lines in source["formats"] or [["unknown", 0]]
    )
    return frame(("input", "format", "lines", "% of its lines"), rows)


def remarks(document: ReportDocument) -> pa.Table:
    """Problems and notes of the inputs, problems first."""
    problems = [(found["source"], "problem", found["problem"]) for found in document["inputs"] if found["problem"]]
    notes = [(found["source"], "note", note) for found in document["inputs"] for note in found["notes"]]
    return frame(("input", "what", "sentence"), [*problems, *notes])


def met(one: CollateralDocument) -> pa.Table:
    """Everybody who comes from some addresses."""
    columns = ("client", "which is", "requests", "bytes", "addresses")
    rows = (
        (
            *(row["client"], "automated" if row["automated"] else "browser"),
            *(row["requests"], row["bytes"], row["addresses"]),
        )
        for row in one["clients"]
    )
    return frame(columns, rows)


def address_rates(client: ClientDocument) -> pa.Table:
    """The pace of one client at its busiest addresses."""
    columns = ("address", "requests", "peak/s", "peak/min", "peak/min at (UTC)", "burst", "at once")
    rows = (
        (
            *(row["address"], row["requests"], row["peak_1s"], row["peak_60s"], wording.moment(row["peak_60s_at"])),
            *(row["burst"], row["concurrency"]),
        )
        for row in client["rates_by_address"]
    )
    return frame(columns, rows)


def limited(rows: Iterable[RefusedDocument]) -> pa.Table:
    """Clients that a limit would have refused, as given."""
    columns = ("client", "which is", "requests", "refused", "% of its requests", "bytes refused", "addresses")
    cells = (
        (
            *(row["client"], "automated" if row["automated"] else "browser"),
            *(row["requests"], row["refused"], round(100 * row["refused_share"], 2)),
            *(row["refused_bytes"], row["addresses"], wording.moment(row["first_refused"])),
        )
        for row in rows
    )
    return frame((*columns, "first refused (UTC)"), cells)


def rejects(document: ReportDocument) -> pa.Table:
    """Lines that are no request, by reason."""
    rows = ((reject["reason"], reject["count"], ", ".join(reject["examples"])) for reject in document["rejects"])
    return frame(("reason", "lines", "for example"), rows)


def rejected(document: ReportDocument) -> pa.Table:
    """Lines that are no request by reason, each with the first of them."""
    rows = ((reject["reason"], reject["count"], wording.some(reject["examples"][:1])) for reject in document["rejects"])
    return frame(("reason", "lines", "first line"), rows)
