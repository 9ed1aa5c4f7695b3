"""Charts as inline SVG: pure functions from numbers of the report to one element, without script or inline style.

Elements are built as a tree, so that log text (a purpose, an address) can only ever be text in them. Colours come from
the style sheet by class: `s0` to `s6` for series, `band`, `tick`, `mark`; sizes are in the view box's units.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from xml.etree import ElementTree as ET

from loganalyzer.document import SeriesDocument
from loganalyzer.document.client import EpisodeDocument
from loganalyzer.document.compare import ComparedClientDocument
from loganalyzer.escape import inline
from loganalyzer.reports.wording import moment, rate, seconds

MOST_SERIES = 6  # more shades of one colour cannot be told apart; the rest is added up
MOST_BARS = 96
MOST_EPISODES = MOST_COMPARED = 12
LONGEST_NAME = 30
LAST = ("undeclared", "browser")  # stacked above the automated clients, in this order
WORST = ("escalated", "ignored", "slowed", "gave_up", "unobserved", "honoured")


def stack(purposes: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Order the series for stacking: the largest first, browsers last, what is over MOST_SERIES as "other purposes"."""
    ordered = sorted(purposes, key=lambda name: (LAST.index(name) if name in LAST else -1, -sum(purposes[name]), name))
    named = [name for name in ordered if name not in LAST]
    kept = [name for name in LAST if name in purposes]
    shown, rest = named[: MOST_SERIES - len(kept)], named[MOST_SERIES - len(kept) :]
    stacked = {name: list(purposes[name]) for name in shown}
    if rest:
        stacked["other purposes"] = [sum(counts) for counts in zip(*(purposes[name] for name in rest), strict=True)]
    return stacked | {name: list(purposes[name]) for name in kept}


def shades(names: Sequence[str]) -> dict[str, str]:
    """Return the class of each stacked series: shades for automated clients, pale ones for browsers and undeclared."""
    automated = [name for name in names if name not in LAST]
    return {name: f"s{automated.index(name)}" if name in automated else f"s-{name}" for name in names}


def coarser(counts: Sequence[int], most: int = MOST_BARS) -> tuple[list[int], int]:
    """Add neighbouring buckets up until at most `most` are left; also how many went into one."""
    step = max(1, math.ceil(len(counts) / most))
    return [sum(counts[i : i + step]) for i in range(0, len(counts), step)], step


def requests_over_time(series: SeriesDocument) -> str:
    """Bars of requests stacked by purpose, refusals as ticks below the axis."""
    stacked = {name: coarser(counts)[0] for name, counts in stack(series["purposes"]).items()}
    refusals, step = coarser(series["refusals"])
    totals = [sum(column) for column in zip(*stacked.values(), strict=True)] or [0]
    top = 2 * ceiling(max(totals) / 2)
    svg = _svg(960, 260, f"Requests over time by purpose, at most {max(totals):,} in one bar; refusals as ticks below")
    left, bottom, height = 64.0, 200.0, 180.0
    width = (960 - left) / max(len(totals), 1)
    for part in (0, 0.5, 1):
        _line(svg, left, bottom - height * part, 960, bottom - height * part, "grid")
        _label(svg, left - 8, bottom - height * part + 4, f"{top * part:,.10g}", "end")
    for i in range(len(totals)):
        y = bottom
        for name, shade in shades(list(stacked)).items():
            tall = height * stacked[name][i] / top
            y -= tall
            _rect(svg, left + i * width, y, max(width - 1, 0.6), tall, shade)
    for i, count in enumerate(refusals):
        if count:
            tall = 4 + 12 * count / max(refusals)
            _rect(svg, left + i * width, bottom + 4, max(width - 1, 1.5), tall, "tick")
    for x, words in _times(series["start"], series["bucket_s"] * step, len(totals)):
        _label(svg, left + x * width, bottom + 38, words, "start")
        _line(svg, left + x * width, bottom, left + x * width, bottom + 26, "grid")
    return _written(svg)


def activity(series: SeriesDocument, counts: Sequence[int]) -> str:
    """Bars of the requests of one client over the whole log."""
    bars, step = coarser(counts)
    most = max(bars, default=0)
    svg = _svg(960, 84, f"Requests over time, at most {most:,} in one bar of {seconds(series['bucket_s'] * step)}")
    left, bottom, height = 64.0, 56.0, 44.0
    width = (960 - left) / max(len(bars), 1)
    _label(svg, left - 8, bottom - height + 4, f"{most:,}", "end")
    _line(svg, left, bottom, 960, bottom, "grid")
    for i, count in enumerate(bars):
        tall = height * count / max(most, 1)
        _rect(svg, left + i * width, bottom - tall, max(width - 1, 0.6), tall, "part")
    for x, words in _times(series["start"], series["bucket_s"] * step, len(bars)):
        _label(svg, left + x * width, bottom + 22, words, "start")
    return _written(svg)


def _times(start: str, bucket_s: int, buckets: int) -> Iterator[tuple[float, str]]:
    """Yield up to eight round instants as (bucket, words)."""
    begin = datetime.fromisoformat(start)
    span = bucket_s * max(buckets, 1)
    steps = (1, 10, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 2 * 86_400, 7 * 86_400, 30 * 86_400)
    step = next((step for step in steps if span / step <= 8), span // 6)
    even = min(step, 86_400)  # several days are counted from the first whole one
    first = math.ceil(begin.timestamp() / even) * even - begin.timestamp()
    written = "%b" if step >= 86_400 else "%b %H:%M" if step >= 900 else None
    at = first
    while at < span:
        when = begin + timedelta(seconds=at)
        yield at / bucket_s, f"{when.day} {when:{written}}" if written else f"{when:%H:%M:%S}"
        at += step


def share_bar(fraction: float, words: str) -> str:
    """Draw a bar for a fraction of one; `words` says the same for those who do not see it."""
    svg = _svg(100, 8, words)
    svg.set("preserveAspectRatio", "none")
    _rect(svg, 0, 0, 100, 8, "rest")
    _rect(svg, 0, 0, 100 * min(max(fraction, 0.0), 1.0), 8, "part")
    return _written(svg)


def refusal_timeline(episodes: Sequence[EpisodeDocument]) -> str:
    """One row for each of the worst episodes: refusals as marks, the asked wait as a band, the return on it."""
    shown = worst(episodes)[:MOST_EPISODES]
    until = _scale(shown)
    svg = _svg(960, 30 + 26 * len(shown), f"{len(shown)} episodes: what came in the seconds after a refusal")
    left, width = 250.0, 560.0
    for i, episode in enumerate(shown):
        _episode_row(svg, episode, 26 * i + 4.0, left, width, until)
    base = 26.0 * len(shown) + 2
    for part in (0, 0.25, 0.5, 0.75, 1):
        _line(svg, left + width * part, 0, left + width * part, base, "grid")
        _label(svg, left + width * part, base + 16, "refused" if part == 0 else seconds(until * part), "middle")
    return _written(svg)


def before_and_now(clients: Sequence[ComparedClientDocument]) -> str:
    """Two bars for each client, requests a day: hollow what it was, full what it is."""
    shown = [client for client in clients if client["change_per_day"] is not None][:MOST_COMPARED]
    sides = ("before", "after")
    rates = [[client[side]["requests_per_day"] or 0.0 for side in sides] for client in shown]  # type: ignore[literal-required]
    top = max([1.0, *(rate for pair in rates for rate in pair)])
    svg = _svg(960, 32 * len(shown) + 4, f"Requests a day of {len(shown)} clients: hollow before, full now")
    left, width = 250.0, 560.0
    for i, (client, (was, now)) in enumerate(zip(shown, rates, strict=True)):
        y = 32.0 * i + 4
        _label(svg, 0, y + 17, shortened(client["client"]), "start")
        _rect(svg, left, y, width * was / top, 10, "then")
        _rect(svg, left, y + 13, width * now / top, 10, "part")
        _label(svg, left + width * max(was, now) / top + 10, y + 17, f"{rate(was)} to {rate(now)}", "start")
    return _written(svg)


def shortened(name: str) -> str:
    """A name that fits beside a chart."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def worst(episodes: Sequence[EpisodeDocument]) -> list[EpisodeDocument]:
    """Order episodes by verdict, the worst first, then by time."""
    return sorted(episodes, key=lambda episode: (_badness(episode), episode["first"]))


def _badness(episode: EpisodeDocument) -> int:
    return WORST.index(episode["verdict"]) if episode["verdict"] in WORST else len(WORST)


def _scale(episodes: Sequence[EpisodeDocument]) -> float:
    """Seconds on the axis, in four round steps beyond the longest asked wait; what comes later is set at the edge."""
    wanted = 1.3 * max([episode["asked_s"] for episode in episodes] or [0]) / 4
    steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 86_400)
    return 4 * next((step for step in steps if step >= wanted), ceiling(wanted))


def _episode_row(svg: ET.Element, episode: EpisodeDocument, y: float, left: float, width: float, until: float) -> None:
    def x(after: float) -> float:
        return left + width * min(after, until) / until

    went_on = (datetime.fromisoformat(episode["last"]) - datetime.fromisoformat(episode["first"])).total_seconds()
    early = episode["early"] > 0
    _label(svg, 0, y + 13, moment(episode["first"]), "start")
    _label(svg, 150, y + 13, f"asked {seconds(episode['asked_s'])}{'' if episode['asked_known'] else ' ?'}", "start")
    _rect(svg, left, y, x(episode["asked_s"]) - left, 18, "band" if episode["asked_known"] else "band assumed")
    _line(svg, left, y + 9, x(went_on), y + 9, "tick")
    _rect(svg, left - 1, y, 3, 18, "tick")
    if went_on:
        _rect(svg, x(went_on) - 1, y + 3, 2, 12, "tick")
    if episode["first_return_s"] is not None:
        _return_mark(svg, x(episode["first_return_s"]), y + 9, early)
    verdict = episode["verdict"].replace("_", " ") + (f", {episode['early']:,} early" if early else "")
    _label(svg, left + width + 16, y + 13, verdict, "start")


def _return_mark(svg: ET.Element, x: float, y: float, early: bool) -> None:
    """Mark the first return: a filled diamond inside the wait, a hollow ring after it: told apart by shape."""
    if early:
        points = f"{_n(x)},{_n(y - 7)} {_n(x + 7)},{_n(y)} {_n(x)},{_n(y + 7)} {_n(x - 7)},{_n(y)}"
        ET.SubElement(svg, "polygon", {"points": points, "class": "mark early"})
    else:
        ET.SubElement(svg, "circle", {"cx": _n(x), "cy": _n(y), "r": "5", "class": "mark kept"})


def ceiling(value: float) -> float:
    """Return the next round number: 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten."""
    if value <= 0:
        return 1.0
    power = float(10 ** math.floor(math.log10(value)))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= value)


def _svg(width: float, height: float, label: str) -> ET.Element:
    size = {"viewBox": f"0 0 {_n(width)} {_n(height)}", "role": "img", "aria-label": inline(label)}
    return ET.Element("svg", {"class": "chart", **size})


def _rect(svg: ET.Element, x: float, y: float, width: float, height: float, kind: str) -> None:
    if width > 0 and height > 0:
        box = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height)}
        ET.SubElement(svg, "rect", {**box, "class": kind})


def _line(svg: ET.Element, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
    ends = {"x1": _n(x1), "y1": _n(y1), "x2": _n(x2), "y2": _n(y2)}
    ET.SubElement(svg, "line", {**ends, "class": kind})


def _label(svg: ET.Element, x: float, y: float, words: str, anchor: str) -> None:
    ET.SubElement(svg, "text", {"x": _n(x), "y": _n(y), "class": anchor}).text = inline(words)


def _n(value: float) -> str:
    """Write a coordinate to a tenth of a unit: nobody sees more, and the file stays small."""
    return f"{value:.1f}".removesuffix(".0")


def _written(svg: ET.Element) -> str:
    return ET.tostring(svg, encoding="unicode")
