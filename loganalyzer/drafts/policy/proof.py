"""A written robots.txt is proven before anybody sees it: it decides as the policy says, for all and everything."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from loganalyzer.drafts.policy.agents import Agent
from loganalyzer.errors import LogAnalyzerError
from loganalyzer.robots.file import Robots, decide_columns
from loganalyzer.robots.match import Rule, by_precedence

ROWS = 1 << 16  # targets at a time, so that many groups over many targets stay small


def prove(wanted: Sequence[tuple[Agent, tuple[Rule, ...]]], written: Robots, targets: pa.Array) -> None:
    """Decide over all targets by the rules that are wanted for each agent and by the file.

    Agents of the same two sets of rules are one question, so that a log with many names costs no more than its groups.

    Raises:
        LogAnalyzerError: they differ, which is a mistake of this program.
    """
    asked: dict[tuple[tuple[Rule, ...], tuple[Rule, ...]], Agent] = {}
    seen: set[tuple[int, int]] = set()
    for agent, rules in wanted:
        given = _given(agent, written)
        if (id(rules), id(given)) not in seen:
            seen.add((id(rules), id(given)))
            asked.setdefault((by_precedence(rules), given), agent)
    rulesets = list(dict.fromkeys(rules for pair in asked for rules in pair))
    for start in range(0, len(targets), ROWS):
        some = targets.slice(start, ROWS)
        allowed = dict(zip(rulesets, (column for column, _ in decide_columns(rulesets, some, "rfc")), strict=True))
        for (wants, gives), agent in asked.items():
            if len(differing := np.flatnonzero(allowed[wants] != allowed[gives])):
                target = some[int(differing[0])].as_py()
                raise LogAnalyzerError(
                    f"the draft does not decide as the policy says: {agent.name} and {target!r}; nothing was written"
                )


def _given(agent: Agent, written: Robots) -> tuple[Rule, ...]:
    """The rules that bind an agent, first to decide first."""
    if written.own_group(agent.tokens) is None and not agent.star_binds:
        return ()
    return written.binding(agent.tokens).rules
