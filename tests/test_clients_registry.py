"""The registry is data: every row is read, and every example is identified as its row says."""

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from loganalyzer.clients import identify, registry

SHIPPED = registry.shipped()
ENTRIES = SHIPPED.entries
EXAMPLES = [entry for entry in ENTRIES if entry.example]


@pytest.mark.parametrize("entry", EXAMPLES, ids=[entry.token for entry in EXAMPLES])
def test_example_is_identified_as_declared(entry):
    client = identify(entry.example)

    assert client.name == entry.token
    assert client.robots_tokens == (entry.token, *entry.fallbacks)
    assert (client.kind, client.purpose, client.operator) == (entry.kind, entry.purpose, entry.run_by)
    assert (client.user_triggered, client.declares_robots) == (entry.user_triggered, entry.declares_robots)
    assert "foreign-contact" not in client.flags


def test_nearly_every_entry_carries_an_example():
    """Control-only tokens are sent by nobody, and a few clients document none."""
    assert len(EXAMPLES) >= 0.9 * sum(not entry.control_only for entry in ENTRIES)


def test_names_are_unique_without_case():
    names = Counter(name.casefold() for entry in ENTRIES for name in (entry.token, *entry.aliases))

    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.token for entry in ENTRIES])
def test_entry_speaks_the_vocabulary(entry):
    assert entry.kind in registry.KINDS
    assert entry.purpose in (*registry.PURPOSES, None)
    assert entry.declares_robots in (*registry.DECLARED, None)
    assert entry.source
    for url in filter(None, (entry.docs_url, entry.ip_ranges_url)):
        assert re.fullmatch(r"https?://[^\s]+", url)
    for suffix in entry.rdns_suffixes:
        assert re.fullmatch(r"\.?[a-z0-9.-]+", suffix)
    assert entry.star_binds is not True or entry.declares_robots == "yes"


def test_header_counts_the_rows_and_dates_the_data():
    header = json.loads(files("loganalyzer.clients").joinpath("registry.jsonl").read_text("utf-8").splitlines()[0])

    assert header["entries"] == len(ENTRIES)
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", SHIPPED.data_version)


@pytest.mark.parametrize(
    ("token", "star_binds", "fallbacks"),
    [
        ("Googlebot-Image", True, ("Googlebot",)),
        ("applebot", True, ("Googlebot",)),
        ("AdsBot-Google", False, ()),
        ("AdsBot-Google-Mobile-Apps", False, ("AdsBot-Google",)),
        ("APIs-Google", False, ()),
        ("Mediapartners-Google", False, ()),
        ("YandexImages", True, ("Yandex",)),
        ("Bytespider", None, ()),
    ],
)
def test_what_replay_needs_is_stated(token, star_binds, fallbacks):
    entry = SHIPPED.lookup(token)

    assert (entry.star_binds, entry.fallbacks) == (star_binds, fallbacks)


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("Yahoo! Slurp", "Slurp"),
        ("Yahoo! Slurp China", None),
        ("gptbot", "GPTBot"),
        ("Quarry Java", None),  # a library inside a longer name is not the name
        ("Java", "Java"),
        ("", None),
        (None, None),
    ],
)
def test_lookup_takes_whole_names_and_known_last_words(name, token):
    found = SHIPPED.lookup_name(name) if name else SHIPPED.lookup(name)

    assert (found and found.token) == token


def test_software_that_anybody_runs_has_no_operator():
    client = identify("Mozilla/5.0 (compatible; heritrix/3.4.0 +https://archive.example/)")

    assert (client.name, client.operator) == ("heritrix", None)
    assert SHIPPED.lookup("heritrix").software
