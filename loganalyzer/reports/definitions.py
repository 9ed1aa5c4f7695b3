"""What each word of a verdict means, once for the reports and the dashboard; the thresholds stand in the document."""

# Words -> sentences, in the order in which a reader meets them.
ROBOTS = {
    "kept": "no request of the client was forbidden by the robots.txt that bound it",
    "violated": (
        "forbidden by the version that the client had last read (at most 24 h before), and by the one in force; where"
        " no reading is in the log, by every version in force in the 24 h before the request (RFC 9309, section 2.4)"
    ),
    "grace": "forbidden now, but not by the copy that the client may still have held",
    "came anyway": "a fetcher that follows people's requests, whose own token is disallowed: no breach of RFC 9309",
    "not bound": "follows a person's or the operator's own request, or is documented not to be bound by the star group",
    "not judged": "the log or the robots.txt does not say enough: the reason is given with the numbers",
    "only read it": "it asked for /robots.txt and for nothing else that could be judged",
    "not given it": "the server answered its requests for /robots.txt with errors, so that it could not read it",
    "asked for it": "it asked for /robots.txt and got what neither gives nor refuses it: a redirect, or 404 for none",
    "never read": "no request for /robots.txt by this client is in the log",
    "probably read": (
        "the same address read /robots.txt at most 60 s before under a library's default user agent: a sign, no proof"
    ),
    "never noticed": "after a change of robots.txt it went on with what is forbidden now, past its grace",
    "left": "after a change of robots.txt it asked for nothing more at all, so that nothing can be said of it",
}
REFUSAL = {
    "refusal": "an answer 429, a 503 with Retry-After, or a 503 of the request limiter",
    "asked wait": "Retry-After as sent; where it is not logged, an assumption that is marked with a question mark",
    "early": "a request begun inside an asked wait, whatever its answer; /robots.txt is never early",
    "honoured": "nothing came early",
    "slowed": "some came early, at no more than half the pace of before",
    "ignored": "requests came early, at more than half the pace of before, or at a pace that could not be compared",
    "escalated": "at least five requests came early, at 1.5 times the pace of before or more",
    "gave up": "nothing more came for a long time after the wait",
    "unobserved": "the log ends before the wait does",
    "too few": "fewer than three waits: too few to say",
}
PACE = {
    "peak in 1 s, 60 s": "the largest number of requests begun in any window of that length, wherever it starts",
    "pace while active": "requests after the first, by the time from the first to the last",
    "burst": "the longest run of requests with no gap above one second",
    "at once": "the most requests open at the same time; an upper bound where the log has whole seconds",
}
IDENTITY = {
    "claims to be": "the name stands in the user agent, which anybody can write; only verification says more",
    "suspected": (
        "a browser's user agent at one address that shows several signs of a program: it read robots.txt, took none of"
        " the pages' assets, named no page that it came from, kept equal gaps, or was faster than people are"
    ),
    "client": "a product token with all its addresses; browsers are one client, those that name nothing another",
}
# Why requests are not bound or not judged: the reason's name in the document, and what it says.
REASONS = {
    "kind:browser": "of a browser: people are not bound by it",
    "kind:feed-reader": "of a feed reader: it fetches what a person subscribed to",
    "kind:monitor": "of a monitor: its owner ordered the checks",
    "kind:preview": "of a link preview: it follows a person's post",
    "kind:user-triggered": "of a fetcher that follows people's requests",
    "star-does-not-bind": "of a client whose operator documents that the star group does not bind it",
    "no-token": "without a name that robots.txt could address",
    "no-robots": "with no robots.txt given for that host and time",
    "scope": "to a host, scheme or port that is not known",
    "no-path": "without a path",
    "no-time": "without a time",
    "unreachable": "while our server could not give robots.txt",
    "refused": "while our server refused it robots.txt",
}
# Verdicts of etiquette are told apart by word and shape; colour only repeats them.
SHAPES = {"pass": "●", "partly": "◐", "fail": "✕", "not observable": "–"}
DEFINITIONS = {"Clients": IDENTITY, "robots.txt": ROBOTS, "After 429": REFUSAL, "Pace": PACE}
