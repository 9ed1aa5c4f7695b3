"""What there is to say about one client, and about the whole, in words: the page and the dashboard say the same."""

from collections import defaultdict

from loganalyzer.document import ClientDocument, LeverDocument, ReportDocument, TotalsDocument
from loganalyzer.reports.definitions import REASONS
from loganalyzer.reports.wording import (
    count,
    moment,
    network,
    pace,
    plural,
    purpose,
    saving,
    seconds,
    share,
    size,
    some,
)

NOT_STATED = (
    "Not every refusal has its Retry-After in the log, so that 60 s are assumed where it is not: log it with "
    "$sent_http_retry_after (nginx) or %{Retry-After}o (Apache), if it is sent."
)
ROBOTS_COPY_H = 24  # RFC 9309 section 2.4


def introduction(client: ClientDocument) -> str:
    """Who it claims to be, and how much of everything it was."""
    return (
        f"{client['identity'][:1].upper()}{client['identity'][1:]}. "
        f"{plural(client['requests'], 'request')} ({share(client['request_share'])} of all), "
        f"{size(client['bytes'])} ({share(client['byte_share'])} of all), "
        f"from {plural(client['addresses'], 'address', 'addresses')}, "
        f"{moment(client['first'])} to {moment(client['last'])} UTC."
    )


def identity(client: ClientDocument) -> dict[str, str]:
    """What its user agents say, and what is known of the name."""
    facts = {
        "purpose": purpose(client),
        "kind": client["kind"] or "unknown",
        "operator": client["operator"] or "unknown",
        "contact": client["contact"] or "none in the user agent",
        "versions": some(client["versions"]) or "none",
        "answers": ", ".join(f"{count(number)} with {status}" for status, number in sorted(client["statuses"].items())),
    }
    facts |= {"networks": networks(client), "others there": others(client)} if client["automated"] else {}
    return facts | ({"flags": ", ".join(client["flags"])} if client["flags"] else {})


def networks(client: ClientDocument) -> str:
    """How many networks it came from, and the busiest of them."""
    return f"{plural(client['networks'], 'network')} (/24 or /48), the busiest {network(client)} of its requests"


def others(client: ClientDocument) -> str:
    """Who else came from its addresses: whom a block of them would meet."""
    shared = client["shared"]
    if not shared or not shared["requests"]:
        return "nobody else came from its addresses"
    return (
        f"{plural(shared['requests'], 'request')} of others came from its addresses, "
        f"{count(shared['people_requests'])} of them from browsers at "
        f"{plural(shared['people_addresses'], 'address', 'addresses')}"
    )


def rates(client: ClientDocument) -> dict[str, str]:
    """How fast it came."""
    measured = client["rates"]
    facts = {
        "peak in 1 s": _peak(measured["peak_1s"], measured["peak_1s_at"]),
        "peak in 60 s": _peak(measured["peak_60s"], measured["peak_60s_at"]),
        "pace while active": pace(measured["mean_active"]),
        "pace over the log": pace(measured["mean_window"]),
        "burst": f"{plural(measured['burst'], 'request')} in {seconds(measured['burst_s'])}",
        "at once": "unknown: no request time is logged"
        if measured["concurrency"] is None
        else f"{measured['concurrency']:,} ({measured['concurrency_is']})",
    }
    if measured["crawl_delay_s"] is not None:
        facts["Crawl-delay"] = (
            f"asked {seconds(measured['crawl_delay_s'])}; {count(measured['crawl_delay_short'] or 0)} of "
            f"{plural(measured['crawl_delay_gaps'] or 0, 'gap')} were shorter; read as one access a window, "
            f"{count(measured['crawl_delay_crowded'] or 0)} of "
            f"{plural(measured['crawl_delay_windows'] or 0, 'window')} had more"
        )
    return facts


def content(client: ClientDocument) -> dict[str, str]:
    """What it asked for and got."""
    told, requests = client["content"], client["requests"]
    kinds = sorted(told["kinds"].items(), key=lambda pair: (-pair[1], pair[0]))
    facts = {
        "asked for": ", ".join(f"{name} {count(number)}" for name, number in kinds) or "nothing that is logged",
        "made for machines": f"{share(told['machine_share'])} of {plural(requests, 'request')} "
        "(feeds, sitemaps, llms.txt, JSON)",
        "errors": f"4xx {_share(told['client_error_share'])}, 5xx {_share(told['server_error_share'])} of its answers",
        "unchanged, sent again": f"{plural(told['repeats'], 'answer')} within 24 hours of the same, "
        f"{size(told['repeat_bytes'])}; {plural(told['not_modified'], 'answer')} 304",
    }
    if told["avoidable_repeats"]:
        facts["conditional requests would save"] = (
            f"{plural(told['avoidable_repeats'], 'answer')}, {size(told['avoidable_repeat_bytes'])}: the server is "
            "seen to answer 304 for these targets"
        )
    return facts


def _share(fraction: float | None) -> str:
    return "unknown" if fraction is None else share(fraction)


def _peak(number: int, at: str | None) -> str:
    return plural(number, "request") + (f", {moment(at)}" if at else "")


def robots(client: ClientDocument) -> str:
    """How often it read robots.txt, and how its requests stand to it: the five classes add up."""
    stand = client["robots"]
    gap = f", at most {seconds(stand['longest_gap_h'] * 3600)} apart" if stand["longest_gap_h"] is not None else ""
    before = f"{plural(stand['fetches_before'], 'time')} before the period" if stand["fetches_before"] else ""
    times = " and ".join(filter(None, (plural(stand["fetches"], "time") if stand["fetches"] else "", before)))
    read = f"Read {times}{gap}{_last(client)}" if times else _unread(client)
    classes: tuple[tuple[int, str, dict[str, int]], ...] = (
        (stand["allowed"], "allowed", {}),
        (stand["violation"], "violated", {}),
        (stand["grace"], "in grace", {}),
        (stand["exempt"], "not bound", stand["exempt_reasons"]),
        (stand["unjudged"], "not judged", stand["unjudged_reasons"]),
    )
    told = ", ".join(f"{count(number)} {name}{_reasons(reasons)}" for number, name, reasons in classes if number)
    return f"{read}. Of {plural(client['requests'], 'request')}: {told}."


def _last(client: ClientDocument) -> str:
    """What it read last, and how long it went by it."""
    stand = client["robots"]
    if stand["last_read"] is None:
        return ""
    version = f" ({stand['last_version']})" if stand["last_version"] else ""
    stale = f"; {plural(stand['stale'], 'request')} by a copy older than 24 h" if stand["stale"] else ""
    grace = f"; grace {stand['grace_h']:g} h" if stand["grace_h"] != ROBOTS_COPY_H else ""
    return f"; the last time {moment(stand['last_read'])}{version}{stale}{grace}"


def _unread(client: ClientDocument) -> str:
    words = {
        "not given": "Asked for it and was never given it: our server's fault",
        "asked": f"Asked for it and got {some(list(client['robots']['answers']))}: the log does not show that this "
        "gave it the file, nor that it was kept from it",
        "probably read": "Probably read, under the name of a library",
    }
    return words.get(client["robots"]["reading"], "Never read in this log")


def _reasons(reasons: dict[str, int]) -> str:
    told = [f"{count(number)} {REASONS.get(reason, reason)}" for reason, number in sorted(reasons.items())]
    if len(told) == 1:  # the number has just been said
        return f" ({told[0].partition(' ')[2]})"
    return f" ({', '.join(told)})" if told else ""


def refusals(client: ClientDocument) -> str:
    """What it did after 429, with the base of each number."""
    backoff = client["backoff"]
    interval = backoff["kept_interval"]
    between = f" (95 % interval {share(interval[0])} to {share(interval[1])})" if interval else ""
    assumed = "; at least one is assumed" if backoff["asked_known"] is False else ""
    unlogged = f"{NOT_STATED} " if backoff["asked_known"] is False else ""
    first = backoff["first_return_s"]
    returned = "no return is in the log" if first is None else f"first return after {seconds(first)} (median)"
    return (
        f"{unlogged}Refused {plural(backoff['refusals'], 'time')}; kept {count(backoff['kept'])} of "
        f"{plural(backoff['waits'], 'wait')}{between}, counted per {backoff['headline']}. "
        f"Asked wait {seconds(backoff['asked_s'])} (median{assumed}); "
        f"{returned}. {_early(client)}." + "".join(f" {found['sentence']}" for found in backoff["patterns"])
    )


def _early(client: ClientDocument) -> str:
    early, same = client["backoff"]["early"], client["backoff"]["same_target_early"]
    if not early:
        return "None came early"
    return f"{plural(early, 'request')} came early, {count(same)} of them for the target that had been refused"


def lever(client: ClientDocument, totals: TotalsDocument) -> str:
    """Why this lever, what it is expected to save, and whom else it would meet."""
    chosen = client["lever"]
    expected = saving(chosen, totals)
    return " ".join(
        part
        for part in (
            _sentence(chosen["why"]),
            f"It {expected}{_between(chosen)}: {_sentence(chosen['base'])}" if expected else "",
            f"Collateral: {_sentence(chosen['collateral'])}" if chosen["collateral"] else "",
        )
        if part
    )


def _between(chosen: LeverDocument) -> str:
    """The interval of a saving, where it is more than a point."""
    ends = chosen["saves_requests_interval"]
    if ends is None or ends[0] == ends[1]:
        return ""
    return f" (95 % interval {count(ends[0])} to {count(ends[1])} requests)"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def costs(document: ReportDocument) -> list[tuple[str, int, int, int]]:
    """Return (purpose, clients, requests, bytes) for each purpose, most bytes first."""
    sums: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for client in document["clients"]:
        clients, requests, total = sums[purpose(client)]
        sums[purpose(client)] = (clients + 1, requests + client["requests"], total + client["bytes"])
    return sorted(((name, *parts) for name, parts in sums.items()), key=lambda row: (-row[3], row[0]))
