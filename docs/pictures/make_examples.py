"""Writes the table of etiquette in docs/examples.md from the samples that each row of etiquette carries.

python docs/pictures/make_examples.py
"""

import re
from pathlib import Path

from loganalyzer.etiquette import ROWS

PAGE = Path(__file__).resolve().parents[1] / "examples.md"


def page(text: str) -> str:
    """The page with its table made anew."""
    rows = [
        f"| `{row.id}` | {sample.verdict} | {row.judge(sample.client())['sentence'].replace('|', '/')} |"
        for row in ROWS
        for sample in row.samples
    ]
    table = "| row | verdict | as the report says it |\n| --- | --- | --- |\n" + "\n".join(rows)
    return re.sub(
        r"(<!-- etiquette -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{table}\n{found[2]}",
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
