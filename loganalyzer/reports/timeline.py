"""What came after a refusal, drawn in one line of characters: for a terminal, a letter, a ticket."""

from loganalyzer.backoff import MARKS
from loganalyzer.document.client import EpisodeDocument

DRAWN = dict(zip(MARKS, " ░o█!", strict=True))
LEGEND = (
    "█ refused, ░ asked to wait, ! a request inside the wait, o one after it, from the first refusal to a little after "
    "the last wait; of several in one place the worst"
)


def bar(episode: EpisodeDocument, width: int | None = None) -> str:
    """The course of one episode, in fewer cells where there is less room for it."""
    course = episode["course"]
    width = min(width or len(course), len(course))
    edges = [len(course) * cell // width for cell in range(width + 1)]
    cells = [max(course[edges[i] : edges[i + 1]], key=MARKS.index) for i in range(width)]
    cells[0] = course[0]
    return "".join(DRAWN[cell] for cell in cells).rstrip()
