"""One request as a line of JSON: where its original bytes are not there any more, or are not to be shown."""

import json
from collections.abc import Mapping

from loganalyzer.schema import REQUEST

_ELSEWHERE = ("source", "line", "t")  # the place stands before the line; `t` and `time` are the same to a reader


def as_json(row: Mapping[str, object]) -> str:
    """What is known of one request, in the schema's order."""
    known = {name: row[name] for name in REQUEST.names if row[name] is not None and name not in _ELSEWHERE}
    return json.dumps(known, default=str, ensure_ascii=False)
