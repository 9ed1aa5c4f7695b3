"""What came after a refusal, drawn in one line of characters: for a terminal, a letter, a ticket."""

from datetime import datetime

from loganalyzer.document.client import EpisodeDocument

WIDTH = 32
BEYOND = 1.3  # of the asked wait: how far a line reaches
LEGEND = "█ refused, ░ asked to wait, ! first request inside the wait, o first one after it"


def bar(episode: EpisodeDocument, width: int = WIDTH) -> str:
    """One episode from its first refusal on, to a little beyond what was asked; what comes later stands at the edge."""
    until = BEYOND * episode["asked_s"] or 1.0
    cells = ["░" if (cell + 0.5) * until / width < episode["asked_s"] else " " for cell in range(width)]
    refused = (datetime.fromisoformat(episode["last"]) - datetime.fromisoformat(episode["first"])).total_seconds()
    for cell in range(_cell(refused, until, width) + 1):
        cells[cell] = "█"
    back = episode["first_return_s"]
    if back is not None:
        cells[max(1, _cell(back, until, width))] = "!" if episode["early"] else "o"
    return "".join(cells).rstrip()


def _cell(seconds: float, until: float, width: int) -> int:
    return min(int(seconds / until * width), width - 1)
