"""The order of skills: the rule in plain words, and the same answers from both languages."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from helpers import searching
from helpers.searching import Fields, Order
from skillbuild.release.search import numbers, writing
from skillbuild.release.search.numbers import FIELDS, WEIGHTS, Field, Numbers
from skillbuild.release.search.ranking import ask, is_edit
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import Term, is_ideographic, is_stemmed, parse, phrase, stem, words

STEMS = ["form", "pdf", "query", "deploy", "review", "test", "data", "design", "commit", "k8s"]
ENDINGS = ["", "", "s", "ing", "ed", "er", "base", "-kit", "XQuery"]
OTHERS = [
    "数据库",
    "データ",
    "文档",
    "数据",
    "한국어",
    "kubernetes",
    "react",
    "c",
    "R",
    "a",
    "the",
    "\U00020000x",
]
SYNONYMS = [["k8s", "kubernetes"], ["tdd", "test driven development"], ["form", "query data"]]
FIELD_SIZES = {
    Field.NAME: 2,
    Field.PATH: 1,
    Field.TAGS: 2,
    Field.OPENING: 3,
    Field.DESCRIPTION: 6,
    Field.HEADINGS: 4,
    Field.FILES: 3,
    Field.LICENSE: 1,
    Field.BODY: 12,
}


def word(chosen: random.Random) -> str:
    if chosen.random() < 0.3:
        return chosen.choice(OTHERS)
    return chosen.choice(STEMS) + chosen.choice(ENDINGS)


def catalog(chosen: random.Random, count: int) -> list[Fields]:
    """Skills with words that often share stems and beginnings."""
    return [
        {
            field: words(" ".join(word(chosen) for _ in range(chosen.randrange(size + 1))))
            for field, size in FIELD_SIZES.items()
        }
        for _ in range(count)
    ]


def query(chosen: random.Random) -> str:
    """Some words, with slips, cut short, or of two that are joined."""
    each = [word(chosen) for _ in range(chosen.choice([0, 1, 1, 2, 2, 3, 4, 9, 20]))]
    for i, own in enumerate(each):
        place = chosen.randrange(len(own))
        match chosen.randrange(8):
            case 0:
                each[i] = own[:place] + chosen.choice("aeist") + own[place:]
            case 1:
                each[i] = own[:place] + own[place + 1 :]
            case 2:
                each[i] = own[:place] + own[place : place + 2][::-1] + own[place + 2 :]
            case 3:
                each[i] = own[: place + 1]
    return chosen.choice([" ", " ", "-", ", "]).join(each)


# The rule, without an index.


def naive(
    weights: Sequence[Weights], text: str, groups: Sequence[Sequence[str]], index: Index
) -> Order:
    """The rule in the words of its description; the index says which words share a shard."""
    asked = parse(text, [list(map(phrase, group)) for group in groups])
    if not asked.terms and not asked.ignored:
        return None
    scores = [0] * len(weights)
    hits = [0] * len(weights)
    for term in asked.terms:
        near = {other for other, _ in index.beginning(numbers.SHOWN, term.word[:3])}
        for number, points in enumerate(points_of(term, weights, near)):
            scores[number] += points
            hits[number] += points > 0
    ranked = sorted(
        (number for number in range(len(weights)) if hits[number]),
        key=lambda number: (-scores[number] * hits[number] ** 2, number),
    )
    half = len(asked.terms) / 2
    matches = [number for number in ranked if hits[number] > half]
    return matches, [number for number in ranked if hits[number] <= half]


Weights = dict[tuple[int, str], int]
"""The weight of each word of a skill by its kind; words of its files by their stems."""


def weights_of(skill: Fields) -> Weights:
    weights: Weights = {}
    for field, (kind, weight) in FIELDS.items():
        for own in skill.get(field, ()):
            if kind == numbers.SHOWN:
                weights.setdefault((kind, own), weight)
            elif stem(own) not in {stem(other) for other in shown(weights)}:
                weights.setdefault((kind, stem(own)), weight)
    return weights


def without_common(skills: Sequence[Weights], most: int) -> list[Weights]:
    """The same but for the words of files that more skills than this have at one weight."""
    uses = Counter(
        (word, weight) for skill in skills for (kind, word), weight in skill.items() if kind
    )
    return [
        {
            place: weight
            for place, weight in skill.items()
            if uses[place[1], weight] * place[0] <= most
        }
        for skill in skills
    ]


def points_of(term: Term, skills: Sequence[Weights], near: set[str]) -> list[int]:
    table = Numbers()
    best = [0] * len(skills)
    having: set[int] = set()
    for quality, heaviest in levels_of(term, skills, near, having):
        having |= {number for number, weight in enumerate(heaviest) if weight}
        rarity = (len(skills) // max(1, len(having))).bit_length()
        for number, weight in enumerate(heaviest):
            best[number] = max(best[number], quality * weight * rarity)
    assert table.whole > table.exact > table.stem > table.prefix > table.edit
    return best


def levels_of(
    term: Term, skills: Sequence[Weights], near: set[str], having: set[int]
) -> Iterator[tuple[int, list[int]]]:
    table, own, length = Numbers(), term.word, len(term.word)
    yield table.whole, [max(exact(skill, w) for w in (*term.wholes, "")) for skill in skills]
    yield table.exact, [exact(skill, own) for skill in skills]
    synonyms = [
        max(
            (min(alike(skill, w) for w in each) for each in term.synonyms),
            default=0,
        )
        for skill in skills
    ]
    stems = [alike(skill, own) for skill in skills]
    yield table.stem, [max(pair) for pair in zip(stems, synonyms, strict=True)]
    if is_ideographic(own):
        return
    if length >= table.shortest_prefix and (term.has_prefix or not having):
        yield (
            table.prefix,
            [heaviest(skill, {w for w in shown(skill) if w.startswith(own)}) for skill in skills],
        )
    if length >= table.shortest_edit and not having:
        yield (
            table.edit,
            [
                heaviest(skill, {w for w in shown(skill) & near if is_edit(own, w)})
                for skill in skills
            ],
        )


def heaviest(skill: Weights, words: set[str]) -> int:
    """The largest weight of words that the skill is listed by."""
    return max((skill.get((numbers.SHOWN, own), 0) for own in words), default=0)


def exact(skill: Weights, own: str) -> int:
    return max(heaviest(skill, {own}), skill.get((numbers.BODY, stem(own)), 0))


def alike(skill: Weights, own: str) -> int:
    others = {w for w in shown(skill) if stem(w) == stem(own)} if is_stemmed(own) else set()
    return max(exact(skill, own), heaviest(skill, set(filter(is_stemmed, others))))


def shown(skill: Weights) -> set[str]:
    return {own for kind, own in skill if kind == numbers.SHOWN}


@pytest.mark.parametrize(("count", "most"), [(1, 1024), (6, 1024), (40, 6), (120, 1024), (120, 6)])
def test_both_languages_give_the_order_of_the_rule(
    count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MOST_IN_BODY", most)
    chosen = random.Random(count)
    skills = catalog(chosen, count)
    queries = [query(chosen) for _ in range(150)]
    files = searching.written(skills, synonyms=SYNONYMS)
    index = searching.opened(files)
    weights = without_common(list(map(weights_of, skills)), most)
    wanted = [naive(weights, text, SYNONYMS, index) for text in queries]
    assert [searching.order(index, text) for text in queries] == wanted
    assert searching.orders_in_script(files, queries) == wanted


@pytest.mark.parametrize("count", [5, 60, 300, 900])
@pytest.mark.nightly
def test_both_languages_give_one_order_where_there_are_many_files(count: int) -> None:
    chosen = random.Random(count)
    skills = catalog(chosen, count)
    queries = [query(chosen) for _ in range(500)]
    with searching.small_files():
        files = searching.written(skills, synonyms=SYNONYMS)
    index = searching.opened(files)
    assert searching.orders_in_script(files, queries) == [
        searching.order(index, text) for text in queries
    ]


def test_the_skills_that_are_asked_for_keep_their_order() -> None:
    chosen = random.Random(9)
    index = searching.opened(searching.written(catalog(chosen, 300)))
    for text in [query(chosen) for _ in range(200)]:
        every, even = ask(index, text), ask(index, text, among=range(0, 300, 2))
        if every is None or even is None:
            assert every is even
            continue
        assert even.matches == [number for number in every.matches if number % 2 == 0]
        assert even.also == [number for number in every.also if number % 2 == 0]


def test_the_weights_of_fields_are_those_of_the_index() -> None:
    assert {weight for _, weight in FIELDS.values()} == {w for each in WEIGHTS for w in each}
    assert all(weight in WEIGHTS[kind] for kind, weight in FIELDS.values())


@pytest.mark.parametrize(
    ("word", "other", "wanted"),
    [
        ("react", "recat", True),
        ("react", "reac", True),
        ("react", "reacts", True),
        ("react", "ract", True),
        ("react", "reakt", True),
        ("react", "react", False),
        ("react", "rcaet", False),
        ("react", "ractet", False),
        ("aab", "aba", True),
        ("aaaa", "aaa", True),
    ],
)
def test_one_slip_is_an_edit(word: str, other: str, wanted: bool) -> None:
    assert is_edit(word, other) is wanted
    assert is_edit(other, word) is wanted


def test_rows_and_facets_are_the_same_in_both_languages() -> None:
    values = {f"v{number}": list(range(0, 700, number + 1)) for number in range(40)}
    skills = [
        searching.line(
            number,
            {Field.NAME: ["x"]},
            [
                [value for value, own in values.items() if number in own] or ["not declared"],
                ["a b"] if number == 3 else [],
                ["MIT"],
                [],
            ],
        )
        for number in range(700)
    ]
    with searching.small_files():
        files = searching.files_of(skills)
    index = searching.opened(files)
    code = """
        const rows = await index.rows([0, 15, 16, 699]);
        const facets = {};
        for (const value of given.value) facets[value] = [...(await index.facet("tags", value))];
        const shown = await index.facets();
        const none = await index.facet("tags", "none");
        return [index.count, rows.map((row) => row.path), facets,
            [...shown].map(([key, inner]) => [key, [...inner.keys()]]), [...none]];
    """
    assert searching.in_script(files, code, list(values)) == [
        700,
        ["group/0", "group/15", "group/16", "group/699"],
        values,
        [["tags", list(values)[:12]], ["groups", ["a b"]], ["licenses", ["MIT"]], ["contents", []]],
        [],
    ]
    assert [index.row(number)[0] for number in (0, 15, 16, 699)] == [
        *("group/0", "group/15", "group/16", "group/699"),
    ]
    for value, own in values.items():
        assert index.having("tags", value) == {*own}
    assert index.having("tags", "none") == set()


def test_a_file_that_could_not_be_loaded_is_tried_again() -> None:
    files = searching.written([{Field.NAME: ["pdf"]}])
    code = """
        let failing = true;
        const second = await skillbuild.openIndex(async (name) => {
            if (failing && name !== "manifest.js") throw new Error("offline");
            return load(name);
        });
        const first = await second.find("pdf").then(() => "", (error) => error.message);
        failing = false;
        return [first, (await second.find("pdf")).matches];
    """
    assert searching.in_script(files, code) == ["offline", [0]]


def test_a_result_says_which_terms_it_is_about() -> None:
    files = searching.written([{Field.NAME: ["kubernetes"]}], synonyms=SYNONYMS)
    code = """
        const { terms, synonyms, ignored } = await index.find(given.value);
        return [terms, synonyms, ignored];
    """
    asked = f"the k8s pods {' '.join(f'w{number}' for number in range(20))}"
    terms = ["k8s", "pods", *(f"w{number}" for number in range(14))]
    assert searching.in_script(files, code, asked) == [terms, [["k8s", "kubernetes"]], 6]
    assert searching.in_script(files, "return await index.find(given.value)", " ++ ") is None


@pytest.mark.parametrize(
    ("text", "asked", "wanted"),
    [
        ("Fill PDF forms", "form", ["forms"]),
        ("Fill PDFs", "pd", ["PDFs"]),
        ("Uses GitHub-Actions.", "github", ["GitHub"]),
        ("Uses git-hub here", "github", ["git-hub"]),
        ("On k8s", "kubernetes", ["k8s"]),
        ("Réviews of code", "reviews", ["Réviews"]),
        ("設計データベース入門", "データベース", ["データベース"]),
        ("字 and 数据", "字", ["字"]),
        ("nothing here", "form", []),
        ("Filling of \U0001f600 forms", "from forms", ["forms"]),
    ],
)
def test_spans_are_what_a_query_asked_for(text: str, asked: str, wanted: list[str]) -> None:
    files = searching.written([{Field.DESCRIPTION: words(text)}], synonyms=SYNONYMS)
    code = """
        const result = await index.find(given.value[1]);
        const [text] = given.value;
        return skillbuild.spans(text, result).map(([start, end]) => text.slice(start, end));
    """
    assert searching.in_script(files, code, [text, asked]) == wanted
