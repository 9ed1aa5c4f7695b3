"""The report document as JSON: the same input gives the same bytes."""

import json

from loganalyzer.document import ReportDocument
from loganalyzer.escape import json_text


def render(document: ReportDocument) -> str:
    r"""Write the document, keys in the order of its schema.

    What steers a terminal (control characters, and beyond ASCII those that turn or hide text) is written `\uXXXX`,
    which every reader of JSON takes back.
    """
    return json_text(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"
