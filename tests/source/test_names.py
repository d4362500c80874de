"""Names in formats that know no paths, and names that hints suggest to skills with a title.

All are valid, and none is given twice.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbuild.paths import base_name, is_skill_name
from skillbuild.source.names import FreeName, Taken, flat_names, free_names


def named(skills: Mapping[str, str | None]) -> dict[str, str]:
    """Flat names by path, of skills by path; their directories are their paths."""
    return flat_names(skills, {path: path for path in skills})


def digest(path: str, length: int) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:length]


def test_a_valid_name_that_no_other_skill_has_is_the_flat_name() -> None:
    assert named({"pdf": "pdf", "a/b": "b", "x/y/z": "z"}) == {
        "pdf": "pdf",
        "a/b": "b",
        "x/y/z": "z",
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("git/commit", "git-commit"),
        ("B/c", "b-c"),
        ("acme--tools--debug/debug", "acme-tools-debug"),
        ("debug/debug", "debug"),
        ("Größe (neu)/_x_", "gr-e-neu-x"),
        ("x/" + "y" * 62, "x-" + "y" * 62),
        ("x/" + "y" * 63, "x-" + "y" * 53 + "-" + digest("x/" + "y" * 63, 8)),
        ("x/" + "y" * 52 + "-z" * 9, "x-" + "y" * 52 + "-" + digest("x/" + "y" * 52 + "-z" * 9, 8)),
        ("文/字", "skill-" + digest("文/字", 8)),
    ],
)
def test_without_a_name_of_its_own_it_is_the_path_as_one_word(path: str, name: str) -> None:
    assert named({path: None}) == {path: name}


def test_a_name_of_two_skills_is_the_name_of_none() -> None:
    skills = {"git/commit": "commit", "hg/commit": "commit", "q": "git-commit"}
    assert named(skills) == {
        "git/commit": "git-commit-" + digest("git/commit", 8),
        "hg/commit": "hg-commit",
        "q": "git-commit",
    }


def test_a_word_of_two_paths_is_the_name_of_neither() -> None:
    assert named({"a/b c": None, "a-b/c": None}) == {
        "a/b c": "a-b-c-" + digest("a/b c", 8),
        "a-b/c": "a-b-c-" + digest("a-b/c", 8),
    }


def test_a_longer_digest_tells_them_apart_if_the_short_one_is_taken() -> None:
    path, start = "x/" + "y" * 80, "x-" + "y" * 60
    short, long = f"{start[:55]}-{digest(path, 8)}", f"{start[:47]}-{digest(path, 16)}"
    assert named({path: None, "a": short})[path] == long
    further = named({path: None, "a": short, "b": long})[path]
    assert re.fullmatch(rf"{start[:47]}-[0-9a-f]{{16}}", further)
    assert further != long


def test_a_skill_without_a_place_takes_no_name_from_the_others() -> None:
    names = {"skills/x": None, "plugins/x": None}
    flat = flat_names(names, {"skills/x": "x"})
    assert flat == {"skills/x": "x", "plugins/x": "plugins-x-" + digest("plugins/x/", 8)}


WORDS = st.text("aB-/ .é", min_size=1, max_size=6)


@given(st.dictionaries(WORDS, st.none() | st.sampled_from(["a", "b", "a-b", "Aé"]), max_size=9))
def test_every_skill_has_a_valid_name_that_no_other_has(skills: dict[str, str | None]) -> None:
    flat = named(skills)
    assert flat.keys() == skills.keys()
    assert len(set(flat.values())) == len(flat)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in flat.values())
    assert all(len(name) <= 64 for name in flat.values())


# Names for skills with a title.

SEGMENTS = st.sampled_from(["a", "b", "a-b", "A b", "skills", "claude", "-"])
DIRECTORIES = st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join)
NAMES = st.sampled_from(["a", "b", "a-b", "A", "a/b", "b/a", "A b", "\u6587", "Claude A", None])


def test_of_two_skills_that_want_one_name_both_are_told_to_move() -> None:
    assert free_names({"x/web": "x/web", "y/web": "Web", "lone": "Lone", "z": "z"}, {}) == {
        "x/web": FreeName(None, "x-web", Taken("web", "y/web")),
        "y/web": FreeName(None, "y-web", Taken("web", "x/web")),
        "lone": FreeName("lone", None, None),
    }


@given(st.dictionaries(DIRECTORIES, NAMES, max_size=8))
def test_no_suggested_name_is_in_use_or_suggested_twice(names: dict[str, str | None]) -> None:
    suggested = Counter[str]()
    for directory, free in free_names(names, {}).items():
        words = {free.of_place, free.for_both} - {None}
        others = {other: name for other, name in names.items() if other != directory}
        used = {*others.values(), *map(base_name, others)}
        assert not words & used
        assert all(map(is_skill_name, map(str, words)))
        suggested.update(map(str, words))
    assert max(suggested.values(), default=1) == 1
