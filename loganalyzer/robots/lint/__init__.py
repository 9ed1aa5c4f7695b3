"""Mistakes in a robots.txt: each a declaration with the samples that prove it (see `check.Check`)."""

from collections.abc import Iterable

from loganalyzer.robots.lint import groups, keys, names, paths, served
from loganalyzer.robots.lint.check import LEVELS, Check, Finding, Level
from loganalyzer.robots.lint.escapes import Standing, standings
from loganalyzer.robots.lint.observed import Observed
from loganalyzer.robots.lint.source import Source

__all__ = ["CHECKS", "LEVELS", "Check", "Finding", "Level", "Observed", "Source", "Standing", "lint", "standings"]

CHECKS: tuple[Check, ...] = tuple(
    sorted(
        (check for module in (groups, keys, names, paths, served) for check in module.CHECKS), key=lambda c: c.number
    )
)


def lint(source: Source, checks: Iterable[Check] = CHECKS) -> list[Finding]:
    """Everything that is noticed in a file, in the order of its lines, graver first on a line."""
    apt = (check for check in checks if source.is_text or check.any_body)
    found = [finding for check in apt for finding in check.findings(source)]
    return sorted(found, key=lambda finding: (finding.line, LEVELS.index(finding.level), finding.number))
