"""Steps side by side: the same results, errors that are told, and an engine that knows the same in every thread."""

import threading

import pyarrow as pa
import pytest

from loganalyzer.analysis.lanes import Lanes
from loganalyzer.engine.local import LocalBackend
from loganalyzer.held import Rows, Shelf

NUMBERS = pa.table({"n": pa.array([1, 2, 3], pa.int64())})


def test_two_lanes_run_side_by_side():
    both = threading.Barrier(2, timeout=20)
    with Lanes(2) as lanes:
        waiting = [lanes.start(both.wait) for _ in range(2)]

        assert sorted(wait() for wait in waiting) == [0, 1]


def test_one_lane_runs_at_once_and_in_the_thread_that_asked():
    with Lanes(1) as lanes:
        assert lanes.start(threading.get_ident)() == threading.get_ident()


@pytest.mark.parametrize("lanes", [1, 2])
def test_an_error_of_a_step_is_raised(lanes):
    with pytest.raises(ZeroDivisionError), Lanes(lanes) as some:
        some.start(lambda: 1 / 0)()


def test_what_has_not_begun_when_a_step_fails_never_begins():
    begun, go = [], threading.Event()

    def run():
        with Lanes(2) as lanes:
            failed = lanes.start(lambda: 1 / 0)
            for _ in range(2):
                lanes.start(lambda: go.wait(20))
            lanes.start(lambda: begun.append(1))
            threading.Timer(0.2, go.set).start()
            failed()

    with pytest.raises(ZeroDivisionError):
        run()
    assert begun == []


@pytest.mark.parametrize("spilled", [False, True])
def test_every_thread_knows_what_any_has_registered(spilled):
    shelf = Shelf(1) if spilled else Shelf()
    rows = Rows(NUMBERS.schema, [shelf.add(NUMBERS)])
    shelf.spilling = spilled
    pieces = Rows(NUMBERS.schema, [*rows.pieces, shelf.derived(NUMBERS)])
    backend = LocalBackend(folder=shelf.folder)
    with Lanes(2) as lanes:
        lanes.start(lambda: backend.register("number", pieces))()
        both = threading.Barrier(2, timeout=20)

        def total():
            both.wait()
            return backend.to_arrow(backend.sql("SELECT CAST(sum(n) AS BIGINT) AS n FROM number"))["n"].to_pylist()

        found = [lanes.start(total) for _ in range(2)]
        assert [one() for one in found] == [[12], [12]]

    backend.register("number", NUMBERS)
    assert backend.to_arrow(backend.sql("SELECT count(*) AS n FROM number"))["n"].to_pylist() == [3]
