"""Snippets of limits as they are written: what they say, what they avoid, and that no token breaks out of them."""

import json
import re

import pytest
from limitrules import NETWORKS, RULES, SLOW, possible

from loganalyzer.drafts.limits import SERVERS, Rule, safe, snippet
from loganalyzer.levers.snippets import nginx_429

HOSTILE = [
    'x"; } server {', "a b", "bot\nDisallow:", "bot\n", "", "é", "x" * 65, "$uri", "a;b", "../x", "*", "a{2}", "x'y",
    "#x", "%{x}", "a|b", "(x)", "[x]", "^x", "x$", "x\\y", "`x`", "<x>", "x\x00",
]  # fmt: skip


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
