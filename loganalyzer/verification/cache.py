"""Answers of the DNS kept between runs, each until it expires; without a file that can be written it still works."""

import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path

from loganalyzer.atomic import replace
from loganalyzer.errors import OutputError

SHORTEST_S, LONGEST_S = 3_600, 7 * 86_400  # an answer is kept for its time to live, within these bounds
MOST_ANSWERS = 200_000  # the soonest to expire go first


def default_file(resolver: str | None = None) -> Path:
    """Where the answers of a resolver are kept (XDG base directories); one resolver's are not another's."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    suffix = "" if resolver is None else "-" + re.sub(r"[^0-9A-Za-z.]", "_", resolver)
    return Path(base) / "loganalyzer" / f"dns{suffix}.json"


class Cache:
    """Answers by (type, name); null as a file: of this run alone."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._answers = _load(file)

    def get(self, kind: str, name: str) -> tuple[str, ...] | None:
        """What the DNS last answered, nothing included; null where that is not known any more."""
        found = self._answers.get(f"{kind} {name}")
        return found[1] if found and found[0] > time.time() else None

    def put(self, kind: str, name: str, answer: tuple[str, ...], ttl_s: float) -> None:
        """Keep an answer."""
        self._answers[f"{kind} {name}"] = time.time() + min(max(ttl_s, SHORTEST_S), LONGEST_S), answer

    def save(self) -> None:
        """Write what has not expired; a folder that cannot be written only costs the next run its time."""
        if self._file is None:
            return
        now = time.time()
        fresh = sorted((pair for pair in self._answers.items() if pair[1][0] > now), key=lambda pair: -pair[1][0])
        text = json.dumps(dict(fresh[:MOST_ANSWERS]))
        with suppress(OSError, OutputError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace(str(self._file), lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _load(file: Path | None) -> dict[str, tuple[float, tuple[str, ...]]]:
    """What the file holds; nothing of one that is missing or damaged."""
    if file is None:
        return {}
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return {str(key): (float(expiry), tuple(map(str, answer))) for key, (expiry, answer) in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
