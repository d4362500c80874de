"""The judge of searches: what it counts as found, and that it can fail."""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from helpers import repos, searching
from helpers.repos import skill_md
from helpers.search_cases import Query, Special, read_queries, read_skills, skill_files
from judges import search
from judges.search import Answer
from skillbuild.output import verify

_QUERY = Query("a", "typo", frozenset(["x"]), frozenset(["x", "y"]))
_ANSWERS: Mapping[str, Answer] = {
    "none": Answer(()),
    "list": Answer(None),
    "x": Answer(("x",)),
    "xy": Answer(("x", "y"), synonyms=(("k8s", "kubernetes"),), ignored=1),
    "yx": Answer(("y", "x")),
}


@pytest.mark.parametrize(
    ("paths", "first", "among"),
    [
        (("x", "z"), 1, 1),
        (("y", "x"), 0, 1),
        (("z", "z2", "y"), 0, 1),
        (("z", "z2", "z3", "x"), 0, 0),
        ((), 0, 0),
        (None, 0, 0),
    ],
)
def test_a_hit_is_an_accepted_skill_in_its_place(
    paths: tuple[str, ...] | None, first: int, among: int
) -> None:
    hits = search.count_hits([_QUERY], {"a": Answer(paths)})
    assert (hits.asked, hits.first, hits.among) == (1, first, among)
    assert bool(hits.misses) == (first == 0)


@pytest.mark.parametrize(
    ("expect", "met"),
    [
        ("list", {"list"}),
        ("nothing", {"list", "none"}),
        ("none", {"none"}),
        ("some", {"x", "xy", "yx"}),
        ("any", {"list", "none", "x", "xy", "yx"}),
        ("first", {"x", "xy"}),
        ("most", {"x"}),
        ("same", {"xy"}),
    ],
)
def test_each_expectation_of_a_special_query(expect: str, met: set[str]) -> None:
    assert {text for text in _ANSWERS if not _faults(text, expect)} == met


def test_synonyms_and_ignored_terms_have_to_be_told() -> None:
    told = {text for text in _ANSWERS if not _faults(text, "any", synonym="kubernetes")}
    assert told == {"xy"}
    assert {text for text in _ANSWERS if not _faults(text, "any", ignored=True)} == {"xy"}


def test_acronyms_come_from_descriptions(tmp_path: Path) -> None:
    entries = list(verify.load(_output(tmp_path)).catalog.entries)
    assert search.acronyms(entries) == {"PDF": ["a"], "SBOM": ["a", "b"]}


def test_phrases_come_from_texts() -> None:
    report = "\u969c\u5bb3\u5831\u544a\u66f8"
    phrases = search.random_phrases({"a": "x", "b": f"an {report}"}, random.Random(1))
    assert {path for path, _ in phrases} == {"b"}
    assert all(2 <= len(text) <= 4 and text in report for _, text in phrases)


def test_rare_words_are_those_of_prose_that_two_to_six_skills_have() -> None:
    texts = {f"{number}": "every `code` word" for number in range(7)}
    texts["0"] += " rarely https://address.example [said](link)\n```\nfence\n```\n"
    texts["6"] = "---\nname: rarely\n---\naddress link fence re-word Word"
    assert search.rare_words(texts, random.Random(1)) == {
        "rarely": {"0", "6"},
        "address": {"0", "6"},
        "fence": {"0", "6"},
        "link": {"0", "6"},
        "every": {"0", "1", "2", "3", "4", "5"},
    }


def test_a_search_passes_only_above_the_bars_and_two_only_with_one_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = _output(tmp_path)
    queries = [Query("reads", "question", frozenset(["a"]), frozenset(["a"]))]
    special = [Special("", "list", frozenset(), "", 0, "", ignored=False, why="nothing typed")]
    plain = search.by_plain_words

    def backwards(out: Path, texts: Sequence[str]) -> Sequence[Answer]:
        return [Answer(got.paths and got.paths[::-1]) for got in plain(out, texts)]

    def blind(_: Path, texts: Sequence[str]) -> Sequence[Answer]:
        return [Answer(() if text else None) for text in texts]

    options = argparse.Namespace(seed=1, misses=False)
    assert search.judge(out, queries, special, {"plain": plain}, options)
    assert not search.judge(out, queries, special, {"blind": blind}, options)
    capsys.readouterr()
    both = {"plain": plain, "backwards": backwards}
    assert not search.judge(out, queries, special, both, options)
    assert "'SBOM' is ordered in two ways by plain and backwards" in capsys.readouterr().out


def _faults(text: str, expect: str, *, synonym: str = "", ignored: bool = False) -> list[str]:
    also = "xy" if expect == "same" else ""
    case = Special(text, expect, frozenset(["x"]), also, 1, synonym, ignored, why="so")
    return list(search.special_faults(case, _ANSWERS))


def _output(folder: Path) -> Path:
    files = {
        "a/SKILL.md": skill_md("a", "Reads a PDF and an SBOM, not PDFs or an A2P."),
        "b/SKILL.md": skill_md("b", "Writes an SBOM, 障害報告書"),
    }
    repo = repos.repository(folder / "source", files)
    repos.build(repo, folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skills that were written to be searched, published."""
    top = tmp_path_factory.mktemp("judged")
    repos.build(repos.repository(top / "repo", skill_files(read_skills())), top / "out")
    return top / "out"


def test_our_search_meets_the_bars() -> None:
    """Its order in the browser is the same, as `tests/release/search` shows."""
    command = [sys.executable, search.__file__, "--ranker", "index"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.nightly
def test_a_first_search_loads_little(out: Path) -> None:
    """The manifest, what the words lead to, and the rows of the first ten skills."""
    published = searching.published(out)
    weights = [search.weight_of_first(published, query.text) for query in read_queries()]
    assert statistics.median(weights) <= 25_000
    assert max(weights) <= 60_000
