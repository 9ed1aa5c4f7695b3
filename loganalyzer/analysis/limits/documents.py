"""What is said of limits, as plain values: what `limits --json` prints and its renderers read."""

from typing import TypedDict

from loganalyzer.drafts.limits import Limit


class LimitDocument(TypedDict):
    """One limit, in nginx's terms."""

    rate: str
    burst: int
    at_once: int | None  # nginx's delay=; null: nodelay
    key: str  # token, address, network
    retry_after_s: int


class RefusedDocument(TypedDict):
    """What a limit would have done to one client."""

    client: str
    automated: bool
    requests: int  # under the limit: with a time, and not for /robots.txt
    refused: int
    refused_share: float
    refused_bytes: int
    addresses: int  # with a refusal
    first_refused: str | None
    delayed: int
    longest_delay_s: float


class PeopleDocument(TypedDict):
    """Browsers under a limit; bots that pass for one are among them."""

    requests: int
    refused: int
    addresses: int
    refused_addresses: int


class EffectDocument(TypedDict):
    """What a limit would have done."""

    limit: LimitDocument
    requests: int
    refused: int
    refused_bytes: int
    people: PeopleDocument
    clients: list[RefusedDocument]  # most refusals first


class ProposalDocument(TypedDict):
    """What is proposed for one automated client."""

    client: str
    requests: int
    smallest: dict[str, str | None]  # by burst, the smallest rate that 99 % of its requests pass, all in one bucket
    lever: str
    limit: LimitDocument | None  # null: none is proposed
    why: str
    who: str | None  # token, unnamed: how the limit would know it
    token: str | None
    named: int  # of its requests, how many the limit would know it by
    refused: int
    refused_bytes: int
    others: list[RefusedDocument]  # clients that the limit would refuse as well, because they send its name


class LimitsDocument(TypedDict):
    """Everything that `loganalyzer limits` says."""

    schema_version: int
    whole_seconds: bool  # requests of one second then count as one moment: more would be refused than in fact
    norm: LimitDocument | None  # what nine in ten of those that behave pass whole
    behaved: int  # clients that this was measured on
    left_out: int  # automated clients that the report does not describe one by one: the smallest of thousands
    clients: list[ProposalDocument]  # most requests first
    effect: EffectDocument | None  # of the limit asked about


def document(limit: Limit) -> LimitDocument:
    """A limit as the document has it."""
    return {
        "rate": limit.rate,
        "burst": limit.burst,
        "at_once": limit.at_once,
        "key": limit.key,
        "retry_after_s": limit.retry_after_s,
    }


def limit_of(row: LimitDocument) -> Limit:
    """The limit that a document has."""
    return Limit(row["rate"], row["burst"], row["at_once"], row["key"])  # type: ignore[arg-type] # one of Key
