"""Numbers and verdicts in words, once for every report: a number has its unit, and a share its base."""

import shlex
from collections.abc import Sequence
from datetime import datetime

from loganalyzer.document import (
    ClientDocument,
    FindingDocument,
    InputDocument,
    LeverDocument,
    ReportDocument,
    SharedAddressDocument,
    SuspectDocument,
    TotalsDocument,
)

# Mildest first: the order in which an operator should try them.
LEVERS = ("leave-alone", "write", "robots", "429", "refuse-token", "address-range")
# Verdicts that say that a client acted against what it was told.
BROKEN = frozenset({"violation", "violated", "fail", "ignored", "escalated", "refuted"})


def count(number: int) -> str:
    """Write a count with its thousands apart: 1,204,331."""
    return f"{number:,}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """A count and its noun: "1 file", "2 files"."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def share(fraction: float) -> str:
    """Write a fraction of one in per cent; a trace of something is never rounded to nothing."""
    if 0 < fraction < 0.0005:
        return "<0.1 %"
    return f"{fraction * 100:.1f} %"


def percent(part: float, whole: float) -> str:
    """Write a part of a whole in whole per cent, "0 %" where there is no whole."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def size(number: float) -> str:
    """Bytes in decimal units, as traffic is billed: 2.6 GB."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            break
        number /= 1000
    return f"{number:,.0f} {unit}" if unit == "bytes" or number >= 100 else f"{number:,.1f} {unit}"


def seconds(duration: float | None) -> str:
    """Write a duration in the unit that suits it: 0.5 s, 90 s, 12 min, 5.5 h, 3 d."""
    if duration is None:
        return "unknown"
    for unit, length, enough in (("d", 86_400, 2), ("h", 3600, 2), ("min", 60, 2)):
        if duration >= enough * length:
            return f"{duration / length:.3g} {unit}"
    return f"{duration:.3g} s"


def pace(rate: float | None) -> str:
    """Requests per second, or per minute or hour where that is easier to read: "16.5 requests/h"."""
    if rate is None:
        return "unknown"
    for unit, length in (("s", 1), ("min", 60)):
        if rate * length >= 1 or not rate:
            return f"{rate * length:.3g} requests/{unit}"
    return f"{rate * 3600:.3g} requests/h"


def suspect(found: SuspectDocument) -> str:
    """What one suspect did, as it was measured."""
    return f"{plural(found['requests'], 'request')} as {found['user_agent']}: {'; '.join(found['signs'].values())}"


def shared(found: SharedAddressDocument) -> str:
    """Under which names one address came."""
    names = [f"{name} ({number:,})" for name, number in found["names"]]
    return f"came under names of {found['operators']} operators: {some(names, 6)}; a shared proxy does that too"


def moment(instant: str | None) -> str:
    """An ISO 8601 instant in UTC, to the second and without the zone, which stands in the heading."""
    if instant is None:
        return "unknown"
    return f"{datetime.fromisoformat(instant):%Y-%m-%d %H:%M:%S}"


def period(first: str | None, last: str | None) -> str:
    """The days from first to last: "1-3 Nov 2026 UTC"."""
    if first is None or last is None:
        return "no time in the log"
    start, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
    if start.date() == end.date():
        return f"{start.day} {start:%b %Y %H:%M}-{end:%H:%M} UTC"
    if (start.year, start.month) == (end.year, end.month):
        return f"{start.day}-{end.day} {end:%b %Y} UTC"
    left = f"{start.day} {start:%b}" if start.year == end.year else f"{start.day} {start:%b %Y}"
    return f"{left} - {end.day} {end:%b %Y} UTC"


def some(items: Sequence[str], most: int = 3) -> str:
    """Join the first items, and say how many are left."""
    left = len(items) - most
    return ", ".join(items[:most]) + (f" and {left:,} more" if left > 0 else "")


def formats(source: InputDocument) -> str:
    """Formats of an input; where there are several, each with the lines that it read."""
    if len(source["formats"]) < 2:
        return source["format"] or "unknown"
    return ", ".join(f"{name} ({count(lines)})" for name, lines in source["formats"])


def provenance(document: ReportDocument) -> list[str]:
    """What was read: formats, files, requests, rejects, period, robots.txt."""
    totals, inputs, versions = document["totals"], document["inputs"], len(document["robots_versions"])
    asked = document["asked"]
    bounds = [f"{word} {moment(at)}" for word, at in (("since", asked["since"]), ("until", asked["until"])) if at]
    formats = sorted({name for source in inputs if source["format"] for name in source["format"].split(", ")})
    return [
        some(formats) or "no format",
        plural(len(inputs), "file"),
        plural(totals["requests"], "request"),
        plural(totals["rejects"], "reject"),
        *([f"only {' '.join(bounds)}"] if bounds else []),
        period(totals["first"], totals["last"]),
        f"robots.txt: {plural(versions, 'version') if versions else 'none given'}",
        *_ways(document),
    ]


def _ways(document: ReportDocument) -> list[str]:
    """How clients were verified; nothing where nobody asked."""
    asked = document["verification"]
    if asked is None:
        return []
    return [f"verified by {' and '.join(['range lists'] * bool(asked['ranges']) + ['reverse DNS'] * asked['dns'])}"]


def headline(document: ReportDocument) -> str:
    """Return the answer in one sentence: how much of the traffic is automated, and who broke what."""
    totals = document["totals"]
    if not totals["automated_clients"]:
        return f"No automated client made any of the {plural(totals['requests'], 'request')}."
    return (
        f"Automated clients made {percent(totals['automated_requests'], totals['requests'])} of requests and "
        f"{percent(totals['automated_bytes'], totals['bytes'])} of bytes; "
        f"{_robots_clause(document)}, {_refusal_clause(document)}."
    )


def _robots_clause(document: ReportDocument) -> str:
    if not document["robots_versions"]:
        return "no robots.txt was given to judge them by"
    totals = document["totals"]
    return f"{_number(totals['violating_clients'])} of {totals['automated_clients']:,} broke robots.txt"


def _refusal_clause(document: ReportDocument) -> str:
    refused = [client for client in document["clients"] if client["automated"] and client["backoff"]["refusals"]]
    enough = sum(client["backoff"]["kept_interval"] is not None for client in refused)
    few = len(refused) - enough
    if not refused:
        return "none was answered 429"
    if not enough:
        were, take = ("was", "it takes") if few == 1 else ("were", "they take")
        return f"{few:,} {were} told to slow down, too few times to say how {take} it"
    more = f" ({few:,} more too few times to say)" if few else ""
    return f"{_number(document['totals']['ignoring_clients'])} of {enough:,} told to slow down ignored it{more}"


def _number(number: int) -> str:
    return "none" if number == 0 else f"{number:,}"


def purpose(client: ClientDocument) -> str:
    """What the client is for, else what it is."""
    return client["purpose"] or client["kind"] or "unknown"


UNREAD = {
    "not given": "not given it",
    "asked": "asked for it",
    "probably read": "probably read",
    "never read": "never read",
}


def robots_verdict(client: ClientDocument) -> str:
    """Say how one client stands to robots.txt in two or three words."""
    robots = client["robots"]
    if robots["blocked_by_name"]:
        return f"came anyway {robots['blocked_by_name']:,}"
    if robots["violation"]:
        return f"violated {robots['violation']:,}"
    if robots["grace"]:
        return f"grace {robots['grace']:,}"
    if not client["automated"] or robots["exempt"] > robots["allowed"]:
        return "not bound"
    if robots["unjudged"] > robots["allowed"]:  # /robots.txt itself is always allowed
        return "not judged"
    if robots["reading"] != "read":
        return UNREAD[robots["reading"]]
    return "kept" if robots["allowed"] > robots["fetches"] else "only read it"


def refusal_verdict(client: ClientDocument) -> str:
    """Say what one client did after 429 in two or three words; "?" where a wait was assumed."""
    backoff = client["backoff"]
    if not backoff["refusals"]:
        return "no 429"
    short = backoff["verdict"].partition(",")[0].replace(" to say", "").replace(" of ", "/")
    return short + (" ?" if backoff["asked_known"] is False else "")


def verification(client: ClientDocument) -> str:
    """Say in a word or two whether a client comes from its operator's addresses; empty where it claims nothing."""
    standing = client["verification"]
    if standing is None:
        return ""
    verified, refuted = standing["verified"]["requests"], standing["refuted"]["requests"]
    if not verified and not refuted:
        return "unknown"
    if verified == client["requests"]:
        return "verified"
    if refuted == client["requests"]:
        return "refuted"
    return f"refuted {refuted:,}" if refuted else f"verified {share(verified / client['requests'])}"


def network(client: ClientDocument) -> str:
    """The busiest network of a client, with its share and what is known of it."""
    if not client["top_networks"]:
        return "no address is logged"
    first = client["top_networks"][0]
    known = [f"AS{first['asn']}" if first["asn"] is not None else None, first["organisation"], first["country"]]
    told = f" ({', '.join(filter(None, known))})" if any(known) else ""
    return f"{first['network']}{told} {share(first['request_share'])}"


def saving(lever: LeverDocument, totals: TotalsDocument) -> str:
    """Return the expected saving of a lever in the larger of its two shares, empty where it saves nothing."""
    parts = [
        (lever["saves_requests"] / totals["requests"] if totals["requests"] else 0, "requests"),
        (lever["saves_bytes"] / totals["bytes"] if totals["bytes"] else 0, "bytes"),
    ]
    fraction, of = max(parts)
    return f"saves {share(fraction)} of {of}" if fraction else ""


def levers_to_try(document: ReportDocument, most: int) -> list[ClientDocument]:
    """Pick the clients that need one, first those of the first findings, then those that save most; mildest first."""
    names = dict.fromkeys(found["client"] for found in document["findings"])
    rank = {name: number for number, name in enumerate(names)}

    def need(client: ClientDocument) -> tuple[int, int, int, str]:
        at = rank.get(client["client"], len(rank))
        return at, -client["lever"]["saves_bytes"], -client["lever"]["saves_requests"], client["client"]

    moved = [client for client in document["clients"] if client["automated"] and client["lever"]["lever"] != LEVERS[0]]
    return sorted(sorted(moved, key=need)[:most], key=lambda client: _rank(client["lever"]["lever"]))


def _rank(lever: str) -> int:
    return LEVERS.index(lever) if lever in LEVERS else len(LEVERS)


def finding(found: FindingDocument) -> str:
    """Return the sentence of a finding, with the client's name before it where it is not in it."""
    named = found["client"] in found["sentence"]
    return found["sentence"] if named else f"{found['client']}: {found['sentence']}"


def problem(source: InputDocument) -> str:
    """Return the first line of what is wrong with an input, with its name in front."""
    told = (source["problem"] or "").partition("\n")[0]
    return told if told.startswith(source["source"]) else f"{source['source']}: {told}"


def arguments(command: str) -> list[str]:
    """Return the arguments of a command line, each still quoted as the shell needs it."""
    try:
        return [shlex.quote(argument) for argument in shlex.split(command)]
    except ValueError:  # an open quote: no command of ours
        return command.split()


def parts(command: str) -> list[str]:
    """Return a command line in the parts it may be broken between: an option goes with its value."""
    found: list[str] = []
    for argument in arguments(command):
        if found and found[-1].startswith("--") and " " not in found[-1] and not argument.startswith("--"):
            found[-1] = f"{found[-1]} {argument}"
        else:
            found.append(argument)
    return found


def is_broken(words: str) -> bool:
    """Whether a verdict in words is one that acts against what the client was told."""
    return words.split(" ", 1)[0] in BROKEN
