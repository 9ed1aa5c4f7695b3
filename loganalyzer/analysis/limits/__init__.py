"""Rate limits against one analysed log: what a limit would have refused, to whom, and which to propose."""

from loganalyzer.analysis.limits.documents import (
    EffectDocument,
    LimitDocument,
    LimitsDocument,
    PeopleDocument,
    ProposalDocument,
    RefusedDocument,
)
from loganalyzer.analysis.limits.figures import figures
from loganalyzer.analysis.limits.limits import Limits

__all__ = [
    "EffectDocument",
    "LimitDocument",
    "Limits",
    "LimitsDocument",
    "PeopleDocument",
    "ProposalDocument",
    "RefusedDocument",
    "figures",
]
