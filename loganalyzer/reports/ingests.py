"""What became of an ingested log, in one sentence."""

from typing import TYPE_CHECKING

from loganalyzer.reports.wording import plural, some

if TYPE_CHECKING:
    from loganalyzer.store import Ingested


def sentence(item: "Ingested") -> str:
    """Lines that are new, those that were known, those that wait, and what went wrong."""
    if item.failed:
        return f"{item.source}: {item.problem}"
    kinds = (
        (item.requests, "request", None),
        (item.rejects, "reject", None),
        (item.blank, "blank line", None),
        (item.comments, "comment", None),
        (item.copies, "copy", "copies"),
    )
    what = ", ".join(plural(number, noun, nouns) for number, noun, nouns in kinds if number)
    parts = [plural(item.lines, "new line") + (f" ({what})" if what else ""), f"{item.before:,} known already"]
    if item.copies:
        parts.append(f"the copies are lines of {some(item.copied_from)}, left out")
    if item.pending:
        parts.append(f"{plural(item.pending, 'byte')} of a last line without its end wait for the rest")
    return f"{item.source}: " + "; ".join([*parts, *item.notes, *filter(None, [item.problem])])
