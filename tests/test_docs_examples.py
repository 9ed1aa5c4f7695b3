"""The worked examples of docs/examples.md, each run."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import loganalyzer as la
from loganalyzer import backoff, rates
from loganalyzer.etiquette import Facts
from loganalyzer.levers import lever
from loganalyzer.schema import REQUEST

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
LINE = '192.0.2.1 - - [{:%d/%b/%Y:%H:%M:%S} +0000] "GET {} HTTP/1.1" 200 100 "-" "{}/1.0"\n'
START = 1_790_000_000


def rows(heading):
    """The rows of the table under a heading, as lists of cells; the last one is why."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", TEXT, flags=re.DOTALL | re.MULTILINE)[1]
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def when(text):
    return datetime.strptime(f"2026 {text}", "%Y %d %b %H:%M").replace(tzinfo=UTC)


def robots_class(folder, read, asked, grace=()):
    lines = [
        (datetime(2026, 11, 1, tzinfo=UTC), "/a", "OtherBot"),
        (datetime(2026, 11, 5, tzinfo=UTC), "/a", "OtherBot"),
    ]
    lines += [(when(asked), "/closed", "SomeBot")] + (
        [] if read == "never" else [(when(read), "/robots.txt", "SomeBot")]
    )
    (folder / "a.log").write_text("".join(LINE.format(*line) for line in sorted(lines)))
    (folder / "old.txt").write_text("User-agent: *\nDisallow:\n")
    (folder / "new.txt").write_text("User-agent: *\nDisallow: /closed\n")
    robots = [str(folder / "old.txt"), f"{folder / 'new.txt'}@2026-11-02T10:00Z"]
    document = la.analyse(la.read([folder / "a.log"]), robots=robots, grace=grace).to_dict()
    found = next(client["robots"] for client in document["clients"] if client["client"] == "SomeBot")
    return next((name for name in ("violation", "grace") if found[name]), "allowed")


@pytest.mark.parametrize(("read", "asked", "verdict", "why"), rows("robots.txt"))
def test_robots_txt(tmp_path, read, asked, verdict, why):
    assert robots_class(tmp_path, read, asked) == verdict, why


def test_a_grace_of_ones_own(tmp_path):
    examples = rows("robots.txt")

    assert robots_class(tmp_path, *examples[1][:2], grace=["*=0"]) == "violation"
    assert robots_class(tmp_path, *examples[-1][:2], grace=["*=72"]) == "grace"


def request(at, status=200, retry_after=None):
    t = round((START + at) * 1e6)
    agent, address = "SomeBot/1.0", "192.0.2.1"
    known = {"time": t, "t": t, "status": status, "retry_after": retry_after, "client_ip": address, "target": "/a"}
    return {**known, "user_agent": agent}


@pytest.mark.parametrize(("before", "asked", "after", "end", "verdict", "why"), rows("Reaction to 429"))
def test_reaction(before, asked, after, end, verdict, why):
    found = [
        *(request(float(at)) for at in before.split()),
        request(0, 429, None if asked == "-" else asked),
        *(request(float(at)) for at in after.split()),
    ]
    kinds = [pa.string() if pa.types.is_dictionary(field.type) else None for field in REQUEST]
    columns = [pa.array([row.get(field.name) for row in found], kind).cast(field.type)
               for field, kind in zip(REQUEST, kinds, strict=True)]  # fmt: skip
    table = pa.table(columns, schema=REQUEST)
    (episode,) = backoff.episodes(table, by="address", log_end=(START + int(end)) * 1_000_000).to_pylist()

    assert episode["verdict"] == verdict, (why, episode)
    assert episode["asked_known"] == (asked != "-")


def test_the_interval_of_few_waits():
    low, high = re.search(r"95 % interval of (\d+) % to (\d+) %", TEXT).groups()

    assert [round(100 * end) for end in backoff.wilson(2, 3)] == [int(low), int(high)]
    assert backoff.FEWEST_WAITS == 3


def test_pace():
    told = {number: float(value) for number, value, _ in rows("Pace")}
    at = [0, 0.4, 0.9, 1.0, 1.3, 30, 60.2]
    assert f"seconds {', '.join(f'{t:g}' if t != 1 else '1.0' for t in at[:-1])} and 60.2" in TEXT.replace("\n", " ")
    t = pa.array(np.round(np.array(at) * 1e6).astype(np.int64))
    same = pa.array([1] * len(at), pa.int32())
    unknown = pa.nulls(len(at), pa.int64())
    table = pa.table({"client": same, "address": same, "t": t, "request_time_us": unknown})
    (found,) = rates.measure(table).to_pylist()

    assert found["peak_1s"] == told["peak in 1 s"]
    assert found["peak_60s"] == told["peak in 60 s"]
    assert found["burst"] == told["burst"]
    assert found["mean_active"] == pytest.approx(told["mean while active"], abs=0.0001)


def visit(address, at, target, referer="-"):
    when = datetime.fromtimestamp(START + at, UTC)
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    return f'{address} - - [{when:%d/%b/%Y:%H:%M:%S} +0000] "GET {target} HTTP/1.1" 200 100 "{referer}" "{agent}"\n'


@pytest.mark.parametrize("row", rows("Suspected automation"), ids=lambda row: row[-1])
def test_suspect(tmp_path, row):
    pages, pace, assets, referers, robots, suspected, why = row
    host = "https://shop.example/a"
    others = [
        visit(f"192.0.2.{n}", 60 * n + step, target, host)
        for n in range(20)
        for step in range(4)
        for target in (f"/{step}", "/x.png")
    ]
    gap = re.search(r"\d+", pace)
    times = [step * int(gap[0]) if gap else 37 * step + step**2 % 29 * 11 for step in range(int(pages))]
    mine = [visit("198.51.100.1", at, f"/page/{n}") for n, at in enumerate(times)]
    mine += [visit("198.51.100.1", 5, "/y.png")] if assets != "none" else []
    mine += [visit("198.51.100.1", 6, "/robots.txt")] if robots == "read" else []
    (tmp_path / "a.log").write_text("".join(sorted(others + mine, key=lambda line: line.split("[")[1])))
    document = la.analyse(la.read([tmp_path / "a.log"])).to_dict()

    assert referers == "none"
    assert len(document["suspected"]) == (suspected == "yes"), (why, document["suspected"])


@pytest.mark.parametrize(("requests", "share", "peak", "expected", "why"), rows("Levers"))
def test_lever(requests, share, peak, expected, why):
    count = int(requests.replace(",", ""))
    crawler = Facts(client="SomeBot", kind="crawler", token="SomeBot", requests=count, last_h=24.0)
    known = {"robots_asked": 4, "robots_fetches": 4, "allowed": count, "robots_tokens": ("SomeBot",)}
    facts = replace(crawler, **known, request_share=float(share.rstrip(" %")) / 100, peak_60s=int(peak))

    assert lever(facts)["lever"] == expected, why


def test_etiquette_is_what_the_rows_say(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/pictures"))
    from make_examples import page

    assert page(TEXT) == TEXT, "run docs/pictures/make_examples.py"
    assert len(rows("Etiquette")) > 30


def test_every_threshold_of_the_reaction_is_defined():
    known = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/definitions.md").read_text(encoding="utf-8"), re.MULTILINE))

    assert set(re.findall(r"\(`(\w+)`\)", TEXT)) - known == set()
