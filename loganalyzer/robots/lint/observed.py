"""What of a log bears on a robots.txt: how it was answered, files mistaken for it, and redirects of forbidden pages."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa


@dataclass(frozen=True)
class Observed:
    """Counts of requests by target and status; no more of a log is needed."""

    counts: dict[tuple[str, int], int]

    @classmethod
    def of(cls, requests: pa.Table) -> "Observed":
        """Count the requests (schema REQUEST) of a log that name a path and have an answer."""
        both = requests.select(["target", "status"]).drop_null()
        texts = [both["target"].cast(pa.string()), both["status"]]
        grouped = (
            pa.table(texts, names=["target", "status"]).group_by(["target", "status"]).aggregate([([], "count_all")])
        )
        keys = zip(grouped["target"].to_pylist(), grouped["status"].to_pylist(), strict=True)
        return cls(dict(zip(keys, grouped["count_all"].to_pylist(), strict=True)))

    @classmethod
    def made_of(cls, answers: Iterable[tuple[str, int]]) -> "Observed":
        """The same of (target, status) pairs, one a request."""
        targets, statuses = zip(*answers, strict=True) if (answers := list(answers)) else ((), ())
        return cls.of(pa.table({"target": pa.array(targets, pa.string()), "status": pa.array(statuses, pa.int16())}))

    @cached_property
    def robots_answers(self) -> dict[int, int]:
        """How often /robots.txt was answered with each status."""
        found: dict[int, int] = {}
        for (target, status), count in self.counts.items():
            if target.partition("?")[0] == "/robots.txt":
                found[status] = found.get(status, 0) + count
        return dict(sorted(found.items()))

    @cached_property
    def misplaced(self) -> dict[str, int]:
        """Paths like /Robots.txt or /a/robots.txt that were served (200), and how often."""
        found: dict[str, int] = {}
        for (target, status), count in self.counts.items():
            path = target.partition("?")[0]
            if status == 200 and path != "/robots.txt" and path.casefold().endswith("/robots.txt"):
                found[path] = found.get(path, 0) + count
        return dict(sorted(found.items()))

    @cached_property
    def redirected(self) -> dict[str, int]:
        """Targets answered with a redirect to another page, and how often; most first."""
        found: dict[str, int] = {}
        for (target, status), count in self.counts.items():
            if status in (301, 302, 303, 307, 308):
                found[target] = found.get(target, 0) + count
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
