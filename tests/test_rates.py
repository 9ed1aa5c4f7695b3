import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loganalyzer import rates
from loganalyzer.groups import LONGEST_AXIS, Groups, in_order
from loganalyzer.schema import RATE


def us(*seconds):
    return np.round(np.array(seconds, dtype=float) * 1e6).astype(np.int64)


instants = st.lists(st.integers(0, 400), min_size=1, max_size=40).map(lambda t: np.array(sorted(t), dtype=np.int64))


# --- one client


@pytest.mark.parametrize(
    ("t", "sliding", "expected"),
    [
        pytest.param(us(3.0, 3.4, 4.0, 4.3, 4.39), True, (4, 3.4), id="the best window begins at an arrival"),
        pytest.param(us(3.0, 3.4, 4.0, 4.3, 4.39), False, (3, 4.0), id="whole seconds cut it in two"),
        pytest.param(us(8.0, 9.0), True, (1, 8.0), id="half-open: exactly one second later is another window"),
        pytest.param(us(1.0, 1.0, 5.0, 5.0), True, (2, 1.0), id="the first of equals"),
        pytest.param(us(), True, (0, None), id="no request"),
    ],
)
def test_peak_in_a_second(t, sliding, expected):
    count, at = rates.peak(t, 1_000_000, sliding=sliding)

    assert (count, at if at is None else at / 1e6) == expected


@given(instants, st.integers(1, 100))
def test_tumbling_peak_lies_between_half_the_sliding_one_and_all_of_it(t, window):
    sliding, tumbling = rates.peak(t, window)[0], rates.peak(t, window, sliding=False)[0]

    assert tumbling <= sliding <= 2 * tumbling


@given(instants, st.integers(1, 100))
def test_sliding_peak_equals_counting_every_window(t, window):
    counts = [int(np.count_nonzero((t >= start) & (t < start + window))) for start in t]

    assert rates.peak(t, window) == (max(counts), int(t[int(np.argmax(counts))]))


@pytest.mark.parametrize(
    ("t", "start_s", "end_s", "expected"),
    [
        pytest.param(us(10, 12, 20), 0, 60, (0.2, 0.05), id="two gaps in ten seconds; three requests in sixty"),
        pytest.param(us(10), 0, 50, (None, 0.02), id="one request has no pace"),
        pytest.param(us(10, 10), 10, 10, (None, None), id="no time went by"),
    ],
)
def test_mean_rate_under_two_names(t, start_s, end_s, expected):
    assert rates.mean_rates(t, start_s * 1_000_000, end_s * 1_000_000) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("t", "expected"),
    [
        pytest.param(us(0, 5, 6, 7, 7.5, 9), (4, 5_000_000, 2_500_000), id="a gap of exactly one second belongs to it"),
        pytest.param(us(4), (1, 4_000_000, 0), id="one request"),
        pytest.param(us(), (0, None, 0), id="no request"),
    ],
)
def test_longest_burst(t, expected):
    assert rates.longest_burst(t) == expected


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([(0, 4), (4, 8)], 1, id="an end comes before a start at the same instant"),
        pytest.param([(0, 4), (3, 8), (3.5, 5)], 3, id="three at once"),
        pytest.param([(6, 9), (0, 7)], 2, id="any order"),
        pytest.param([(5, 5), (5, 5), (0, 6)], 3, id="no duration counts at its instant"),
        pytest.param([(5, 5), (5.000001, 6)], 1, id="and at no later one"),
        pytest.param([], 0, id="no request"),
    ],
)
def test_concurrency(spans, expected):
    assert rates.concurrency(us(*(s for s, _ in spans)), us(*(e for _, e in spans))) == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), min_size=1, max_size=30))
def test_concurrency_equals_counting_at_every_start(spans):
    start = np.array([s for s, _ in spans])
    end = start + [d for _, d in spans]

    assert rates.concurrency(start, end) == max(int(np.count_nonzero((start <= s) & (end > s))) for s in start)


@pytest.mark.parametrize(
    ("t", "delay", "expected"),
    [
        pytest.param(
            us(0, 20, 39, 57), 20, (3, 1, 19.0, 18.0), id="19 s is within the second of a log's clock, 18 s is not"
        ),
        pytest.param(us(7), 5, (0, 0, None, None), id="one request has no gap"),
    ],
)
def test_crawl_delay(t, delay, expected):
    assert rates.crawl_delay_kept(t, delay) == expected


# --- nginx


def passed_by_replay(t_ms, rate, burst):
    """Each request in turn, as ngx_http_limit_req_lookup does it."""
    excess, last, passed = None, 0, []
    for now in t_ms:
        new = 0 if excess is None else max(0, excess - rate * (int(now) - last) // 1000 + 1000)
        passed.append(new <= burst * 1000)
        if passed[-1]:
            excess, last = new, int(now)
    return passed


gaps = st.lists(st.one_of(st.just(0), st.integers(0, 300), st.integers(0, 40_000)), min_size=1, max_size=60)


@given(gaps, st.sampled_from(rates.LADDER), st.sampled_from([0, 1, 5, 20]))
def test_limit_equals_a_replay_request_by_request(gaps, rate, burst):
    t_ms = np.cumsum(gaps)
    thousandths = int(rate[:-3]) * 1000 // (60 if rate.endswith("m") else 1)

    assert rates.nginx_limit_req(t_ms, rate, burst).tolist() == passed_by_replay(t_ms, thousandths, burst)


@given(gaps, st.sampled_from([0, 1, 5, 20]), st.sampled_from([0.5, 0.9, 0.99, 1.0]))
def test_smallest_limit_equals_trying_every_rate(gaps, burst, share):
    t_ms = np.cumsum(gaps)
    passed = {rate: int(rates.nginx_limit_req(t_ms, rate, burst).sum()) for rate in rates.LADDER}
    smallest = next((rate for rate in rates.LADDER if passed[rate] >= share * len(t_ms) - 1e-9), None)

    assert rates.smallest_limit(t_ms, burst, share) == (smallest, passed[smallest or "100r/s"], len(t_ms))


def test_refused_requests_leave_the_bucket_as_it_was():
    assert rates.nginx_limit_req(np.array([0, 400, 800, 1000]), "1r/s", 0).tolist() == [True, False, False, True]


def test_rate_a_minute_is_kept_in_whole_thousandths_of_a_request_a_second():
    """1r/m is 16 thousandths, so 60 s drain 960 and the second request is 40 too many; 62.5 s are enough."""
    assert rates.nginx_limit_req(np.array([0, 60_000]), "1r/m", 0).tolist() == [True, False]
    assert rates.nginx_limit_req(np.array([0, 62_500]), "1r/m", 0).tolist() == [True, True]


def test_no_rate_of_the_ladder_will_do():
    assert rates.smallest_limit(np.zeros(300, dtype=np.int64), 50) == (None, 51, 300)


@pytest.mark.parametrize("rate", ["1r/h", "r/s", "-1r/s", "1.5r/s", "²r/s", "0r/s", "0r/m", ""])
def test_rate_that_nginx_does_not_read(rate):
    with pytest.raises(ValueError, match="not a rate"):
        rates.nginx_limit_req(np.array([0]), rate, 0)


# --- many clients at once


def pace_table(rows):
    """Rows of (client, address, start, duration or None), sorted here."""
    rows = sorted(rows, key=lambda row: row[:3])
    names = ("client", "address", "t", "request_time_us")
    types = (pa.int32(), pa.int32(), pa.int64(), pa.int64())
    return pa.table(
        {n: pa.array(column, t) for n, t, column in zip(names, types, zip(*rows, strict=True), strict=True)}
    )


MINUTES = 60_000_000
few = st.integers(0, 3)
some_rows = st.lists(
    st.tuples(few, few, st.integers(0, 3 * MINUTES), st.one_of(st.none(), st.integers(0, 2 * MINUTES))),
    min_size=1,
    max_size=60,
)


@settings(max_examples=1000)
@given(some_rows, st.sampled_from([("client",), ("client", "address")]))
def test_kernel_gives_each_group_what_it_gets_alone(rows, keys):
    got = rates.measure(pace_table(rows) if len(keys) == 2 else pace_table([(c, 0, t, d) for c, _, t, d in rows]), keys)
    rows = sorted(rows, key=lambda row: (row[: len(keys)], row[2]))

    assert got.schema.equals(RATE)
    for row, (key, group) in zip(got.to_pylist(), itertools.groupby(rows, lambda row: row[: len(keys)]), strict=True):
        members = list(group)
        t = np.array([m[2] for m in members])
        timed = [m for m in members if m[3] is not None]
        assert (row["client"], row["address"]) == (*key, None)[:2]
        assert (row["requests"], row["first_us"], row["last_us"]) == (len(t), t[0], t[-1])
        assert (row["peak_1s"], row["peak_1s_at_us"]) == rates.peak(t, 1_000_000)
        assert (row["peak_60s"], row["peak_60s_at_us"]) == rates.peak(t, MINUTES)
        assert (row["burst"], row["burst_at_us"], row["burst_us"]) == rates.longest_burst(t)
        assert row["mean_active"] == pytest.approx(rates.mean_rates(t, 0, 1)[0])
        assert row["concurrency"] == (
            rates.concurrency(np.array([m[2] for m in timed]), np.array([m[2] + m[3] for m in timed]))
            if timed
            else None
        )
        proven = [m for m in timed if m[3] > 1_000]
        shorter = rates.concurrency(np.array([m[2] for m in proven]), np.array([m[2] + m[3] - 1_000 for m in proven]))
        assert row["concurrency_least"] == (max(shorter, 1) if timed else None)


def test_requests_of_one_tick_of_the_clock_are_not_proven_to_be_at_once():
    """Measured with curl and wget, one after the other on loopback: six within one millisecond of the log."""
    quick = [(0, 0, 7_000, took) for took in (0, 0, 0, 1_000, 1_000, 0)]
    slow = [(1, 0, 7_000, took) for took in (3_000, 2_000, 1_000)]

    found = rates.measure(pace_table([*quick, *slow])).to_pylist()
    coarse = rates.measure(pace_table([*quick, *slow]), tick_us=1_000_000).to_pylist()

    assert [(row["concurrency"], row["concurrency_least"]) for row in found] == [(6, 1), (3, 2)]
    assert [row["concurrency_least"] for row in coarse] == [1, 1]


@given(some_rows, st.sampled_from([("client",), ("client", "address")]), st.lists(st.integers(0, 60), max_size=12))
def test_the_stream_gives_what_the_whole_table_gives_however_it_is_cut(rows, keys, cuts):
    table = pace_table(rows if len(keys) == 2 else [(client, 0, t, took) for client, _, t, took in rows])
    edges = [0, *sorted(cut for cut in cuts if cut < table.num_rows), table.num_rows]
    pieces = [table.slice(start, end - start) for start, end in itertools.pairwise(edges) if end > start]

    assert pa.concat_tables(rates.measured(pieces, keys)).to_pylist() == rates.measure(table, keys).to_pylist()


@given(some_rows, st.sampled_from(["1r/m", "30r/m", "2r/s"]), st.sampled_from([0, 2]))
def test_limited_counts_what_the_limit_refuses_each_client(rows, rate, burst):
    table = pace_table([(client, 0, t, None) for client, _, t, _ in rows])

    expected = [
        {"client": client, "limited": int((~rates.nginx_limit_req(t // 1000, rate, burst)).sum())}
        for client in sorted({row[0] for row in rows})
        for t in [np.array(sorted(row[2] for row in rows if row[0] == client))]
    ]
    assert rates.limited(table, rate, burst).to_pylist() == expected


def test_kernel_of_no_rows_gives_no_rows():
    empty = pa.schema([("client", pa.int32()), ("t", pa.int64()), ("request_time_us", pa.int64())]).empty_table()

    assert rates.measure(empty).equals(RATE.empty_table())
    assert list(rates.measured([])) == []
    assert rates.limited(empty, "1r/s", 0).equals(rates.LIMITED.empty_table())


def test_client_without_a_code_stays_null():
    assert rates.measure(pace_table([(None, 1, 5, None)])).column("client").to_pylist() == [None]


def test_groups_whose_axis_would_overflow_are_measured_in_parts():
    """A clock that jumped by 100,000 years in every group: laid end to end they would pass int64."""
    far = 3_200_000_000_000_000_000
    t = np.array([0, far] * 6, dtype=np.int64)
    groups = Groups.of(np.repeat(np.arange(6), 2))
    table = pace_table([(client, 0, instant, None) for client in range(6) for instant in (0, far)])

    parts = list(groups.parts(t, pad=10))

    assert len(parts) > 1
    assert all((t[part][1::2] - t[part][::2] + 10).astype(float).sum() <= LONGEST_AXIS + far + 10 for part in parts)
    assert rates.measure(table).column("peak_60s").to_pylist() == [1] * 6


def test_smallest_limit_replays_only_where_it_must(monkeypatch):
    """A steady client with one short rush: the rows replayed one by one do not grow with the steady rest."""
    replayed = []
    monkeypatch.setattr("loganalyzer.rates.nginx._replay", lambda times, *_: replayed.append(len(times)) or ([], []))
    for steady in (1_000, 50_000):
        rates.nginx_limit_req(
            np.concatenate([np.zeros(30), 10_000 + 2_000 * np.arange(steady)]).astype(np.int64), "1r/s", 5
        )

    assert 0 < replayed[0] == replayed[1] < 100


@pytest.mark.parametrize(
    ("seconds", "delay", "expected"),
    [
        pytest.param([], 5, (0, 0), id="nothing"),
        pytest.param([0, 5, 10, 15], 5, (4, 0), id="pauses for the delay"),
        pytest.param([0, 1, 2, 40], 5, (2, 1), id="three in one window"),
        pytest.param([0, 4, 8, 12], 5, (4, 0), id="a second short, which whole seconds lose"),
        pytest.param([0, 0, 1], 1, (0, 0), id="a delay of the log's own resolution"),
    ],
)
def test_crawl_delay_as_one_access_a_window(seconds, delay, expected):
    t = np.array(seconds, dtype=np.int64) * 1_000_000

    assert rates.crawl_delay_windows(t, delay) == expected


@given(st.lists(st.integers(4_000_000, 60_000_000)), st.integers(0, 10**12))
def test_pausing_for_the_delay_crowds_no_window_wherever_windows_begin(gaps, start):
    t = np.cumsum([start, *gaps])

    assert rates.crawl_delay_windows(t, 5.0).crowded == 0


@given(
    st.lists(st.tuples(st.sampled_from([-1, 0, 1, 65_535, 65_536, 131_072]), st.integers(-1, 3)), max_size=40),
    st.randoms(use_true_random=False),
)
def test_rows_in_order_of_codes_stay_as_they_were_where_codes_are_equal(codes, random):
    rows = random.sample(range(len(codes)), len(codes))
    columns = np.array(codes, np.int64).reshape(-1, 2).T

    last = [tuple(2**32 if code < 0 else code for code in pair) for pair in codes]
    assert in_order(np.array(rows, np.int64), *columns).tolist() == sorted(rows, key=lambda row: last[row])
