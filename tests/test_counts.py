"""What is counted of a period in a moment: the numbers that its analysis gives later."""

import pytest
from dashboards import LOGS

import loganalyzer as la
from loganalyzer.analysis.counts import counted
from loganalyzer.store import within
from loganalyzer.store.loading import Window


@pytest.fixture(scope="module")
def whole():
    return la.analyse(la.read(LOGS))


@pytest.mark.parametrize(
    "period",
    [
        (None, None),
        ("2026-11-02", None),
        (None, "2026-11-03T06:00"),
        ("2026-11-02T10:00", "2026-11-02T11:30"),
        ("2026-11-02T10:00:00", "2026-11-02T10:00:01"),
    ],
)
def test_counts_of_a_period_are_those_of_its_analysis(whole, period):
    part = within(whole.log, *period)
    counts = counted(whole, Window.of(*period))

    rows = la.analyse(part).to_dict()["clients"] if part.request_rows.num_rows else []
    wanted = {row["client"]: (row["requests"], row["bytes"], row["backoff"]["refusals"]) for row in rows}
    assert {count.client: (count.requests, count.bytes, count.refused) for count in counts} == wanted
    assert [count.requests for count in counts] == sorted((count.requests for count in counts), reverse=True)


def test_nothing_is_counted_where_nothing_was(whole):
    assert counted(whole, Window.of("2030-01-01", None)) == ()
