"""Tables about drafts of robots.txt, as in `frames`."""

from collections.abc import Sequence

import pyarrow as pa

from loganalyzer.dashboard.frames import frame
from loganalyzer.drafts import Effect
from loganalyzer.reports import effects, wording
from loganalyzer.reports import mistakes as linted
from loganalyzer.robots.lint import Finding


def drafted(effect: Effect) -> pa.Table:
    """What a draft changes for each client, as it fits beside the editor: no column in which nothing stands."""
    told = effect.clients.to_pylist()
    columns = {
        "client": [row["client"] for row in told],
        "so far": [row["standing"] for row in told],
        "forbidden": [row["forbidden_requests"] for row in told],
        "allowed": [row["allowed_requests"] for row in told],
        "saves": [effects.saves_briefly(row) if row["forbidden_requests"] else "" for row in told],
    }
    kept = [name for name, cells in columns.items() if any(cells)]
    return frame(kept, zip(*(columns[name] for name in kept), strict=True))


def effect(found: Effect) -> pa.Table:
    """The whole of it, to save."""
    names = [name for name in found.clients.column_names if name != "why"]
    rows = (
        [wording.some(row[name], len(row[name])) if isinstance(row[name], list) else row[name] for name in names]
        for row in found.clients.to_pylist()
    )
    return frame(names, rows)


def mistakes(findings: Sequence[Finding]) -> pa.Table:
    """What was noticed in a robots.txt."""
    rows = (
        (
            *(
                "note" if found.level == "info" else found.level,
                str(found.line),
                found.text.strip(),
                linted.said(found),
            ),
            found.instead or "",
        )
        for found in findings
    )
    return frame(("how grave", "line", "as it stands", "what is wrong", "instead"), rows)
