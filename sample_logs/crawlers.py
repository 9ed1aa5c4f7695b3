"""Crawlers and robots.txt: who reads it, who keeps it, who cannot."""

from dataclasses import replace
from random import Random

from actors import CHROME, Actor, Cast, Hits, some
from shop import ARCHIVE, CART, CHANGE, JOURNAL, OPEN, PRODUCTS, REVIEWS, SEARCH, clock, etag, robots_at

CAST = Cast()


@CAST.enter(
    "MojeekBot",
    "Mozilla/5.0 (compatible; MojeekBot/0.11; +https://www.mojeek.com/bot.html)",
    "192.0.2.10",
    "192.0.2.11",
)
def polite(me: Actor, chance: Random) -> Hits:
    """Reads robots.txt daily and right after it changed, keeps it, pauses ten seconds, asks before it loads again."""
    second, copies = me.addresses[1], set()
    for day in (1, 2, 3):
        seen = {"status": 304, "if_none_match": etag(robots_at(clock(day, "00:30")))} if day == 3 else {}
        yield me.robots_txt(clock(day, "00:30"), **seen)
        yield me.hit(clock(day, "00:30:05"), "/sitemap.xml", took=0.003)
        yield from me.walk(chance, clock(day, "00:31"), some(chance, OPEN, 60), 10, copies)
    yield from me.walk(chance, clock(2, "08:00"), some(chance, REVIEWS, 30), 10, copies, address=second)
    yield me.robots_txt(CHANGE + 120, address=second)
    yield from me.walk(chance, clock(2, "11:00"), some(chance, JOURNAL, 20), 10, copies, address=second)


@CAST.enter(
    "Googlebot",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    *(f"192.0.2.{n}" for n in range(20, 24)),
)
def cached_copy(me: Actor, chance: Random) -> Hits:
    """Reads robots.txt about once a day and keeps the copy it has.

    After the change it still visits the reviews until its next read the morning after, as RFC 9309 section 2.4 lets it.
    """
    for day, time in ((1, "06:10"), (2, "06:00"), (3, "05:30")):
        yield me.robots_txt(clock(day, time))
        yield me.hit(clock(day, time) + 10, "/sitemap.xml", took=0.003)
    copies: set[str] = set()
    for day, time in ((1, "07:00"), (2, "07:00"), (2, "16:00"), (3, "07:00")):
        round_trip = me.walk(chance, clock(day, time), some(chance, OPEN, 88), 11, copies)
        for n, hit in enumerate(round_trip):  # its addresses take turns
            yield replace(hit, address=me.addresses[n % len(me.addresses)])
    yield from me.walk(chance, clock(1, "12:00"), some(chance, REVIEWS, 20), 30, copies)
    yield from me.walk(chance, clock(2, "12:00"), some(chance, REVIEWS, 24), 30, copies, robots="grace")


@CAST.enter(
    "GPTBot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    "192.0.2.30",
    "192.0.2.31",
)
def stops_when_told(me: Actor, chance: Random) -> Hits:
    """Reads robots.txt twice a day. The new version closes the whole site to it; it stops at its next read."""
    for day, time in ((1, "02:00"), (1, "14:00"), (2, "01:30"), (2, "16:00"), (3, "03:30"), (3, "15:00")):
        yield me.robots_txt(clock(day, time), address=me.addresses[1])
    pages = chance.sample(OPEN, 175)  # each once
    for n, (day, time) in enumerate(((1, "02:10"), (1, "15:00"), (2, "02:00"))):
        yield from me.walk(chance, clock(day, time), pages[45 * n : 45 * n + 45], 6)
    yield from me.walk(chance, clock(2, "10:30"), pages[135:], 6, robots="grace")


@CAST.enter(
    "HarvestBot", "HarvestBot/1.2 (+https://harvest.example/bot)", "203.0.113.30", "203.0.113.31", "203.0.113.32"
)
def never_reads(me: Actor, chance: Random) -> Hits:
    """Never reads robots.txt and takes what it finds.

    The searches were always closed; the reviews are in their day of grace until 3 November 10:00, closed from then on.
    """
    for day, address in zip((1, 2, 3), me.addresses, strict=True):
        yield from me.walk(chance, clock(day, "09:00"), some(chance, PRODUCTS, 60), 3, address=address)
        yield from me.walk(
            chance, clock(day, "13:00"), some(chance, SEARCH, 40), 3, address=address, robots="violation"
        )
    for day, time, earned in ((1, "20:00", "allowed"), (2, "20:00", "grace"), (3, "20:00", "violation")):
        yield from me.walk(chance, clock(day, time), some(chance, REVIEWS, 20), 3, robots=earned)


@CAST.enter(
    "RoamerBot",
    "Mozilla/5.0 (compatible; RoamerBot/3.1; +https://roamer.example/bot.html)",
    "203.0.113.40",
    "2001:db8:40::7",
)
def reads_and_violates(me: Actor, chance: Random) -> Hits:
    """Reads robots.txt every night and fills the cart all the same, which every version forbids."""
    for day in (1, 2, 3):
        yield me.robots_txt(clock(day, "03:00"))
        yield from me.walk(chance, clock(day, "03:01"), some(chance, PRODUCTS, 50), 4)
        yield from me.walk(
            chance, clock(day, "05:00"), some(chance, CART, 25), 4, robots="violation", address=me.addresses[1]
        )


@CAST.enter("ShutoutBot", "ShutoutBot/0.4 (crawl@shutout.example)", "203.0.113.45")
def shut_out(me: Actor, chance: Random) -> Hits:
    """Is answered 403 for robots.txt by our own server while others get it: what it then asks for cannot be judged."""
    yield me.robots_txt(clock(3, "08:00"), status=403)
    yield from me.walk(chance, clock(3, "08:01"), some(chance, PRODUCTS, 30), 5, robots="unjudged")


@CAST.enter("MaskBot", "MaskBot/0.9 (+https://mask.example/about)", "203.0.113.77", disguised=True)
def puts_on_a_mask(me: Actor, chance: Random) -> Hits:
    """Is refused by name (403) and comes back from the same address as a browser that loads no images.

    That is forty seconds later, and for the pages that it was refused, which nobody else asks for.
    """
    wanted = some(chance, ARCHIVE, 60)
    yield me.robots_txt(clock(2, "19:00"))
    yield from me.walk(chance, clock(2, "19:01"), some(chance, ARCHIVE, 30), 4)
    yield from me.walk(chance, clock(2, "20:00"), wanted[:5], 4, status=403)
    masked = {"client": "browser", "user_agent": CHROME, "robots": "exempt"}
    yield from me.walk(chance, clock(2, "20:01"), wanted, 4, **masked)
