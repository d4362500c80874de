"""Finding one of many lines by its path says what a search through a plain list says."""

from __future__ import annotations

from bisect import bisect_left

from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillbuild.release.sorted_lines import SortedLines, path_in
from skillbuild.text.json import json_line

texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\/\n\u00e9\u2028\U0001f600'),
    max_size=8,
)
quick = settings(derandomize=True, database=None, deadline=None, max_examples=300)
ODD = ["", '"', '\\"', "a", "a\\", "a\n", "é", "\u2028", "\uffff", "\U0001f600"]
"""By code points the last one comes last; by the units of its JSON escapes it would not."""


def lines_of(paths: list[str]) -> list[bytes]:
    return [json_line({"path": path, "n": "\n" * number}) for number, path in enumerate(paths)]


def data_of(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@quick
@given(st.sets(texts, max_size=30), texts)
@example(set(ODD), "\U0001f600")
@example(set(ODD), "\uffff")
@example(set(), "a")
def test_a_path_is_where_a_plain_list_has_it(names: set[str], wanted: str) -> None:
    paths = sorted(names)
    lines = lines_of(paths)
    stored = SortedLines(data_of(lines))
    assert list(stored) == lines
    for path in {wanted, *paths}:
        place = bisect_left(paths, path)
        offset = stored.offset(path)
        assert offset == len(data_of(lines[:place]))
        assert list(stored.following(offset)) == lines[place:]
        assert stored.path_at(offset) == (paths[place] if place < len(paths) else None)
        assert stored.find(path) == (lines[place] if path in names else None)


@quick
@given(st.sets(texts, max_size=12), st.data())
def test_lines_between_two_offsets_are_searched_alone(names: set[str], data: st.DataObject) -> None:
    paths = sorted(names)
    lines = lines_of(paths)
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, len(lines)))
    ends = [len(data_of(lines[:number])) for number in (start, stop)]
    stored = SortedLines(data_of(lines), *ends)
    assert list(stored) == lines[start:stop]
    for number, path in enumerate(paths):
        assert stored.find(path) == (lines[number] if start <= number < stop else None)


@quick
@given(texts)
def test_the_path_of_a_line_is_read_without_the_rest(path: str) -> None:
    assert path_in(json_line({"path": path, "other": '"path":"x"'})) == path
    assert path_in(json_line({"path": path})[:-1] + b", no JSON") == path


def test_a_last_line_without_a_line_feed_is_read_too() -> None:
    lines = lines_of(["a", "b"])
    stored = SortedLines(b"\n".join(lines))
    assert (stored.find("b"), stored.find("c"), list(stored)) == (lines[1], None, lines)
