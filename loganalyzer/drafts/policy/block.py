"""The part of a robots.txt that a policy writes: groups of their own, with the figures of the log beside them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.drafts.policy.agents import Agent
from loganalyzer.drafts.policy.edit import BEGIN, END, Sheet
from loganalyzer.drafts.policy.plan import Own, Plan, closed
from loganalyzer.drafts.policy.words import LEGAL_NAME, Words
from loganalyzer.drafts.traffic import Traffic
from loganalyzer.robots.file import EVERYBODY, decide_columns

_TITLES = {
    "everybody": "everybody else",
    "denied": "denied: may fetch nothing",
    "allowed": "allowed: the rules of * again, which a group of its own would escape, without what closes the site",
    "kept": "as before: the rules of * again, which a group of its own would escape",
}


def block(
    plan: Plan, everybody: Sequence[Agent], words: Words, sheet: Sheet, traffic: Traffic, ends_open: bool
) -> bytes:
    """The lines between and with BEGIN and END.

    Args:
        plan: the groups that are needed.
        everybody: whom the policy is about.
        words: the policy.
        sheet: the present file, whose rules are repeated as they are written there.
        traffic: the log.
        ends_open: whether the file above ends with a group that has no rule.
    """
    lines = [BEGIN, *(f"# {line}".encode() for line in _head(plan, everybody, words, traffic))]
    if ends_open:
        lines += [b"# the group above has no rule: without this line the names below would join it", b"Disallow:"]
    for standing, group in groupby(sorted(plan.own, key=_order), key=_standing):
        lines += [b"", f"# {_TITLES[standing]}".encode()]
        for _, alike in groupby(group, key=lambda own: _as_written(own, words, sheet)):
            lines += _group(list(alike), words, sheet, traffic)
    return b"\n".join([*lines, END]) + b"\n"


def _head(plan: Plan, everybody: Sequence[Agent], words: Words, traffic: Traffic) -> Iterator[str]:
    """The policy, and what it is about in figures: of groups that the file has already, too."""
    first, last = (moment[:10] if moment else "unknown" for moment in traffic.period)
    yield f"policy: {words.sentence}"
    whose = f"for {traffic.host} " if traffic.host else ""
    yield f"figures: of {traffic.requests:,} requests {whose}and {_size(traffic.bytes)} of a log, {first} to {last}"
    for rule, path in zip(words.rules, words.keep_out, strict=True):
        asked = decide_columns([(rule,)], traffic.targets.fill_null("/"), "rfc")[0][0]
        rows = np.flatnonzero(~np.append(asked, True)[_codes(traffic)])
        requests, size = (int(traffic.pairs[name].to_numpy()[rows].sum()) for name in ("requests", "bytes"))
        yield f"kept out of {path}: {_share(requests, size, traffic)} by automated clients"
    own = {group.agent.key for group in plan.own}
    for agent in everybody:
        if agent.requests and agent.key not in own and _denied_above(agent, plan, words):
            yield f"denied above: {agent.name}: {_share(agent.requests, agent.bytes, traffic)}"


def _denied_above(agent: Agent, plan: Plan, words: Words) -> bool:
    """Whether the file above denies somebody whom the policy denies; whose name may stand in a comment, too."""
    unnamed = {own.agent.key for own in plan.unnamed}
    denied = words.standing(agent.name, agent.purpose) == "denied"
    return denied and agent.key not in unnamed and bool(LEGAL_NAME.fullmatch(agent.name))


def _codes(traffic: Traffic) -> NDArray[np.int64]:
    """Target of each pair; -1, the last of everything, for null."""
    codes: NDArray[np.int64] = pc.fill_null(traffic.pairs["target"].cast(pa.int64()), -1).to_numpy()
    return codes


def _order(own: Own) -> tuple[object, ...]:
    """Everybody first, then who is denied, allowed, kept; alike together, then by name."""
    place = list(_TITLES).index(_standing(own))
    return place, sorted((rule.allow, rule.text) for rule in own.rules), own.agent.name.casefold()


def _standing(own: Own) -> str:
    return "everybody" if own.agent.name == EVERYBODY else own.standing


def _as_written(own: Own, words: Words, sheet: Sheet) -> list[bytes]:
    """The lines under the names of a group."""
    if closed(own.rules):
        return [b"Disallow: /"]
    rules = list(dict.fromkeys(sheet.octets(rule) if rule.line else rule.text.encode() for rule in own.rules))
    delay = sheet.robots.crawl_delay(own.agent.tokens) if words.crawl_delay_s is None else words.crawl_delay_s
    return (rules or [b"Disallow:"]) + ([] if delay is None else [f"Crawl-delay: {delay:.9g}".encode()])


def _group(alike: Sequence[Own], words: Words, sheet: Sheet, traffic: Traffic) -> Iterator[bytes]:
    for own in alike:
        if own.agent.requests:
            yield f"# {own.agent.name}: {_share(own.agent.requests, own.agent.bytes, traffic)}".encode()
    yield from (f"User-agent: {own.agent.name}".encode() for own in alike)
    yield from _as_written(alike[0], words, sheet)


def _share(requests: int, size: int, traffic: Traffic) -> str:
    """Requests and bytes with their shares of the log."""
    of = requests / max(traffic.requests, 1), size / max(traffic.bytes, 1)
    return f"{requests:,} requests ({of[0]:.1%}), {_size(size)} ({of[1]:.1%})"


def _size(number: int) -> str:
    """Bytes in decimal megabytes, as traffic is billed."""
    return f"{number / 1e6:,.1f} MB"
