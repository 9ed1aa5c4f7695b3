"""Time rates and reactions to 429 where they are hardest: one client with millions of requests, refused all the while.

    python benchmarks/pace.py [--requests 5000000] [--refusals 100000]

Prints a table of processor seconds for each timeline and kernel. Nothing is read from a log: the kernels get their
columns, so that they alone are timed.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from loganalyzer import backoff, rates

MONTH_US = 30 * 86_400 * 1_000_000
ADDRESSES, TARGETS, WAIT_US = 200, 5_000, 30_000_000
# Which of n requests are refused, k of them; and whether the wait is stated.
TIMELINES: dict[str, tuple[Callable[[np.random.Generator, int, int], np.ndarray], bool]] = {
    "here and there": (lambda random, n, k: random.choice(n, k, replace=False), True),
    "in one go": (lambda _, n, k: np.arange(n // 2, n // 2 + k), True),
    "every so often, one episode": (lambda _, n, k: np.arange(0, n, n // k), True),
    "every so often, no wait stated": (lambda _, n, k: np.arange(0, n, n // k), False),
}


def columns(name: str, requests: int, refusals: int) -> pa.Table:
    """The kernels' table of one timeline; the same in every run."""
    chosen, stated = TIMELINES[name]
    random = np.random.default_rng(1)
    t = np.sort(random.integers(0, MONTH_US, requests))
    refused = np.zeros(requests, dtype=bool)
    refused[chosen(random, requests, refusals)] = True
    row = np.arange(requests)
    return pa.table(
        {
            "id": row,
            "client": np.zeros(requests, dtype=np.int32),
            "address": (row % ADDRESSES).astype(np.int32),
            "t": t,
            "end_us": t + 20_000,
            "request_time_us": np.full(requests, 20_000),
            "asked_us": pa.array(np.full(requests, WAIT_US), mask=~(refused & stated)),
            "refusal": refused,
            "robots": np.zeros(requests, dtype=bool),
            "target": (row % TARGETS).astype(np.int32),
        }
    )


KERNELS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "rates": lambda table: rates.measure(table),
    "by address": lambda table: backoff.kernel(table, "address", 0, MONTH_US),
    "by token": lambda table: backoff.kernel(table, "token", 0, MONTH_US),
    "sensitivity": lambda table: backoff.sensitivity(table, "token", 0, MONTH_US),
}


def seconds(kernel: str, table: pa.Table) -> float:
    """Processor seconds of one kernel."""
    began = time.process_time()
    KERNELS[kernel](table)
    return time.process_time() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=5_000_000)
    parser.add_argument("--refusals", type=int, default=100_000)
    given = parser.parse_args()
    print(f"| {given.requests:,} requests, {given.refusals:,} refused | {' | '.join(KERNELS)} | all |")
    print(f"| --- |{' --: |' * (len(KERNELS) + 1)}")
    for name in TIMELINES:
        table = columns(name, given.requests, given.refusals)
        took = [seconds(kernel, table) for kernel in KERNELS]
        print(f"| {name} | {' | '.join(f'{value:.1f}' for value in (*took, sum(took)))} |", flush=True)


if __name__ == "__main__":
    main()
