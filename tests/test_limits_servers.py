"""Snippets of limits: the real program takes each one, and a real nginx refuses what the replay says it would."""

import re
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from limitrules import SETS, SLOW, possible
from servers import apache, caddy, checked, free_port, haproxy, program, run, serving

import loganalyzer as la
from loganalyzer.analysis.limits import Limits
from loganalyzer.drafts.limits import Limit, Rule, snippet
from loganalyzer.formats.recommended import RECOMMENDED
from loganalyzer.groups import Groups
from loganalyzer.rates import excess, nginx_limit_req

NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; events {{ }}
http {{
{log_format} access_log {folder}/access.log {format_name};
{http}
server {{
  listen 127.0.0.1:{port}; {listen} root {folder};
{server}
  location / {{ try_files /page =404; }}
}}
}}
"""


@pytest.fixture
def folder():
    """A folder that the server's user may enter."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        (Path(path) / "page").write_text("page", encoding="utf-8")
        (Path(path) / "robots.txt").write_text("User-agent: *\n", encoding="utf-8")
        yield Path(path)


def nginx_conf(text, folder, port, listen=""):
    http, server = text.split("# in server { }\n")
    directive = RECOMMENDED["nginx"].directive
    name = directive.split()[1]
    return NGINX.format(
        folder=folder, port=port, http=http, server=server, listen=listen, log_format=directive, format_name=name
    )


def apache_conf(text, folder, port):
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data").chmod(0o777)
    modules = ("authz_core", "setenvif", "headers", "unique_id", "security2")
    return apache(folder, port, modules, f"SecRuleEngine On\nSecDataDir {folder}/data\n{text}")


def haproxy_conf(text, folder, port):
    return haproxy(port, *text.split("# sections of their own\n"))


def caddy_conf(text, folder, port):
    return caddy(folder, port, text)


CONF = {"nginx": nginx_conf, "apache": apache_conf, "haproxy": haproxy_conf, "caddy": caddy_conf}


def ask(port, agent, target="/page", host="127.0.0.1", source=None):
    """Status and Retry-After of one answer."""
    header = "" if agent is None else f"User-Agent: {agent}\r\n"
    bound = None if source is None else (source, 0)
    with socket.create_connection((host, port), timeout=20, source_address=bound) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n{header}Connection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
    wait = re.search(rb"(?im)^Retry-After: (\d+)\r$", answer)
    return int(answer.split()[1]), wait and int(wait[1])


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS)
@pytest.mark.parametrize("name", CONF)
def test_the_program_takes_the_snippet(name, rules, folder):
    rules = possible(name, rules)
    if not rules:
        with pytest.raises(ValueError, match="only"):
            snippet(name, list(SETS["networks"]))
        return

    done = checked(name, CONF[name](snippet(name, rules), folder, free_port()), folder)

    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr.lower().replace('"level":"warn"', ""), done.stderr


# --- nginx, driven


def test_nginx_refuses_what_the_replay_says(folder):
    """Instants 100 ms away from where the bucket decides: 2r/s gives one back every 500 ms."""
    limit, port = Limit("2r/s", 2), free_port()
    conf = nginx_conf(snippet("nginx", [Rule(limit, token="SampleBot")]), folder, port)
    due = np.array([0, 20, 40, 60, 80, 600, 620, 1700, 1720, 1740, 1760, 2900])
    with serving("nginx", conf, folder, port):
        sent, answers = [], []
        start = time.monotonic()
        for at in due:
            time.sleep(max(start + at / 1000 - time.monotonic(), 0))
            sent.append(round((time.monotonic() - start) * 1000))
            answers.append(ask(port, "Mozilla/5.0 (compatible; samplebot/2.1; +https://bot.example/)"))
    passed = [status == 200 for status, _ in answers]

    assert passed == nginx_limit_req(np.array(sent), "2r/s", 2).tolist()
    assert passed == nginx_limit_req(due, "2r/s", 2).tolist()
    assert [at for at, ok in zip(due.tolist(), passed, strict=True) if not ok] == [60, 80, 620, 1740, 1760]
    assert {wait for status, wait in answers if status == 429} == {limit.retry_after_s} == {2}
    assert {wait for status, wait in answers if status == 200} == {None}

    log = la.read([folder / "access.log"])
    effect = Limits(la.analyse(log)).effect(limit)
    assert log.requests["status"].to_pylist() == [status for status, _ in answers]
    assert [(row["client"], row["requests"], row["refused"]) for row in effect["clients"]] == [("samplebot", 12, 5)]


def test_nginx_by_address_refuses_each_address_what_the_replay_says(folder):
    """Two addresses at the same instants: each has a bucket of its own, and the prediction has both."""
    limit, port = Limit("2r/s", 2, key="address"), free_port()
    conf = nginx_conf(snippet("nginx", [Rule(limit, token="SampleBot")]), folder, port)
    due = np.array([0, 20, 40, 60, 80, 600, 620, 1700])
    sources = ("127.0.0.2", "127.0.0.3")
    with serving("nginx", conf, folder, port):
        start, answers = time.monotonic(), []
        for at in due:
            time.sleep(max(start + at / 1000 - time.monotonic(), 0))
            answers += [ask(port, "SampleBot/2.1", source=source) for source in sources]
    passed = nginx_limit_req(due, "2r/s", 2).tolist()

    assert [status == 200 for status, _ in answers] == [ok for ok in passed for _ in sources]

    effect = Limits(la.analyse(la.read([folder / "access.log"]))).effect(limit)
    (row,) = effect["clients"]
    assert (row["requests"], row["refused"]) == (16, 2 * passed.count(False))


def test_nginx_limits_only_whom_the_rule_names(folder):
    port = free_port()
    once = Limit("1r/m")
    rules = [
        Rule(once, token="Sample.Bot"),
        Rule(once, token="Other"),
        Rule(Limit("1r/m", key="address"), "unnamed"),
    ]
    with serving("nginx", nginx_conf(snippet("nginx", rules), folder, port), folder, port):
        twice = {
            agent: [ask(port, agent)[0] for _ in range(2)]
            for agent in ("Sample.Bot/1.0", "SampleXBot", "Sample.Bot-Image", "xSample.Bot", "(Other)", None, "Firefox")
        }
        robots = [ask(port, "Sample.Bot", "/robots.txt")[0] for _ in range(3)]
        again = ask(port, "SAMPLE.BOT")[0]

    assert {agent for agent, statuses in twice.items() if statuses == [200, 429]} == {"Sample.Bot/1.0", "(Other)", None}
    assert {tuple(statuses) for statuses in twice.values()} == {(200, 429), (200, 200)}
    assert robots == [200] * 3
    assert again == 429  # the same bucket, whatever the case


def test_nginx_counts_a_network_as_one(folder):
    port = free_port()
    rule = Rule(Limit("1r/m", key="network"), "everybody")
    listen = f"listen 127.7.1.1:{port}; listen 127.7.2.1:{port};"
    with serving("nginx", nginx_conf(snippet("nginx", [rule]), folder, port, listen), folder, port):
        statuses = [ask(port, "a", host="127.0.0.1", source=f"127.0.{net}.{last}")[0]
                    for net, last in ((1, 1), (1, 2), (2, 1), (2, 10), (3, 13))]  # fmt: skip

    assert statuses == [200, 429, 200, 429, 200]


def test_nginx_holds_back_as_long_as_the_replay_says(folder):
    """Four at once at 2r/s, one of the burst at once: the third waits half a second, the fourth a whole one."""
    port, limit = free_port(), Limit("2r/s", 4, at_once=1)
    with serving("nginx", nginx_conf(snippet("nginx", [Rule(limit, token="SampleBot")]), folder, port), folder, port):

        def timed(_):
            start = time.monotonic()
            status, _ = ask(port, "SampleBot")
            return status, time.monotonic() - start

        with ThreadPoolExecutor(4) as pool:
            answers = sorted(pool.map(timed, range(4)), key=lambda answer: answer[1])
    predicted = excess(np.zeros(4, dtype=np.int64), Groups.one(4), "2r/s") - 1000

    assert [status for status, _ in answers] == [200] * 4
    assert [round(2 * took) / 2 for _, took in answers] == (np.maximum(predicted, 0) / 2000).tolist() == [0, 0, 0.5, 1]


# --- the others, driven as far as a count goes


def test_haproxy_refuses_more_than_the_window_holds(folder):
    limit, port = Limit("1r/s", 2), free_port()  # 12 in 10 s
    rules = [Rule(limit, token="SampleBot"), Rule(limit, token="OtherBot")]
    with serving("haproxy", haproxy_conf(snippet("haproxy", rules), folder, port), folder, port):
        answers = [ask(port, "Mozilla/5.0 (KHTML, like Gecko; SampleBot/1.0)") for _ in range(14)]
        others = [ask(port, agent)[0] for agent in ("OtherBot", "SampleBot-News", "Firefox")]
        robots = ask(port, "SampleBot", "/robots.txt")[0]

    assert answers == [(200, None)] * 12 + [(429, 10)] * 2  # the window
    assert [*others, robots] == [200] * 4


def test_apache_refuses_more_than_a_minute_holds(folder):
    port, limit = free_port(), Limit("1r/m", 2)
    rules = [Rule(limit, token="SampleBot"), Rule(limit, token="OtherBot")]
    with serving("apache", apache_conf(snippet("apache", rules), folder, port), folder, port):
        time.sleep(max(0, time.time() % 60 - 45) and 61 - time.time() % 60)  # all in one minute of the clock
        answers = [ask(port, "a samplebot/1.0") for _ in range(5)]
        others = [ask(port, agent)[0] for agent in ("SampleBot-News", "OtherBot", "Firefox")]
        robots = ask(port, "SampleBot", "/robots.txt")[0]

    assert answers == [(200, None)] * 3 + [(429, 60)] * 2
    assert [*others, robots] == [200] * 4


def test_caddy_closes_the_door_to_the_token_alone(folder):
    port = free_port()
    rules = [Rule(SLOW, token="Sample.Bot"), Rule(Limit("1r/s", 3, key="address"), "unnamed")]
    with serving("caddy", caddy_conf(snippet("caddy", rules), folder, port), folder, port):
        answers = [ask(port, agent) for agent in ("a sample.bot/2", None, "Sample-Bot", "Firefox")]
        robots = ask(port, "Sample.Bot", "/robots.txt")[0]

    assert answers == [(429, 3600)] * 2 + [(200, None)] * 2
    assert robots == 200


LINE = '192.0.2.7 - - [02/Nov/2026:10:15:00 +0000] "GET /a HTTP/1.1" {} 12 "{}" "{}"\n'


def test_fail2ban_finds_the_refusals_of_the_token_alone(folder):
    text = snippet("fail2ban", [Rule(SLOW, token="Sample.Bot"), Rule(Limit("1r/s", 3, key="address"), "unnamed")])
    definition = text.split("# in /etc/fail2ban/filter.d/limited-clients.conf\n")[1].split("# in ")[0]
    (folder / "filter.conf").write_text(definition, encoding="utf-8")
    found = [("429", "-", "Sample.Bot/1.0"), ("429", "-", 'a \\"sample.bot\\" b'), ("429", "-", "-")]
    left = [
        ("200", "-", "Sample.Bot/1.0"),
        ("429", "https://a.example/Sample.Bot", "Firefox"),
        ("429", "-", "SampleXBot"),
        ("429", "-", "Sample.Bot-News"),
    ]
    (folder / "access.log").write_text("".join(LINE.format(*row) for row in (*found, *left)), encoding="utf-8")

    done = run([program("fail2ban-regex"), folder / "access.log", folder / "filter.conf"], folder)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Lines: 7 lines, 0 ignored, 3 matched, 4 missed" in done.stdout
