"""What was found of each client's addresses, as the document says it: claimed and verified are kept apart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loganalyzer.analysis.identity import Identity
from loganalyzer.analysis.rows import Row, by_client
from loganalyzer.document import VerificationDocument
from loganalyzer.document.client import ClientVerificationDocument, NetworkDocument, SharedDocument, StandingDocument
from loganalyzer.etiquette import fill
from loganalyzer.verification import REFUTED, UNKNOWN, VERIFIED
from loganalyzer.verification.verifier import NO_ADDRESS

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis


def verification(analysis: "Analysis") -> VerificationDocument | None:
    """How it was done; null where nobody asked."""
    found, verifier = analysis.measures.origins.verification, analysis.verifier
    if found is None or verifier is None:
        return None
    return {
        "ranges": verifier.lists.folder if verifier.lists else None,
        "dns": verifier.reverse is not None,
        "questions": found.questions,
        "unanswered": found.unanswered,
        "notes": list(found.notes),
    }


def standings(analysis: "Analysis", codes: Sequence[int]) -> dict[int, ClientVerificationDocument | None]:
    """One for each of some client codes; null for who claims nothing, and where nothing was to be verified."""
    if analysis.measures.origins.verification is None:
        return dict.fromkeys(codes)
    rows = by_client(analysis.measures.origins.claims)
    return {
        code: _standing(rows[code], analysis.measures.summary[code])
        if analysis.identities[code].automated and analysis.identities[code].leading["token"]
        else None
        for code in codes
    }


def _standing(rows: Sequence[Row], whole: Row) -> ClientVerificationDocument:
    unlogged = whole["requests"] - sum(row["requests"] for row in rows)
    if unlogged:
        size = whole["bytes"] - sum(row["bytes"] for row in rows)
        lacking = {"verdict": UNKNOWN, "way": NO_ADDRESS.way, "addresses": 0, "violations": 0}
        rows = [*rows, {**lacking, "requests": unlogged, "bytes": size}]
    return {"verified": _part(rows, VERIFIED), "refuted": _part(rows, REFUTED), "unknown": _part(rows, UNKNOWN)}


def _part(rows: Sequence[Row], verdict: str) -> StandingDocument:
    mine = [row for row in rows if row["verdict"] == verdict]
    ways = sorted(((row["way"], row["requests"]) for row in mine), key=lambda pair: (-pair[1], pair[0]))
    return {
        "requests": sum(row["requests"] for row in mine),
        "bytes": sum(row["bytes"] for row in mine),
        "addresses": sum(row["addresses"] for row in mine),
        "violations": sum(row["violations"] for row in mine),
        "ways": dict(ways),
    }


def is_operators(standing: ClientVerificationDocument | None) -> bool | None:
    """Whether all of a client is its operator's: true; none of it: false; null where that was not found."""
    if standing is None:
        return None
    verified, refuted, unknown = (standing[part]["requests"] for part in ("verified", "refuted", "unknown"))
    if refuted and not verified:
        return False
    return True if verified and not refuted and not unknown else None


def sentence(person: Identity, standing: ClientVerificationDocument | None) -> str:
    """Who this is, in the words that the evidence allows."""
    if standing is None:
        return person.sentence
    named = f"{person.name} of {person.leading['operator']}" if person.leading["operator"] else person.name
    verified, refuted, unknown = standing["verified"], standing["refuted"], standing["unknown"]
    parts = (
        (verified, "verified for {requests:requests} from {addresses:addresses} ({ways})"),
        (refuted, "refuted for {requests:requests} from {addresses:addresses} that are not its operator's ({ways})"),
        (unknown, "not verified for {requests:requests} ({ways})"),
    )
    told = [fill(text, {**part, "ways": _ways(part)}) for part, text in parts if part["requests"]]
    return f"{'' if verified['requests'] else 'claims to be '}{named}; {'; '.join(told)}"


def _ways(part: StandingDocument) -> str:
    """The ways by requests, two at most: a third is rare and would drown them."""
    names = list(part["ways"])
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def networks(analysis: "Analysis", code: int, rows: Sequence[Row]) -> list[NetworkDocument]:
    """The busiest networks of one client."""
    names = analysis.measures.origins.network_names
    requests = analysis.measures.summary[code]["requests"]
    found: list[NetworkDocument] = []
    for row in rows:
        name = names[row["network"]].as_py()
        place = analysis.places.of(name.partition("/")[0]) if analysis.places else None
        found.append(
            {
                "network": name,
                "requests": row["requests"],
                "request_share": round(row["requests"] / requests, 6),
                "bytes": row["bytes"],
                "addresses": row["addresses"],
                "asn": place.asn if place else None,
                "organisation": place.organisation if place else None,
                "country": place.country if place else None,
            }
        )
    return sorted(found, key=lambda network: (-network["requests"], network["network"]))


def shared(analysis: "Analysis") -> dict[int, SharedDocument]:
    """What others sent from the addresses of each automated client."""
    names = ("requests", "bytes", "people_requests", "people_addresses")
    rows: dict[int, Any] = {
        row["client"]: {name: row[name] for name in names} for row in analysis.measures.origins.shared.to_pylist()
    }
    return rows
