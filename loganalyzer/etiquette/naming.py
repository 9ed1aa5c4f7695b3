"""Rows about who a client says it is."""

from __future__ import annotations

from loganalyzer.etiquette.row import Case, Row, otherwise, sample

NOT_LOGGED = Case(
    "not observable",
    lambda e: not e["user_agent_logged"],
    "The log has no user agents.",
    "log $http_user_agent (nginx) or %{{User-Agent}}i (Apache): the combined format has it",
)

NAMES_ITSELF = Row(
    id="names-itself",
    title="Names itself",
    one_client=False,
    numbers=lambda f: {
        "user_agent_logged": f.user_agent_logged,
        "token": f.token,
        "version": f.version,
        "contact": f.contact,
        "requests": f.requests,
    },
    cases=(
        NOT_LOGGED,
        Case("fail", lambda e: not e["token"], "Names no product in any of its {requests:requests}."),
        Case(
            "pass",
            lambda e: e["version"] and e["contact"],
            "Names itself {token}, version {version}, with a contact: {contact}.",
        ),
        Case("partly", lambda e: e["contact"], "Names itself {token} with a contact, {contact}, but no version."),
        Case("partly", lambda e: e["version"], "Names itself {token}, version {version}, but gives no contact."),
        Case("partly", otherwise, "Names itself {token}, but gives neither version nor contact."),
    ),
    samples=(
        sample("not observable", "The log has no user agents.", user_agent_logged=False, token=None),
        sample("fail", "Names no product in any of its 1,000 requests.", token=None),
        sample(
            "pass",
            "Names itself SampleBot, version 2.1, with a contact: https://sample.example/bot.",
            version="2.1",
            contact="https://sample.example/bot",
        ),
        sample(
            "partly",
            "Names itself SampleBot with a contact, bot@sample.example, but no version.",
            contact="bot@sample.example",
        ),
        sample("partly", "Names itself SampleBot, version 0.9, but gives no contact.", version="0.9"),
        sample("partly", "Names itself SampleBot, but gives neither version nor contact."),
    ),
)

ADDRESSABLE_TOKEN = Row(
    id="addressable-token",
    title="Can be addressed in robots.txt",
    one_client=False,
    numbers=lambda f: {
        "user_agent_logged": f.user_agent_logged,
        "token": f.token,
        "legal_token": f.legal_token,
        "control_only": "control-only-token" in f.flags,
        "several": "several-identities" in f.flags,
    },
    cases=(
        NOT_LOGGED,
        Case("fail", lambda e: not e["token"], "Has no product token: only a group for * can reach it."),
        Case(
            "partly",
            lambda e: e["control_only"],
            "Sends {token}, a name that its operator keeps for robots.txt and does not send.",
        ),
        Case(
            "partly",
            lambda e: e["several"],
            "Names several clients in one user agent; {token} is the one it was counted as.",
        ),
        Case(
            "pass",
            lambda e: e["legal_token"],
            "{token} holds letters, _ and - only, as RFC 9309 section 2.2.1 wants of a product token.",
        ),
        Case(
            "partly",
            otherwise,
            "{token} holds other characters than letters, _ and - (RFC 9309 section 2.2.1): some parsers cut it short.",
        ),
    ),
    samples=(
        sample("not observable", "The log has no user agents.", user_agent_logged=False, token=None),
        sample("fail", "Has no product token: only a group for * can reach it.", token=None),
        sample(
            "partly",
            "Sends Sample-Extended, a name that its operator keeps for robots.txt and does not send.",
            token="Sample-Extended",  # noqa: S106 - a product token, no secret
            flags=("control-only-token",),
        ),
        sample(
            "partly",
            "Names several clients in one user agent; SampleBot is the one it was counted as.",
            legal_token=True,
            flags=("several-identities",),
        ),
        sample(
            "pass",
            "SampleBot holds letters, _ and - only, as RFC 9309 section 2.2.1 wants of a product token.",
            legal_token=True,
        ),
        sample(
            "partly",
            "Sample2 holds other characters than letters, _ and - (RFC 9309 section 2.2.1): some parsers cut it short.",
            token="Sample2",  # noqa: S106 - a product token, no secret
            legal_token=False,
        ),
    ),
)

NO_DISGUISE = Row(
    id="no-disguise",
    title="Does not disguise itself",
    numbers=lambda f: {
        "verified": f.verified,
        "foreign_contact": "foreign-contact" in f.flags,
        "disguised_requests": f.disguised_requests,
        "disguised_addresses": f.disguised_addresses,
        "evading_requests": f.evading_requests,
        "evading_addresses": f.evading_addresses,
        "refusals": f.refusals,
        "requests": f.requests,
        "addresses": f.addresses or 0,
    },
    cases=(
        Case(
            "fail", lambda e: e["verified"] is False, "Comes from addresses that its operator does not list as its own."
        ),
        Case(
            "fail",
            lambda e: (e["disguised_requests"] or 0) > 0,
            "After a refusal, {disguised_requests:requests} for what it had been asking for came under another name "
            "from {disguised_addresses:,} of its addresses, where that name was new (measured, not proven).",
        ),
        Case(
            "fail",
            lambda e: e["evading_requests"] > 0,
            "Right after it had been there, having read robots.txt, a browser that was new came to "
            "{evading_addresses:,} of its addresses with {evading_requests:requests} for pages that robots.txt closes "
            "to it, and took none of their assets (measured, not proven).",
        ),
        Case("partly", lambda e: e["foreign_contact"], "Gives the token of one operator and the contact of another."),
        Case(
            "not observable",
            lambda e: e["disguised_requests"] is None,
            "The log does not hold both addresses and user agents.",
            "log $remote_addr and $http_user_agent (nginx) or %a and %{{User-Agent}}i (Apache)",
        ),
        Case(
            "not observable",
            lambda e: e["refusals"] == 0,
            "Never refused, so that it had no cause to change its name; nothing else points to a disguise.",
            "a limit that it meets; and --ranges or --verify, which say whose its addresses are",
        ),
        Case("pass", otherwise, "Kept its name after {refusals:refusals}, from {addresses:addresses}."),
    ),
    samples=(
        sample("fail", "Comes from addresses that its operator does not list as its own.", verified=False),
        sample(
            "fail",
            "After a refusal, 41 requests for what it had been asking for came under another name from 2 of its "
            "addresses, where that name was new (measured, not proven).",
            disguised_requests=41,
            disguised_addresses=2,
            refusals=5,
        ),
        sample(
            "fail",
            "Right after it had been there, having read robots.txt, a browser that was new came to 1 of its addresses "
            "with 12 requests for pages that robots.txt closes to it, and took none of their assets (measured, not "
            "proven).",
            disguised_requests=0,
            evading_requests=12,
            evading_addresses=1,
        ),
        sample("partly", "Gives the token of one operator and the contact of another.", flags=("foreign-contact",)),
        sample("not observable", "The log does not hold both addresses and user agents."),
        sample(
            "not observable",
            "Never refused, so that it had no cause to change its name; nothing else points to a disguise.",
            disguised_requests=0,
        ),
        sample(
            "pass",
            "Kept its name after 12 refusals, from 3 addresses.",
            disguised_requests=0,
            refusals=12,
            addresses=3,
        ),
    ),
)
