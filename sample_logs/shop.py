"""The made-up shop: its pages, its robots.txt over time, and one request as its server saw it."""

from dataclasses import dataclass
from random import Random
from zlib import crc32

HOST = "www.shop.example"
START = 1_793_491_200  # 2026-11-01T00:00:00Z
DAY = 86_400

PRODUCTS = [f"/products/{n:03d}" for n in range(1, 161)]
JOURNAL = [f"/journal/2026/{n:02d}-from-the-workshop" for n in range(1, 25)]
REVIEWS = [f"/reviews/{n:03d}" for n in range(1, 81)]  # closed to robots from the second version on
SEARCH = [
    f"/search?q={word}&page={n}" for word in ("lamp", "table", "oak+chair", "%C3%A9tag%C3%A8re") for n in range(1, 9)
]
CART = [f"/cart?add={n:03d}" for n in range(1, 41)]
ARCHIVE = [f"/archive/{year}/{n:02d}" for year in range(1998, 2020) for n in range(1, 13)]  # where nobody goes
OPEN = ["/", *PRODUCTS, *JOURNAL]
ASSETS = ["/static/site.css", "/static/site.js", "/static/logo.svg", "/favicon.ico"]

RULES = """\
User-agent: *
Crawl-delay: 2
Disallow: /admin/
Disallow: /cart
Disallow: /search
"""
SITEMAP = f"\nSitemap: https://{HOST}/sitemap.xml\n"
ROBOTS = {
    "20261001T0000Z": "# Until 2 November: the cart and the search are closed.\n" + RULES + SITEMAP,
    "20261102T1000Z": "# Since 2 November: the reviews too, and GPTBot altogether.\n"
    + RULES
    + "Disallow: /reviews/\n\nUser-agent: GPTBot\nDisallow: /\n"
    + SITEMAP,
}
CHANGE = START + DAY + 10 * 3600  # when the second version came into force


def clock(day: int, time: str) -> float:
    """Epoch seconds of `HH:MM` or `HH:MM:SS` on the given day of November 2026, UTC."""
    hours, minutes, seconds = (*(int(part) for part in time.split(":")), 0)[:3]
    return START + (day - 1) * DAY + hours * 3600 + minutes * 60 + seconds


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One request and its answer. `start` and `took` are seconds; `robots` is the class its actor was told to earn."""

    client: str
    address: str
    user_agent: str | None
    start: float
    target: str = "/"
    method: str = "GET"
    protocol: str = "HTTP/1.1"
    request: str | None = None  # the bytes sent where they were no HTTP at all, in nginx's escaping
    status: int = 200
    took: float = 0.0
    referer: str | None = None
    accept: str | None = None
    if_none_match: str | None = None
    retry_after: str | None = None
    robots: str = "allowed"

    @property
    def end(self) -> float:
        """When the answer was sent, which is when nginx writes its line; whole milliseconds."""
        return round(self.start + self.took, 3)

    @property
    def bytes(self) -> int:
        """Length of the body: by the page for a 200, by the server's own error pages else."""
        if self.method == "HEAD" or self.status == 304:
            return 0
        if self.status == 200:
            return len(robots_at(self.end)) if self.target == "/robots.txt" else size(self.target)
        return {301: 178, 400: 166, 403: 153, 404: 146, 429: 162}[self.status]

    @property
    def limiter(self) -> str | None:
        """What `limit_req` did; files under /static/ are served outside it, and so is what is no request."""
        if self.request is not None or self.target.startswith("/static/"):
            return None
        return "REJECTED" if self.status == 429 else "PASSED"


def robots_at(instant: float) -> str:
    """The robots.txt in force at that instant."""
    first, second = ROBOTS.values()
    return second if instant >= CHANGE else first


def size(target: str) -> int:
    """Bytes of a page, the same whenever it is asked for."""
    noise = crc32(target.encode())
    if target.startswith("/static/") or target == "/favicon.ico":
        return 900 + noise % 24_000
    return 4_000 + noise % 40_000


def spread(chance: Random, low: float, high: float) -> float:
    """A duration between two bounds, in whole milliseconds."""
    return round(low + (high - low) * chance.random(), 3)


def etag(content: str) -> str:
    """An entity tag as nginx makes them, in quotes."""
    return f'"{size(content):x}-{len(content):x}"'
