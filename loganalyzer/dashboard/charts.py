"""Charts of the dashboard: pure functions from the report document to Vega-Lite, tried without Streamlit.

Log text is only ever a value of a field with a fixed name: never a field's name, a title or an expression.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any

import altair as alt

from loganalyzer.analysis.course import CourseDocument, GapsDocument
from loganalyzer.document import ReportDocument, SeriesDocument
from loganalyzer.document.client import EpisodeDocument
from loganalyzer.escape import inline
from loganalyzer.reports.charts import LAST, MOST_EPISODES, coarser, stack, worst
from loganalyzer.reports.wording import moment, seconds

# Shades that keep apart on a light and on a dark ground; the accent marks refusals alone.
SHADES = ("#1f5f8b", "#3f84b0", "#6aa5c8", "#94c0da", "#bfd9e8", "#d9e8f1")
OF_LAST = {"undeclared": "#6f6a60", "browser": "#a39d92"}
ACCENT, BAND, PLAIN = "#d2561f", "#e8a27c", "#808890"
FITTING = "truncate(datum.words, max(4, floor(datum.room * width / 6)))"  # six pixels a character
KINDS = {"in force": SHADES[1], "served": SHADES[3], "refused (4xx)": BAND, "unreachable (5xx, 429)": ACCENT}


def over_time(series: SeriesDocument, alone: bool = False) -> Any:
    """Bars of requests stacked by purpose, refusals as triangles below the axis; one client `alone` needs no legend."""
    stacked = stack(series["purposes"])
    names = list(stacked)
    rows, marks, step = _buckets(series, stacked)
    axis = alt.Axis(offset=18, grid=False, ticks=False, labelOverlap=True, labelSeparation=10, format=_written(rows))
    axis.labelFlush = False
    x = alt.X("start:T", title=None, scale=alt.Scale(type="utc"), axis=axis)
    colour = alt.Color(
        "purpose:N",
        scale=alt.Scale(domain=[inline(name) for name in names], range=_range(names)),
        legend=None if alone else alt.Legend(orient="bottom", title=None, columns=3, labelLimit=200),
    )
    bars = (
        _chart(rows)
        .mark_rect()
        .encode(
            x=x,
            x2="end:T",
            y=alt.Y("below:Q", title=f"requests in {_span(step)}", axis=alt.Axis(tickCount=4)),
            y2="above:Q",
            color=colour,
            tooltip=[
                alt.Tooltip("when:N", title="from (UTC)"),
                alt.Tooltip("purpose:N"),
                alt.Tooltip("requests:Q", format=",d"),
            ],
        )
    )
    below = (
        _chart(marks)
        .mark_point(shape="triangle-up", filled=True, color=ACCENT, opacity=1, size=60, yOffset=9)
        .encode(
            x=alt.X("middle:T"),
            y=alt.YDatum(0),
            tooltip=[alt.Tooltip("when:N", title="from (UTC)"), alt.Tooltip("refusals:Q", format=",d")],
        )
    )
    return alt.layer(bars, below).properties(height=280)


def course(client: str, found: CourseDocument) -> Any:
    """Bars of the requests of one client, its refusals as triangles below the axis."""
    series: SeriesDocument = {
        "bucket_s": found["bucket_s"],
        "start": found["start"] or "",
        "purposes": {client: found["requests"]},
        "refusals": found["refusals"],
    }
    return pickable(over_time(series, alone=True)).properties(height=200)


def pickable(chart: Any, *also: str) -> Any:
    """Let a mark of any layer be clicked: what comes back is its `place`, which `lines` it stands for, and more."""
    fields = ["place", "lines", *also]
    chart.layer = [
        layer.add_params(alt.selection_point(name=f"picked{number}", fields=fields))
        for number, layer in enumerate(chart.layer)
    ]
    return chart


def gaps(found: GapsDocument) -> Any:
    """How many gaps between requests are how long."""
    rows, least = [], None
    for place, (longest, count) in enumerate(found["bars"]):
        words = "0 s" if longest == 0 else f"over {seconds(least)}" if longest is None else f"to {seconds(longest)}"
        rows.append({"gap": words, "gaps": count, "place": place, "lines": "all"})
        least = longest
    x = alt.X("gap:N", sort=None, title="gap, longer than the bar before", axis=alt.Axis(labelAngle=0))
    tooltip = [alt.Tooltip("gap:N"), alt.Tooltip("gaps:Q", format=",d")]
    bars = _chart(rows).mark_bar(color=SHADES[1]).encode(x=x, y=alt.Y("gaps:Q", title="gaps"), tooltip=tooltip)
    return pickable(alt.layer(bars)).properties(height=200)


def strip(document: ReportDocument) -> Any:
    """A history of robots.txt: which version was in force when, and how it was answered, for each host."""
    domain = [document["totals"]["first"], document["totals"]["last"]]
    rows = _with_room([*_in_force(document), *_answered(document)], *domain)
    scale = alt.Scale(type="utc", domain=domain)
    axis = alt.Axis(grid=False, labelOverlap=True, format=_written([{"start": domain[0], "end": domain[1]}]))
    y = alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=220, ticks=False, domain=False))
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())),
        legend=alt.Legend(orient="bottom", title=None, columns=1, labelLimit=200),
    )
    about = [
        alt.Tooltip("words:N", title="what"),
        alt.Tooltip("from:N", title="from (UTC)"),
        alt.Tooltip("to:N", title="to (UTC)"),
        alt.Tooltip("requests:Q", format=",d"),
    ]
    base = _chart(rows).encode(y=y, tooltip=about)
    x = alt.X("start:T", scale=scale, title=None, axis=axis)
    opacity = alt.Opacity("shade:Q", scale=None)
    bars = base.mark_bar(height=18).encode(x=x, x2="end:T", color=colour, opacity=opacity)
    ticks = base.mark_tick(thickness=3, size=18).encode(x=x, color=colour)  # a single answer has no length
    words = base.transform_calculate(shown=FITTING).mark_text(align="left", dx=3, dy=-17, fontSize=11)
    words = words.encode(x=x, text="shown:N")
    return alt.layer(bars, ticks, words).properties(height=46 * max(len({row["row"] for row in rows}), 1) + 110)


def _with_room(rows: list[dict[str, Any]], first: str | None, last: str | None) -> list[dict[str, Any]]:
    """Rows with the share of the chart that the words of each may take: up to the next in the same line, or the end."""
    if first is None or last is None:
        return rows
    whole = max((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds(), 1.0)
    for row, following in zip_longest(rows, rows[1:]):
        until = following["start"] if following and following["row"] == row["row"] else last
        length = datetime.fromisoformat(until) - datetime.fromisoformat(row["start"])
        row["room"] = max(length.total_seconds(), 0) / whole
    return rows


def _in_force(document: ReportDocument) -> Iterator[dict[str, Any]]:
    versions, first, last = document["robots_versions"], document["totals"]["first"], document["totals"]["last"]
    for number, version in enumerate(versions):
        after = versions[number + 1] if number + 1 < len(versions) else None
        until = after["in_force_from"] if after and after["host"] == version["host"] else last
        start = max(filter(None, (version["in_force_from"], first)), default=None)
        if start and until and until > start:
            name = version["name"].rpartition("/")[2]
            yield _stretch("in force", version["host"], name, "in force", (start, until), 1 - 0.4 * (number % 2))


def _answered(document: ReportDocument) -> Iterator[dict[str, Any]]:
    for answer in document["robots_answers"]:
        if answer["client"] is None:
            status, span = answer["status"], (answer["first"], answer["last"])
            words = f"{status or 'no status'} ({answer['requests']:,})"
            yield _stretch("answered", answer["host"], words, _kind(status), span, 1.0, requests=answer["requests"])


def _kind(status: int | None) -> str:
    """What an answer to /robots.txt means (RFC 9309, section 2.3.1)."""
    if status is None or status < 400:
        return "served"
    return "unreachable (5xx, 429)" if status >= 500 or status == 429 else "refused (4xx)"


def _stretch(
    row: str, host: str | None, words: str, kind: str, span: tuple[str, str], shade: float, **more: int
) -> dict[str, Any]:
    start, end = span
    named = {"row": inline(f"{row}, {host or 'every host'}"), "words": inline(words), "kind": kind, "shade": shade}
    return {**named, "start": start, "end": end, "from": moment(start), "to": moment(end), **more}


def _chart(rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.InlineData(values=rows))


def _buckets(series: SeriesDocument, stacked: dict[str, list[int]]) -> tuple[list[Any], list[Any], int]:
    begin = datetime.fromisoformat(series["start"])
    refusals, joined = coarser(series["refusals"])
    step = timedelta(seconds=series["bucket_s"] * joined)

    def times(i: int) -> dict[str, Any]:
        start = begin + i * step
        return {
            "place": i * joined,
            "start": start.isoformat(),
            "middle": (start + step / 2).isoformat(),
            "end": (start + step).isoformat(),
            "when": moment(start.isoformat()),
        }

    rows, top = [], [0] * len(refusals)
    for name, counts in stacked.items():
        for i, count in enumerate(coarser(counts)[0]):
            bounds = {"below": top[i], "above": top[i] + count}
            rows.append({**times(i), "purpose": inline(name), "requests": count, "lines": "all", **bounds})
            top[i] += count
    marks = [{**times(i), "refusals": count, "lines": "refused"} for i, count in enumerate(refusals) if count]
    return rows, marks, int(step.total_seconds())


def _written(rows: list[Any]) -> str:
    """Days alone where the chart is longer than four of them."""
    if not rows:
        return "%H:%M"
    long = datetime.fromisoformat(rows[-1]["end"]) - datetime.fromisoformat(rows[0]["start"]) > timedelta(days=4)
    return "%-d %b" if long else "%-d %b %H:%M"


def _range(names: Sequence[str]) -> list[str]:
    automated = [name for name in names if name not in LAST]
    return [OF_LAST[name] if name in OF_LAST else SHADES[automated.index(name)] for name in names]


def _span(step_s: int) -> str:
    for length, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if step_s % length == 0:
            return f"each {word}" if step_s == length else f"each {step_s // length} {word}s"
    return f"each {step_s} s"


def timeline(episodes: Sequence[EpisodeDocument]) -> Any:
    """One row for each of the worst episodes: the asked wait as a band, refusals as marks, the first return on it."""
    rows = [_row(number, episode) for number, episode in enumerate(worst(episodes)[:MOST_EPISODES], 1)]
    y = alt.Y("episode:N", title=None, sort=None, axis=alt.Axis(labelLimit=400, ticks=False, domain=False))
    far = 1.25 * max((max(row["asked"], row["shown"] or 0, row["last"]) for row in rows), default=60)
    scale = alt.Scale(domain=[0, far])
    x = alt.X("zero:Q", title="seconds after the first refusal", scale=scale, axis=alt.Axis(tickCount=6))
    about = [
        alt.Tooltip("verdict:N"),
        alt.Tooltip("refusals:Q", format=",d"),
        alt.Tooltip("early:Q", format=",d", title="early requests"),
        alt.Tooltip("asked:Q", title="asked wait, s"),
        alt.Tooltip("known:N", title="wait is"),
        alt.Tooltip("return:Q", title="first return, s"),
    ]
    base = _chart(rows).encode(y=y, tooltip=about)
    band = base.mark_bar(color=BAND, opacity=0.45, height=16).encode(x=x, x2="asked:Q")
    span = base.mark_rule(color=ACCENT, strokeWidth=2).encode(x=x, x2="last:Q")
    refusals = base.mark_tick(color=ACCENT, thickness=3, size=18).encode(x=x)
    back = base.mark_point(filled=True, size=90, color=PLAIN, opacity=1).encode(
        x="shown:Q",
        shape=alt.Shape(
            "came:N",
            scale=alt.Scale(domain=["early", "after the wait"], range=["diamond", "circle"]),
            legend=alt.Legend(orient="bottom", title=None),
        ),
    )
    return pickable(alt.layer(band, span, refusals, back)).properties(height=28 * max(len(rows), 1) + 130)


def _row(number: int, episode: EpisodeDocument) -> dict[str, Any]:
    went_on = datetime.fromisoformat(episode["last"]) - datetime.fromisoformat(episode["first"])
    far = 3 * max(episode["asked_s"], 1)  # what comes much later is set at the edge, its number is in the tooltip
    returned = episode["first_return_s"]
    return {
        "place": number - 1,
        "lines": "early" if episode["early"] else "refused",
        "episode": inline(f"{number}. {moment(episode['first'])} {episode['verdict'].replace('_', ' ')}"),
        "verdict": inline(episode["verdict"].replace("_", " ")),
        "zero": 0,
        "asked": episode["asked_s"],
        "known": "as logged" if episode["asked_known"] else "assumed",
        "last": min(went_on.total_seconds(), far),
        "refusals": episode["refusals"],
        "early": episode["early"],
        "return": returned,
        "shown": None if returned is None else min(returned, far),
        "came": "early" if episode["early"] else "after the wait",
    }
