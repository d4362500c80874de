"""Names in formats that know no paths: free, valid, and never given twice."""

import re

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.source.flat_names import flat_names


def test_flat_names_are_valid_and_unique() -> None:
    paths = [
        "pdf",
        "git/commit",
        "hg/commit",
        "a/b",
        "a-b",
        "x/" + "y" * 60,
        "z/" + "y" * 60,
        "B/c",
    ]
    paths += ["d/c", "q/r-s", "q-r/s", "t/s"]
    assert flat_names(paths) == {
        "pdf": "pdf",
        "git/commit": "git-commit",
        "hg/commit": "hg-commit",
        "a/b": "b",
        "a-b": "a-b",
        "x/" + "y" * 60: "x-" + "y" * 60,
        "z/" + "y" * 60: "z-" + "y" * 60,
        "d/c": "d-c",
        "q/r-s": "r-s",
        "q-r/s": "q-r-s",
        "t/s": "t-s",
    }


PATHS = st.lists(
    st.lists(st.text("ab-", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join),
    unique=True,
    max_size=8,
)


@given(PATHS)
def test_no_flat_name_is_given_twice(paths: list[str]) -> None:
    names = flat_names(paths)
    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names.values())
