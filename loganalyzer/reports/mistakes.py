"""What `loganalyzer lint` found, as text with a caret under each fault, or as one JSON document."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

from loganalyzer.escape import inline, json_text
from loganalyzer.reports import layout
from loganalyzer.reports.layout import Span, span
from loganalyzer.reports.wording import plural
from loganalyzer.robots.file import EVERYBODY
from loganalyzer.robots.lint import CHECKS, LEVELS, Finding, Level, Source, Standing, lint, standings

SCHEMA_VERSION = 1
STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
OF_A_KIND = 3  # findings of one kind, and lines to paste, that a text shows unless it is asked for all
NAMES = 30
EXCERPT = 100  # characters of a line
BEFORE = 60  # of those, in front of the fault


@dataclass(frozen=True)
class Linted:
    """One file with all that was noticed."""

    file: str
    findings: list[Finding]
    standings: list[Standing]
    with_log: bool

    @classmethod
    def of(cls, file: str, source: Source, tokens: Sequence[str] = ()) -> "Linted":
        """Look at a file, and at what it means for its names and for `tokens`."""
        return cls(file, lint(source), standings(source, tokens), source.observed is not None)

    def reaches(self, level: Level) -> bool:
        """Whether anything is as grave as `level`, or graver."""
        return any(LEVELS.index(finding.level) <= LEVELS.index(level) for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Findings by level, gravest first."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}

    @property
    def unseen(self) -> list[str]:
        """Codes of the checks that wanted a log."""
        return [] if self.with_log else [check.code for check in CHECKS if check.needs_log]


def as_json(files: Sequence[Linted]) -> str:
    """One document for programs; codes and field names stay."""
    shown = [
        {
            "file": one.file,
            "counts": one.counts,
            "findings": [asdict(finding) for finding in one.findings],
            "names": [asdict(standing) for standing in one.standings],
            "checks_without_log": one.unseen,
        }
        for one in files
    ]
    return (
        json_text(json.dumps({"schema_version": SCHEMA_VERSION, "files": shown}, ensure_ascii=False, indent=2)) + "\n"
    )


def as_text(files: Iterable[Linted], colour: bool, everything: bool) -> str:
    """Every file: its findings in the order of its lines, what it means for each name, and the counts."""
    lines = [tuple(line) for one in files for line in _file(one, everything)]
    return (layout.coloured if colour else layout.plain)(lines)


def _file(one: Linted, everything: bool) -> Iterator[list[Span]]:
    shown: Counter[str] = Counter()
    for finding in one.findings:
        shown[finding.code] += 1
        if everything or shown[finding.code] <= OF_A_KIND:
            yield from _finding(one.file, finding, everything)
    for code, count in shown.items():
        if not everything and count > OF_A_KIND:
            rest = [finding for finding in one.findings if finding.code == code][OF_A_KIND:]
            yield [span(f"{one.file}: {count - OF_A_KIND:,} more of {code}, {_lines(f.line for f in rest)} (--all)")]
    yield from _names(one, everything)
    unseen = f"; not looked at without --log: {', '.join(one.unseen)}" if one.unseen else ""
    yield [span(f"{one.file}: {counted(one.findings)}{unseen}")]


def counted(findings: Iterable[Finding]) -> str:
    """How many of each level: "1 error, 0 warnings, 2 notes"."""
    levels = Counter(finding.level for finding in findings)
    nouns = zip(LEVELS, ("error", "warning", "note"), strict=True)
    return ", ".join(plural(levels[level], noun) for level, noun in nouns)


def said(finding: Finding) -> str:
    """What is wrong, as a sentence, with the other lines that it speaks for."""
    more = f" Also {_lines(finding.more)}." if finding.more else ""
    return f"{finding.says[:1].upper()}{finding.says[1:]}.{more}"


def _finding(file: str, finding: Finding, everything: bool) -> Iterator[list[Span]]:
    yield [
        span(f"{file}:{finding.line}:{finding.column}: "),
        span(finding.level, STYLES[finding.level]),
        span(f" {finding.title} [{finding.code}]"),
    ]
    yield from excerpt(finding)
    yield [span(f"  {said(finding)}")]
    yield [span(f"  {finding.source}", "dim")]
    if finding.instead is not None:
        pasted = finding.instead.split("\n")
        few = pasted if everything else pasted[: 2 * OF_A_KIND]
        yield [span("  Instead:")]
        yield from ([span(f"    {text}", "green")] for text in few)
        if len(few) < len(pasted):
            yield [span(f"    ... {len(pasted) - len(few):,} more lines (--all)")]
    yield []


def excerpt(finding: Finding, width: int = EXCERPT) -> Iterator[list[Span]]:
    """The line, cut around its fault, and carets under the fault; columns are those of the escaped text."""
    from rich.cells import cell_len

    start = finding.column - 1
    cut = max(0, start - width * BEFORE // EXCERPT) if len(finding.text) > width else 0
    before, fault = finding.text[cut:start], finding.text[start : min(start + finding.length, cut + width)]
    window = finding.text[cut : cut + width]
    left, right = "…" if cut else "", "…" if cut + width < len(finding.text) else ""
    gutter = f"  {finding.line:>4} | "
    yield [span(gutter), span(f"{left}{window}{right}")]
    under = cell_len(inline(fault)) or 1
    yield [
        span(" " * (len(gutter) - 2) + "| " + " " * cell_len(left + inline(before))),
        span("^" * under, STYLES[finding.level]),
    ]


def _names(one: Linted, everything: bool) -> Iterator[list[Span]]:
    kept = one.standings if everything else one.standings[:NAMES]
    yield [span(f"{one.file}: what it means for each name")]
    width = max((len(inline(standing.name)) for standing in kept), default=0)
    for standing in kept:
        yield [span(f"  {layout.pad(inline(standing.name), min(width, 40))}  {_standing(standing)}")]
    if len(kept) < len(one.standings):
        yield [span(f"  and {len(one.standings) - len(kept):,} more names (--all)")]


def _standing(standing: Standing) -> str:
    may = "may fetch /    " if standing.may_fetch_root else "may not fetch /"
    why = f"line {standing.line}: {standing.rule}" if standing.line else "no rule matches /"
    if standing.group is None:
        return f"{may}  no group applies"
    rules = plural(standing.disallows, "Disallow rule")
    own = f"; escapes {standing.escapes:,} of {standing.of:,} of *"
    bound = "" if standing.name == EVERYBODY else "; by the group of *" if standing.group == EVERYBODY else own
    return f"{may}  {why}; {rules}{bound}"


def _lines(numbers: Iterable[int]) -> str:
    """Lines in words, neighbours as a range, the first few."""
    ordered = sorted(set(numbers))
    runs: list[str] = []
    for _, run in groupby(enumerate(ordered), key=lambda pair: pair[1] - pair[0]):
        of = [number for _, number in run]
        runs.append(f"{of[0]}" if len(of) == 1 else f"{of[0]}-{of[-1]}")
    more = f" and {len(runs) - 10:,} more places" if len(runs) > 10 else ""
    return f"line{'s' if len(ordered) > 1 else ''} {', '.join(runs[:10])}{more}"
