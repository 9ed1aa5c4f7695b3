"""Writes a robots.txt from a policy in words, and proves it on the log before anybody sees it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from loganalyzer.clients import Registry
from loganalyzer.clients.registry import PURPOSES
from loganalyzer.drafts.policy.agents import Agent, agents
from loganalyzer.drafts.policy.block import block
from loganalyzer.drafts.policy.edit import Sheet, without_block
from loganalyzer.drafts.policy.plan import Own, Plan, plan
from loganalyzer.drafts.policy.proof import prove
from loganalyzer.drafts.policy.words import Words, words
from loganalyzer.drafts.traffic import Traffic
from loganalyzer.errors import LogAnalyzerError, UsageError
from loganalyzer.robots.file import Robots, parse
from loganalyzer.robots.parse import SIZE_LIMIT, is_utf16, no_robots_txt

__all__ = ["Words", "Written", "words", "write"]


@dataclass(frozen=True, slots=True)
class Written:
    """A robots.txt that decides as the policy says."""

    data: bytes
    notes: tuple[str, ...]  # what it cannot say, and what to do instead
    unnamed: tuple[str, ...]  # clients of the log that would need a group, and whose name cannot stand in one


def write(said: Words, present: bytes, traffic: Traffic, registry: Registry) -> Written:
    """Write the policy into the present file.

    Everything of the present file stays but what the policy takes away: comments, sitemaps, groups of others. Written
    into its own output it changes nothing.

    Args:
        said: the policy.
        present: the octets of the file in force; empty for none.
        traffic: the log.
        registry: what is known of clients.

    Raises:
        UsageError: the present file is a web page, no text, or longer than readers need to read.
        LogAnalyzerError: the proof failed, which is a mistake of this program.
    """
    _check(present)
    everybody = agents(said, parse(present), traffic, registry)
    data, planned = _draft(said, present, traffic, everybody)
    robots = parse(data)
    prove(planned.wanted, robots, _targets(said, robots, traffic))
    again = _draft(said, data, traffic, agents(said, robots, traffic, registry))[0]
    if again != data:
        raise LogAnalyzerError("the draft, drafted again by the same policy, is another; nothing was written")
    return Written(
        data, tuple(_notes(said, planned, everybody, registry)), tuple(o.agent.name for o in planned.unnamed)
    )


def _draft(said: Words, present: bytes, traffic: Traffic, everybody: list[Agent]) -> tuple[bytes, Plan]:
    bare = without_block(present)
    sheet, outside = Sheet(present), Sheet(bare)
    planned = plan(said, sheet.robots, sheet.robots if bare == present else outside.robots, everybody)
    edited = outside.edited(planned.moved, said)
    open_end = Sheet(edited).ends_open
    if not planned.own and not said.any:
        return edited, planned
    between = b"\n" if edited else b""
    return edited + between + block(planned, everybody, said, sheet, traffic, open_end), planned


def _check(present: bytes) -> None:
    if wrong := no_robots_txt(present):
        raise UsageError(f"the present robots.txt {wrong}")
    if is_utf16(present):
        raise UsageError("the present robots.txt is UTF-16, which no crawler reads; save it as UTF-8")
    if len(present) > SIZE_LIMIT:
        raise UsageError(f"the present robots.txt has more than {SIZE_LIMIT:,} octets: no crawler needs to read it all")


def _targets(said: Words, robots: Robots, traffic: Traffic) -> pa.Array:
    """What the proof is made over: the targets of the log, and the paths that rules name."""
    named = [rule.text.partition(":")[2].strip() for group in robots.groups for rule in group.rules]
    extra = pa.array(["/", "/robots.txt", *said.keep_out, *named], pa.string())
    return pa.concat_arrays([traffic.targets.cast(pa.string()).fill_null("/"), extra])


def _notes(said: Words, planned: Plan, everybody: list[Agent], registry: Registry) -> Iterator[str]:
    """What the file cannot say, and what the operator may not expect."""
    yield from map(_unnamed, planned.unnamed)
    present = {agent.purpose for agent in everybody}
    for purpose in (*said.deny, *said.allow):
        if purpose in PURPOSES and purpose not in present:
            yield f"nobody with the purpose {purpose} is in the log or the file (--all-known names those known)"
    named = {agent.key for agent in everybody}
    unseen = [entry for entry in registry.entries if entry.token.casefold() not in named]
    control = [entry.token for entry in unseen if entry.control_only and entry.purpose in said.deny]
    if control:
        yield f"{', '.join(control)}: names for robots.txt alone, which no client sends; deny them by name if meant"
    own = {group.agent.key for group in planned.own}
    caught = [entry.token for entry in unseen if own & {fallback.casefold() for fallback in entry.fallbacks}]
    if caught:
        yield f"not seen in the log, and bound by a group named here until they have their own: {', '.join(caught)}"


def _unnamed(own: Own) -> str:
    agent = own.agent
    return (
        f"{agent.name!r} ({agent.requests:,} requests) cannot be named in robots.txt (RFC 9309 section 2.2.1: letters, "
        f"_ and -), so that * holds for it; to keep it away, have the server refuse its user agent with 403"
    )
