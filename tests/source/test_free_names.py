"""Names that hints suggest to skills with a title: valid, in no use, and none of them twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.paths import base_name, is_skill_name
from skillbuild.source.free_names import FreeName, Taken, free_names

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
