"""Snippets of limits: the real program takes each one, and a real nginx refuses what the replay says it would."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import loganalyzer as la
from loganalyzer.analysis.limits import Limits
from loganalyzer.drafts.limits import SERVERS, Limit, Rule, safe, snippet
from loganalyzer.formats.recommended import RECOMMENDED
from loganalyzer.groups import Groups
from loganalyzer.levers.snippets import nginx_429
from loganalyzer.rates import excess, nginx_limit_req

SLOW = Limit("30r/m", 5)
RULES = [
    Rule(SLOW, token="Sample.Bot-2"),
    Rule(SLOW, token="Other_Bot"),
    Rule(Limit("2r/s", 3, at_once=1), token="Third-Bot"),
    Rule(Limit("1r/s", 20, key="address"), token="Fleet"),
    Rule(Limit("30r/m", 5, key="address"), "unnamed"),
]
NETWORKS = [
    Rule(Limit("10r/s", 100, at_once=0, key="network"), "everybody"),
    Rule(Limit("1r/s", key="network"), token="Fleet"),
]
EVERYBODY = [Rule(Limit("10r/s", 100, key="address"), "everybody")]
SETS = {"clients": RULES, "networks": NETWORKS, "everybody": EVERYBODY}
MODULES = Path("/usr/lib/apache2/modules")
HOSTILE = [
    'x"; } server {', "a b", "bot\nDisallow:", "bot\n", "", "é", "x" * 65, "$uri", "a;b", "../x", "*", "a{2}", "x'y",
    "#x", "%{x}", "a|b", "(x)", "[x]", "^x", "x$", "x\\y", "`x`", "<x>", "x\x00",
]  # fmt: skip
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
APACHE = """
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
Mutex file:{folder} default
ErrorLog {folder}/error.log
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule setenvif_module {modules}/mod_setenvif.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule unique_id_module {modules}/mod_unique_id.so
LoadModule security2_module {modules}/mod_security2.so
SecRuleEngine On
SecDataDir {folder}/data
DocumentRoot {folder}
{text}
"""
HAPROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:{port}
{frontend}
  http-request return status 200 content-type text/plain string page
{tables}
"""
CADDY = """
{{
  admin off
  auto_https off
  storage file_system {folder}/caddy
}}
http://:{port} {{
bind 127.0.0.1
{text}
respond page
}}
"""


def program(name):
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    missing = found is None or (name == "apache2" and not (MODULES / "mod_security2.so").exists())
    if missing and "CI" not in os.environ:
        pytest.skip(f"no {name} here, or a module of it is missing; CI installs it")
    return found


@pytest.fixture
def folder():
    """A folder that the server's user may enter."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        (Path(path) / "page").write_text("page", encoding="utf-8")
        (Path(path) / "robots.txt").write_text("User-agent: *\n", encoding="utf-8")
        yield Path(path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
    return APACHE.format(folder=folder, port=port, modules=MODULES, text=text)


def haproxy_conf(text, folder, port):
    frontend, tables = text.split("# sections of their own\n")
    return HAPROXY.format(port=port, frontend=frontend, tables=tables)


def caddy_conf(text, folder, port):
    return CADDY.format(folder=folder, port=port, text=text)


# Program, configuration, arguments that test it, arguments that serve it in the foreground.
PROGRAMS = {
    "nginx": ("nginx", nginx_conf, ["-t", "-c"], ["-c"]),
    "apache": ("apache2", apache_conf, ["-t", "-f"], ["-D", "FOREGROUND", "-f"]),
    "haproxy": ("haproxy", haproxy_conf, ["-c", "-f"], ["-f"]),
    "caddy": (
        "caddy",
        caddy_conf,
        ["validate", "--adapter", "caddyfile", "--config"],
        ["run", "--adapter", "caddyfile", "--config"],
    ),
}


def possible(name, rules):
    """The rules of a set that a server can do."""
    server = SERVERS[name]
    return [rule for rule in rules if rule.limit.key in server.keys and rule.who in server.who]


def run(command, folder):
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **home})


@contextlib.contextmanager
def serving(name, conf, folder, port):
    """The server in the foreground, from the first connection that it takes."""
    (folder / "server.conf").write_text(conf, encoding="utf-8")
    process = subprocess.Popen(
        [program(PROGRAMS[name][0]), *PROGRAMS[name][3], folder / "server.conf"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
    )
    try:
        for _ in range(400):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


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
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_takes_the_snippet(name, rules, folder):
    rules = possible(name, rules)
    if not rules:
        with pytest.raises(ValueError, match="only"):
            snippet(name, list(SETS["networks"]))
        return
    command, conf, test, _ = PROGRAMS[name]
    (folder / "server.conf").write_text(conf(snippet(name, rules), folder, free_port()), encoding="utf-8")

    done = run([program(command), *test, folder / "server.conf"], folder)

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


CROWDSEC = Path(os.environ.get("CROWDSEC_ROOT", "/"))  # where Debian's package is installed, or only unpacked
HUB = CROWDSEC / "usr/share/crowdsec/hub"
CROWDSEC_CONF = """
common: {{daemonize: false, log_media: stdout, log_dir: {folder}, working_dir: {folder}}}
config_paths:
  config_dir: {folder}/etc/
  data_dir: {folder}/data/
  simulation_path: {folder}/etc/simulation.yaml
  hub_dir: {hub}/
  index_path: {hub}/.index.json
  notification_dir: {folder}/etc/notifications/
  plugin_dir: {folder}/etc/plugins/
crowdsec_service: {{acquisition_path: {folder}/etc/acquis.yaml, parser_routines: 1}}
cscli: {{output: human}}
db_config: {{type: sqlite, db_path: {folder}/data/crowdsec.db}}
plugin_config: {{user: nobody, group: nogroup}}
api:
  client: {{credentials_path: {folder}/etc/lapi.yaml}}
  server: {{listen_uri: "127.0.0.1:{port}", profiles_path: {folder}/etc/profiles.yaml}}
prometheus: {{enabled: false}}
"""
PARSERS = {"s00-raw": ["syslog-logs"], "s01-parse": ["nginx-logs"], "s02-enrich": ["dateparse-enrich", "http-logs"]}


@pytest.fixture
def crowdsec(folder):
    """A function that runs CrowdSec: with the parsers of nginx and a database of its own, asking nobody outside."""
    if not HUB.exists() and "CI" not in os.environ:
        pytest.skip("no crowdsec here; CI unpacks it, and CROWDSEC_ROOT says where")
    etc, port = folder / "etc", free_port()
    for name in ("etc/scenarios", "etc/postoverflows", "etc/notifications", "etc/plugins", "data"):
        (folder / name).mkdir(parents=True)
    for stage, names in PARSERS.items():
        (etc / "parsers" / stage).mkdir(parents=True)
        for name in names:
            parser = HUB / "parsers" / stage / "crowdsecurity" / f"{name}.yaml"
            (etc / "parsers" / stage / parser.name).symlink_to(parser)
    shutil.copytree(CROWDSEC / "etc/crowdsec/patterns", etc / "patterns")
    for name in ("simulation.yaml", "profiles.yaml"):
        shutil.copy(CROWDSEC / "etc/crowdsec" / name, etc / name)
    (etc / "lapi.yaml").write_text(f"url: http://127.0.0.1:{port}\nlogin: nobody\npassword: none\n")
    (etc / "acquis.yaml").write_text(f"filenames: [{folder}/access.log]\nlabels: {{type: nginx}}\n")
    (etc / "config.yaml").write_text(CROWDSEC_CONF.format(folder=folder, hub=HUB, port=port))

    def _run(*arguments, command="crowdsec"):
        return run([CROWDSEC / "usr/bin" / command, "-c", etc / "config.yaml", *arguments], folder)

    return _run


@pytest.mark.parametrize("rules", [RULES, EVERYBODY], ids=["clients", "everybody"])
def test_crowdsec_takes_the_scenarios(rules, folder, crowdsec):
    (folder / "etc/scenarios/limited-clients.yaml").write_text(snippet("crowdsec", rules), encoding="utf-8")

    done = crowdsec("-t")

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Loaded {len(rules)} scenarios" in done.stdout + done.stderr


def test_crowdsec_bans_whoever_goes_on_after_429_under_the_token_alone(folder, crowdsec):
    rules = [Rule(Limit("1r/s", 20, key="address"), token="Fleet"), Rule(Limit("30r/m", 5, key="address"), "unnamed")]
    (folder / "etc/scenarios/limited-clients.yaml").write_text(snippet("crowdsec", rules), encoding="utf-8")
    clients = [  # last number of the address, user agent, status, seconds between requests
        (1, "Mozilla/5.0 (compatible; Fleet/1.0)", 429, 1),
        (2, "Fleet-Image/1.0", 429, 1),
        (3, "Fleet/1.0", 200, 1),
        (4, "Fleet/1.0", 429, 30),
        (5, "-", 429, 1),
    ]
    lines = [
        f'192.0.2.{number} - - [02/Nov/2026:10:{n * pause // 60:02}:{n * pause % 60:02} +0000] "GET /a HTTP/1.1" '
        f'{status} 162 "-" "{agent}"\n'
        for n in range(20)
        for number, agent, status, pause in clients
    ]
    (folder / "access.log").write_text("".join(sorted(lines, key=lambda line: line[20:50])), encoding="utf-8")

    added = crowdsec("machines", "add", "-a", "--force", command="cscli")
    done = crowdsec("-dsn", f"file://{folder}/access.log", "-type", "nginx")

    said = done.stdout + done.stderr
    assert (added.returncode, done.returncode) == (0, 0), said
    banned = re.findall(r"site/(limited-\d) by ip (\S+) : \S+ ban", said)
    assert sorted(banned) == [("limited-1", "192.0.2.1"), ("limited-2", "192.0.2.5")]


# --- what is written, for everybody


@pytest.mark.parametrize("token", HOSTILE)
def test_a_hostile_token_is_in_no_rule(token):
    assert not safe(token)
    assert nginx_429(token) is None
    with pytest.raises(ValueError, match="token"):
        Rule(SLOW, token=token)


@pytest.mark.parametrize("name", SERVERS)
def test_every_snippet_says_what_it_does_how_to_test_and_undo_it(name):
    server, rules = SERVERS[name], possible(name, RULES)
    text = snippet(name, rules, ["Measured on 7 requests."])
    said = "\n".join(server.notes(["Measured on 7 requests."]))

    assert all(word in said for word in ("Measured on 7 requests.", "Test with: ", "To undo: ", "/robots.txt"[1:7]))
    assert server.comments == text.startswith("# Measured on 7 requests.\n# ")
    assert all(len(line) <= 110 for line in said.splitlines())


@pytest.mark.parametrize("name", ["nginx", "apache", "haproxy", "caddy", "anubis", "cloudflare"])
def test_robots_txt_stays_open(name):
    """A 429 for robots.txt would keep the client from reading the rule."""
    assert re.search(r"robots(\[\.\]|\.)txt", SERVERS[name].body(possible(name, RULES)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("nginx", "limit_req_status 429;", id="without it nginx answers 503, and sends no Retry-After"),
        pytest.param("nginx", "does not inherit this one: repeat", id="add_header in a location hides Retry-After"),
        pytest.param("nginx", "Where return or rewrite answers, limit_req is not asked", id="return comes first"),
        pytest.param("nginx", "who matches nothing of the map", id="an empty key is not limited"),
        pytest.param("apache", "mod_ratelimit slows bytes", id="mod_ratelimit counts no requests"),
        pytest.param("caddy", "no rate limit of its own", id="the core of Caddy does not count"),
        pytest.param("fail2ban", "whoever shares the address is banned too", id="a ban meets others"),
    ],
)
def test_traps_are_avoided_or_told(name, said):
    text = snippet(name, possible(name, RULES))

    assert said in re.sub(r"\n# ", " ", text)


def test_haproxy_captures_the_user_agent_before_it_denies():
    text = snippet("haproxy", RULES)

    assert text.index("capture req.fhdr(User-Agent)") < text.index("deny_status 429")


def test_cloudflare_gets_json_with_a_lower_case_name():
    rules = json.loads(snippet("cloudflare", RULES))["rules"]

    assert rules[0]["expression"] == (
        '(lower(http.user_agent) contains "sample.bot-2" and http.request.uri.path ne "/robots.txt")'
    )
    assert [rule["ratelimit"]["requests_per_period"] for rule in rules] == [35, 35, 23, 30, 35]
    assert {rule["ratelimit"]["period"] for rule in rules} == {10, 60}


@pytest.mark.parametrize("name", ["crowdsec", "anubis"])
def test_yaml_loads(name):
    yaml = pytest.importorskip("yaml")
    documents = [found for found in yaml.safe_load_all(snippet(name, possible(name, RULES))) if found]
    texts = json.dumps(documents)

    assert "(^|[^A-Za-z0-9_-])Sample[.]Bot-2([^A-Za-z0-9_-]|$)" in texts


def test_no_server_writes_a_limit_that_it_cannot_count():
    for name, server in SERVERS.items():
        if "network" not in server.keys:
            with pytest.raises(ValueError, match="does not count by network"):
                snippet(name, NETWORKS)
    with pytest.raises(ValueError, match="no limit to write"):
        snippet("nginx", [])


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
