"""The clients of the live test: what each was told to do, and what the report must say of it.

To add one, declare one `Visitor`: the tests and the table of docs/definitions.md follow.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from live.site import LIMITED, name

HERE = Path(__file__).parent
FREE = "127.0.2."
MANY = 0  # of requests: five or more
WGET = ("wget", "--quiet", "--bind-address={address}", "--tries=1", "--recursive", "--no-parent", "{site}/")
CURL = ("curl", "--silent", "--interface", "{address}")
AWAY = ("--output", "{folder}/page")  # with /dev/null, --retry ends at the first refusal: it cannot be cut
SCRAPY = (
    sys.executable, "-m", "scrapy", "runspider", str(HERE / "spider.py"), "-s", "DOWNLOAD_BIND_ADDRESS={address}",
    "-s", "TELNETCONSOLE_ENABLED=0", "-s", "LOG_LEVEL=CRITICAL", "-s", "CLOSESPIDER_TIMEOUT=20", "-a",
)  # fmt: skip
CHROMIUM = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir={folder}",
    "--disable-background-networking", "--no-first-run", "--dump-dom",
)  # fmt: skip
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
FETCHER = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot"
LIVEBOT = "Mozilla/5.0 (compatible; LiveBot/1.2; +https://livebot.example/about)"
PRIVATE, TRAP, NINE = "Disallow: /private/", "Disallow: /trap/", "Disallow: /pages/09"


def curl(agent, *arguments):
    return (*CURL, *AWAY, "--user-agent", agent, *arguments)


def scrapy(start, **settings):
    return (*SCRAPY, "site={site}" + start, *(part for pair in settings.items() for part in ("-s", "=".join(pair))))


def ask(library, *arguments):
    return (sys.executable, str(HERE / "ask.py"), library, "--source", "{address}", *arguments)


def pages(*numbers):
    return tuple("{site}" + name(number) for number in numbers)


def items(folder, count):
    return tuple(f"{{site}}/items/{folder}/{n}.html" for n in range(1, count + 1))


@dataclass(frozen=True)
class Visitor:
    """One real client."""

    token: str  # as the report names it
    told: str
    commands: tuple[tuple[str, ...], ...]  # one after the other; {site}, {address} and {folder} are filled in
    rows: dict[str, str]  # verdicts of etiquette, by row
    kind: str | None = None
    limited: bool = False  # meets the limit
    reads: bool = False  # robots.txt
    robots: str = "allowed"  # the class of what is no violation
    rules: dict[str, int] = field(default_factory=dict)  # that it went against, and in how many requests
    worst: tuple[str, ...] = (None,)  # its worst verdict after 429, one of these; null: never refused
    kept: str | None = None  # of its waits: "all", "few"; null: nothing to say
    patterns: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    lever: str = "leave-alone"

    @property
    def program(self):
        return self.commands[0][0]


VISITORS = (
    Visitor(
        "Wget",
        "mirror the site (`wget -r`), which keeps robots.txt, but not after a redirect of the server's own",
        ((*WGET, "--level=3"),),
        kind="tool",
        reads=True,
        rules={PRIVATE: 1},
        findings=("violations",),
        rows={"reads-robots-first": "pass", "keeps-robots": "fail", "waits-when-told": "not observable"},
        lever="429",
    ),
    Visitor(
        "Siphon",
        "mirror the site without robots.txt (`wget -r -e robots=off`)",
        ((*WGET, "--level=4", "-e", "robots=off", "--user-agent=Siphon/1.0"),),
        rules={PRIVATE: MANY, TRAP: MANY, NINE: 1},
        findings=("violations",),
        rows={"names-itself": "partly", "reads-robots-first": "not observable", "keeps-robots": "fail"},
        lever="429",
    ),
    Visitor(
        "Scrapy",
        "follow every link (Scrapy, `ROBOTSTXT_OBEY=1`)",
        (scrapy("/", ROBOTSTXT_OBEY="1"),),
        kind="library",
        reads=True,
        rows={"names-itself": "pass", "reads-robots-first": "pass", "keeps-robots": "pass"},
    ),
    Visitor(
        "Hoover",
        "follow every link, four deep (Scrapy, `ROBOTSTXT_OBEY=0`)",
        (scrapy("/", ROBOTSTXT_OBEY="0", DEPTH_LIMIT="4", USER_AGENT="Hoover/2.0 (+https://hoover.example/)"),),
        rules={PRIVATE: MANY, TRAP: MANY, NINE: 1},
        findings=("violations",),
        rows={"names-itself": "pass", "reads-robots-first": "not observable", "keeps-robots": "fail"},
        lever="write",
    ),
    Visitor(
        "Gulper",
        "follow every link of a list; Scrapy asks on at 429, and again for what was refused",
        (
            scrapy(
                "/list.html",
                ROBOTSTXT_OBEY="1",
                DOWNLOAD_DELAY="0.15",
                USER_AGENT="Gulper/1.0 (+https://gulper.example/)",
            ),
        ),
        limited=True,
        reads=True,
        worst=("ignored", "escalated"),
        kept="few",
        findings=("ignored-429",),
        rows={"keeps-robots": "pass", "waits-when-told": "fail"},
        lever="robots",
    ),
    Visitor(
        "curl",
        "60 pages, six a second, whatever the answer (`curl --rate 6/s`)",
        ((*CURL, *AWAY, "--rate", "6/s", "{site}/items/curl/[1-60].html"),),
        kind="tool",
        limited=True,
        worst=("ignored", "escalated"),
        kept="few",
        findings=("ignored-429",),
        rows={"names-itself": "partly", "waits-when-told": "fail"},
        lever="refuse-token",
    ),
    Visitor(
        "Patient",
        "wait as Retry-After says (`curl --retry`)",
        (curl("Patient/1.0 (+https://patient.example/)", "--retry", "9", "{site}/items/patient/[1-16].html"),),
        limited=True,
        worst=("honoured",),
        kept="all",
        rows={"names-itself": "pass", "waits-when-told": "pass"},
    ),
    Visitor(
        "Quitter",
        "stop at the first refusal (`curl --fail-early`)",
        (curl("Quitter/1.0", "--fail", "--fail-early", "{site}/items/quitter/[1-16].html"),),
        limited=True,
        worst=("honoured",),
        rows={"waits-when-told": "not observable"},
    ),
    Visitor(
        "python-requests",
        "ten pages, five of them closed, without a look at robots.txt",
        (ask("requests", *(f"{{site}}/private/{n}.html" for n in range(1, 6)), *pages(1, 2, 3, 4, 5)),),
        kind="library",
        rules={PRIVATE: MANY},
        findings=("violations",),
        rows={"names-itself": "partly", "addressable-token": "pass", "keeps-robots": "fail"},
        lever="429",
    ),
    Visitor(
        "python-urllib3",
        "wait as Retry-After says (urllib3, `Retry`)",
        (ask("urllib3", "--heed", *items("urllib3", 16)),),
        kind="library",
        limited=True,
        worst=("honoured",),
        kept="all",
        rows={"names-itself": "partly", "addressable-token": "partly", "waits-when-told": "pass"},
    ),
    Visitor(
        "Quartet",
        "four workers, each of which waits as Retry-After says",
        (ask("urllib3", "--heed", "--workers", "4", "--every", "0.2", "--agent", "Quartet/1.0", *items("four", 24)),),
        limited=True,
        worst=("ignored", "escalated", "slowed"),
        patterns=("parallel",),
        findings=("waits-by-worker",),
        rows={"waits-when-told": "partly"},
    ),
    Visitor(
        "HeadlessChrome",
        "open two pages, with what belongs to them (Chromium, `--headless`)",
        tuple((*CHROMIUM, url) for url in pages(1, 2)),
        kind="tool",
        rows={"names-itself": "partly", "keeps-robots": "pass"},
    ),
    Visitor(
        "Thrift",
        "twelve pages twice, the second time with If-None-Match (`curl --etag-compare`)",
        tuple(
            curl("Thrift/1.3 (+https://thrift.example/)", "--etag-compare", kept, "--etag-save", kept, url)
            for kept, url in [(f"{{folder}}/{n}", *pages(n)) for n in range(10, 22)] * 2
        ),
        rows={"names-itself": "pass", "caches": "pass"},
    ),
    Visitor(
        "Spender",
        "the same whole, and at once, where robots.txt asks for a Crawl-delay of 2 s",
        (ask("requests", "--times", "2", "--agent", "Spender/1.0", *pages(*range(10, 22))),),
        rows={"caches": "fail", "keeps-a-budget": "fail"},
    ),
    Visitor(
        "Chameleon",
        "after a refusal, go on with the user agent of Firefox",
        (
            curl("Chameleon/1.0 (+https://chameleon.example/)", "{site}/items/chameleon/[1-12].html"),
            curl(FIREFOX, "{site}/items/chameleon/[6-14].html"),
        ),
        limited=True,
        worst=("honoured",),
        findings=("disguise",),
        rows={"names-itself": "pass", "no-disguise": "fail"},
        lever="write",
    ),
    Visitor(
        "LiveBot",
        "robots.txt first, then sitemap, feed and pages at the Crawl-delay of 2 s that it asks for",
        (
            ask(
                "urllib3", "--heed", "--every", "2.1", "--agent", LIVEBOT,
                "{site}/robots.txt", "{site}/sitemap.xml", "{site}/feed.xml", *pages(*range(1, 6)),
            ),
        ),
        kind="crawler",
        limited=True,
        reads=True,
        rows={
            "names-itself": "pass", "addressable-token": "pass", "reads-robots-first": "pass", "keeps-robots": "pass",
            "keeps-a-budget": "pass", "prefers-machine-formats": "pass", "waits-when-told": "not observable",
        },
    ),
    Visitor(
        "ChatGPT-User",
        "single pages, as a person asks for them, though robots.txt closes the site to its name",
        tuple(curl(FETCHER, url) for url in pages(3, 14, 22)),
        kind="user-triggered",
        robots="exempt",
        findings=("blocked-by-name",),
        rows={"names-itself": "pass", "single-pages": "pass", "follows-no-links": "pass"},
        lever="write",
    ),
    Visitor(
        "undeclared",
        "no user agent at all",
        (curl("", "{site}/items/nobody/[1-5].html"),),
        kind="undeclared",
        robots="unjudged",
        rows={"names-itself": "fail", "addressable-token": "fail", "keeps-robots": "not observable"},
    ),
)  # fmt: skip


def address(visitor):
    """Its own, so that the limit tells it from the others."""
    return f"{LIMITED if visitor.limited else FREE}{10 + VISITORS.index(visitor)}"


def table():
    """The rows of docs/definitions.md: what each was told, and what is found."""
    head = "| client | told to | robots.txt | after 429 | also found | lever |\n|---|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(cells(visitor))} |\n" for visitor in VISITORS)


def cells(visitor):
    rules = ", ".join(f"`{rule.partition(' ')[2]}`" for rule in visitor.rules)
    robots = (
        f"against {rules}" if rules else {"exempt": "not bound", "unjudged": "not judged"}.get(visitor.robots, "kept")
    )
    wait = {"pass": "waits", "partly": "workers that each wait", "fail": "does not wait", None: "-"}
    waits = wait.get(visitor.rows.get("waits-when-told"), "too few waits to say")
    also = [f"{row}: {said}" for row, said in visitor.rows.items() if said != "not observable" and row not in SAID]
    refused = visitor.worst != (None,)
    return (
        visitor.token, visitor.told, ("read; " if visitor.reads else "") + robots, waits if refused else "-",
        ", ".join(also) or "-", visitor.lever,
    )  # fmt: skip


SAID = ("reads-robots-first", "keeps-robots", "waits-when-told")
