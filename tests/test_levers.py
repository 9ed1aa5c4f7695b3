from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import checked

from loganalyzer.etiquette import Facts, fill
from loganalyzer.levers import LEVERS, lever
from loganalyzer.levers.lever import numbers
from loganalyzer.levers.snippets import nginx_429, nginx_deny, nginx_refuse, robots_group

BOT = Facts(
    client="SampleBot",
    kind="crawler",
    token="SampleBot",
    robots_tokens=("SampleBot",),
    requests=1000,
    bytes=50_000_000,
    request_share=0.01,
    byte_share=0.01,
    robots_asked=10,
    robots_fetches=10,
    allowed=1000,
    disguised_requests=0,
)
CONTACT = "bot@sample.example"
VIOLATES = {"allowed": 700, "violation": 300}
COSTLY = {"request_share": 0.2}
WENT_ON = {
    "refusals": 400,
    "waits": 9,
    "kept": 1,
    "worst": "ignored",
    "early": 380,
    "same_target_early": 40,
    "asked_known": True,
}
NO_TOKEN = {
    "client": "undeclared",
    "token": None,
    "robots_tokens": (),
    "allowed": 0,
    "unjudged": 1000,
    "robots_fetches": 0,
}

# What differs from BOT, the lever, the reason's number in the lever, requests saved.
CASES = {
    "browsers": ({"client": "browser", "automated": False, **COSTLY}, "leave-alone", 0, 0),
    "a few strangers": (NO_TOKEN, "leave-alone", 1, 0),
    "cheap and good": ({}, "leave-alone", 2, 0),
    "a large share of very little": ({"requests": 200, "bytes": 9000, "request_share": 0.5}, "leave-alone", 2, 0),
    "monitor": ({**COSTLY, "kind": "monitor", "allowed": 0, "exempt": 1000}, "leave-alone", 3, 0),
    "cheap, comes back as a browser, has a contact": (
        {"disguised_requests": 6, "disguised_addresses": 1, "contact": CONTACT}, "write", 0, 0,
    ),
    "cheap, against robots.txt, has a contact": ({**VIOLATES, "contact": CONTACT}, "write", 1, 0),
    "cheap, came though closed by name": ({"blocked_by_name": 40, "exempt": 1000, "contact": CONTACT}, "write", 2, 0),
    "costly for want of a cache": (
        {**COSTLY, "contact": CONTACT, "avoidable_repeats": 700, "avoidable_repeat_bytes": 30_000_000},
        "write", 3, 0,
    ),
    "costly, keeps robots.txt": ({**COSTLY, "allowed": 1001, "violation": 9}, "robots", 0, 981),
    "goes on through 429, keeps robots.txt": (WENT_ON, "robots", 0, 990),
    "many strangers": ({**NO_TOKEN, **COSTLY}, "429", 0, 0),
    "many strangers of whom one goes on": ({**NO_TOKEN, **COSTLY, **WENT_ON}, "429", 0, 0),
    "costly, against robots.txt, waits": (
        {**COSTLY, **VIOLATES, "refusals": 12, "waits": 10, "kept": 8, "worst": "ignored", "limited": 500},
        "429", 1, 400,
    ),
    "slows, but keeps no wait": ({**COSTLY, **VIOLATES, **WENT_ON, "kept": 0, "worst": "slowed"}, "429", 1, 0),
    "workers that each wait": ({**COSTLY, **VIOLATES, **WENT_ON, "patterns": ("parallel",)}, "429", 2, 0),
    "fast, keeps robots.txt": ({"peak_60s": 900, "limited": 600}, "429", 3, 0),
    "never refused, against robots.txt": ({**COSTLY, **VIOLATES, "contact": CONTACT}, "429", 4, 0),
    "refused twice, against robots.txt": ({**COSTLY, **VIOLATES, "refusals": 2, "waits": 2}, "429", 5, 0),
    "against robots.txt and on through 429": ({**VIOLATES, **WENT_ON, "contact": CONTACT}, "refuse-token", 0, 1000),
    "on through one long wait": ({**VIOLATES, **WENT_ON, "waits": 1, "kept": 0}, "refuse-token", 0, 1000),
    "comes back as a browser": ({"disguised_requests": 60, "disguised_addresses": 1}, "address-range", 0, 1060),
    "not its operator's addresses": ({**VIOLATES, "verified": False, "contact": CONTACT}, "address-range", 1, 1000),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "name", "reason", "saves"), CASES.values(), ids=CASES)
def test_mildest_lever_that_has_a_reason_to_work(facts, name, reason, saves):
    chosen = next(each for each in LEVERS if each.id == name)
    facts = replace(BOT, **facts)

    document = lever(facts)

    assert (document["lever"], document["saves_requests"]) == (name, saves)
    assert document["why"] == fill(chosen.reasons[reason].why, numbers(facts))
    assert "None" not in document["why"]


def test_every_reason_has_a_case():
    assert {(name, reason) for _, name, reason, _ in CASES.values()} == {
        (each.id, number) for each in LEVERS for number in range(len(each.reasons))
    }


def test_bytes_over_the_limit_are_saved_though_the_client_goes_on_asking():
    document = lever(replace(BOT, **CASES["costly, against robots.txt, waits"][0]))

    assert (document["saves_bytes"], document["base"]) == (
        25_000_000,
        "500 of its 1,000 requests went over 30r/m with burst 5: "
        "their bytes whole, their requests times 8 of 10 waits kept",
    )


@pytest.mark.parametrize(
    ("name", "requests", "size"),
    [
        # 8 of 10 waits kept: 49 % to 94 % of the 500 over the limit; their bytes whatever it does
        ("costly, against robots.txt, waits", [245, 472], [25_000_000, 25_000_000]),
        ("costly, keeps robots.txt", [973, 985], [49_149_209, 49_762_897]),
        ("against robots.txt and on through 429", [1000, 1000], [50_000_000, 50_000_000]),
        ("never refused, against robots.txt", None, None),
        ("cheap and good", None, None),
    ],
)
def test_saving_has_the_interval_of_the_share_that_weights_it(name, requests, size):
    document = lever(replace(BOT, **CASES[name][0]))

    assert document["saves_requests_interval"] == requests
    assert document["saves_bytes_interval"] == size
    if requests:
        assert requests[0] <= document["saves_requests"] <= requests[1]


def test_address_range_says_who_else_comes_from_there():
    others = {"others_requests": 2625, "people_requests": 2618, "people_addresses": 9}
    named = (("browser", 2618), ("curl", 3))
    facts = replace(BOT, verified=False, neighbours=named, top_addresses=("192.0.2.7",), **others)

    document = lever(facts)

    assert document["collateral"] == (
        "From the same addresses came 2,625 requests of others, 2,618 of them by browsers at 9 addresses (people, or "
        "bots that pass for them), mostly browser (2,618 requests), curl (3 requests): they would be refused too."
    )
    assert "deny 192.0.2.7;" in document["text"]


@given(
    st.builds(
        Facts, client=st.text(), token=st.none() | st.text(), requests=st.integers(0, 99), automated=st.booleans()
    )
)
def test_every_client_gets_one_lever(facts):
    assert lever(facts)["lever"] in {each.id for each in LEVERS}


# --- what is pasted


@pytest.mark.parametrize("snippet", [robots_group, nginx_429, nginx_refuse])
@pytest.mark.parametrize(
    "token",
    ['x"; } server {', "a b", "bot\nDisallow:", "", "é", "x" * 65, "bot\n", "$uri", "a;b", "../x", "*"],
)
def test_token_that_could_be_more_than_a_token_is_in_no_snippet(snippet, token):
    assert snippet(token) is None


def test_what_is_no_address_is_in_no_snippet():
    assert nginx_deny(["192.0.2.1; } server {", "fe80::1%eth0", "host.example", ""]) is None
    assert nginx_deny(["x;", "2001:db8::1"]).splitlines()[1:-1] == ["deny 2001:db8::1;"]


def test_robots_group_closes_the_site_to_the_name_it_looks_up():
    facts = replace(BOT, **COSTLY, token="SampleBot-Image", robots_tokens=("SampleBot-Image", "SampleBot"))

    assert lever(facts)["text"] == "User-agent: SampleBot-Image\nDisallow: /\n"


def nginx_takes(snippet, tmp_path):
    http, server = snippet.partition("# in server { }")[::2]
    conf = (
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{ }}\nhttp {{\naccess_log off;\n"
        f"{http}\nserver {{\nlisten 127.0.0.1:18081;\n{server}\n}}\n}}\n"
    )
    return checked("nginx", conf, tmp_path)


@pytest.mark.parametrize(
    "snippet",
    [
        nginx_429("Sample.Bot-2"),
        nginx_429("-"),
        nginx_429(None),
        nginx_refuse("Sample_Bot"),
        nginx_deny(["2001:db8::1"]),
    ],
    ids=["429", "429 of an odd token", "429 of no user agent", "refuse", "deny"],
)
def test_nginx_takes_every_snippet(snippet, tmp_path):
    done = nginx_takes(snippet, tmp_path)

    assert done.returncode == 0, done.stderr
