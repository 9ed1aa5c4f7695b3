"""Rate limits: what one would have refused, the smallest that the well-behaved pass, and the text to paste."""

from loganalyzer.drafts.limits.limit import DELAY_ALL, KEYS, Key, Limit
from loganalyzer.drafts.limits.norm import FEWEST, SHARE, norm
from loganalyzer.drafts.limits.rule import Rule, Who, safe
from loganalyzer.drafts.limits.servers import SERVERS, Server, snippet
from loganalyzer.drafts.limits.traffic import REFUSED, Traffic

__all__ = [
    "DELAY_ALL",
    "FEWEST",
    "KEYS",
    "REFUSED",
    "SERVERS",
    "SHARE",
    "Key",
    "Limit",
    "Rule",
    "Server",
    "Traffic",
    "Who",
    "norm",
    "safe",
    "snippet",
]
