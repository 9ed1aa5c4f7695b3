"""The whole way from lines to the document, on logs small enough to count by hand."""

import gzip
import json

import pytest

import loganalyzer as la
from loganalyzer.analysis import describe, evidence
from loganalyzer.analysis.columns import kinds_of
from loganalyzer.errors import UsageError
from loganalyzer.reports import wording

POLITE = "PoliteBot/1.0 (+https://polite.example/bot)"
RUDE = "Mozilla/5.0 (compatible; RudeBot/2.1; +https://rude.example/bot)"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
ROBOTS = "User-agent: *\nDisallow: /private/\nCrawl-delay: 5\n"


def line(second, user_agent, target="/", status=200, ip="192.0.2.1", size=100):
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    request = f"GET {target} HTTP/1.1"
    return (
        f'{ip} - - [02/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] "{request}" {status} {size} "-" "{user_agent}"'
    )


LINES = [
    line(0, POLITE, "/robots.txt"),
    line(10, POLITE, "/a"),
    line(20, POLITE, "/b"),
    line(21, RUDE, "/private/1", ip="192.0.2.2"),
    line(22, RUDE, "/private/2", ip="192.0.2.3", size=300),
    line(23, RUDE, "/public", ip="192.0.2.2"),
    line(30, CHROME, "/private/1", ip="192.0.2.9"),
    line(31, "-", "/", ip="192.0.2.8"),
    line(40, POLITE, "/c", 429),
    line(200, POLITE, "/c"),
]


@pytest.fixture
def write(tmp_path):
    def _write(lines, name="access.log"):
        path = tmp_path / name
        data = "".join(f"{text}\n" for text in lines).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(path)

    return _write


@pytest.fixture
def robots(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(ROBOTS)
    return str(path)


def clients(document):
    return {client["client"]: client for client in document["clients"]}


def test_every_request_has_one_client_and_one_class(write, robots):
    document = la.analyse(la.read([write(LINES)]), robots=[robots]).to_dict()

    found = clients(document)
    assert {name: client["requests"] for name, client in found.items()} == {
        "PoliteBot": 5,
        "RudeBot": 3,
        "browser": 1,
        "undeclared": 1,
    }
    classes = ("allowed", "violation", "grace", "exempt", "unjudged")
    assert {name: [client["robots"][k] for k in classes] for name, client in found.items() if name != "browser"} == {
        "PoliteBot": [5, 0, 0, 0, 0],
        "RudeBot": [1, 2, 0, 0, 0],
        "undeclared": [0, 0, 0, 0, 1],
    }
    assert document["totals"]["violating_clients"] == 1
    assert document["totals"]["automated_requests"] == 9


def test_a_violation_carries_rule_group_line_version_and_its_lines(write, robots):
    log = write(LINES)
    document = la.analyse(la.read([log]), robots=[robots]).to_dict()

    (rule,) = clients(document)["RudeBot"]["robots"]["rules"]
    assert (rule["rule"], rule["group"], rule["line"], rule["version"]) == ("Disallow: /private/", "*", 2, robots)
    assert (rule["requests"], rule["bytes"]) == (2, 400)
    assert (rule["first"], rule["last"]) == ("2026-11-02T00:00:21Z", "2026-11-02T00:00:22Z")
    assert rule["examples"] == ["/private/1", "/private/2"]
    assert rule["evidence"] == [f"{log}:4", f"{log}:5"]


@pytest.mark.parametrize(
    ("hosts", "given", "said"),
    [
        (["a.example", "b.example", "-"], "{0}", "held against all 2 hosts of the log"),
        (["a.example", "b.example", "c.example"], "{0} a.example={0}", "held against 2 of 3 hosts of the log"),
        (["a.example", "A.example"], "{0}", None),
        (["a.example", "b.example"], "a.example={0}", None),
        (["-"], "{0}", None),
    ],
)
def test_robots_without_a_host_is_said_to_be_held_against_several(write, robots, hosts, given, said):
    vhosts = [f"{host} {line(0, POLITE)}" for host in hosts]
    log = la.read([write(vhosts)], "vhost_combined")
    notes = la.analyse(log, robots=given.format(robots).split()).to_dict()["notes"]

    found = [note for note in notes if "without a host" in note]
    assert [said in note for note in found] == ([True] if said else [])


def test_reading_robots_is_told_apart_from_never_reading_it(write, robots):
    found = clients(la.analyse(la.read([write(LINES)]), robots=[robots]).to_dict())

    assert (found["PoliteBot"]["robots"]["fetches"], found["PoliteBot"]["robots"]["first_before_page"]) == (1, True)
    assert (found["RudeBot"]["robots"]["fetches"], found["RudeBot"]["robots"]["first_before_page"]) == (0, None)


@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        (
            [404],
            "NamedBot was not given robots.txt when it asked for it: our server answered 404; 1 of its 2 requests",
        ),
        ([403, 404], "our server answered 403 and 404"),
        ([301, 301], "having asked for it 2 times and got 301: Disallow: /private/"),
        ([200], "after reading it: Disallow"),
        ([], "never having read it: Disallow"),
    ],
)
def test_what_a_client_got_is_said_where_it_asked_for_robots(write, robots, statuses, sentence):
    named = "NamedBot/1.0 (+https://named.example/bot)"
    asked = [line(second, named, "/robots.txt", status) for second, status in enumerate(statuses)]
    document = la.analyse(la.read([write([*asked, line(9, named, "/private/1")])]), robots=[robots]).to_dict()

    assert sentence in document["findings"][0]["sentence"]
    assert clients(document)["NamedBot"]["robots"]["answers"] == {
        str(status): statuses.count(status) for status in statuses
    }


HIDDEN = "\u202eEVILBot"


@pytest.mark.parametrize("spelt", [HIDDEN, r"\u202eEVILBot", r"\U202EevilBOT", f" {HIDDEN} "])
def test_a_name_with_hidden_characters_is_found_as_it_is_printed(write, spelt):
    analysis = la.analyse(la.read([write([line(0, f"{HIDDEN}/1.0"), line(1, POLITE)])]))

    assert [number for _, number, _ in evidence.lines(analysis, spelt)] == [1]


@pytest.mark.parametrize(("status", "fetches"), [(200, 1), (304, 1), (206, 0), (301, 0), (404, 0)])
def test_the_ledger_and_the_etiquette_count_the_same_readings(write, robots, status, fetches):
    """Those that the replay counts: a part of a file, or another answer, is no reading of it."""
    log = write([line(0, POLITE, "/robots.txt", status), *LINES[1:3]])
    client = clients(la.analyse(la.read([log]), robots=[robots]).to_dict())["PoliteBot"]

    (row,) = [row for row in client["etiquette"] if row["row"] == "reads-robots-first"]
    assert (client["robots"]["fetches"], row["evidence"]["fetches"]) == (fetches, fetches)


def test_a_library_that_reads_robots_for_the_bot_counts_as_probably(write, robots):
    before = line(20, "Python-urllib/3.11", "/robots.txt", ip="192.0.2.2")

    found = clients(la.analyse(la.read([write([*LINES[:3], before, *LINES[3:]])]), robots=[robots]).to_dict())

    assert found["RudeBot"]["robots"]["probably_read"]
    assert found["RudeBot"]["robots"]["fetches"] == 0


def test_the_wait_kept_is_said_to_be_assumed_and_too_few_to_say(write):
    backoff = clients(la.analyse(la.read([write(LINES)])).to_dict())["PoliteBot"]["backoff"]

    assert (backoff["refusals"], backoff["per_address"]["honoured"], backoff["asked_known"]) == (1, 1, False)
    assert backoff["verdict"] == "too few to say (1), with an assumed wait"
    assert backoff["kept_interval"] is None


def test_crawl_delay_is_measured_without_robots_txt_itself(write, robots):
    rates = clients(la.analyse(la.read([write(LINES)]), robots=[robots]).to_dict())["PoliteBot"]["rates"]

    assert (rates["crawl_delay_s"], rates["crawl_delay_gaps"], rates["crawl_delay_short"]) == (5.0, 3, 0)


def test_caching_is_judged_only_where_the_server_is_seen_to_answer_304(write):
    lines = [
        *(line(10 * k, POLITE, "/feed.xml", 200) for k in range(12)),  # 11 of them again
        *(line(10 * k + 1, RUDE, "/page", 200, ip="192.0.2.2") for k in range(12)),
        line(500, "OtherReader/1.0", "/feed.xml", 304, ip="192.0.2.3", size=0),
    ]

    rows = {
        name: {row["row"]: row for row in client["etiquette"]}["caches"]
        for name, client in clients(la.analyse(la.read([write(lines)])).to_dict()).items()
        if name in ("PoliteBot", "RudeBot")
    }

    assert (rows["PoliteBot"]["verdict"], rows["PoliteBot"]["evidence"]["again"]) == ("fail", 11)
    assert rows["RudeBot"]["verdict"] == "not observable"


def test_browsers_are_one_client_and_judged_by_nothing(write, robots):
    browser = clients(la.analyse(la.read([write(LINES)]), robots=[robots]).to_dict())["browser"]

    assert not browser["automated"]
    assert browser["etiquette"] == []
    assert browser["lever"]["lever"] == "leave-alone"
    assert browser["robots"]["violation"] == 0


def test_without_robots_nobody_is_judged_and_the_report_says_so(write):
    document = la.analyse(la.read([write(LINES)])).to_dict()

    assert document["totals"]["violating_clients"] == 0
    assert clients(document)["RudeBot"]["robots"]["unjudged_reasons"] == {"no-robots": 3}
    assert any("no robots.txt given" in note for note in document["notes"])


def test_findings_come_worst_first_and_each_with_its_command(write, robots):
    log = write(LINES)
    analysis = la.analyse(la.read([log]), robots=[robots])

    first = analysis.to_dict()["findings"][0]
    assert (first["client"], first["severity"], first["count"]) == ("RudeBot", 3, 2)
    assert first["evidence"] == f"loganalyzer lines {log} --robots {robots} --client RudeBot --violations"


WORKERS = [
    line(second, POLITE, target, status)
    for start, refused in ((0, "/1"), (70, "/2"), (140, "/3"))
    for second, target, status in (
        (start, refused, 429), (start + 10, f"/other{start}", 200), (start + 20, f"/more{start}", 200),
        (start + 61, refused, 200),
    )
]  # fmt: skip
STRAIGHT_ON = [line(2 * number, POLITE, f"/{number}", 429) for number in range(30)]


@pytest.mark.parametrize(
    ("lines", "found", "ignoring", "words"),
    [
        pytest.param(WORKERS, "waits-by-worker", 0, "by worker 0/3 ?", id="workers that each wait do not ignore it"),
        pytest.param(STRAIGHT_ON, "ignored-429", 1, "ignored (1) ?", id="each refusal renews the wait that was broken"),
        pytest.param(STRAIGHT_ON[:10], "ignored-429", 0, "too few (1) ?", id="few early requests say little"),
    ],
)
def test_who_ignores_a_refusal(write, lines, found, ignoring, words):
    document = la.analyse(la.read([write(lines)])).to_dict()
    (client,) = document["clients"]

    assert [finding["kind"] for finding in document["findings"]] == [found]
    assert ("too few waits" in document["findings"][0]["sentence"]) == words.startswith("too few")
    assert document["totals"]["ignoring_clients"] == ignoring
    assert wording.refusal_verdict(client) == words


def test_a_command_reads_the_log_as_it_was_read(write):
    analysis = la.analyse(la.read([write(LINES)], log_format="combined"), limit_key="token")

    assert analysis.command("RudeBot").endswith("--log-format combined --limit-key token --client RudeBot")


@pytest.mark.parametrize(
    ("what", "numbers"),
    [("all", [1, 2, 3, 9, 10]), ("fetches", [1]), ("refused", [9]), ("early", []), ("violations", [])],
)
def test_evidence_gives_the_original_lines(write, robots, what, numbers):
    log = write(LINES)
    analysis = la.analyse(la.read([log]), robots=[robots])

    found = list(evidence.lines(analysis, "politebot", what))

    assert found == [(log, number, LINES[number - 1].encode()) for number in numbers]


def test_early_requests_are_found_again(write):
    hasty = [line(0, RUDE, "/1", 429), line(5, RUDE, "/2"), line(6, RUDE, "/3", 429), line(100, RUDE, "/4")]
    log = write(hasty)
    analysis = la.analyse(la.read([log]))

    assert [number for _, number, _ in evidence.lines(analysis, "RudeBot", "early")] == [2, 3]
    assert clients(analysis.to_dict())["RudeBot"]["backoff"]["early"] == 2


def test_a_client_that_is_not_there_is_named_with_near_ones(write):
    analysis = la.analyse(la.read([write(LINES)]))

    with pytest.raises(UsageError, match=r"no client 'RudeBott' in these logs; did you mean RudeBot\?"):
        evidence.ids(analysis, "RudeBott")


def test_the_same_log_gives_the_same_bytes_however_it_is_cut_and_packed(write, robots):
    """Split at any line, plain or compressed, named in any order: one document."""

    def document(*paths):
        made = la.analyse(la.read(list(paths)), robots=[robots]).to_dict()
        return json.dumps({**made, "inputs": [], "findings": [], "clients": [plain(c) for c in made["clients"]]})

    def plain(client):
        rules = [{**rule, "evidence": []} for rule in client["robots"]["rules"]]
        rates = {name: value for name, value in client["rates"].items() if not name.endswith("_line")}
        return {**client, "robots": {**client["robots"], "rules": rules}, "rates": rates}

    whole = document(write(LINES, "whole.log"))
    first, second = write(LINES[:4], "first.log.gz"), write(LINES[4:], "second.log")
    assert document(first, second) == whole
    assert document(second, first) == whole


def test_a_log_of_one_line_has_no_window_and_no_pace(write):
    client = clients(la.analyse(la.read([write(LINES[1:2])])).to_dict())["PoliteBot"]

    assert (client["rates"]["mean_active"], client["rates"]["mean_window"]) == (None, None)
    assert client["request_share"] == 1.0


def test_a_line_of_another_age_is_counted_and_changes_nobody_else(write):
    """It stretches no window, and lets nobody who was asked to wait look as if they had given up."""
    unsettled = [line(0, POLITE, "/a", 429), line(20, CHROME), line(21, CHROME)]
    plain = la.analyse(la.read([write(unsettled)])).to_dict()
    stray = line(0, RUDE).replace("2026", "9999")
    document = la.analyse(la.read([write([*unsettled, stray], "stray.log")])).to_dict()

    before, after = (clients(made)["PoliteBot"]["backoff"]["per_address"] for made in (plain, document))
    assert before["unobserved"] == 1
    assert after == before
    assert (document["totals"]["window_s"], document["totals"]["untimed"]) == (21.0, 1)
    assert clients(document)["RudeBot"]["robots"]["unjudged_reasons"] == {"no-time": 1}
    assert any("no time" in note for note in document["notes"])


def test_names_are_free_so_the_report_has_an_end(write, robots, monkeypatch):
    monkeypatch.setattr(describe, "MOST_CLIENTS", 3)
    many = [line(n, f"Fresh{chr(97 + n)}Bot/1.0", ip="192.0.2.7") for n in range(20)]
    document = la.analyse(la.read([write([*LINES, *many])]), robots=[robots]).to_dict()

    assert (document["totals"]["clients"], document["totals"]["described"]) == (24, 3)
    assert {"PoliteBot", "RudeBot"} < set(clients(document))
    assert document["totals"]["automated_requests"] == 29
    assert any("more clients came" in note for note in document["notes"])


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/robots.txt", "robots"),
        ("/robots.txt?x=1", "robots"),
        ("http://shop.example/robots.txt", "robots"),
        ("/Robots.txt", "page"),
        ("/dir/robots.txt", "page"),
        ("/sitemap.xml", "sitemap"),
        ("/sitemap_index.xml.gz", "sitemap"),
        ("/feed/", "feed"),
        ("/blog/atom.xml", "feed"),
        ("/news.rss", "feed"),
        ("/feedback", "page"),
        ("/llms.txt", "llms"),
        ("/style.css?v=3", "asset"),
        ("/a/photo.JPEG", "asset"),
        ("/download?file=a.png", "page"),
        ("/", "page"),
        (None, None),
    ],
)
def test_kind_of_target(target, kind):
    import pyarrow as pa

    assert kinds_of(pa.array([target], pa.string())).to_pylist() == [kind]


def test_repeat_is_what_came_within_a_day_of_the_same_whatever_the_date(write):
    """Across midnight counts, a day and a second do not, nor another size."""
    at = {"/a": (0, 86_399), "/b": (0, 86_401), "/c": (0, 40, 80), "/d": (82_800, 90_000)}
    lines = [line(second, POLITE, target) for target, seconds in at.items() for second in seconds if second < 86_400]
    lines += [
        line(second - 86_400, POLITE, target).replace("02/Nov", "03/Nov")
        for target, seconds in at.items()
        for second in seconds
        if second >= 86_400
    ]
    lines += [line(100, POLITE, "/e"), line(120, POLITE, "/e", size=101), line(130, POLITE, "/c", 304)]

    found = la.analyse(la.read([write(lines)])).measures.repeats.to_pylist()

    assert [{name: row[name] for name in ("repeats", "bytes", "avoidable", "avoidable_bytes")} for row in found] == [
        {"repeats": 4, "bytes": 400, "avoidable": 2, "avoidable_bytes": 200}
    ]


def test_what_a_client_asked_for_and_got(write):
    targets = {"/a": 200, "/b": 404, "/c": 503, "/feed.xml": 200, "/data/x.json?y": 200, "/sitemap.xml": 304, "/d": "-"}
    path = write([line(10 * n, POLITE, target, status) for n, (target, status) in enumerate(targets.items())])

    content = clients(la.analyse(la.read([path])).to_dict())["PoliteBot"]["content"]

    assert content == {
        "kinds": {"feed": 1, "json": 1, "page": 4, "sitemap": 1},
        "machine": 3,
        "machine_share": round(3 / 7, 6),
        "client_error_share": round(1 / 6, 6),
        "server_error_share": round(1 / 6, 6),
        "not_modified": 1,
        **dict.fromkeys(("repeats", "repeat_bytes", "avoidable_repeats", "avoidable_repeat_bytes"), 0),
    }


def test_requests_over_time_of_each_client_add_up_to_those_of_all(write):
    document = la.analyse(la.read([write(LINES)])).to_dict()

    of_all = [sum(bucket) for bucket in zip(*document["series"]["purposes"].values(), strict=True)]
    assert [sum(bucket) for bucket in zip(*(c["series"] for c in document["clients"]), strict=True)] == of_all
    assert {c["client"]: sum(c["series"]) for c in document["clients"]} == {
        c["client"]: c["requests"] for c in document["clients"]
    }


def test_peaks_name_the_line_at_which_they_begin(write):
    path = write([line(second, POLITE, "/a") for second in (0, 100, 200, 200, 201, 300)])

    rates = clients(la.analyse(la.read([path])).to_dict())["PoliteBot"]["rates"]

    assert (rates["peak_1s"], rates["burst"]) == (2, 3)
    assert {rates[name] for name in ("peak_1s_line", "peak_60s_line", "burst_line")} == {f"{path}:3"}


def test_pace_of_each_address_beside_that_of_the_client(write):
    """Three addresses in turn, a request a second: each has one in three."""
    path = write([line(n, RUDE, "/a", ip=f"192.0.2.{n % 3}") for n in range(120)] + [line(5, CHROME, "/")])

    found = clients(la.analyse(la.read([path])).to_dict())

    assert found["RudeBot"]["rates"]["peak_60s"] == 60
    assert [(r["address"], r["requests"], r["peak_60s"]) for r in found["RudeBot"]["rates_by_address"]] == [
        (f"192.0.2.{n}", 40, 20) for n in range(3)
    ]
    assert found["browser"]["rates_by_address"] == []
