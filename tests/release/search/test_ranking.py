"""The order of skills: the rule in plain words, and the same answers from both languages."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from helpers import searching
from helpers.searching import Fields, Order
from skillbuild.model import Digest
from skillbuild.release.layout import SEARCH_FILE, search_path
from skillbuild.release.search import numbers, writing
from skillbuild.release.search.numbers import FIELDS, WEIGHTS, Field, Numbers
from skillbuild.release.search.quoting import quote
from skillbuild.release.search.ranking import ask, is_edit
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import Term, is_ideographic, parse, phrase, stem, text_words, words

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
    Field.TITLE: 2,
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
    skills: Sequence[Weights], text: str, groups: Sequence[Sequence[str]], index: Index, most: int
) -> Order:
    """The rule in the words of its description; the index says which words share a shard."""
    asked = parse(text, [list(map(phrase, group)) for group in groups])
    if not asked.terms and not asked.ignored:
        return None
    rule = Rule(skills, most)
    scores = [0] * len(skills)
    hits = [0] * len(skills)
    parts = [0] * len(skills)
    for term in asked.terms:
        near = {other for other, _ in index.beginning(term.word[:3])}
        levels = list(rule.levels_of(term, near, is_alone=len(asked.terms) == 1))
        for number, (points, part) in enumerate(rule.points_of(levels)):
            scores[number] += points
            hits[number] += points > 0
            parts[number] += part
    ranked = sorted(
        (number for number in range(len(skills)) if hits[number]),
        key=lambda number: (-scores[number] * parts[number] ** 2, number),
    )
    half = len(asked.terms) / 2
    matches = [number for number in ranked if hits[number] > half]
    return matches, [number for number in ranked if hits[number] <= half]


Weights = dict[str, int]
"""The weight of each word of a skill."""
BODY = WEIGHTS[Field.BODY]
SHOWN = min(WEIGHTS[field] for field in numbers.SHOWN)


def weights_of(skill: Fields) -> Weights:
    weights: Weights = {}
    for field, weight in WEIGHTS.items():
        for own in skill.get(field, ()):
            weights.setdefault(own, weight)
    return weights


class Rule:
    """What the rule says of skills, of which more than `most` make a word of a field common."""

    def __init__(self, skills: Sequence[Weights], most: int) -> None:
        uses = Counter((own, weight) for skill in skills for own, weight in skill.items())
        self.common = {place for place, count in uses.items() if place[1] < SHOWN and count > most}
        self.skills = [
            {own: weight for own, weight in skill.items() if (own, weight) not in self.common}
            for skill in skills
        ]

    def points_of(self, levels: Sequence[tuple[int, list[int], int]]) -> Iterator[tuple[int, int]]:
        """What each skill gets for a term, and as how much of a term that counts."""
        table, count = Numbers(), len(self.skills)
        assert table.whole > table.exact > table.stem > table.prefix > table.edit
        having: set[int] = set()
        rarities = []
        for _, heaviest, _ in levels:
            having |= {number for number, weight in enumerate(heaviest) if weight}
            rarities.append((count // max(1, len(having))).bit_length())
        for number in range(count):
            best = (0, 0)
            for (quality, heaviest, lift), rarity in zip(levels, rarities, strict=True):
                if heaviest[number]:
                    weight = heaviest[number] + lift
                    best = max(best, (quality * weight * rarity, min(table.full, weight)))
            yield best

    def levels_of(
        self, term: Term, near: set[str], *, is_alone: bool
    ) -> Iterator[tuple[int, list[int], int]]:
        table, own, length = Numbers(), term.word, len(term.word)
        rare = self.bodies(own) if self.is_few(own) else set()
        lift = table.lift if is_alone and 0 < len(rare) <= table.rare else 0
        every = [
            (table.whole, self.largest(self.exact(whole) for whole in term.wholes), lift),
            (table.exact, self.exact(own), lift),
            (
                table.stem,
                self.largest([self.stems(own), *map(self.phrase, term.synonyms)]),
                0,
            ),
        ]
        yield from every
        if is_ideographic(own):
            return
        is_empty = not any(any(heaviest) for _, heaviest, _ in every)
        if length >= table.shortest_prefix and (term.has_prefix or is_empty):
            prefixed = self.shown(lambda w: w.startswith(own) and w != own)
            is_empty &= not any(prefixed)
            yield table.prefix, prefixed, 0
        if length >= table.shortest_edit and is_empty:
            yield table.edit, self.shown(lambda w: w in near and is_edit(own, w)), 0

    def largest(self, weights: Iterable[list[int]]) -> list[int]:
        return [max(each) for each in zip([0] * len(self.skills), *weights, strict=True)]

    def shown(self, accepts: Callable[[str], bool]) -> list[int]:
        return [
            max(
                (weight for w, weight in skill.items() if weight >= SHOWN and accepts(w)), default=0
            )
            for skill in self.skills
        ]

    def bodies(self, own: str) -> set[int]:
        """The skills that have a word in the body alone."""
        return {number for number, skill in enumerate(self.skills) if skill.get(own) == BODY}

    def is_few(self, own: str) -> bool:
        """Whether bodies are searched for a word."""
        elsewhere = sum(skill.get(own, 0) > BODY for skill in self.skills)
        is_common = any(w == own and weight > BODY for w, weight in self.common)
        return elsewhere < Numbers().few and not is_common

    def exact(self, own: str) -> list[int]:
        least = BODY if self.is_few(own) else BODY + 1
        return [weight if (weight := skill.get(own, 0)) >= least else 0 for skill in self.skills]

    def stems(self, own: str) -> list[int]:
        least = BODY if self.is_few(own) else BODY + 1
        return [
            max(
                (
                    weight
                    for w, weight in skill.items()
                    if w != own and stem(w) == stem(own) and weight >= least
                ),
                default=0,
            )
            for skill in self.skills
        ]

    def phrase(self, words: Sequence[str]) -> list[int]:
        each = [self.largest([self.exact(own), self.stems(own)]) for own in words]
        return [min(weights) for weights in zip(*each, strict=True)]


@pytest.mark.parametrize(("count", "most"), [(1, 1024), (6, 1024), (40, 6), (120, 1024), (120, 6)])
def test_both_languages_give_the_order_of_the_rule(
    count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "COMMON", most)
    chosen = random.Random(count)
    skills = catalog(chosen, count)
    queries = [query(chosen) for _ in range(150)]
    files = searching.written(skills, synonyms=SYNONYMS)
    index = searching.opened(files)
    weights = list(map(weights_of, skills))
    wanted = [naive(weights, text, SYNONYMS, index, most) for text in queries]
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


def test_every_field_has_a_weight_and_a_kind_of_its_own() -> None:
    assert len(set(WEIGHTS.values())) == len(WEIGHTS) == len(Field)
    assert {*FIELDS[numbers.WORDS], *FIELDS[numbers.BODY]} == {*Field}
    assert FIELDS[numbers.STARTS] == FIELDS[numbers.WORDS][: len(FIELDS[numbers.STARTS])]


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
        return skillbuild.spans(text, result.marks).map(([start, end]) => text.slice(start, end));
    """
    assert searching.in_script(files, code, [text, asked]) == wanted


TEXT = """---
name: staffing
---
# Hire people

- "Ask for references, and ask again: **recruitment** is slow. See `plan.md`."
Recruitment in three steps needs
the references of a candidate.

```sh
recruitment --candidate references --steps 3
# so it is
  recruitment --flag _x_ \\
  so on
```
- `{"item": "of a list"}`
{"steps": "recruitment of a candidate with references"}
"""
JOINED = "Recruitment in three steps needs the references of a candidate."


@pytest.mark.parametrize(
    ("asked", "quoted", "marked"),
    [
        ("recruitment", TEXT.splitlines()[5].strip('- "'), ["recruitment"]),
        ("candidate references", JOINED, ["references", "candidate"]),
        ("steps", JOINED, ["steps"]),
        ("staffing", "", []),
        (
            "plan",
            "Ask for references, and ask again: **recruitment** is slow. See `plan.md`.",
            ["plan"],
        ),
        ("flag", "recruitment --flag _x_ \\", ["flag"]),
        ("item", '{"item": "of a list"}', ["item"]),
        ("sh", "", []),
    ],
    ids=[
        "one line",
        "most of the words",
        "no code",
        "no frontmatter",
        "signs in a sentence",
        "code if nothing else has it, a line as it stands",
        "code in a list, without its mark",
        "no mark of a language",
    ],
)
def test_both_languages_quote_the_sentence_that_has_most_of_the_terms(
    asked: str, quoted: str, marked: list[str]
) -> None:
    files = searching.written([{Field.BODY: text_words(TEXT)}])
    answer = ask(searching.opened(files), asked)
    assert answer is not None
    assert quote(TEXT, answer.found) == quoted
    code = """
        const [text, asked] = given.value;
        const { marks } = await index.find(asked);
        const quoted = (hasCode) => skillbuild.quote(text, marks, marks, "", hasCode);
        const line = quoted(false) || quoted(true);
        return [line, skillbuild.spans(line, marks).map(([start, end]) => line.slice(start, end))];
    """
    assert searching.in_script(files, code, [TEXT, asked]) == [quoted, marked]


def test_code_is_quoted_as_it_stands_if_nothing_else_has_the_word() -> None:
    text = 'Ask it.\n\n```json\n{"actions": ["studies"]}\n```\n'
    files = searching.written([{Field.BODY: text_words(text)}])
    answer = ask(searching.opened(files), "studies")
    assert answer is not None
    code = """
        const { marks } = await index.find("studies");
        const quoted = (hasCode) => skillbuild.quote(given.value, marks, marks, "", hasCode);
        return [quoted(false), quoted(true)];
    """
    line = '{"actions": ["studies"]}'
    assert quote(text, answer.found) == line
    assert searching.in_script(files, code, text) == ["", line]


def test_the_quote_has_a_word_that_the_card_lacks_and_if_it_can_the_others() -> None:
    text = "Give the url.\n\nThe callback is called.\n\nSet the callback url.\n"
    files = searching.written([{Field.BODY: text_words(text)}])
    code = """
        const { marks } = await index.find("callback url");
        const quoted = (wanted) => skillbuild.quote(given.value, wanted, marks, "");
        return [marks.slice(1), marks].map(quoted);
    """
    assert searching.in_script(files, code, text) == ["Set the callback url."] * 2


def test_a_result_tells_the_field_of_each_term() -> None:
    skill = {
        Field.NAME: ["pdf"],
        Field.TAGS: ["office"],
        Field.HEADINGS: ["filling"],
        Field.BODY: ["annotate"],
    }
    lines = [searching.line(0, skill, [[], ["docs"], [], []]), searching.line(1, {})]
    files = searching.files_of(lines, (), {"docs": ["docs", "writing"]})
    asked = "pdf offices fill annotates nothing writing"
    wanted = ["name", "tags", "headings", "body", "", "group"]
    index = searching.opened(files)
    answer = ask(index, asked)
    assert answer is not None
    assert answer.fields(index, 0) == wanted
    code = "return (await index.find(given.value)).where(0)"
    assert searching.in_script(files, code, asked) == wanted


WRITTEN = {
    "names": {Field.NAME: ["invoices"], Field.BODY: ["x"]},
    "prefix": {Field.NAME: ["ledgers"]},
    "tags": {Field.TAGS: ["ledger"]},
    "license": {Field.LICENSE: ["ledger"]},
    "body": {Field.BODY: ["ledger", "invoicing"]},
    "others": {Field.DESCRIPTION: ["ledgering"]},
}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("ledger", ["tags", "license", "body", "prefix", "others"]),
        ("invoicing", ["body", "names"]),
        ("invoice", ["names", "body"]),
    ],
)
def test_a_rare_word_of_a_body_comes_before_other_forms_of_it(
    asked: str, wanted: list[str]
) -> None:
    files = searching.written(list(WRITTEN.values()))
    order = searching.order(searching.opened(files), asked)
    assert order is not None
    assert [list(WRITTEN)[number] for number in order[0]] == wanted
    assert searching.orders_in_script(files, [asked]) == [order]


@pytest.mark.parametrize("field", [Field.OPENING, Field.DESCRIPTION, Field.HEADINGS])
def test_a_word_comes_before_names_that_only_begin_with_it(field: Field) -> None:
    skills: list[Fields] = [{Field.NAME: ["portfolio"]}, {field: ["port"]}]
    files = searching.written(skills)
    assert searching.order(searching.opened(files), "port") == ([1, 0], [])
    assert searching.orders_in_script(files, ["port"]) == [([1, 0], [])]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a short text", "a short text"),
        ("port and some other words", "port and some other…"),
        ("words that stand before the port and others after it", "…the port and others…"),
        ("some other words and a port", "…words and a port"),
        ("nothing of what is asked for", "nothing of what is…"),
    ],
)
def test_a_long_text_is_cut_around_its_first_match(text: str, wanted: str) -> None:
    files = searching.written([{Field.DESCRIPTION: ["port"]}])
    code = """
        const { marks } = await index.find("port");
        return skillbuild.cut(given.value, marks, 20);
    """
    assert searching.in_script(files, code, text) == wanted


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("gormulate", ["gromulate"]),
        ("gromp", ["gromps"]),
        ("flimbarnt", ["flimbrant"]),
        ("kubernetix", ["kubernetes"]),
        ("wholly", []),
        ("gromps gormulate", ["gromulate"]),
        ("gormulate kubernetix", ["gromulate", "kubernetes"]),
    ],
)
def test_words_that_are_spelled_much_alike_are_told(asked: str, wanted: list[str]) -> None:
    names = ["gromulate", "gromps", "kubernetes", "it"]
    skills: list[Fields] = [{Field.NAME: names, Field.BODY: ["flimbrant"]}]
    files = searching.written(skills)
    assert searching.in_script(files, "return index.near(given.value)", asked) == wanted


def test_words_that_are_typed_apart_are_one_word_too() -> None:
    skills: list[Fields] = [{Field.NAME: ["data", "table"]}, {Field.DESCRIPTION: ["database"]}]
    files = searching.written(skills)
    assert searching.order(searching.opened(files), "data base") == ([1], [0])
    assert searching.orders_in_script(files, ["data base"]) == [([1], [0])]


@pytest.mark.parametrize(("others", "wanted"), [(9, 10), (10, 10)])
def test_bodies_are_searched_for_words_that_few_skills_have_elsewhere(
    others: int, wanted: int
) -> None:
    skills: list[Fields] = [{Field.BODY: ["pdf"]}, *[{Field.NAME: ["pdf"]}] * others]
    loaded: list[str] = []
    files = searching.written(skills)

    def read(digest: Digest) -> bytes:
        loaded.append(digest.hex)
        return files[search_path(digest)]

    index = Index(files[SEARCH_FILE], read)
    answer = ask(index, "pdf")
    assert answer is not None
    assert len(answer.matches) == wanted
    bodies = {name for _, name in index.manifest.words[numbers.BODY].named}
    assert bool(bodies & {*loaded}) == (others < 10)
