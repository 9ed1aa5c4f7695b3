import json
import re
import string
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loganalyzer.etiquette import ROWS, Facts, etiquette, fill, manners
from loganalyzer.etiquette.row import STRANGERS

SAMPLES = [
    pytest.param(row, sample, id=f"{row.id}-{number}")
    for row in ROWS
    for number, sample in enumerate(row.samples)
]  # fmt: skip
ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


@pytest.mark.parametrize(("row", "sample"), SAMPLES)
def test_row_says_of_each_sample_what_the_sample_says(row, sample):
    document = row.judge(sample.client())

    assert (document["verdict"], document["sentence"]) == (sample.verdict, sample.sentence)


@ROW
def test_every_case_has_a_sample(row):
    taken = set()
    for sample in row.samples:
        evidence = row.judge(sample.client())["evidence"]
        taken.add(next(number for number, case in enumerate(row.cases) if case.when(evidence)))

    assert taken == set(range(len(row.cases)))


@ROW
def test_every_threshold_and_number_of_a_sentence_stands_in_the_evidence(row):
    names = {name for case in row.cases for _, name, _, _ in string.Formatter().parse(case.sentence) if name}

    assert names <= row.judge(row.samples[0].client())["evidence"].keys()
    assert json.loads(json.dumps(row.judge(row.samples[0].client()))) == row.judge(row.samples[0].client())


@ROW
def test_definitions_state_every_threshold(row):
    text = (Path(__file__).parent.parent / "docs/definitions.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith(f"| `{row.id}`"))

    numbers = set(re.findall(r"\d+(?:\.\d+)?(?: ?%)?", line))
    assert [v for v in row.thresholds.values() if not {f"{v:g}", f"{v * 100:g} %"} & numbers] == []


def of_type(field):
    """Values of one field of Facts, by its annotation."""
    simple = {
        "str": st.text("abé{}%\x1b", max_size=5),
        "bool": st.booleans(),
        "int": st.integers(0, 10**7),
        "float": st.floats(0, 10**5),
        "tuple[str, ...]": st.lists(st.sampled_from(["foreign-contact", "several-identities", "x{y}"])).map(tuple),
        "Mapping[str, int]": st.dictionaries(st.sampled_from(["no-token", "scope", "new"]), st.integers(1, 9)),
        "tuple[tuple[str, int], ...]": st.lists(st.tuples(st.text(max_size=3), st.integers(1, 9))).map(tuple),
    }
    plain = field.type.removesuffix(" | None")
    return simple[plain] if plain == field.type else st.none() | simple[plain]


any_facts = st.fixed_dictionaries({field.name: of_type(field) for field in fields(Facts)}).map(
    lambda values: Facts(**{**values, "kept": min(values["kept"], values["waits"])})
)


@given(any_facts)
def test_whatever_the_facts_every_row_has_a_verdict_and_a_whole_sentence(facts):
    for document in etiquette(facts):
        assert document["verdict"] in ("pass", "partly", "fail", "not observable")
        assert "None" not in document["sentence"]
        json.dumps(document)


CRAWLER = Facts(client="SampleBot", kind="crawler", token="SampleBot", requests=1000, last_h=60.0)


def rows_of(facts):
    return [document["row"] for document in etiquette(facts)]


def test_crawler_has_ten_rows():
    assert rows_of(CRAWLER) == [
        "names-itself",
        "addressable-token",
        "reads-robots-first",
        "keeps-robots",
        "no-disguise",
        "waits-when-told",
        "resumes-slower",
        "keeps-a-budget",
        "caches",
        "prefers-machine-formats",
    ]


def test_fetcher_that_a_person_sends_has_three_of_its_own_for_those_about_crawling():
    own = set(rows_of(replace(CRAWLER, user_triggered=True)))

    assert own - set(rows_of(CRAWLER)) == {"single-pages", "follows-no-links", "builds-no-index"}
    assert set(rows_of(CRAWLER)) - own == {"reads-robots-first", "keeps-robots", "prefers-machine-formats"}


def test_browsers_are_not_judged():
    assert etiquette(replace(CRAWLER, client="browser", automated=False)) == []


def test_strangers_taken_together_are_judged_by_their_lack_of_a_name_alone():
    said = {d["row"]: d for d in etiquette(Facts(client="undeclared", requests=50, refusals=9, waits=9, early=900))}

    assert said["names-itself"]["verdict"] == "fail"
    assert said["waits-when-told"]["sentence"] == STRANGERS


def test_log_that_says_nothing_passes_nothing_that_it_cannot_show():
    passed = [document["row"] for document in etiquette(CRAWLER) if document["verdict"] == "pass"]

    assert passed == ["keeps-a-budget"]  # its requests were counted


@pytest.mark.parametrize(
    ("sentence", "number", "words"),
    [
        ("{n:requests}", 1, "1 request"),
        ("{n:requests}", 1204331, "1,204,331 requests"),
        ("{n:addresses}", 1, "1 address"),
        ("{n:early requests}", 1, "1 early request"),
        ("{n:judged requests}", 0, "0 judged requests"),
        ("{n:times}", 1, "once"),
        ("{n:times}", 3, "3 times"),
        ("{n:.0%}", 0.07, "7 %"),
        ("{n:.1%}", 0.0704, "7.0 %"),
    ],
)
def test_number_agrees_with_its_noun_and_share_is_set_as_in_the_reports(sentence, number, words):
    assert fill(sentence, {"n": number}) == words


NOTHING_WOULD = {"Follows a person's or its operator's own request"}  # no log could show what does not apply


@ROW
def test_what_cannot_be_observed_says_what_would_make_it_so(row):
    documents = [row.judge(sample.client()) for sample in row.samples]

    for document in documents:
        bound = document["verdict"] == "not observable" and document["sentence"].partition(":")[0] not in NOTHING_WOULD
        assert (document["observable_with"] is not None) == bound
        assert not re.search(r"\{(?!User-Agent\}i|Referer\}i|Retry-After\}o)", document["observable_with"] or "")


def row_with(verdict):
    return {"row": "x", "title": "", "verdict": verdict, "sentence": "", "evidence": {}}


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        (["pass", "pass", "pass"], 1.0),
        (["pass", "partly", "fail", "not observable"], 0.5),
        (["fail", "fail", "partly"], 0.167),
        (["pass", "pass", "not observable"], None),
    ],
)
def test_score_counts_what_could_be_observed_and_its_parts_stand_beside_it(verdicts, score):
    counted = manners([row_with(verdict) for verdict in verdicts])

    assert counted["score"] == score
    assert sum(counted[part] for part in ("passed", "partly", "failed", "not_observable")) == len(verdicts)


def test_browsers_have_no_score():
    assert manners([]) is None


@ROW
def test_lines_of_a_row_are_an_option_of_the_command(row):
    from loganalyzer.cli.options import EVIDENCE

    assert row.lines is None or row.lines in EVIDENCE
