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
