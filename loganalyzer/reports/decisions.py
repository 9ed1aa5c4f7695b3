"""What robots.txt says of paths, for `loganalyzer check`."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from loganalyzer.clients import Registry, identify
from loganalyzer.errors import UsageError
from loganalyzer.escape import inline, json_text
from loganalyzer.reports.wording import plural
from loganalyzer.robots import Decision, parse
from loganalyzer.robots.canonical import Profile
from loganalyzer.robots.parse import no_robots_txt


@dataclass(frozen=True, slots=True)
class Asked:
    """A path or URL, and how many requests of a log there were for it."""

    path: str
    requests: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer with its reason."""

    robots: str  # file
    profile: Profile
    agent: str  # as given
    tokens: tuple[str, ...]  # looked up in this order, before `*`
    asked: Asked
    decision: Decision

    @property
    def sentence(self) -> str:
        """The answer on one line."""
        decision, asked = self.decision, self.asked
        why = (
            f"{self.robots}:{decision.line}: {decision.rule} (group {decision.group})"
            if decision.line
            else f"no rule of group {decision.group} matches"
            if decision.group
            else "no group applies"
        )
        counted = "" if asked.requests is None else f"  {plural(asked.requests, 'request')}"
        word = "allowed" if decision.allowed else "disallowed"
        return inline(f"{word:<10}  {self.name}  {asked.path}{counted}  {why}")

    @property
    def name(self) -> str:
        """The agent, for a sentence: of a whole user agent its token."""
        return self.tokens[0] if _is_header(self.agent) and self.tokens else self.agent

    @property
    def json(self) -> str:
        """The answer as a JSON object on one line."""
        decision, counted = self.decision, {} if self.asked.requests is None else {"requests": self.asked.requests}
        told = {
            "agent": self.agent,
            "tokens": self.tokens,
            "path": self.asked.path,
            **counted,
            "allowed": decision.allowed,
            "line": decision.line,
            "rule": decision.rule,
            "group": decision.group,
            "robots": self.robots,
            "profile": self.profile,
        }
        return json_text(json.dumps(told, ensure_ascii=False))


def of_requests(requests: pa.Table) -> list[Asked]:
    """Every distinct target of a table (schema REQUEST), most requests first."""
    counts = pc.value_counts(requests["target"].cast(pa.string()).drop_null())
    found = zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
    return [Asked(*pair) for pair in sorted(found, key=lambda pair: (-pair[1], pair[0]))]


def check(
    robots: str, agents: Iterable[str], asked: Sequence[Asked], profile: Profile, registry: Registry | None = None
) -> Iterator[Verdict]:
    """Decide each path for each agent (a product token, or a whole user agent) by the file `robots`.

    Raises:
        UsageError: the file is missing, unreadable or an HTML page.
    """
    try:
        data = Path(robots).read_bytes()
    except OSError as error:
        raise UsageError(f"{robots}: {error.strerror}") from error
    if wrong := no_robots_txt(data):
        raise UsageError(f"{robots}: {wrong}")
    parsed = parse(data, profile=profile)
    # Octets that were no UTF-8 as a log's reader writes them, for Arrow's strings are UTF-8.
    texts = [one.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for one in asked]
    targets = pa.array(texts, pa.string())
    for agent in agents:
        tokens = _tokens(agent, registry)
        lines = parsed.decide_many(tokens, targets)["line"].to_pylist()
        by_line = {line: parsed.cite(tokens, line) for line in set(lines)}
        for one, line in zip(asked, lines, strict=True):
            yield Verdict(robots, profile, agent, tokens, one, by_line[line])


def _is_header(agent: str) -> bool:
    """A whole user agent has a version or a blank in it, a token has neither."""
    return bool({"/", " "} & set(agent))


def _tokens(agent: str, registry: Registry | None) -> tuple[str, ...]:
    """The names to look up; none for a whole user agent that names nobody: `*` is all that binds it."""
    client = identify(agent, registry)
    return client.robots_tokens or (() if _is_header(agent) else (agent,))
