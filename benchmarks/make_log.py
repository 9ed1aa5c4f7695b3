"""Write the benchmark log: nginx combined, the same bytes for the same arguments.

    python benchmarks/make_log.py LOG [--lines 1000000] [--seed 1]

Shape: 300 user agents (40 of them declared crawlers and libraries that send 60 % of the traffic), about 60,000
request targets and 25,000 addresses, seven days, Zipf-like popularity, 429s for the hastiest client, 304s, a few
lines that are not HTTP. One line in 10,000 holds an escaped quote, as a real nginx or Apache writes it.
"""

import argparse
from pathlib import Path

import numpy as np

START = 1_793_491_200  # 2026-11-01T00:00:00Z
SECONDS = 7 * 86_400
STATUS = np.array([b"200", b"304", b"404", b"301", b"500"])
CRAWLERS = [
    ("Googlebot/2.1", "http://www.google.com/bot.html"),
    ("bingbot/2.0", "http://www.bing.com/bingbot.htm"),
    ("GPTBot/1.2", "https://openai.com/gptbot"),
    ("ClaudeBot/1.0", "claudebot@anthropic.com"),
    ("AhrefsBot/7.0", "http://ahrefs.com/robot/"),
    ("SemrushBot/7~bl", "http://www.semrush.com/bot.html"),
    ("Amazonbot/0.1", "https://developer.amazon.com/support/amazonbot"),
    ("PetalBot", "https://webmaster.petalsearch.com/site/petalbot"),
]


def user_agents() -> list[str]:
    """The 300 user agents, declared automated clients first."""
    crawlers = [f"Mozilla/5.0 (compatible; {name}; +{url})" for name, url in CRAWLERS]
    made_up = [f"Example{chr(65 + n)}bot/1.{n} (+https://bot{n}.example/)" for n in range(22)]
    libraries = ["python-requests/2.32.3", "curl/8.5.0", "Go-http-client/2.0", "Scrapy/2.11 (+https://scrapy.org)", "-"]
    libraries += [f"okhttp/4.{n}.0" for n in range(5)]
    automated = crawlers + made_up + libraries
    system = ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64")
    browsers = [
        f"Mozilla/5.0 ({system[n % 3]}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{100 + n}.0.0.0 Safari/537.36"
        for n in range(300 - len(automated))
    ]
    return automated + browsers


def targets() -> list[str]:
    """60,000 targets: pages, assets, searches with a query, /robots.txt."""
    pages = [f"/articles/{n % 97}/{n:05d}-a-title-of-usual-length.html" for n in range(30_000)]
    assets = [f"/static/{n % 13}/asset-{n:05d}.{('css', 'js', 'png', 'webp')[n % 4]}" for n in range(15_000)]
    searches = [f"/search?q=term+{n}&page={n % 9}" for n in range(14_999)]
    return ["/robots.txt", *pages, *assets, *searches]


def _popular(random: np.random.Generator, size: int, n: int, skew: float) -> np.ndarray:
    """Indexes below `size`, the low ones more often."""
    return np.minimum((size * random.random(n) ** skew).astype(np.int64), size - 1)


def lines(n: int, seed: int) -> list[bytes]:
    """`n` log lines in time order."""
    random = np.random.default_rng(seed)
    agents = [agent.encode() for agent in user_agents()]
    paths = [path.encode() for path in targets()]
    address = [f"198.{18 + (i >> 14 & 1)}.{i >> 8 & 63}.{i & 255}".encode() for i in range(25_000)]
    times = START + np.sort(random.integers(0, SECONDS, n))
    automated = random.random(n) < 0.6
    agent = np.where(automated, _popular(random, 40, n, 2.0), 40 + _popular(random, 260, n, 1.5))
    # A crawler comes from four addresses of its own, a browser from any of the rest.
    ip = np.where(automated, agent * 4 + random.integers(0, 4, n), 160 + _popular(random, 24_840, n, 1.3))
    path = _popular(random, len(paths), n, 1.6)
    path[random.random(n) < 0.001] = 0
    status = STATUS[random.choice(5, n, p=[0.8, 0.135, 0.04, 0.02, 0.005])]
    status[(agent == 5) & (random.random(n) < 0.08)] = b"429"
    size = np.where(status == b"304", 0, (random.lognormal(9, 1, n)).astype(np.int64))
    stamp = [np.datetime64(int(s), "s").item().strftime("%d/%b/%Y:%H:%M:%S +0000").encode() for s in np.unique(times)]
    when = np.unique(times, return_inverse=True)[1]
    out = []
    for k in range(n):
        ua, request = agents[agent[k]], b"GET " + paths[path[k]] + b" HTTP/1.1"
        if k % 10_000 == 9_999:
            request = b"GET /search?q=\\x22quoted\\x22 HTTP/1.1"
        if k % 75_000 == 74_999:
            request = b"\\x16\\x03\\x01\\x00\\xEE\\x01"
        out.append(
            b'%b - - [%b] "%b" %b %d "-" "%b"\n' % (address[ip[k]], stamp[when[k]], request, status[k], size[k], ua)
        )
    return out


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.log.write_bytes(b"".join(lines(args.lines, args.seed)))


if __name__ == "__main__":
    main()
