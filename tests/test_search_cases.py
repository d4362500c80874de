"""The judged skills and queries are well-formed, so that what judges a search can be trusted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from helpers import repos
from helpers.search_cases import (
    read_queries,
    read_skills,
    read_special,
    read_synonyms,
    skill_files,
)

_EXPECTED = {"list", "nothing", "none", "some", "any", "first", "most", "same"}
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_AT_LEAST = {
    "paraphrase": 100,
    "acronym": 20,
    "typo": 20,
    "inflection": 20,
    "cjk": 40,
    "question": 20,
    "synonym": 20,
}


def test_300_skills_of_which_30_are_chinese_or_japanese() -> None:
    skills = read_skills()
    paths = [skill.path for skill in skills]
    assert len(skills) == 300
    assert sum(_CJK.search(skill.description) is not None for skill in skills) == 30
    assert paths == sorted(set(paths), key=str.encode)
    assert len({skill.name for skill in skills}) == 300
    for skill in skills:
        assert skill.path.rpartition("/")[2] == skill.name
        assert 80 <= len(skill.description) <= 600, skill.name
        assert 2 <= len(skill.headings) <= 6, skill.name


def test_skills_are_published_without_a_warning(tmp_path: Path) -> None:
    source = repos.repository(tmp_path / "source", skill_files(read_skills()))
    report = repos.check(source)
    assert report.skills == 300
    assert report.invalid == ()
    assert {code for _, code in repos.codes(report)} == {"discovery-omitted"}


def test_queries_name_skills_that_exist_and_are_enough_of_each_kind() -> None:
    paths = {skill.path for skill in read_skills()}
    queries = read_queries()
    kinds = Counter(query.kind for query in queries)
    assert {kind for kind, least in _AT_LEAST.items() if kinds[kind] < least} == set()
    assert kinds.keys() == _AT_LEAST.keys()
    assert len({query.text for query in queries}) == len(queries)
    for query in queries:
        assert query.first, query.text
        assert query.first <= query.among <= paths, query.text


def test_paraphrases_share_no_word_with_the_names_that_they_are_about() -> None:
    for query in read_queries():
        if query.kind == "paraphrase":
            names = " ".join(path.rpartition("/")[2] for path in query.first)
            assert not _words(query.text) & _words(names), query.text


def test_acronyms_stand_in_the_descriptions_of_what_they_are_to_lead_to() -> None:
    descriptions = {skill.path: skill.description for skill in read_skills()}
    for query in read_queries():
        if query.kind == "acronym":
            whole = re.compile(rf"\b{query.text}\b")
            assert all(whole.search(descriptions[path]) for path in query.first), query.text


def test_special_queries_are_of_a_known_kind() -> None:
    paths = {skill.path for skill in read_skills()}
    for special in read_special():
        assert special.expect in _EXPECTED, special.text
        assert special.paths <= paths, special.text
        assert bool(special.paths) == (special.expect == "first"), special.text
        assert bool(special.also) == (special.expect == "same"), special.text
        assert bool(special.limit) == (special.expect == "most"), special.text
        assert special.why


def test_no_term_is_in_two_groups_of_synonyms() -> None:
    terms = Counter(term for group in read_synonyms() for term in group)
    assert [term for term, count in terms.items() if count > 1] == []
    assert all(
        len(group) > 1 and term == term.lower() for group in read_synonyms() for term in group
    )


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z0-9]+", text.lower()))
