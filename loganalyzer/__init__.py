"""Who the automated clients in an access log are, what they keep, and the mildest lever that works on each.

import loganalyzer as la

log = la.read(["access.log", "access.log.1.gz"])     # log.requests, log.rejects: Arrow tables; log.inputs
analysis = la.analyse(log, robots=["robots.txt"])    # Arrow tables; analysis.to_dict() equals `report --json`
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loganalyzer.analysis import Analysis, analyse
    from loganalyzer.formats import Log, read

__all__ = ["Analysis", "Log", "__version__", "analyse", "read"]
__version__ = "0.1.0"

_HOME = {"Analysis": "analysis", "analyse": "analysis", "Log": "formats", "read": "formats"}


def __getattr__(name: str) -> Any:
    """Import on first use: `loganalyzer --help` must not pay for pyarrow."""
    if name not in _HOME:
        raise AttributeError(f"module 'loganalyzer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"loganalyzer.{_HOME[name]}"), name)
