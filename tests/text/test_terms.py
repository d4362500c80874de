"""Words of texts and terms of queries: both languages give what the case files want."""

from __future__ import annotations

import json
import random
import unicodedata
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import CASES, scripts
from skillbuild import assets
from skillbuild.text import terms

SCRIPTS = ("search/letters.js", "search/snowball.js", "search/terms.js")
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
        case _:
            return query_json(terms.parse(text, GROUPS))


def query_json(query: terms.Query) -> object:
    """A query as the script has it."""
    each = [asdict(term) for term in query.terms]
    for term in each:
        term["hasPrefix"] = term.pop("has_prefix")
    parsed = {"terms": each, "synonyms": query.synonyms, "ignored": query.ignored}
    return json.loads(json.dumps(parsed))


def queries_in_script(texts: list[str]) -> Any:
    code = """
        const { parse, phrase } = skillbuild.terms;
        const groups = given.synonyms.map((group) => group.map(phrase));
        return given.texts.map((text) => parse(text, groups));
    """
    return scripts.run(SCRIPTS, code, {"texts": texts, "synonyms": SYNONYMS})


@pytest.mark.parametrize("name", ["words", "queries"])
def test_cases_hold_in_python(name: str, *, update: bool) -> None:
    wanted = [{"text": case["text"], "want": answers(name, case["text"])} for case in cases(name)]
    if update:
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in wanted)
        (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")
    assert cases(name) == wanted


def test_queries_hold_in_the_script() -> None:
    every = cases("queries")
    found = queries_in_script([case["text"] for case in every])
    assert found == [case["want"] for case in every]


def test_5000_words_have_the_stems_of_snowball_in_both_languages(*, update: bool) -> None:
    """A release of Snowball may change its rules, and then the scripts need that release too."""
    path = FOLDER / "stems.txt"
    words = [line.split(" ")[0] for line in path.read_text("utf-8").splitlines()]
    assert len(words) == 5000
    lines = [f"{word} {terms.stem(word)}" for word in words]
    if update:
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert path.read_text("utf-8").splitlines() == lines
    code = "return given.map((word) => `${word} ${skillbuild.terms.stem(word)}`)"
    assert scripts.run(SCRIPTS, code, words) == lines


def test_the_scripts_have_the_release_of_snowball_that_is_installed() -> None:
    source = (assets.asset_root("site_src") / "search/snowball.js").read_text("utf-8")
    assert f"Snowball {terms.stemmer_release()}," in source


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


def test_random_texts_have_the_same_terms_in_both_languages() -> None:
    chosen = random.Random(1)
    texts = ["".join(chosen.choices(ALPHABET, k=chosen.randrange(60))) for _ in range(2000)]
    assert queries_in_script(texts) == [answers("queries", text) for text in texts]


def test_random_words_have_the_same_stems_in_both_languages() -> None:
    chosen = random.Random(2)
    ends = ["ing", "ed", "edly", "ies", "ational", "fulness", "ly", "y", "e", "s", "sses", "ement"]
    words = [
        "".join(chosen.choices("abcdeginrstuyz", k=chosen.randrange(1, 9))) + chosen.choice(ends)
        for _ in range(2000)
    ]
    found = scripts.run(SCRIPTS, "return given.map(skillbuild.terms.stem)", words)
    assert found == list(map(terms.stem, words))


@given(st.text())
def test_words_of_a_long_text_are_words_of_it(text: str) -> None:
    assert set(terms.text_words(text)) <= set(terms.words(text))


def test_words_of_a_long_text_have_no_compound_of_a_path() -> None:
    text = f"Open the GitHub, next.js/a_b\n\u6570\u636e {'x' * 65} open re-run"
    plain = ["open", "the", "git", "hub", "github", "next", "js", "a", "b"]
    assert terms.text_words(text) == [*plain, "\u6570", "\u636e", "\u6570\u636e", "re", "run"]
