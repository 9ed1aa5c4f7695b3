"""The benchmark compares like with like: each shape of its log holds the same requests, and all are read."""

from pathlib import Path

import pytest

from loganalyzer.formats import read

COLUMNS = ["client_ip", "method", "target", "protocol", "status", "bytes", "user_agent"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
        import make_log
        import shapes
    folder = tmp_path_factory.mktemp("shapes")
    log = folder / "log.log"
    log.write_bytes(b"".join(make_log.lines(20_000, seed=3)))
    return log, shapes.write(log, folder), shapes.SHAPES


def test_every_shape_of_the_benchmark_log_holds_the_same_requests(written):
    log, paths, shapes = written
    plain = read([log]).requests.select(COLUMNS).to_pylist()

    assert len(plain) == 20_000
    for name, path in paths.items():
        found = read([path], shapes[name].directive if name in shapes else None)
        assert not found.rejects.num_rows, name
        assert found.requests.select(COLUMNS).to_pylist() == plain, name


@pytest.fixture
def pace():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
        import pace
    return pace


def test_every_timeline_of_the_pace_benchmark_is_one_client_refused_so_often(pace):
    for name in pace.TIMELINES:
        table = pace.columns(name, 4_000, 100)

        assert pace.KERNELS["rates"](table)["requests"].to_pylist() == [4_000], name
        assert sum(pace.KERNELS["by token"](table)["refusals"].to_pylist()) == 100, name
        assert sum(pace.KERNELS["by address"](table)["refusals"].to_pylist()) == 100, name


def test_work_grows_with_the_requests_and_not_with_their_square(pace):
    """Eight times the requests: at most sixteen times the work, noise and all, where the square would be 64."""
    for name in pace.TIMELINES:
        few, many = (pace.columns(name, requests, requests // 50) for requests in (50_000, 400_000))
        for kernel in pace.KERNELS:
            short, long = (min(pace.seconds(kernel, table) for _ in range(3)) for table in (few, many))
            assert long <= 16 * max(short, 0.002), (name, kernel)
