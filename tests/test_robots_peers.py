"""Protego as a peer: over generated files it says the same, but for the kinds that docs/robots-peers.md explains."""

import random
import re

import pytest
from conftest import ROOT

from loganalyzer.robots import parse

protego = pytest.importorskip("protego", reason="the peer comes with the extra `test`")

NAMES = ["ant", "bee", "wasp", "*"]
PATHS = ["/", "/a", "/a/", "/ab", "/a/b", "/a/b.html", "/b?x=1", "/c%20d", "/%C3%A9", "/shed;p=1", "/~a"]
PATTERNS = [
    *PATHS,
    "",
    "/a*",
    "/*b",
    "/*.html$",
    "/a$",
    "*x",
    "/a*b*",
    "/é",
    "/%7Ea",
    "/c d",
    "/a/b$",
    "/*?x=",
    "/a%2Fb",
]


def table():
    """The rows of the document: kind, file, agent, path, our word, Protego's."""
    text = (ROOT / "docs" / "robots-peers.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    return [row[:6] for row in rows[1:] if not row[0].startswith("---")]


def plain(cell):
    text = cell.strip("`").replace("⏎", "\n") + "\n"
    return re.sub(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))", lambda found: chr(int(found[1] or found[2], 16)), text)


@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_a_difference_is_as_the_document_says(row):
    _, file, agent, path, ours, theirs = row
    words = {True: "allowed", False: "disallowed"}
    agent, path, text = agent.strip("`"), path.strip("`"), plain(file)

    assert words[parse(text).decide(agent, path).allowed] == ours
    assert words[protego.Protego.parse(text).can_fetch(path, agent)] == theirs
    assert ours != theirs


def generated(chance):
    """A file of several groups in the common grammar, its lines in any manner that the standard allows."""
    lines = []
    for _ in range(chance.randint(1, 4)):
        lines += [f"User-{chance.choice('aA')}gent: {name}" for name in chance.sample(NAMES, chance.randint(1, 2))]
        rules = [f"{chance.choice(['Allow', 'Disallow', 'disallow'])}: {chance.choice(PATTERNS)}" for _ in range(5)]
        lines += rules[: chance.randint(1, 5)]
        lines += chance.choice([[], [""], ["# why"], ["Sitemap: https://x.example/s"]])
    return "".join(f"{line}{chance.choice(['', ' ', '  # note'])}\n" for line in lines)


@pytest.mark.parametrize("seed", range(40))
def test_without_those_kinds_no_verdict_differs(seed):
    chance = random.Random(seed)
    for _ in range(10):
        text = generated(chance)
        ours, theirs = parse(text), protego.Protego.parse(text)
        differ = [
            (agent, path)
            for agent in ("ant", "bee", "hornet")
            for path in PATHS
            if ours.decide(agent, path).allowed != theirs.can_fetch(path, agent)
        ]

        assert differ == [], text
