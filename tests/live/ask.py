"""A client written with requests or urllib3, as many are: what it asks for, how fast, and whether it heeds a 429."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import requests
import urllib3
from requests.adapters import HTTPAdapter


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=["requests", "urllib3"])
    parser.add_argument("urls", nargs="+")
    parser.add_argument("--source", required=True)
    parser.add_argument("--agent", help="else the library's own")
    parser.add_argument("--every", type=float, default=0.0, help="seconds between two requests")
    parser.add_argument("--times", type=int, default=1, help="all of it so often")
    parser.add_argument("--heed", action="store_true", help="wait as Retry-After says, and try again")
    parser.add_argument("--workers", type=int, default=1)
    return parser.parse_args()


def with_requests(asked):
    session = requests.Session()
    adapter = HTTPAdapter()
    adapter.init_poolmanager(1, 1, source_address=(asked.source, 0))
    session.mount("http://", adapter)
    if asked.agent:
        session.headers["User-Agent"] = asked.agent
    return lambda url: session.get(url, timeout=20)


def with_urllib3(asked):
    retries = urllib3.Retry(20, status_forcelist=[429], respect_retry_after_header=True) if asked.heed else False
    headers = {"User-Agent": asked.agent} if asked.agent else {}
    pool = urllib3.PoolManager(
        source_address=(asked.source, 0), headers=headers, retries=retries, maxsize=asked.workers, timeout=20
    )
    return lambda url: pool.request("GET", url)


def work(asked, number):
    """The part of one worker, who starts a bit after the one before."""
    get = {"requests": with_requests, "urllib3": with_urllib3}[asked.library](asked)
    time.sleep(0.75 * number)
    for url in asked.urls[number :: asked.workers] * asked.times:
        get(url)
        time.sleep(asked.every)


if __name__ == "__main__":
    asked = arguments()
    with ThreadPoolExecutor(asked.workers) as pool:
        list(pool.map(lambda number: work(asked, number), range(asked.workers)))
