"""What to know first, worst first: each kind of finding is one row with its count, its sentence and its evidence.

To add a kind, append a `Kind` to KINDS. A sentence says what was measured, with its base; it never guesses a motive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loganalyzer.document import ClientDocument, FindingDocument
from loganalyzer.etiquette import fill
from loganalyzer.robotsdocument import ClientRobotsDocument

AGAINST, COSTS, TO_KNOW = 3, 2, 1
ROBOTS_COPY_H = 24  # RFC 9309 section 2.4
UNADDRESSED_SHARE = 0.05  # of requests, from which on an undeclared client is worth a word


@dataclass(frozen=True)
class Kind:
    """One kind of finding; it applies to a client where `count` is above zero."""

    name: str
    severity: int
    count: Callable[[ClientDocument], int]
    sentence: Callable[[ClientDocument], str]
    what: str | None  # the option of `loganalyzer lines` that lists its evidence; None: all lines


def subject(client: ClientDocument) -> str:
    """The client at the head of a sentence: what is not verified only claims to be who it says."""
    standing, name = client["verification"], client["client"]
    if standing and standing["verified"]["requests"] == client["requests"]:
        return name
    if name == "undeclared" or client["kind"] in ("library", "tool"):  # names of software, which anybody may run
        return name
    return f"what claims to be {name}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _violations(client: ClientDocument) -> str:
    robots = client["robots"]
    first = robots["rules"][0]
    forbidden = [rule for rule in robots["rules"] if rule["decision"] == "violation"]
    more = f" and {_counted(len(forbidden) - 1, 'more rule')}" if len(forbidden) > 1 else ""
    return (
        f"{subject(client)} made {robots['violation']:,} of its {_counted(client['requests'], 'request')} against "
        f"robots.txt, "
        f"{_reading(robots)}: {first['rule']} (line {first['line']} of {first['file']}){more}{_of_impostors(client)}"
    )


def _of_impostors(client: ClientDocument) -> str:
    """Whose violations they are: those from refuted addresses are not the operator's."""
    refuted = client["verification"]["refuted"]["violations"] if client["verification"] else 0
    if not refuted:
        return ""
    part = "all" if refuted == client["robots"]["violation"] else f"{refuted:,}"
    return f"; {part} of them from addresses that are not its operator's, and so not its operator's doing"


def _impostor(client: ClientDocument) -> str:
    refuted = client["verification"]["refuted"] if client["verification"] else None
    if refuted is None:
        raise ValueError("no impostor without verification")
    whose = f"{client['operator']}'s" if client["operator"] else "its operator's"
    return fill(
        "{requests:requests} that claim to be {client} came from {addresses:addresses} that are not {whose} ({ways}), "
        "{violations:,} of them against robots.txt: somebody else uses the name",
        {**refuted, "client": client["client"], "whose": whose, "ways": ", ".join(refuted["ways"])},
    )


def _refuted(client: ClientDocument) -> int:
    return client["verification"]["refuted"]["requests"] if client["verification"] else 0


def _reading(robots: ClientRobotsDocument) -> str:
    """What it could know of robots.txt; who asked and was not given it has not refused to read it."""
    if robots["reading"] == "read":
        return "after reading it"
    if robots["reading"] == "never read":
        return "never having read it"
    if robots["reading"] == "probably read":
        return "which its address read at most 60 s before under the name of a library, so that it probably knew it"
    if not robots["answers"]:
        return "having asked for it before the period and not got it"
    asked = sum(robots["answers"].values())
    got = _listed([status for status in robots["answers"] if status != "-"])
    return f"having asked for it {_counted(asked, 'time')} and got {got or 'no answer that the log shows'}"


def _against(*readings: str) -> Callable[[ClientDocument], int]:
    """Counts violations of the clients whose reading is one of `readings`."""
    return lambda client: client["robots"]["violation"] if client["robots"]["reading"] in readings else 0


def _not_given(client: ClientDocument) -> str:
    return f"{_violations(client)}; it could not read it, and that is our server's fault"


def _asked(client: ClientDocument) -> str:
    return f"{_violations(client)}; the log does not show that this gave it the file, nor that it was kept from it"


def _respelt(client: ClientDocument) -> str:
    told = client["robots"]["respelt"][0]
    more = len(client["robots"]["respelt"]) - 1
    return (
        f"{subject(client)} made {_counted(told['requests'], 'request')}, such as {told['examples'][0]}, that would be "
        f"forbidden if the server {told['words']}: {told['rule']} (line {told['line']} of {told['file']})"
        + (f", and {_counted(more, 'more rule')} so" if more else "")
        + "; as sent they are no violations"
    )


def _stale(client: ClientDocument) -> str:
    robots = client["robots"]
    return (
        f"{subject(client)} made {robots['stale']:,} of its {_counted(client['requests'], 'request')} more than 24 h "
        f"after it last read robots.txt, up to {robots['stale_h']:,.0f} h after (RFC 9309 section 2.4)"
    )


def _grace(robots: ClientRobotsDocument) -> str:
    """The grace, and whose word it is."""
    hours = robots["grace_h"]
    return "24 h, RFC 9309 section 2.4" if hours == ROBOTS_COPY_H else f"{hours:g} h, --grace"


def _refused(client: ClientDocument) -> str:
    robots = client["robots"]
    got = _listed([status for status in robots["answers"] if status[0] == "4" and status != "429"])
    return (
        f"{subject(client)} was not given robots.txt when it asked for it: our server answered {got}; "
        f"{robots['unjudged_reasons']['refused']:,} of its {_counted(client['requests'], 'request')} cannot be judged"
    )


def _listed(words: Sequence[str]) -> str:
    """Words as prose: "403", "403 and 404", "401, 403 and 404"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _early(client: ClientDocument) -> str:
    backoff = client["backoff"]
    known = "" if backoff["asked_known"] else ", with an assumed wait of 60 s"
    few = "; too few waits to say more" if backoff["kept_interval"] is None else ""
    return (
        f"{subject(client)} was refused {_counted(backoff['refusals'], 'time')} and kept {backoff['kept']} of "
        f"{_counted(backoff['waits'], 'wait')}{known}; {_counted(backoff['early'], 'request')} came early{few}"
    )


def _parallel(client: ClientDocument) -> bool:
    """A client whose workers each honour the wait: others go on, the refused target is not asked again."""
    backoff = client["backoff"]
    return backoff["same_target_early"] == 0 and backoff["early"] > 0


def _disguise(client: ClientDocument) -> str:
    row = next(row for row in client["etiquette"] if row["row"] == "no-disguise")
    return f"{subject(client)}: {row['sentence']}"


def _flagged(flag: str, words: str) -> Kind:
    """A kind for one flag of user agents: something to look at, with what it may be."""
    return Kind(
        flag,
        TO_KNOW,
        lambda client: client["flagged"].get(flag, 0),
        lambda client: f"{_counted(client['flagged'][flag], 'request')} of {client['client']} {words}",
        None,
    )


def _failed(client: ClientDocument, name: str) -> int:
    return int(any(row["row"] == name and row["verdict"] == "fail" for row in client["etiquette"]))


KINDS = (
    Kind("violations", AGAINST, _against("read"), _violations, "violations"),
    Kind("violations", AGAINST, _against("never read", "probably read"), _violations, "violations"),
    Kind("violations", COSTS, _against("not given"), _not_given, "violations"),
    Kind("violations", COSTS, _against("asked"), _asked, "violations"),
    Kind(
        "ignored-429",
        AGAINST,
        lambda client: client["backoff"]["early"] if client["backoff"]["worst"] in ("ignored", "escalated") else 0,
        lambda client: (
            _early(client) + ("; the refused target itself was never asked again early" if _parallel(client) else "")
        ),
        "early",
    ),
    Kind("impostor", AGAINST, _refuted, _impostor, "impostor"),
    Kind(
        "disguise", AGAINST, lambda client: 0 if _refuted(client) else _failed(client, "no-disguise"), _disguise, None
    ),
    Kind(
        "blocked-by-name",
        COSTS,
        lambda client: client["robots"]["blocked_by_name"],
        lambda client: (
            f"{subject(client)} is blocked by name in robots.txt and came all the same, "
            f"{_counted(client['robots']['blocked_by_name'], 'time')}; it follows people's requests"
        ),
        None,
    ),
    Kind(
        "robots-refused",
        COSTS,
        lambda client: client["robots"]["unjudged_reasons"].get("refused", 0),
        _refused,
        "fetches",
    ),
    Kind(
        "undeclared",
        COSTS,
        lambda client: (
            client["requests"]
            if client["client"] == "undeclared" and client["request_share"] >= UNADDRESSED_SHARE
            else 0
        ),
        lambda client: (
            fill("{requests:requests} ({request_share:.1%} of all) ", client)
            + "declare nobody: no user agent, or one that names no product"
        ),
        None,
    ),
    Kind(
        "grace",
        TO_KNOW,
        lambda client: client["robots"]["grace"],
        lambda client: (
            f"{subject(client)} made {_counted(client['robots']['grace'], 'request')} that robots.txt forbids now, "
            f"but not in the copy it may still hold ({_grace(client['robots'])})"
        ),
        "grace",
    ),
    Kind("stale-copy", TO_KNOW, lambda client: client["robots"]["stale"], _stale, "fetches"),
    Kind(
        "respelt",
        TO_KNOW,
        lambda client: max((one["requests"] for one in client["robots"]["respelt"]), default=0),
        _respelt,
        None,
    ),
    _flagged("foreign-contact", "give the contact of a host that is not known as its operator's: it may be another"),
    _flagged("control-only-token", "send a name that its operator keeps for robots.txt and does not send"),
)


def _capital(sentence: str) -> str:
    """A sentence that begins with a word of ours begins with a capital; a client's name stays as it is."""
    return "W" + sentence[1:] if sentence.startswith("what claims to be ") else sentence


def findings(clients: Sequence[ClientDocument], command: Callable[[str, str | None], str]) -> list[FindingDocument]:
    """Every finding, worst first; `command(client, what)` gives the line to paste for its evidence."""
    found: list[FindingDocument] = [
        {
            "kind": kind.name,
            "client": client["client"],
            "severity": kind.severity,
            "sentence": _capital(kind.sentence(client)),
            "count": kind.count(client),
            "evidence": command(client["client"], kind.what),
        }
        for kind in KINDS
        for client in clients
        if client["client"] != "browser" and kind.count(client) > 0
    ]
    return sorted(found, key=lambda finding: (-finding["severity"], -finding["count"], finding["client"]))
