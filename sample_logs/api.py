"""Who calls the shop's API: machines only, on the third day."""

from random import Random

from actors import Actor, Cast, Hits, refused
from shop import clock, spread

ITEMS = [f"/v1/stock/{n:03d}" for n in range(1, 61)]
SYNC = "192.0.2.90"
CAST = Cast()
# No robots.txt is given for the API, so nothing that a machine does there can be judged by one.
API = {"robots": "unjudged"}


@CAST.enter("StockSync", "StockSync/2.1 (+https://stocksync.example/)", SYNC, verdicts={SYNC: {"honoured": 6}}, **API)
def synchronises(me: Actor, chance: Random) -> Hits:
    """Fetches the stock every four hours, is told to wait ten seconds half-way, and waits."""
    for hour in range(0, 24, 4):
        start = clock(3, f"{hour:02d}:20")
        yield from me.walk(chance, start, ITEMS[:25], 1)
        yield refused(me, start + 40, ITEMS[25], "10")
        yield from me.walk(chance, start + 40 + spread(chance, 11, 14), ITEMS[25:50], 1)


@CAST.enter("python-requests", "python-requests/2.32.3", "192.0.2.91", **API)
def polls(me: Actor, chance: Random) -> Hits:
    """Asks for one item every quarter of an hour."""
    for n in range(96):
        yield me.hit(clock(3, "00:07") + 900 * n, ITEMS[3], took=spread(chance, 0.01, 0.05))


@CAST.enter("okhttp", "okhttp/4.12.0", "2001:db8:a::5", **API)
def nameless_app(me: Actor, chance: Random) -> Hits:
    """Is an application that names only the library it was built with."""
    for n in range(30):
        yield me.hit(clock(3, "08:00") + 600 * n, chance.choice(ITEMS), protocol="HTTP/2.0", took=0.03)


@CAST.enter("undeclared", None, "203.0.113.91", **API)
def stranger(me: Actor, chance: Random) -> Hits:
    """Sends no user agent, and a target with quotation marks in it."""
    yield me.hit(clock(3, "09:30"), '/v1/stock/"1"', status=404)
