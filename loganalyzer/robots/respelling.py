"""Requests that escape a rule by their spelling alone, if the server reads the path more freely than RFC 9309 does.

A rule is compared with what was sent, octet by octet (section 2.2.2): `//admin`, `/./admin` or `/Admin` are not
`/admin`, and no violation. Many servers serve the same page for them, so what would be forbidden then is counted apart.
Each way is one row of TREATMENTS.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loganalyzer.robots.file import Robots
from loganalyzer.robots.history import History, Version
from loganalyzer.robots.match import Pattern, Rule
from loganalyzer.robots.verdicts import Policy, Verdicts

Ints = NDArray[np.int64]

_ESCAPED = re.compile(r"%([2-7][0-9A-Fa-f])")
_KEPT = frozenset(["%23", "%3f"])  # `#` and `?` would end the path
_LETTERS = re.compile(rb"%[0-9A-F]{2}|[A-Z]+")  # an escape keeps its case


@dataclass(frozen=True)
class Treatment:
    """One way in which servers read a path."""

    name: str
    words: str  # "would be forbidden if the server ..."
    differs: str  # RE2 pattern of the paths that it may change
    respell: Callable[[str], str]  # of a path without query
    folds: bool = False  # rules are read without case as well
    samples: tuple[tuple[str, str], ...] = ()


def _without_dots(path: str) -> str:
    """RFC 3986 section 5.2.4, for a path that begins with a slash."""
    kept: list[str] = []
    *inner, last = path.split("/")[1:]
    for segment in inner:
        if segment == "..":
            kept[-1:] = []
        elif segment != ".":
            kept.append(segment)
    if last == "..":
        kept[-1:] = []
    return "/".join(["", *kept, "" if last in (".", "..") else last])


def _decoded(path: str) -> str:
    return _ESCAPED.sub(lambda found: found[0] if found[0].lower() in _KEPT else chr(int(found[1], 16)), path)


TREATMENTS = (
    Treatment(
        "slashes",
        "reads several slashes as one",
        r"^[^?]*//",
        lambda path: re.sub("/{2,}", "/", path),
        samples=(("//admin///x", "/admin/x"), ("/admin", "/admin")),
    ),
    Treatment(
        "dots",
        "resolves /./ and /../",
        r"^[^?]*/\.\.?(?:/|\?|$)",
        _without_dots,
        samples=(("/./admin", "/admin"), ("/a/../admin", "/admin"), ("/../..", "/"), ("/a/.", "/a/"), ("/.x/", "/.x/")),
    ),
    Treatment(
        "escapes",
        "decodes what is percent-encoded once more",
        r"^[^?]*%[2-7]",
        _decoded,
        samples=(("/admin%2Fx", "/admin/x"), ("/%2561dmin", "/%61dmin"), ("/a%3Fb%23c", "/a%3Fb%23c")),
    ),
    Treatment(
        "case",
        "does not tell upper from lower case",
        r"[A-Z]",
        str.lower,
        folds=True,
        samples=(("/Admin", "/admin"),),
    ),
)


class Respelling:
    """What the versions say of the targets that one treatment changes."""

    def __init__(self, treatment: Treatment, history: History, policies: Sequence[Policy], targets: pa.Array) -> None:
        """Decide over the changed targets once; `targets` is a string array, null for none."""
        self.treatment = treatment
        read = History(map(_folded, history.versions)) if treatment.folds else history
        wanted = pc.starts_with(targets, "/")
        if not (treatment.folds and _rules(read) != _rules(history)):  # else a rule may change under any target
            wanted = pc.and_(wanted, pc.match_substring_regex(targets, treatment.differs))
        wanted = pc.fill_null(wanted, False)
        self.codes: Ints = np.flatnonzero(wanted.to_numpy(zero_copy_only=False))
        respelt = [_respelt(treatment, target) for target in targets.take(pa.array(self.codes)).to_pylist()]
        self._verdicts = Verdicts(read, policies, pa.array(respelt, pa.string()))
        self.suspects: Ints = self.codes[self._verdicts.ever_forbidden[: len(self.codes)]]

    def lines(self, version: Ints, client: Ints, target: Ints) -> Ints:
        """Line of the rule that would forbid each request; 0: none would."""
        place = np.searchsorted(self.codes, target)
        place = np.minimum(place, max(len(self.codes) - 1, 0))
        known = self.codes[place] == target if len(self.codes) else np.zeros(len(target), np.bool_)
        lines = self._verdicts.lines(version, client, np.where(known, place, len(self.codes)))
        return np.where(known, np.maximum(lines, 0), 0)


def _rules(history: History) -> list[Pattern]:
    return [rule.pattern for version in history.versions for group in version.robots.groups for rule in group.rules]


def _respelt(treatment: Treatment, target: str) -> str:
    path, mark, query = target.partition("?")
    return treatment.respell(path) + mark + (query.lower() if treatment.folds else query)


def _folded(version: Version) -> Version:
    """The same version with rules in lower case."""
    groups = (replace(group, rules=[_lower(rule) for rule in group.rules]) for group in version.robots.groups)
    robots: Robots = replace(version.robots, groups=tuple(groups))
    return replace(version, robots=robots)


def _lower(rule: Rule) -> Rule:
    head, tail, *pieces = (
        None
        if part is None
        else _LETTERS.sub(lambda found: found[0] if found[0][:1] == b"%" else found[0].lower(), part)
        for part in (rule.pattern.head, rule.pattern.tail, *rule.pattern.pieces)
    )
    pattern: Pattern = replace(rule.pattern, head=head or b"", tail=tail, pieces=tuple(filter(None, pieces)))
    return replace(rule, pattern=pattern)
