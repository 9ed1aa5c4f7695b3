"""Crawlers and 429: who waits, who slows, who goes on."""

from random import Random

from actors import Actor, Cast, Hits, refused, some
from shop import PRODUCTS, clock, spread

CAST = Cast()
STEADY = "192.0.2.60"
PATIENT = [clock(2, time) for time in ("01:00", "04:00", "08:30", "12:45", "17:00")]
PATIENT += [clock(3, time) for time in ("01:00", "06:00", "13:00")]


@CAST.enter(
    "PatientBot",
    "PatientBot/2.2 (+https://patient.example/bot)",
    "192.0.2.40",
    verdicts={"192.0.2.40": {"honoured": len(PATIENT) + 1, "unobserved": 1}},
)
def honours(me: Actor, chance: Random) -> Hits:
    """Waits out every Retry-After, in seconds or as a date, then asks for the same page again.

    The last wait is still running when the log ends.
    """
    for day in (1, 2, 3):
        yield me.robots_txt(clock(day, "00:10"))
    for start in PATIENT:
        yield from me.walk(chance, start, some(chance, PRODUCTS, 15), 3)
        # On its second connection a page was still on its way when the refusal went out.
        yield me.hit(start + 59.6, chance.choice(PRODUCTS), took=0.9)
        yield refused(me, start + 60, target := chance.choice(PRODUCTS), "30")
        back = start + 60 + spread(chance, 31, 36)
        yield from me.walk(chance, back, [target, *some(chance, PRODUCTS, 5)], 4)
    dated = clock(3, "18:00")
    yield from me.walk(chance, dated - 40, some(chance, PRODUCTS, 10), 3)
    yield refused(me, dated, target := chance.choice(PRODUCTS), "Tue, 03 Nov 2026 18:00:45 GMT")
    yield from me.walk(chance, dated + 47, [target, *some(chance, PRODUCTS, 5)], 4)
    yield from me.walk(chance, clock(3, "23:59:10"), some(chance, PRODUCTS, 10), 3)
    yield refused(me, clock(3, "23:59:45"), chance.choice(PRODUCTS), "30")


@CAST.enter(
    "HastyBot",
    "Mozilla/5.0 (compatible; HastyBot/1.4; +https://hasty.example/)",
    "203.0.113.50",
    verdicts={"203.0.113.50": {"ignored": 2, "escalated": 1}},
)
def hammers(me: Actor, chance: Random) -> Hits:
    """Reads and keeps robots.txt, but goes on through 429: twice at the pace it had, once six times as fast."""
    scenes = ((2, "11:00", 1, 1, 40), (2, "18:00", 2, 1 / 3, 90), (3, "11:00", 1, 1, 40))
    for day, time, pause, pause_refused, n in scenes:
        start = clock(day, time)
        yield me.robots_txt(start - 300)
        for k in range(int(90 / pause)):
            yield me.hit(start - 90 + k * pause, chance.choice(PRODUCTS), took=0.02)
        for k in range(n):
            yield refused(me, round(start + k * pause_refused, 3), chance.choice(PRODUCTS), "60")


@CAST.enter("SteadyBot", "SteadyBot/1.0 (bots@steady.example)", STEADY, verdicts={STEADY: {"slowed": 3}})
def slows(me: Actor, chance: Random) -> Hits:
    """Does not wait as long as asked, but comes six times slower.

    On the first day, whose format holds no Retry-After, each of its pauses is longer than the one before.
    """
    for day in (1, 2, 3):
        start = clock(day, "15:00")
        yield me.robots_txt(start - 600)
        for k in range(90):
            yield me.hit(start - 90 + k, chance.choice(PRODUCTS), took=0.02)
    first = clock(1, "15:00")
    for wait in (0, 2, 5, 11, 23, 47):  # gaps of 2, 3, 6, 12 and 24 s
        yield me.hit(first + wait, PRODUCTS[7], status=429)
    for start in (clock(2, "15:00"), clock(3, "15:00")):
        yield refused(me, start, chance.choice(PRODUCTS), "30")
        for k in range(1, 12):
            yield me.hit(start + 6 * k, chance.choice(PRODUCTS), took=0.02)


@CAST.enter("TimidBot", "TimidBot/0.3 (+https://timid.example/)", "192.0.2.70", verdicts={"192.0.2.70": {"gave_up": 1}})
def gives_up(me: Actor, chance: Random) -> Hits:
    """Is refused once and does not come back."""
    yield me.robots_txt(clock(2, "13:50"))
    yield from me.walk(chance, clock(2, "13:57"), some(chance, PRODUCTS, 40), 4)
    yield refused(me, clock(2, "14:00"), chance.choice(PRODUCTS), "120")
