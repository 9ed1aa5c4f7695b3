"""What the rules of a snippet come from, in sentences that may stand in a file."""

from collections.abc import Iterable, Mapping, Sequence

from loganalyzer.analysis.limits.documents import ProposalDocument, RefusedDocument
from loganalyzer.drafts.limits import Rule
from loganalyzer.etiquette.facts import UNDECLARED


def figures(rows: Iterable[ProposalDocument | RefusedDocument], rules: Sequence[Rule]) -> list[str]:
    """What the rules of a snippet come from: numbers and harmless tokens alone, for it goes into a file."""
    by_client = {row["client"].casefold(): row for row in rows}
    return [f"{rule.token or rule.who}: {rule.limit.words}{_measured(rule, by_client)}." for rule in rules]


def _measured(rule: Rule, rows: Mapping[str, ProposalDocument | RefusedDocument]) -> str:
    row = rows.get((rule.token or UNDECLARED).casefold())
    if rule.who == "everybody":
        requests, refused = (sum(row[name] for row in rows.values()) for name in ("requests", "refused"))
    elif row is None:
        return ""
    else:
        requests, refused = row["requests"], row["refused"]
    return f": of {requests:,} requests in the log it would have refused {refused:,}"
