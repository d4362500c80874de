"""Words of texts and terms of queries: both languages give what the case files want."""

from __future__ import annotations

import json
import random
import unicodedata
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import CASES, scripts
from skillbuild.text import terms

SCRIPTS = ("search/letters.js", "search/terms.js")
FOLDER = CASES / "terms"
SYNONYMS = [["k8s", "kubernetes"], ["tdd", "test driven development"], ["ppt", "pptx"]]
GROUPS = [[terms.phrase(phrase) for phrase in group] for group in SYNONYMS]


def cases(name: str) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return read


def answers(name: str, text: str) -> object:
    """What Python says of the text of a case."""
    match name:
        case "words":
            return terms.words(text)
        case "stems":
            return terms.stem(text)
        case "variants":
            own = terms.stem(text)
            return sorted(terms.words_of_stem(own)) if terms.is_stemmed(text) else []
        case _:
            return query_json(terms.parse(text, GROUPS))


def query_json(query: terms.Query) -> object:
    """A query as the script has it."""
    each = [asdict(term) for term in query.terms]
    for term in each:
        term["hasPrefix"] = term.pop("has_prefix")
    parsed = {"terms": each, "synonyms": query.synonyms, "ignored": query.ignored}
    return json.loads(json.dumps(parsed))


CALLS = {
    "stems": "return given.texts.map(skillbuild.terms.stem)",
    "variants": """
        const { stem, wordsOfStem } = skillbuild.terms;
        return given.texts.map((text) =>
            /^[a-z]{3,}$/.test(text) ? wordsOfStem(stem(text)).sort() : []);
    """,
    "queries": """
        const { parse, phrase } = skillbuild.terms;
        const groups = given.synonyms.map((group) => group.map(phrase));
        return given.texts.map((text) => parse(text, groups));
    """,
}


def in_script(name: str, texts: list[str]) -> Any:
    return scripts.run(SCRIPTS, CALLS[name], {"texts": texts, "synonyms": SYNONYMS})


@pytest.mark.parametrize("name", ["words", *CALLS])
def test_cases_hold_in_python(name: str, *, update: bool) -> None:
    wanted = [{"text": case["text"], "want": answers(name, case["text"])} for case in cases(name)]
    if update:
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in wanted)
        (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")
    assert cases(name) == wanted


@pytest.mark.parametrize("name", sorted(CALLS))
def test_cases_hold_in_the_script(name: str) -> None:
    every = cases(name)
    assert in_script(name, [case["text"] for case in every]) == [case["want"] for case in every]


def test_the_table_of_letters_is_that_of_unicode_3_2_in_both_languages() -> None:
    category = unicodedata.ucd_3_2_0.category
    wanted = [code for code in range(0x110000) if category(chr(code))[0] in "LMN"]
    assert [code for first, last in terms.ranges() for code in range(first, last + 1)] == wanted
    code = """
        const every = [];
        const letter = new RegExp(`[${skillbuild.letters.LETTER}]`, "u");
        for (let i = 0; i < 0x110000; i++) if (letter.test(String.fromCodePoint(i))) every.push(i);
        return every;
    """
    assert scripts.run(SCRIPTS[:1], code) == wanted


def test_every_letter_is_folded_alike() -> None:
    every = [chr(code) for first, last in terms.ranges() for code in range(first, last + 1)]
    texts = [f"a{letter}b{letter.upper()}" for letter in every]
    wanted = list(map(terms.folded, texts))
    assert scripts.run(SCRIPTS[:1], "return given.map(skillbuild.letters.folded)", texts) == wanted


ALPHABET = [
    *"abcdeginrstyzABCSsZ0189é\xdf\u0131\u017f\xbdﬁ\u03a3\u03c3\u03c2が字書ｶﾞ한국 -_/.  ,'",
    *"\u0301\u3099\U00020000\ud7a3\u1e9e",
    *(" stopping", " studies", "APIs", "the ", "K8s ", "kubernetes ", "GitHub", "_", "ing", "ies"),
]


def test_random_texts_have_the_same_stems_and_terms_in_both_languages() -> None:
    chosen = random.Random(1)
    texts = ["".join(chosen.choices(ALPHABET, k=chosen.randrange(60))) for _ in range(2000)]
    for name in CALLS:
        own = texts if name == "queries" else [text.replace(" ", "").lower() for text in texts]
        assert in_script(name, own) == [answers(name, text) for text in own]


@given(st.text(alphabet="abdeginrsuyz", min_size=1))
def test_a_stem_is_in_what_its_words_begin_with(word: str) -> None:
    start, own = terms.stem_start(word), terms.stem(word)
    assert word.startswith(start)
    assert own in {start, f"{start}i"}


USUAL = {
    "test": "test tests tested testing testings",
    "stop": "stop stops stopped stopping",
    "quit": "quit quits quitting",
    "creat": "create creates created creating",
    "copi": "copy copies copied copying",
    "try": "try tries tried trying",
    "process": "process processes processed processing",
    "analys": "analysis analyses analyse analysed analysing",
    "status": "status statuses",
    "class": "class classes",
    "api": "api apis",
    "set": "set sets setting settings",
}


@pytest.mark.parametrize("own", USUAL)
def test_the_words_of_a_stem_are_those_that_are_written(own: str) -> None:
    assert terms.words_of_stem(own) >= set(USUAL[own].split())


@given(st.text(alphabet="abdeginrsuyz", min_size=3, max_size=8))
@settings(max_examples=1000)
def test_the_words_of_a_stem_have_it(own: str) -> None:
    others = terms.words_of_stem(terms.stem(own))
    assert {terms.stem(other) for other in others} <= {terms.stem(own)}


@given(st.text())
def test_first_parts_are_words_of_the_text(text: str) -> None:
    every = terms.words(text)
    assert set(terms.first_parts(text, len(every))) <= set(every) - terms.STOP_WORDS


@pytest.mark.parametrize("most", [1, 500, 5000])
def test_first_parts_of_a_long_text_are_in_its_order(most: int) -> None:
    every = [f"word{number}" for number in range(2000)]
    assert terms.first_parts("\n".join(every * 2), most) == every[:most]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (9, ["open", "git", "hub", "next", "js", "数", "据", "数据"]),
        (3, ["open", "git"]),
        (0, []),
    ],
)
def test_first_parts_have_neither_compounds_nor_stop_words(most: int, expected: list[str]) -> None:
    assert terms.first_parts(f"Open the GitHub, next.js\n数据 {'x' * 65} open", most) == expected
