import itertools
from email.utils import formatdate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer import backoff
from loganalyzer.backoff.kernel import CODED
from loganalyzer.schema import EPISODE, REQUEST

START = 1_790_000_000  # epoch seconds of the rows' second 0
BOT = "SampleBot/2.1 (+https://sample.example/bot)"


def request(at, status=200, retry_after=None, *, took=None, ip="192.0.2.1", target="/a", agent=BOT, limited=None):
    """One request answered at second `at`, as a server logs it that writes the time of the answer."""
    return {
        "time": round((START + at) * 1e6),
        "t": round((START + at - (took or 0)) * 1e6),
        "status": status,
        "retry_after": retry_after if retry_after is None else str(retry_after),
        "request_time_s": took,
        "client_ip": ip,
        "target": target,
        "user_agent": agent,
        "limit_status": limited,
    }


def every(step, first, last, **kind):
    return [request(float(at), **kind) for at in np.arange(first, last + step / 2, step)]


def requests(rows):
    return pa.table(
        [
            pa.array([row.get(f.name) for row in rows], pa.string() if pa.types.is_dictionary(f.type) else None).cast(
                f.type
            )
            for f in REQUEST
        ],
        schema=REQUEST,
    )


def judged(rows, by="address", log_end=None, **thresholds):
    end = None if log_end is None else (START + log_end) * 1_000_000
    return backoff.episodes(requests(rows), by=by, log_end=end, **thresholds).to_pylist()


BEFORE = every(4, 0, 120)  # a request in four seconds for two minutes
HOUR = 3_600

# What comes after BEFORE, the last instant of the log (None: the last request), the verdict.
VERDICTS = {
    "comes back when the wait is over": ([request(122, 429, 40), request(163)], None, "honoured"),
    "comes back in its last second": ([request(122, 429, 40), request(161)], None, "honoured"),
    "one straggler two seconds before": ([request(122, 429, 40), request(160)], None, "slowed"),
    "goes on as before, refused": (every(4, 122, 158, status=429, retry_after=40), 400, "ignored"),
    "goes on as before, answered": ([request(122, 429, 40), *every(4, 126, 158)], 400, "ignored"),
    "hammers and leaves": ([request(122, 429, 3000), *every(4, 126, 1500)], 9000, "ignored"),
    "comes faster": ([request(122, 429, 40), *every(1, 124, 158)], 400, "escalated"),
    "comes faster, but only four times": ([request(122, 429, 9), *every(1, 124, 127)], 400, "ignored"),
    "comes at a quarter of the pace": ([request(122, 429, 90), *every(16, 138, 200)], 400, "slowed"),
    "never again, and the log would show it": ([request(122, 429, 40)], 2 * HOUR, "gave_up"),
    "a day later": ([request(122, 429, 40), request(24 * HOUR)], None, "gave_up"),
    "not again in the minute that the log goes on": ([request(122, 429, 40)], 182, "honoured"),
    "the log ends in the wait": ([request(122, 429, 40)], 150, "unobserved"),
    "backs off by itself, no wait stated": ([request(121 + 2**k, 429) for k in range(6)], 900, "slowed"),
    "retries in parallel, no wait stated": (every(0.25, 122, 140, status=429), 900, "escalated"),
    "every three seconds, no wait stated": (every(3, 121, 151, status=429), 900, "ignored"),
    "asked to wait for nothing": ([request(122, 429, 0), *every(1, 123, 140)], None, "honoured"),
    "only robots.txt in the wait": ([request(122, 429, 40), request(130, target="/robots.txt?x")], 170, "honoured"),
    "breaks one wait of two": ([request(122, 429, 20), request(143, 429, 20), *every(4, 147, 160)], 400, "ignored"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "log_end", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_verdict(rows, log_end, verdict):
    assert [episode["verdict"] for episode in judged([*BEFORE, *rows], log_end=log_end)] == [verdict]


def test_refused_at_the_first_request_so_that_no_pace_is_known():
    (episode,) = judged([request(0, 429, 40), request(9), request(18)], log_end=400)

    assert (episode["verdict"], episode["pace_before"], episode["ratio"]) == ("ignored", None, None)


def test_numbers_of_an_episode():
    rows = [
        *BEFORE,
        request(121, 429, 30, target="/x"),
        request(121.5, 429, 30, target="/y"),  # in parallel: the same wait
        request(123, took=3, target="/slow"),  # begun before the refusal was sent
        request(131, target="/x"),  # early, and what was refused
        request(137, target="/z"),
        request(140, target="/robots.txt"),
    ]

    (episode,) = judged(rows, log_end=500)

    assert episode == {
        "client": "SampleBot",
        "address": "192.0.2.1",
        "t0": (START + 121) * 1_000_000,
        "t1": (START + 121) * 1_000_000 + 500_000,
        "verdict": "slowed",
        "refusals": 2,
        "waits": 1,
        "kept": 0,
        "asked_s": 30.0,
        "asked_known": True,
        "early": 2,
        "same_target_early": 1,
        "in_flight": 1,
        "robots_in_wait": 1,
        "first_return_s": 10.0,
        "pace_before": pytest.approx(16 / 60),  # 15 in the minute before, and the slow one
        "pace_in_wait": pytest.approx(2 / 16),
        "ratio": pytest.approx(2 / 16 * 60 / 16),
        "pace_after": None,
        "shape": None,
        "same_target_later": 0,
        "same_target_soon": 0,
        **dict.fromkeys(("elsewhere", "addresses_before", "addresses_after", "spread", "rotated")),
    }


@pytest.mark.parametrize(
    ("after", "log_end", "pace"),
    [
        pytest.param(every(2, 170, 300), 400, 0.5, id="twice as fast"),
        pytest.param(every(20, 170, 300), 400, 0.05, id="five times as slow"),
        pytest.param([request(130), *every(4, 170, 300)], 400, 0.25, id="an early one is not yet back"),
        pytest.param([request(170)], 229, None, id="watched for less than a minute"),
        pytest.param([], 400, None, id="not back"),
    ],
)
def test_pace_once_back(after, log_end, pace):
    (episode,) = judged([*BEFORE, request(122, 429, 40), *after], log_end=log_end)

    assert episode["pace_after"] == pace


def test_ids_of_early_requests_are_the_evidence_of_their_count():
    rows = coded([(0, 0, at, at, 60, at == 30, at == 50) for at in range(0, 100, 5)])

    early = backoff.early_ids(rows, "token", 0, 100_000_000)

    assert [rows["t"][i].as_py() // 1_000_000 for i in early] == [40, 45, *range(55, 89, 5)]


def test_wait_that_the_log_cuts_off_counts_only_where_there_is_no_other():
    first = [*BEFORE, request(122, 429, 20), request(143, 429, 60)]

    (episode,) = judged(first, log_end=150)

    assert (episode["verdict"], episode["waits"], episode["kept"]) == ("honoured", 1, 1)
    (alone,) = judged([*BEFORE, request(143, 429, 60)], log_end=150)
    assert (alone["verdict"], alone["waits"], alone["kept"]) == ("unobserved", 1, None)


def test_refusals_far_apart_are_episodes_of_their_own():
    chained = judged([*BEFORE, request(122, 429, 20), request(201, 429, 20)], log_end=9000)
    apart = judged([*BEFORE, request(122, 429, 20), request(204, 429, 20)], log_end=9000)

    assert ([e["waits"] for e in chained], [e["waits"] for e in apart]) == ([2], [1, 1])


FLEET = [
    *(request(4 * k, ip=f"198.51.100.{k % 9}") for k in range(31)),
    request(122, 429, 60, ip="198.51.100.1"),
    *(request(126 + 4 * k, ip=f"198.51.100.{2 + k % 7}") for k in range(13)),
]


def test_fleet_of_which_one_was_refused():
    assert [e["verdict"] for e in judged(FLEET, "address", log_end=250)] == ["honoured"]
    assert [(e["verdict"], e["address"]) for e in judged(FLEET, "token", log_end=250)] == [("ignored", None)]


def test_grace_of_a_token_lets_the_other_machines_hear_of_it():
    rows = [*FLEET[:32], request(127, ip="198.51.100.2"), request(190, ip="198.51.100.2")]

    assert [e["verdict"] for e in judged(rows, "token")] == ["honoured"]
    assert [e["verdict"] for e in judged(rows, "token", grace_token_s=3.0)] == ["slowed"]


def test_parallel_workers_that_each_wait_repeat_nothing_that_was_refused():
    """Measured with four threads that each honour Retry-After: nearly every next request is early, none repeated."""
    rows = [*BEFORE, *(request(122 + 2 * worker, 429, 10, target=f"/{worker}") for worker in range(4))]
    rows += [request(133 + 2 * worker, target=f"/{worker}") for worker in range(4)]

    (episode,) = judged(rows, log_end=300)

    assert (episode["early"], episode["same_target_early"], episode["same_target_later"]) == (5, 0, 4)
    assert episode["same_target_soon"] == 4


def test_who_goes_on_and_comes_back_to_what_it_was_refused_is_no_worker_that_waits():
    """Measured with Scrapy: what was refused goes to the end of the queue, and was asked for again after 6.6 of 3 s."""
    rows = [*BEFORE, *(request(122 + 2 * page, 429, 10, target=f"/{page}") for page in range(4))]
    rows += [request(144 + 2 * page, target=f"/{page}") for page in range(4)]

    (episode,) = judged(rows, log_end=300)

    assert (episode["same_target_early"], episode["same_target_later"], episode["same_target_soon"]) == (0, 4, 0)


@pytest.mark.parametrize(
    ("after", "later", "soon"),
    [
        pytest.param([request(130, target="/x")], 0, 0, id="in the wait"),
        pytest.param([request(130, target="/x"), request(170, target="/x")], 1, 1, id="in the wait and after it"),
        pytest.param([request(170, target="/y")], 0, 0, id="another target"),
        pytest.param([request(170, target="/x", ip="192.0.2.9")], 0, 0, id="another address"),
        pytest.param([request(161, target="/x")], 1, 1, id="in its last second"),
        pytest.param([request(173, target="/x")], 1, 1, id="a quarter of the wait after it, and the grace"),
        pytest.param([request(174, target="/x")], 1, 0, id="later than that"),
    ],
)
def test_refused_target_asked_for_again_once_the_wait_is_over(after, later, soon):
    rows = [*BEFORE, request(122, 429, 40, target="/x"), *after]

    (episode,) = judged(rows, log_end=300)

    assert (episode["same_target_later"], episode["same_target_soon"]) == (later, soon)


def fleet(addresses, first=128, last=160):
    return [request(float(at), ip=f"192.0.2.{10 + at % addresses}") for at in range(first, last)]


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        pytest.param([*BEFORE, request(122, 429, 40), *fleet(1)], (32, 1, 1, True, False), id="one other address"),
        pytest.param([*BEFORE, request(122, 429, 40), *fleet(8)], (32, 1, 8, True, True), id="eight others"),
        pytest.param([*BEFORE, request(122, 429, 40), *fleet(2)], (32, 1, 2, True, False), id="a second one"),
        pytest.param([*BEFORE, *fleet(8, 90, 120), request(122, 429, 40), *fleet(8)], (32, 9, 8, True, False),
                     id="eight that were there before"),
        pytest.param([*BEFORE, request(122, 429, 40), *every(4, 128, 158)], (0, 1, 1, False, False), id="none"),
        pytest.param([*BEFORE, request(122, 429, 40), *every(1, 128, 158), *fleet(1, 128, 150)],
                     (22, 1, 2, False, False), id="fewer than half"),
        pytest.param([*every(4, 0, 120, ip=None), request(122, 429, 40, ip=None), *every(4, 128, 158, ip=None)],
                     (0, 0, 0, False, False), id="no address is logged"),
        pytest.param([*BEFORE, request(122, 429, 40), request(124, 429, 40, ip="192.0.2.10"), *fleet(1)],
                     (0, 1, 1, False, False), id="refused there too"),
    ],
)  # fmt: skip
def test_fleet_goes_on_from_elsewhere(rows, seen):
    (episode,) = judged(rows, "token", log_end=400)

    names = ("elsewhere", "addresses_before", "addresses_after", "spread", "rotated")
    assert tuple(episode[name] for name in names) == seen


def test_strangers_without_a_token_are_no_fleet():
    rows = [*every(4, 0, 120, agent=None), request(122, 429, 40, agent=None), *every(4, 126, 150, agent=None)]

    assert judged(rows, "token", log_end=400) == []
    assert [e["verdict"] for e in judged(rows, "address", log_end=400)] == ["ignored"]


def test_request_without_an_address_has_no_key_by_address():
    rows = [*every(4, 0, 120, ip=None), request(122, 429, 40, ip=None), *every(4, 126, 150, ip=None)]

    assert judged(rows, "address", log_end=400) == []
    assert [e["verdict"] for e in judged(rows, "token", log_end=400)] == ["ignored"]


def test_order_of_the_rows_does_not_matter():
    rows = FLEET[::-1]

    assert judged(rows, "token", log_end=250) == judged(FLEET, "token", log_end=250)


def test_nothing_refused_gives_no_episode():
    assert backoff.episodes(requests(BEFORE)).equals(EPISODE.empty_table())
    assert backoff.episodes(REQUEST.empty_table()).equals(EPISODE.empty_table())


# --- refusals and what they ask


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        pytest.param(request(0, 429), True, id="429"),
        pytest.param(request(0, 503), False, id="a bare 503 is an outage"),
        pytest.param(request(0, 503, 9), True, id="503 that asks to wait"),
        pytest.param(request(0, 503, ""), False, id="503 with an empty Retry-After"),
        pytest.param(request(0, 503, limited="REJECTED"), True, id="503 of limit_req"),
        pytest.param(request(0, 503, limited="REJECTED_DRY_RUN"), False, id="a dry run refuses nothing"),
        pytest.param(request(0, 200, limited="DELAYED"), False, id="a delay is no refusal"),
        pytest.param(request(0, 302, 9), False, id="Retry-After of a redirect is about the redirected request"),
        pytest.param(request(0, 403, 9), False, id="403"),
        pytest.param(request(0, 502, 9), False, id="another 5xx"),
        pytest.param(request(0, None, 9), False, id="status not logged"),
    ],
)
def test_refusal(row, refusal):
    assert backoff.refusals(requests([row])).tolist() == [refusal]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("0", 0),
        (formatdate(START + 90, usegmt=True), 90),
        (formatdate(START - 90, usegmt=True), 0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("9" * 60, 10**9),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 10_000, 10**9),
        ("Thu, 99 Foo 2026 99:99:99 GMT", None),
        ("Mon, 01 Jan 0001 00:00:00 +2359", 0),
    ],
)
def test_asked_wait(value, seconds):
    waits = backoff.asked_wait(pa.array([value, value], pa.string()), np.array([START, START]) * 1_000_000)

    assert waits.to_pylist() == [seconds if seconds is None else seconds * 1_000_000] * 2


@given(st.text(max_size=80))
def test_no_retry_after_raises_or_goes_below_zero(value):
    (wait,) = backoff.asked_wait(pa.array([value]), np.array([START * 1_000_000])).to_pylist()

    assert wait is None or wait >= 0


# --- the kernel against the definitions, one key and one request at a time


def by_definition(rows, grace):
    """Of each episode of one key: refusals, early, in flight, robots in wait, waits and kept, read off the design."""
    sent = sorted((end, t, 60 if asked is None else asked) for t, end, asked, refusal, _ in rows if refusal)

    def inside(t, refusals):
        return any(end + grace < t < end + wait - 1 for end, _, wait in refusals)

    def flying(row, refusals):
        t, answered, _, refusal, robots = row
        known = any(t <= end + grace and answered >= end for end, _, _ in refusals)
        return known and not refusal and not robots and not inside(t, sent)

    chains = []
    for end, t, wait in sent:
        deadline = max((e + w for e, _, w in chains[-1]), default=0) + max(chains[-1][-1][2], 60) if chains else -1
        if t <= deadline:
            chains[-1].append((end, t, wait))
        else:
            chains.append([(end, t, wait)])
    facts = []
    for number, chain in enumerate(chains):
        early = [t for t, _, _, _, robots in rows if inside(t, chain) and not robots]
        robots_in_wait = sum(inside(t, chain) and robots for t, _, _, _, robots in rows)
        waits = []
        for end, t, _ in chain:
            if not inside(t, sent) and not (waits and t <= waits[-1] + grace):
                waits.append(end)
        broken = {max(w for w in waits if w < t) for t in early}
        in_flight = sum(flying(row, chain) and not any(flying(row, c) for c in chains[:number]) for row in rows)
        facts.append((len(chain), len(early), in_flight, robots_in_wait, len(waits), len(waits) - len(broken)))
    return facts


def coded(rows):
    """Rows of (client, address, start, end, asked or None, refusal, robots, target or nothing), in seconds, coded."""
    rows = sorted(((*row, 0)[:8] for row in rows), key=lambda row: (row[0], row[2]))
    client, address, t, end, asked, refusal, robots, target = list(zip(*rows, strict=True)) or [()] * 8
    us = [pa.array([s if s is None else s * 1_000_000 for s in column], pa.int64()) for column in (t, end, asked)]
    return pa.table(
        {
            "id": pa.array(range(len(rows)), pa.int64()),
            "client": pa.array(client, pa.int32()),
            "address": pa.array(address, pa.int32()),
            "t": us[0],
            "end_us": us[1],
            "asked_us": us[2],
            "refusal": pa.array(refusal, pa.bool_()),
            "robots": pa.array(robots, pa.bool_()),
            "target": pa.array(target, pa.int32()),
        }
    )


few = st.integers(0, 2)
some_rows = st.lists(
    st.tuples(
        few,
        few,
        st.integers(0, 400),
        st.integers(0, 20),
        st.one_of(st.none(), st.integers(0, 40)),
        st.booleans(),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=40,
).map(lambda rows: [(client, address, t, t + took, *rest) for client, address, t, took, *rest in rows])


@settings(max_examples=1000)
@given(some_rows, st.sampled_from([("address", 2, 1), ("token", 1, 5)]))
def test_kernel_counts_what_the_definitions_say(rows, how):
    by, width, grace = how
    expected = []
    for _, members in itertools.groupby(sorted(rows, key=lambda row: row[:width]), lambda row: row[:width]):
        expected += by_definition([row[2:] for row in members], grace)

    got = backoff.kernel(coded(rows), by, 0, 10_000_000_000)

    assert got.schema.equals(CODED)
    names = ("refusals", "early", "in_flight", "robots_in_wait", "waits", "kept")
    assert [tuple(row[name] for name in names) for row in got.to_pylist()] == expected


def verdict_by_definition(rows, grace, log_end):
    """Of each episode of one key: verdict, paces and what became of the refused targets, a request at a time."""
    rows = sorted(rows, key=lambda row: row[1])
    pages = [row[1] for row in rows if not row[5]]
    sent = sorted(
        (
            (row[2], row[1], 60 if row[3] is None else row[3], row[3] is not None, row[6], row[0])
            for row in rows
            if row[4]
        ),
        key=lambda refusal: refusal[0],
    )

    def inside(t):
        return any(end + grace < t < end + wait - 1 for end, _, wait, *_ in sent)

    chains = []
    for refusal in sent:
        if chains and refusal[1] <= max(e + w for e, _, w, *_ in chains[-1]) + max(chains[-1][-1][2], 60):
            chains[-1].append(refusal)
        else:
            chains.append([refusal])
    for chain in chains:
        windows = [(end + grace, end + wait - 1) for end, _, wait, *_ in chain]
        early = [row for row in rows if any(a < row[1] < b for a, b in windows) and not row[5]]
        waits = []
        for refusal in chain:
            if not inside(refusal[1]) and not (waits and refusal[1] <= waits[-1][0] + grace):
                waits.append(refusal)
        gaps = np.diff([refusal[0] for refusal in chain])
        grows = [b >= 1.5 * a and b > 0 for a, b in itertools.pairwise(gaps)]
        growing = len(gaps) >= 3 and sum(grows) >= 2 / 3 * len(grows)
        first, last = chain[0], chain[-1]
        span = min(max(first[2], 60), 3600, first[0])
        begun = [t for t in pages if first[0] - span <= t < first[0]]
        before = len(begun) / span if len(begun) >= 3 and span else None
        verdicts = []
        for end, _, wait, stated, *_ in waits:
            mine = [row[1] for row in early if max(w[0] for w in waits if w[0] < row[1]) == end]
            ratio = len(mine) / max(max(mine) - end, wait / 3) / before if mine and before else None
            if mine:
                faster = ratio is not None and ratio >= 1.5 and len(mine) >= 5
                slower = (ratio is not None and ratio <= 0.5) or (growing and not stated)
                verdicts.append("escalated" if faster else "slowed" if slower else "ignored")
            elif end != waits[-1][0]:
                verdicts.append("honoured")
            else:
                after = [t for t in pages if t > last[0] + grace]
                long = max(3600, 10 * last[2])
                deadline = max(e + w for e, _, w, *_ in chain)
                gone = (not after or after[0] - last[0] > long) and log_end - last[0] >= long
                cut = not after and log_end < deadline
                verdicts.append("gave_up" if gone else "unobserved" if cut else "honoured")
        order = ("unobserved", "honoured", "gave_up", "slowed", "ignored", "escalated")
        again = [(row[1], row[6]) for row in rows]
        later = sum(
            any(t >= end + max(wait - 1, grace) and target == asked for t, asked in again)
            for end, _, wait, _, target, _ in chain
        )
        soon = sum(
            any(end + max(wait - 1, grace) <= t <= end + 1.25 * wait + grace and target == asked for t, asked in again)
            for end, _, wait, _, target, _ in chain
        )
        known = {refusal[5] for refusal in chain}
        yield {
            "verdict": max(verdicts, key=order.index),
            "pace_before": before,
            "same_target_later": later,
            "same_target_soon": soon,
            "elsewhere": sum(row[0] not in known for row in early),
            "addresses_before": len({row[0] for row in rows if not row[5] and first[0] - span <= row[1] < first[0]}),
            "addresses_after": len(
                {row[0] for row in rows if not row[5] and first[0] + grace < row[1] <= first[0] + grace + span}
            ),
        }


timelines = st.lists(
    st.tuples(
        st.integers(0, 1),
        few,
        st.one_of(st.integers(0, 400), st.integers(0, 9000)),
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(0, 200)),
        st.sampled_from([True, False, False]),
        st.sampled_from([False, False, False, True]),
        few,
    ),
    max_size=60,
).map(lambda rows: [(client, address, t, t + took, *rest) for client, address, t, took, *rest in rows])


def reacting(before, wait, after, count, doubles, back):
    """A client at a steady pace that is refused, goes on at another, is refused at gaps that double or not, returns."""
    at = itertools.accumulate(
        [2, *(4 if grows else 1 for grows in doubles)], lambda gap, by: gap * by if by > 1 else gap
    )
    refused = list(itertools.accumulate(at, initial=122)) if doubles else [122]
    answered = [122 + after * (number + 1) for number in range(count)]
    rows = [(t, None, False) for t in (*range(0, 120, before), *answered, refused[-1] + back)]
    rows += [(t, wait, True) for t in refused]
    return [(0, t % 2, t, t, asked, refusal, False, t % 3) for t, asked, refusal in rows]


reactions = st.builds(
    reacting,
    before=st.sampled_from([2, 4, 8]),
    wait=st.sampled_from([None, 20, 40, 90, 600]),
    after=st.sampled_from([1, 2, 3, 4, 6, 8, 9, 16]),
    count=st.integers(0, 12),
    doubles=st.lists(st.booleans(), max_size=5),
    back=st.integers(1, 9000),
)


@settings(max_examples=1000)
@given(timelines | reactions, st.integers(0, 9000), st.sampled_from([("address", 2, 1), ("token", 1, 5)]))
def test_kernel_judges_as_the_definitions_say(rows, more, how):
    by, width, grace = how
    log_end = max((row[3] for row in rows), default=0) + more
    expected = []
    for _, members in itertools.groupby(sorted(rows, key=lambda row: row[:width]), lambda row: row[:width]):
        expected += verdict_by_definition([row[1:] for row in members], grace, log_end)

    got = backoff.kernel(coded(rows), by, 0, log_end * 1_000_000).to_pylist()

    fleet = ("elsewhere", "addresses_before", "addresses_after")
    for episode, wanted in zip(got, expected, strict=True):
        unlike = {"pace_before": pytest.approx(wanted["pace_before"])} | (
            dict.fromkeys(fleet) if by == "address" else {}
        )
        assert {name: episode[name] for name in wanted} == wanted | unlike


@settings(max_examples=200)
@given(some_rows, st.sampled_from(["address", "token"]), st.integers(1, 10**13), st.lists(st.integers(0, 2)))
def test_clients_may_be_measured_in_any_batches_and_on_axes_of_any_length(rows, by, axis, cuts):
    table = coded(rows)
    whole = backoff.kernel(table, by, 0, 10_000_000_000)
    edges = [0, *sorted(set(cuts)), 3]
    batches = [
        table.filter((pc.field("client") >= low) & (pc.field("client") < high))
        for low, high in itertools.pairwise(edges)
    ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loganalyzer.groups.LONGEST_AXIS", axis)
        parts = [backoff.kernel(batch, by, 0, 10_000_000_000) for batch in batches]

    assert pa.concat_tables(parts).equals(whole)


# --- one client in a line


def episodes_of(*rows):
    table = pa.Table.from_pylist(
        [
            {
                "verdict": v,
                "refusals": 1,
                "waits": w,
                "kept": k,
                "asked_s": 30.0,
                "asked_known": known,
                "early": w - (k or 0),
                "same_target_early": 0,
                "same_target_later": 0,
                "same_target_soon": 0,
            }
            for v, w, k, known in rows
        ],
        schema=EPISODE,
    )
    return table.to_pylist()


@pytest.mark.parametrize(
    ("rows", "verdict", "worst", "interval"),
    [
        ([("honoured", 12, 12, True)], "honoured 12 of 12", "honoured", (0.757, 1.0)),
        ([("honoured", 40, 40, True), ("ignored", 4, 1, True)], "ignored 3 of 44", "ignored", (0.818, 0.977)),
        # the number is that of the word: other waits were broken in another way
        ([("escalated", 1, 0, True), ("ignored", 2, 0, True)], "escalated 1 of 3", "escalated", (0.0, 0.562)),
        ([("ignored", 3, 1, True), ("slowed", 5, 0, True)], "ignored 2 of 8", "ignored", (0.022, 0.471)),
        ([("slowed", 2, 0, True), ("gave_up", 2, 2, True)], "slowed 2 of 4", "slowed", (0.150, 0.850)),
        ([("honoured", 1, 1, True), ("unobserved", 1, None, True)], "too few to say (1)", "honoured", None),
        ([("gave_up", 3, 3, False)], "gave up 3 of 3, with an assumed wait", "gave_up", (0.439, 1.0)),
        ([("honoured", 3, 3, True), ("gave_up", 1, 1, True)], "honoured 4 of 4", "gave_up", (0.510, 1.0)),
        ([], "never refused", None, None),
    ],
)  # fmt: skip
def test_summary(rows, verdict, worst, interval):
    summary = backoff.summarise(episodes_of(*rows))

    assert (summary.verdict, summary.worst) == (verdict, worst)
    assert summary.kept_interval == (interval if interval is None else pytest.approx(interval, abs=0.001))
    assert summary.verdicts == backoff.verdict_counts(episodes_of(*rows))
    assert sum(summary.verdicts.values()) == len(rows)


@given(st.integers(3, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_holds_the_share_and_stays_in_nought_to_one(counts):
    kept, waits = counts
    low, high = backoff.kept_interval(kept, waits)

    assert 0 <= low <= kept / waits <= high <= 1


# --- patterns beside the verdict


def reaction(**parts):
    """An episode of three broken waits, ten early requests."""
    return {
        "verdict": "ignored", "refusals": 4, "waits": 3, "kept": 0, "asked_s": 30.0, "asked_known": True, "early": 10,
        "same_target_early": 1, "same_target_later": 2, "same_target_soon": 1, "first_return_s": 3.0,
        "shape": "irregular", "spread": False, "rotated": False, "pace_before": 1.0, "pace_after": None, **parts,
    }  # fmt: skip


PATTERNS = {
    "parallel": [reaction(waits=1, same_target_early=0, same_target_later=3, same_target_soon=3)],
    "drops": [reaction(same_target_early=0, same_target_later=0)],
    "repeats": [reaction(same_target_early=6)],
    "fleet": [reaction(spread=True), reaction()],
    "rotates": [reaction(rotated=True)],
    "backs-off-by-itself": [reaction(shape="growing")],
    "resumes-slower": [reaction(pace_after=0.5)] * 3,
    "resumes-faster": [reaction(pace_after=1.5)] * 3,
}
NO_PATTERN = {
    "one early of four for a refused target": [reaction()],
    "one refused target of four came back": [reaction(same_target_early=0, same_target_later=1)],
    "two refusals are too few": [reaction(refusals=2, same_target_early=0, same_target_later=2, same_target_soon=2)],
    "it came back to them at its own time": [reaction(same_target_early=0, same_target_later=4)],
    "came back slower twice": [reaction(pace_after=0.1)] * 2,
    "none came early": [reaction(early=0, kept=3, same_target_early=0, same_target_later=4)],
    "a fleet in one episode of three": [reaction(spread=True), reaction(), reaction()],
}


@pytest.mark.parametrize(("name", "rows"), PATTERNS.items(), ids=PATTERNS)
def test_pattern(name, rows):
    summary = backoff.summarise(rows)

    assert [found["pattern"] for found in backoff.patterns(summary, summary)] == [name]


@pytest.mark.parametrize("rows", NO_PATTERN.values(), ids=NO_PATTERN)
def test_no_pattern(rows):
    summary = backoff.summarise(rows)

    assert backoff.patterns(summary, summary) == []


def test_every_pattern_has_a_sample():
    assert [pattern.id for pattern in backoff.PATTERNS] == sorted(
        PATTERNS, key=[pattern.id for pattern in backoff.PATTERNS].index
    )


# --- sensitivity


def test_verdict_that_hangs_on_a_threshold_says_so():
    """Early at 0.4 times the pace before: slowed, and ignored by a stricter ratio. The wait is assumed."""
    at = [*range(0, 120, 4), 122, *range(131, 182, 10), 300]
    rows = coded([(0, 0, second, second, None, second == 122, False) for second in at])

    found = backoff.sensitivity(rows, "token", 0, 400_000_000).to_pylist()

    assert [(row["threshold"], row["value"], row["worst"]) for row in found] == [
        ("slow_ratio", 0.3, "ignored"),
        ("slow_ratio", 0.7, "slowed"),
        ("assumed_wait_s", 10.0, "honoured"),
        ("assumed_wait_s", 60.0, "slowed"),
        ("assumed_wait_s", 300.0, "slowed"),
    ]


@given(some_rows, st.sampled_from(["address", "token"]))
def test_variant_equals_the_kernel_with_that_threshold(rows, by):
    table = coded(rows)

    found = backoff.sensitivity(table, by, 0, 10_000_000_000).to_pylist()

    for row in found:
        limits = backoff.Thresholds(**{row["threshold"]: row["value"]})
        episodes = backoff.kernel(table, by, 0, 10_000_000_000, limits).to_pylist()
        expected = backoff.summarise([episode for episode in episodes if episode["client"] == row["client"]])
        assert (row["worst"], row["waits"], row["kept"]) == (expected.worst, expected.waits, expected.kept)


def test_client_whose_waits_were_all_stated_hangs_on_no_assumed_one():
    rows = coded([(0, 0, at, at, 60, at == 30, False) for at in range(0, 100, 5)])

    found = backoff.sensitivity(rows, "address", 0, 100_000_000)

    assert set(found["threshold"].to_pylist()) == {"slow_ratio"}
