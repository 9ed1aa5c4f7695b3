"""What robots.txt says of a path, for `loganalyzer check`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loganalyzer.clients import Registry, identify
from loganalyzer.errors import UsageError
from loganalyzer.robots import Decision, parse
from loganalyzer.robots.canonical import Profile


@dataclass(frozen=True)
class Verdict:
    """One answer, and the sentence that says it with its reason."""

    allowed: bool
    sentence: str


def check(
    robots: str, agents: Sequence[str], paths: Sequence[str], profile: Profile, registry: Registry | None = None
) -> list[Verdict]:
    """Decide each path for each agent (a product token, or a whole user agent) by the file `robots`.

    Raises:
        UsageError: the file is missing, unreadable or an HTML page.
    """
    try:
        parsed = parse(Path(robots).read_bytes(), profile=profile)
    except OSError as error:
        raise UsageError(f"{robots}: {error.strerror}") from error
    if parsed.looks_like_html:
        raise UsageError(f"{robots}: is an HTML page, not a robots.txt; fetch /robots.txt itself")
    return [
        _verdict(robots, name, path, parsed.decide(tokens, path))
        for name, tokens in _names(agents, registry)
        for path in paths
    ]


def _names(agents: Sequence[str], registry: Registry | None) -> Iterator[tuple[str, Sequence[str]]]:
    """The names to look up: a whole user agent has a version or a blank in it, a token has neither."""
    for agent in agents:
        client = identify(agent, registry)
        if {"/", " "} & set(agent) and client.token:
            yield client.token, client.robots_tokens
        else:
            yield agent, client.robots_tokens or (agent,)


def _verdict(robots: str, name: str, path: str, decision: Decision) -> Verdict:
    word = "allowed" if decision.allowed else "disallowed"
    why = (
        f"{robots}:{decision.line}: {decision.rule} (group {decision.group})"
        if decision.line
        else f"no rule of group {decision.group} matches"
        if decision.group
        else "no group applies"
    )
    return Verdict(decision.allowed, f"{word:<10}  {name}  {path}  {why}")
