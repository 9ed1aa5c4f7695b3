"""What a row of etiquette is: numbers, cases in order, and samples that prove them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, Literal

from loganalyzer.document.client import EtiquetteDocument
from loganalyzer.etiquette.facts import UNDECLARED, Facts

Verdict = Literal["pass", "partly", "fail", "not observable"]
Scope = Literal["all", "crawler", "user-triggered"]
Evidence = Mapping[str, Any]

STRANGERS = "Undeclared clients are strangers who share nothing but the lack of a name."


class _Words(Formatter):
    """Format strings in which a noun is a spec: `{n:early requests}` is "1 early request", `{n:times}` is "once".

    A share is set as everywhere: "7 %".
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "times" and value in (1, 2):
            return ("once", "twice")[value - 1]
        if format_spec.endswith("%"):
            return f"{value:{format_spec}}"[:-1] + " %"
        if len(format_spec) > 1 and format_spec.replace(" ", "").isalpha():
            singular = format_spec.removesuffix("es") if format_spec.endswith("sses") else format_spec.removesuffix("s")
            return f"{value:,} {singular if value == 1 else format_spec}"
        return str(super().format_field(value, format_spec))


def fill(sentence: str, numbers: Evidence) -> str:
    """Put numbers into a sentence."""
    return _Words().vformat(sentence, (), numbers)


@dataclass(frozen=True)
class Case:
    """One outcome. `sentence` is a format string over the evidence, and the evidence is all that `when` sees."""

    verdict: Verdict
    when: Callable[[Evidence], bool]
    sentence: str
    needs: str | None = None  # of "not observable": what would make it so, as a format string; null = nothing would


@dataclass(frozen=True)
class Sample:
    """Facts of an invented client, and what the row must say of it."""

    verdict: Verdict
    sentence: str
    facts: Mapping[str, Any]

    def client(self) -> Facts:
        """The facts, of a crawler with a thousand requests where they do not say otherwise."""
        base = {"client": "SampleBot", "kind": "crawler", "token": "SampleBot", "requests": 1000, "last_h": 60.0}
        return Facts(**{**base, **self.facts})


def sample(verdict: Verdict, sentence: str, **facts: Any) -> Sample:
    """Write a sample in one line."""
    return Sample(verdict, sentence, facts)


def otherwise(_: Evidence) -> bool:
    """Let the last case take what no other took."""
    return True


@dataclass(frozen=True)
class Row:
    """One row: the first case that applies is the verdict. Thresholds stand in the evidence, beside the numbers."""

    id: str
    title: str
    numbers: Callable[[Facts], dict[str, Any]]
    cases: tuple[Case, ...]
    samples: tuple[Sample, ...]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    scope: Scope = "all"
    one_client: bool = True  # says nothing about strangers taken together
    lines: str | None = None  # the option of `loganalyzer lines` that lists what it stands on; null = all of the client

    def judge(self, facts: Facts) -> EtiquetteDocument:
        """Return the verdict on one client, with the sentence and the numbers in it."""
        if self.one_client and facts.client == UNDECLARED:
            return self._document("not observable", STRANGERS, {"requests": facts.requests}, None)
        evidence = {**self.numbers(facts), **self.thresholds}
        case = next(case for case in self.cases if case.when(evidence))
        needs = None if case.needs is None else fill(case.needs, evidence)
        return self._document(case.verdict, fill(case.sentence, evidence), evidence, needs)

    def applies(self, facts: Facts) -> bool:
        """Whether the row is about such a client at all."""
        return self.scope == "all" or (self.scope == "user-triggered") == facts.is_fetcher

    def _document(
        self, verdict: Verdict, sentence: str, evidence: dict[str, Any], needs: str | None
    ) -> EtiquetteDocument:
        return {
            "row": self.id,
            "title": self.title,
            "verdict": verdict,
            "sentence": sentence,
            "evidence": evidence,
            "observable_with": needs,
            "lines": self.lines,
        }
