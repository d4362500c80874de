"""Differences of lines lead from one text to the other, and take bounded time."""

import time

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.text.line_diff import DiffLine, Hunk, LineDifference, compare_lines

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c\r", "d\u2028d"]), max_size=12).map("\n".join)


def numbered(*numbers: int) -> str:
    return "".join(f"line {number}\n" for number in numbers)


def test_a_change_stands_between_three_lines_of_what_is_around() -> None:
    older = numbered(*range(1, 21))
    newer = older.replace("line 10\n", "ten\nten and a half\n")
    around = [DiffLine(" ", f"line {number}") for number in (7, 8, 9, 11, 12, 13)]
    changed = [DiffLine("-", "line 10"), DiffLine("+", "ten"), DiffLine("+", "ten and a half")]
    hunk = Hunk(7, 7, (*around[:3], *changed, *around[3:]))
    assert compare_lines(older, newer) == LineDifference(2, 1, (hunk,))
    assert hunk.heading == "Lines 7\u201314"
    numbers = [(old, new) for old, new, _ in hunk.numbered()]
    assert numbers[2:7] == [(9, 9), (10, 0), (0, 10), (0, 11), (11, 12)]


def test_changes_far_from_each_other_are_two_hunks_with_their_places() -> None:
    older = numbered(*range(1, 41))
    newer = older.replace("line 2\n", "").replace("line 39\n", "line 39!\n")
    hunks = compare_lines(older, newer).hunks
    assert hunks is not None
    assert [hunk.heading for hunk in hunks] == ["Lines 1\u20134", "Lines 35\u201339"]


def test_texts_from_and_to_nothing() -> None:
    added = LineDifference(1, 0, (Hunk(1, 1, (DiffLine("+", "a"),)),))
    assert compare_lines("", "a\n") == added
    assert [hunk.heading for hunk in added.hunks or ()] == ["Line 1"]
    removed = LineDifference(0, 1, (Hunk(1, 1, (DiffLine("-", "a"),)),))
    assert compare_lines("a\n", "") == removed
    assert [hunk.heading for hunk in removed.hunks or ()] == ["Line 1 of the old file"]
    assert compare_lines("a\n", "a\n") == LineDifference(0, 0, ())


def test_only_line_feeds_end_a_line() -> None:
    lines = compare_lines("a\n", "a\u2028b\x0bc\n").hunks
    assert lines is not None
    assert [line.text for line in lines[0].lines] == ["a", "a\u2028b\x0bc"]


@given(TEXTS, TEXTS)
def test_hunks_lead_from_the_older_text_to_the_newer(older: str, newer: str) -> None:
    different = compare_lines(older, newer)
    lines = older.removesuffix("\n").split("\n") if older else []
    shift = 0
    for hunk in different.hunks or ():
        count = sum(line.mark != "+" for line in hunk.lines)
        at = hunk.old - 1 + shift
        assert lines[at : at + count] == [line.text for line in hunk.lines if line.mark != "+"]
        lines[at : at + count] = new = [line.text for line in hunk.lines if line.mark != "-"]
        shift += len(new) - count
    assert lines == (newer.removesuffix("\n").split("\n") if newer else [])


def test_too_many_lines_are_counted_alone() -> None:
    older, newer = numbered(*range(5000)), numbered(*range(4999, 1, -1), 2)
    assert compare_lines(older, newer) == LineDifference(1, 2, None)


def test_many_lines_beside_a_few_are_matched() -> None:
    hunks = compare_lines("a\n", "a\n" + numbered(*range(10_000))).hunks
    assert hunks is not None
    assert [hunk.heading for hunk in hunks] == ["Lines 1\u201310001"]


def test_a_small_change_of_a_long_text_is_shown() -> None:
    older = numbered(*range(20_000))
    different = compare_lines(older, older.replace("line 9000\n", "changed\n"))
    assert (different.added, different.removed) == (1, 1)
    assert different.hunks is not None


def test_lines_that_repeat_in_the_worst_order_take_bounded_time() -> None:
    older = "\n".join("same" if number % 2 else f"old {number}" for number in range(1700))
    newer = "\n".join("same" if number % 2 else f"new {number}" for number in range(199))
    started = time.process_time()
    compare_lines(older, newer)
    compare_lines(older * 100, newer * 100)
    assert time.process_time() - started < 10
