"""The mildest lever that the measured behaviour of a client says will work on it.

LEVERS is in order, mildest first; the first one with a reason that holds is taken. A saving is what is expected, and
weighted by how the client was measured to comply; what was not measured saves nothing on paper.
"""

from __future__ import annotations

from loganalyzer.backoff import kept_interval, wilson
from loganalyzer.document.client import LeverDocument
from loganalyzer.etiquette import Facts, fill
from loganalyzer.levers.lever import Lever, Numbers, Reason, Saving, between, numbers
from loganalyzer.levers.snippets import (
    LIMIT_BURST,
    LIMIT_RATE,
    RETRY_AFTER_S,
    nginx_429,
    nginx_deny,
    nginx_refuse,
    robots_group,
)

__all__ = ["LEVERS", "LIMIT_BURST", "LIMIT_RATE", "RETRY_AFTER_S", "Lever", "lever"]


def _nothing(_: Facts) -> None:
    return None


def _can_be_told(n: Numbers) -> bool:
    return bool(n["contact"]) and not n["went_on"] and not n["impersonates"]


def _group_name(facts: Facts) -> str | None:
    """The name that it looks up first in robots.txt."""
    return facts.robots_tokens[0] if facts.robots_tokens else facts.token


def _letter(facts: Facts) -> str:
    measured = (
        (facts.violation, "Of {f.judged:judged requests} {f.violation:,} went against our robots.txt."),
        (facts.blocked_by_name, "{f.blocked_by_name:requests} came though robots.txt closes the site to its own name."),
        (
            facts.disguised_requests,
            "After a refusal {f.disguised_requests:requests} came from its addresses otherwise named.",
        ),
        (facts.repeats, "{f.repeats:answers} had to be sent again, unchanged within a day."),
    )
    told = (
        "{f.client} made {f.requests:requests} to our site.",
        *(sentence for number, sentence in measured if number),
    )
    return (
        f"To: {facts.contact}\n\n{' '.join(fill(sentence, {'f': facts}) for sentence in told)}\n"
        "The lines of our log are at your disposal. Please tell us whether this is meant, and whom to address.\n"
    )


def _robots_saving(facts: Facts) -> Saving:
    share = 1 - facts.violation / facts.judged if facts.judged else 0.0
    asked = facts.requests - facts.robots_asked
    base = fill(
        "its {asked:requests} other than for /robots.txt, times the {share:.1%} of {judged:judged requests} that kept "
        "robots.txt; a group that closes less saves less",
        {"asked": asked, "share": share, "judged": facts.judged},
    )
    shares = wilson(facts.judged - facts.violation, facts.judged) if facts.judged else None
    return Saving(
        round(asked * share), round(facts.bytes * share), base, between(asked, shares), between(facts.bytes, shares)
    )


def _limit_saving(facts: Facts) -> Saving:
    """What is refused is hardly sent; what is not even asked for depends on how the client keeps its waits."""
    if facts.limited is None or not facts.requests:
        return Saving(0, 0, f"not known: its requests were not replayed against {LIMIT_RATE}")
    share = facts.kept / facts.waits if facts.waits else 0.0
    measured = (
        fill("{f.kept:,} of {f.waits:waits} kept", {"f": facts})
        if facts.waits
        else "no wait measured, so none is counted on"
    )
    base = (
        fill("{f.limited:,} of its {f.requests:requests} ", {"f": facts})
        + f"went over {LIMIT_RATE} with burst {LIMIT_BURST}: "
        f"their bytes whole, their requests times {measured}"
    )
    size = round(facts.bytes * facts.limited / facts.requests)
    return Saving(
        round(facts.limited * share),
        size,
        base,
        between(facts.limited, kept_interval(facts.kept, facts.waits)),
        (size, size),  # what is refused is not sent, however the client takes it
    )


def _all(requests: int, size: int, base: str) -> Saving:
    """A saving that hangs on nobody's compliance: its interval is a point."""
    return Saving(requests, size, base, (requests, requests), (size, size))


def _neighbours(facts: Facts) -> str:
    if not facts.others_requests:
        return "Nobody else came from these addresses in this log."
    named = ", ".join(
        fill("{name} ({n:requests})", {"name": name, "n": requests}) for name, requests in facts.neighbours[:5]
    )
    more = f" and {len(facts.neighbours) - 5:,} more" if len(facts.neighbours) > 5 else ""
    return fill(
        "From the same addresses came {f.others_requests:requests} of others, {f.people_requests:,} of them by "
        "browsers at {f.people_addresses:addresses} (people, or bots that pass for them), mostly {named}: "
        "they would be refused too.",
        {"f": facts, "named": f"{named}{more}"},
    )


LEVERS = (
    Lever(
        id="leave-alone",
        title="leave alone",
        reasons=(
            Reason(lambda n: not n["automated"], "People's browsers: no lever is aimed at them."),
            Reason(
                lambda n: n["undeclared"] and not n["costly"],
                "Strangers without a name cost little: {request_share:.1%} of requests, {byte_share:.1%} of bytes.",
            ),
            Reason(
                lambda n: (
                    not (
                        n["costly"]
                        or n["fast"]
                        or n["violates"]
                        or n["went_on"]
                        or n["disguised"]
                        or n["blocked_by_name"]
                    )
                ),
                "Costs little ({request_share:.1%} of requests, {byte_share:.1%} of bytes), and was not measured to go "
                "against what it was told.",
            ),
            Reason(
                lambda n: n["monitor"] and not (n["fast"] or n["went_on"] or n["disguised"]),
                "A monitor that somebody ordered, with {request_share:.1%} of requests and {byte_share:.1%} of bytes: "
                "its owner sets its pace.",
            ),
        ),
        saving=lambda _: Saving(0, 0, "nothing to save"),
        text=_nothing,
        collateral=_nothing,
    ),
    Lever(
        id="write",
        title="write to the contact",
        reasons=(
            Reason(
                lambda n: _can_be_told(n) and n["disguised_requests"] and not n["costly"],
                "After a refusal {disguised_requests:requests} came under another name (measured, not proven), but it "
                "costs only {request_share:.1%} of requests and {byte_share:.1%} of bytes; it gives a contact.",
            ),
            Reason(
                lambda n: _can_be_told(n) and n["violates"] and not n["costly"],
                "Made {violation:,} of {judged:judged requests} against robots.txt, but costs only "
                "{request_share:.1%} of requests and {byte_share:.1%} of bytes; it gives a contact.",
            ),
            Reason(
                lambda n: _can_be_told(n) and n["blocked_by_name"] and not n["costly"],
                "Came {blocked_by_name:times} though its own name is closed in robots.txt, which does not bind it; "
                "it costs only {request_share:.1%} of requests and gives a contact.",
            ),
            Reason(
                lambda n: (
                    _can_be_told(n)
                    and not n["violates"]
                    and not n["fast"]
                    and not n["disguised"]
                    and n["repeats_whole"]
                ),
                "Took {repeats:unchanged answers} again, {repeat_megabytes:,.1f} MB: it does not cache, and no rule "
                "can make it; it gives a contact.",
            ),
        ),
        saving=lambda _: Saving(0, 0, "not known: nothing measured says how it answers letters"),
        text=_letter,
        collateral=_nothing,
    ),
    Lever(
        id="robots",
        title="a robots.txt line",
        reasons=(
            Reason(
                lambda n: n["keeps"] and not n["exempt"] and not n["disguised"] and (n["costly"] or n["went_on"]),
                "Read robots.txt {fetches:times} and kept it in {conforming:,} of {judged:judged requests}, so "
                "that a group of its own will work; it makes {request_share:.1%} of requests "
                "and {byte_share:.1%} of bytes.",
            ),
        ),
        saving=_robots_saving,
        text=lambda facts: robots_group(_group_name(facts)),
        collateral=lambda _: "What the client feeds (a search index, an answer) may no longer show the site.",
    ),
    Lever(
        id="429",
        title="answer 429 with Retry-After",
        reasons=(
            Reason(
                lambda n: n["undeclared"],
                "Strangers without a name cannot be addressed, only slowed, each address by itself: "
                "{request_share:.1%} of requests and {byte_share:.1%} of bytes.",
            ),
            Reason(
                lambda n: n["slows"] and not n["disguised"],
                "Kept {kept:,} of {waits:waits}{assumed} after {refusals:refusals} (the worst: {worst}): it "
                "slows down when told.",
            ),
            Reason(
                lambda n: n["parallel"] and not n["disguised"],
                "Not one of its {early:early requests} repeats a refused target: it may be workers that each wait.",
            ),
            Reason(
                lambda n: n["fast"] and n["keeps"] and not n["went_on"] and not n["disguised"],
                "Keeps robots.txt, but sent up to {peak_60s:requests} in 60 s: a pace is what 429 can ask for.",
            ),
            Reason(
                lambda n: not n["refusals"] and not n["disguised"],
                "{beyond_robots}, and it was never refused: 429 is the mildest that is left to try.",
            ),
            Reason(
                lambda n: not n["went_on"] and not n["disguised"],
                "{beyond_robots}; {refusals:refusals} and {waits:waits} are too few to say that 429 does not.",
            ),
        ),
        saving=_limit_saving,
        text=lambda facts: nginx_429(facts.token),
        collateral=lambda facts: None if facts.token else "Everybody who sends no user agent.",
    ),
    Lever(
        id="refuse-token",
        title="refuse the token",
        reasons=(
            Reason(
                lambda n: n["went_on"] and not n["disguised"],
                "{beyond_robots}, and it went on through 429: kept {kept:,} of "
                "{waits:waits}{assumed}, {early:requests} came early; but it keeps its name.",
            ),
        ),
        saving=lambda facts: _all(
            facts.requests, facts.bytes, fill("all its {f.requests:requests} under this name", {"f": facts})
        ),
        text=lambda facts: nginx_refuse(facts.token),
        collateral=lambda facts: f"Only who sends {facts.token}.",
    ),
    Lever(
        id="address-range",
        title="refuse its addresses",
        reasons=(
            Reason(
                lambda n: n["disguised_requests"] > 0,
                "Refusing the name does not hold it: after a refusal {disguised_requests:requests} came under "
                "another from {disguised_addresses:,} of its addresses (measured, not proven).",
            ),
            Reason(lambda _: True, "It uses a name from addresses that are not its operator's: the name says nothing."),
        ),
        saving=lambda facts: _all(
            facts.requests + (facts.disguised_requests or 0),
            facts.bytes,
            fill("all its {f.requests:requests}", {"f": facts})
            + (f", and {facts.disguised_requests:,} under another name" if facts.disguised_requests else ""),
        ),
        text=lambda facts: nginx_deny(facts.top_addresses),
        collateral=_neighbours,
    ),
)


def lever(facts: Facts) -> LeverDocument:
    """Return the mildest lever that has a reason to work on this client."""
    measured = numbers(facts)
    chosen, reason = next((lever, reason) for lever in LEVERS for reason in lever.reasons if reason.when(measured))
    saving = chosen.saving(facts)
    return {
        "lever": chosen.id,
        "title": chosen.title,
        "why": fill(reason.why, measured),
        "saves_requests": saving.requests,
        "saves_bytes": saving.bytes,
        "saves_requests_interval": None if saving.requests_between is None else list(saving.requests_between),
        "saves_bytes_interval": None if saving.bytes_between is None else list(saving.bytes_between),
        "base": saving.base,
        "text": chosen.text(facts),
        "collateral": chosen.collateral(facts),
    }
